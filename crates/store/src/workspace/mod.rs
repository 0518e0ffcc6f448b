//! The files of a review in its workspace: `state.json` and everything under `copy/`.
//!
//! Writing is a view: [`files`] gives every file of an asset from the folded run, and [`update`] brings the
//! workspace there. Nothing but the log decides what they hold, so deleting them loses nothing that a run made; what
//! other tools and people put beside it is kept. Reading goes the other way once, before a run is opened: [`read`]
//! gathers what the workspace already holds.
//!
//! The shapes are those of `spec/review.md`, and other programs read them strictly: nothing is written that is not in
//! them. `testdata/review/load.py` is such a reader.

mod base;
mod candidate;
mod decision;
mod episode;
mod error;
mod files;
mod group;
mod html;
mod iteration;
mod json;
mod lock;
mod moment;
mod paths;
mod protocol;
mod provenance;
mod read;
mod rebuild;
mod review;
mod selected;
mod state;

use std::path::{Component, Path, PathBuf};
use tribunal_kernel::{Digest, Run};

use crate::StoreError;
use crate::atomic::{self, FileChange};

pub use base::Base;
pub use error::WorkspaceError;
pub use files::{File, files};
pub use group::update_all;
pub use lock::WorkspaceLock;
pub use paths::Asset;
pub use read::{RunGiven, candidates, read, settled};
pub use rebuild::{RebuiltWorkspace, rebuild};
pub use state::WorkspaceState;

/// Brings the files of the run's asset to what the log says. Gives the files that changed.
///
/// All of it happens under the workspace's lock: assets run at the same time, also in several processes, and share
/// `state.json`.
pub fn update(
    root: &Path,
    run: &Run,
    texts: &impl Fn(Digest) -> Option<String>,
) -> Result<Vec<PathBuf>, WorkspaceError> {
    let _lock = lock(root)?;
    let base = Base::read(root, run)?;
    write(root, &files(run, texts, &base)?)
}

/// Removes what processes that were killed did not finish in the workspace at `root`. Gives how many files that were.
pub fn sweep(root: &Path) -> usize {
    // `copy/<kind>/<asset>/…`
    atomic::sweep(root, 0) + atomic::sweep(&root.join(paths::COPY), 2)
}

/// The right to change what the workspace at `root` holds, for as long as it is kept. Waits for whoever has it.
pub fn lock(root: &Path) -> Result<WorkspaceLock, WorkspaceError> {
    WorkspaceLock::acquire(root)
}

/// Writes the files in the order in which they are given, each as a whole. Gives those that changed: a file that holds
/// the right bytes already is not touched.
pub fn write(root: &Path, files: &[File]) -> Result<Vec<PathBuf>, WorkspaceError> {
    write_with(root, files, atomic::write)
}

fn write_with(
    root: &Path,
    files: &[File],
    write: impl Fn(&Path, &[u8]) -> Result<FileChange, StoreError>,
) -> Result<Vec<PathBuf>, WorkspaceError> {
    let mut changed = Vec::new();
    for (path, bytes) in files {
        if !path.components().all(|component| matches!(component, Component::Normal(_))) {
            return Err(WorkspaceError::Outside { path: path.clone() });
        }
        if write(&root.join(path), bytes)? == FileChange::Written {
            changed.push(path.clone());
        }
    }
    Ok(changed)
}
