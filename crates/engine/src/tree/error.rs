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
    #[error("the disk is full: no space is left in `{}`", path.display())]
    Full { path: PathBuf },
    #[error("`{path}` leads out of the folder")]
    Outside { path: String },
    #[error("`{path}` is reached through a symbolic link, which is not followed")]
    Link { path: String },
    #[error("`{path}` is not a regular file")]
    NotAFile { path: String },
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooBig { path: PathBuf, limit: u64 },
    #[error("`{}` holds more than {limit} files", path.display())]
    TooMany { path: PathBuf, limit: usize },
    #[error("the branch `{branch}` exists already and does not belong to this run")]
    BranchTaken { branch: String },
    #[error("there is no commit `{name}` in this run")]
    NoCommit { name: String },
    #[error("the repository has no commit yet")]
    NoCommitYet,
    #[error("there is no change to judge: the clone is shallow, and what was before its commit is not in it")]
    Shallow,
    #[error("git looks at another folder than this one: its `core.worktree` leads there")]
    Elsewhere,
    #[error("git takes this folder for a repository without files: `core.bare` is set")]
    Bare,
    #[error("what is checked out has nothing in common with {main}, which it was held against before")]
    Unrelated { main: String },
    #[error("cannot read the record of the work trees: {why}")]
    State { why: String },
    #[error("parts of the work tree cannot be read: {told}")]
    Unreadable { told: String },
    #[error("the checkout is not on a branch")]
    NoBranch,
    #[error("these files have local changes: {}", named(files))]
    Dirty { files: Vec<String> },
    #[error("files of yours stand where the work would be written: {}", named(files))]
    InTheWay { files: Vec<String> },
    #[error("a {doing} is not finished in your checkout")]
    Unfinished { doing: &'static str },
    #[error("these files have conflicts: {}", named(files))]
    Unresolved { files: Vec<String> },
    #[error("both sides changed the same lines: {}", named(files))]
    Conflict { files: Vec<String> },
}

impl TreeError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Io { path, source },
        }
    }

    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::Git { .. } => "try the same by hand in the project: `git status` shows what is wrong".to_owned(),
            Self::Spawn(error) => error.hint(),
            Self::Full { .. } => {
                "free some space there; if it is the cache folder, XDG_CACHE_HOME can name one on another disk"
                    .to_owned()
            }
            Self::Io { .. } => "check permissions and free space".to_owned(),
            Self::Outside { .. } | Self::Link { .. } | Self::NotAFile { .. } => {
                "use a regular file inside the project".to_owned()
            }
            Self::TooBig { .. } | Self::TooMany { .. } => {
                "use git with a `.gitignore` that excludes build output, or a smaller project folder".to_owned()
            }
            Self::BranchTaken { branch } => format!("`git branch -m {branch} …` keeps it under another name"),
            Self::NoCommit { .. } => "the run's log names its commits".to_owned(),
            Self::NoCommitYet => "make a first commit: `git add -A && git commit`".to_owned(),
            Self::Shallow => {
                "fetch the rest: `git fetch --unshallow`; in CI, check out with `fetch-depth: 0`".to_owned()
            }
            Self::Elsewhere => "`git config --unset core.worktree` puts it right".to_owned(),
            Self::Bare => "`git config --unset core.bare` puts it right".to_owned(),
            Self::Unrelated { main } => format!("check out what goes back to {main}"),
            Self::State { .. } => "remove the folder of the work trees; commits stay on their branch".to_owned(),
            Self::Unreadable { .. } => "restore your access to these files, or roll back".to_owned(),
            Self::NoBranch => "check out the branch to merge into".to_owned(),
            Self::Dirty { .. } => "commit or stash these changes, then adopt again; nothing was changed".to_owned(),
            Self::InTheWay { .. } => {
                "git does not have these files: move them away, then adopt again; nothing was changed".to_owned()
            }
            Self::Unfinished { doing } => format!(
                "finish it (`git {doing} --continue`) or give it up (`git {doing} --abort`), then adopt again; nothing was changed"
            ),
            Self::Unresolved { .. } => "resolve them and commit, then adopt again; nothing was changed".to_owned(),
            Self::Conflict { .. } => "merge the run's branch by hand; nothing was changed".to_owned(),
        }
    }
}

fn named(files: &[String]) -> String {
    let more = files.len().saturating_sub(NAMED);
    let shown = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
