//! What is to be shown, where it may be tried, and how long that may take.

use std::path::PathBuf;
use std::time::Duration;

use tribunal_kernel::Digest;
use tribunal_kernel::evidence::{CommandEvidence, EvidenceCommand, MayChange};

use crate::tree::TreeError;

/// A change, and the commands that are to prove it.
#[derive(Debug, Clone)]
pub struct EvidenceRequest {
    /// Commits, or whatever else names a tree.
    pub base: String,
    pub head: String,
    pub commands: Vec<EvidenceCommand>,
    /// Files that the test spec names: given, whatever they are.
    pub named: Vec<String>,
    pub may_change: MayChange,
    /// What canaries and the order of mutants are drawn from. Nobody who wrote the change may know it.
    pub seed: Digest,
    /// What was seen at the base before, so that it is not run again: of the same base, by the same line.
    pub known: Vec<CommandEvidence>,
}

/// Where commands run.
#[derive(Debug, Clone)]
pub struct EvidencePlace {
    /// For checkouts and reports; made, and emptied at the end. It lies outside of the project, so that no tool that
    /// walks up finds that.
    pub folder: PathBuf,
    pub env: Vec<(String, String)>,
    /// Folders that commands may write besides their checkout: caches.
    pub writable: Vec<PathBuf>,
    /// What they must not see: the project itself, secrets.
    pub hidden: Vec<PathBuf>,
    pub network: bool,
    /// Folders that are brought along although git does not have them, each as a link: `node_modules`, `.venv`.
    pub carry: Vec<(PathBuf, String)>,
}

/// How much is tried. Everything has a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceLimits {
    /// One run of one command.
    pub run: Duration,
    /// Between asking a command to end and ending it.
    pub grace: Duration,
    /// Everything together, but for the run in flight.
    pub total: Duration,
    /// Mutants, and the time for all of them. None turns sabotage off.
    pub mutants: usize,
    pub sabotage: Duration,
}

impl Default for EvidenceLimits {
    fn default() -> Self {
        Self {
            run: Duration::from_secs(600),
            grace: Duration::from_secs(5),
            total: Duration::from_secs(3600),
            mutants: 20,
            sabotage: Duration::from_secs(300),
        }
    }
}

/// Why nothing could be collected. That a command fails is something that was seen, not an error.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl EvidenceError {
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::Tree(error) => error.hint(),
            Self::Io { .. } => "check permissions and free space where checkouts are put".to_owned(),
        }
    }
}
