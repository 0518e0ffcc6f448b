//! What can go wrong with the work.

use std::io;
use std::path::{Path, PathBuf};

use crate::process::SpawnError;

/// Files named in a message; a thousand would hide what it says.
const NAMED: usize = 5;

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("git {doing}: {told}")]
    Git { doing: String, told: String },
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{path}` leads out of the folder")]
    Outside { path: String },
    #[error("`{path}` is reached through a symbolic link, which is not followed")]
    Link { path: String },
    #[error("`{path}` is not a plain file")]
    NotAFile { path: String },
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooBig { path: PathBuf, limit: u64 },
    #[error("`{}` holds more than {limit} files", path.display())]
    TooMany { path: PathBuf, limit: usize },
    #[error("there is a branch `{branch}` already, and it is not of this run")]
    BranchTaken { branch: String },
    #[error("there is no commit `{name}` in this run")]
    NoCommit { name: String },
    #[error("what is known about the work trees cannot be read: {why}")]
    State { why: String },
    #[error("parts of the work tree cannot be read: {told}")]
    Unreadable { told: String },
    #[error("the checkout is on no branch")]
    NoBranch,
    #[error("files that would change were changed since: {}", named(files))]
    Dirty { files: Vec<String> },
    #[error("both sides changed the same lines: {}", named(files))]
    Conflict { files: Vec<String> },
}

impl TreeError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::Git { .. } => "try the same in the project by hand: `git status` says what is wrong".to_owned(),
            Self::Spawn(error) => error.hint(),
            Self::Io { .. } => "check permissions and free space".to_owned(),
            Self::Outside { .. } | Self::Link { .. } | Self::NotAFile { .. } => {
                "name a plain file inside of the project".to_owned()
            }
            Self::TooBig { .. } | Self::TooMany { .. } => {
                "use git, whose `.gitignore` leaves out what is built, or a smaller project folder".to_owned()
            }
            Self::BranchTaken { branch } => format!("`git branch -m {branch} …` keeps it under another name"),
            Self::NoCommit { .. } => "the run's log names its commits".to_owned(),
            Self::State { .. } => "remove the folder of the work trees; commits stay on their branch".to_owned(),
            Self::Unreadable { .. } => "give yourself access to what the agent has closed, or roll back".to_owned(),
            Self::NoBranch => "check out the branch that is to receive the work".to_owned(),
            Self::Dirty { .. } => "commit or stash these changes, then adopt again; nothing was touched".to_owned(),
            Self::Conflict { .. } => "merge the run's branch by hand; nothing was touched".to_owned(),
        }
    }
}

fn named(files: &[String]) -> String {
    let more = files.len().saturating_sub(NAMED);
    let shown = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
