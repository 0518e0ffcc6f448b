//! What is to be shown, where it may be tried, and how long that may take.

use std::path::PathBuf;
use std::time::Duration;

use tribunal_kernel::Digest;
use tribunal_kernel::evidence::{CommandEvidence, EvidenceCommand, MayChange};

use super::check_home::CheckHome;
use crate::sandbox::{closed_at_home, closed_in_project, closed_to_checks};
use crate::tree::{CommitReader, TreeError};

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
    /// Folders that are brought along although git does not have them, each as a link: `node_modules`, `.venv`. They can
    /// be read although what is around them is hidden.
    pub carry: Vec<(PathBuf, String)>,
    /// Whose home the checks have, and what is set up for them. Without one they have what `env` says.
    pub home: Option<CheckHome>,
}

impl EvidencePlace {
    /// The place for checks of a project, with everything closed that is closed by default: the user's copy of the
    /// project and its repository but for what is carried, their secrets and the state of agents. The network is closed, too.
    pub fn closed(
        folder: PathBuf,
        env: Vec<(String, String)>,
        reader: &CommitReader,
        home: Option<CheckHome>,
        carry: Vec<(PathBuf, String)>,
    ) -> Self {
        let user = home.as_ref().map(CheckHome::user);
        let own = reader.originals().into_iter().filter_map(|path| path.canonicalize().ok());
        // Who has their whole home in a repository has their tools there, too.
        let close = |path: PathBuf| match user {
            Some(user) if user.starts_with(&path) => closed_in_project(&path),
            _ => vec![path],
        };
        let secrets = user.into_iter().flat_map(|user| [closed_at_home(user), closed_to_checks(user)]).flatten();
        let mut hidden: Vec<PathBuf> = own.flat_map(close).chain(secrets).collect();
        hidden.sort();
        hidden.dedup();
        let carry = carry.into_iter().filter_map(|(from, to)| Some((from.canonicalize().ok()?, to))).collect();
        Self { folder, env, writable: Vec::new(), hidden, network: false, carry, home }
    }
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
    #[error("setup `{line}` failed: {why}\n{tail}")]
    Setup { line: String, why: String, tail: String },
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
            Self::Setup { .. } => {
                "try the command in a fresh clone; your keys and tokens are closed to it, and scripts are the base's"
                    .to_owned()
            }
        }
    }
}
