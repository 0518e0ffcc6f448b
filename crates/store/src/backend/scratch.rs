//! Folders on this machine, for processes that need one. Nothing in them is the truth.

use std::path::PathBuf;
use tribunal_kernel::RunId;

use super::StoreReply;

/// Folders of this machine that belong to the project. A backend that keeps nothing here still has them.
pub trait Scratch: Send + Sync {
    /// Where a folder is. It need not be there.
    fn path(&self, folder: &ScratchFolder) -> PathBuf;

    /// The same folder, made and empty: what was in it is gone.
    fn emptied<'a>(&'a self, folder: &'a ScratchFolder) -> StoreReply<'a, PathBuf>;
}

/// What a folder is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScratchFolder {
    /// Where the agents of a run work on files.
    Trees(RunId),
    /// What a theater leaves for people to look at.
    Artifacts(RunId),
    /// What is attached to the brief of a run, for people to open.
    Attached(RunId),
    /// Files that an agent's command line must find, and what it keeps.
    Agent(String),
    /// Where an agent is tried: a project of its own, so that no run of this one is touched.
    Trial(String),
}
