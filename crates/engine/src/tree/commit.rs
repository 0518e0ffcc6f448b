//! What a commit of the work is, and a clean checkout of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::folder;

/// Clean checkouts at the same time.
const CHECKOUT_LIMIT: usize = 1000;
const CHECKOUT: &str = "checks-";

/// The work at one point. Its first parent is the last good commit, whatever the agent did to the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The last good commit's own id when nothing has changed.
    pub id: String,
    /// Names the content alone: equal trees are equal work.
    pub tree: String,
    pub changed: Vec<TreeChange>,
    pub is_empty: bool,
}

/// What a commit would hold now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub tree: String,
    /// The last good commit.
    pub parent: String,
    /// Links that lead out of the work, which are no part of it, as seen from the project's folder.
    pub left_out: Vec<String>,
}

/// The last good commit, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    pub id: String,
    pub tree: String,
    /// Without git nobody says.
    pub parent: Option<String>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeChange {
    /// As seen from the project's folder: `../` for what is beside it in the repository.
    pub path: String,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// A file became a link, or the other way round.
    Retyped,
}

/// A clean checkout, for checks: only what is committed, no `.git`, nobody else's. Gone when it is dropped.
#[derive(Debug)]
pub struct Checkout {
    root: PathBuf,
    project: PathBuf,
}

impl Checkout {
    pub(super) fn new(root: PathBuf, prefix: &Path) -> Self {
        Self { project: root.join(prefix), root }
    }

    /// The project's folder in it.
    pub fn path(&self) -> &Path {
        &self.project
    }

    /// The whole of it: the project may be a part of a repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Leaves it where it is, for good.
    pub fn keep(self) -> PathBuf {
        let kept = std::mem::ManuallyDrop::new(self);
        kept.root.clone()
    }

    /// Removes it, and says when that fails.
    pub async fn close(self) -> Result<(), TreeError> {
        let root = self.root.clone();
        super::blocking(move || folder::remove(&root)).await
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let _ = folder::remove(&self.root); // what is left, `Trees::open` removes
    }
}

/// A new folder for a checkout.
pub(super) fn free_folder(home: &Path) -> Result<PathBuf, TreeError> {
    for number in 1..=CHECKOUT_LIMIT {
        let path = home.join(format!("{CHECKOUT}{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(TreeError::io(&path)(error)),
        }
    }
    Err(TreeError::TooMany { path: home.to_owned(), limit: CHECKOUT_LIMIT })
}

/// Removes checkouts that a killed leader left, and what it did not finish writing.
pub(super) fn sweep(home: &Path) -> Result<(), TreeError> {
    super::inside::sweep_unfinished(home);
    for entry in fs::read_dir(home).map_err(TreeError::io(home))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(CHECKOUT) {
            folder::remove(&entry.path())?;
        }
    }
    Ok(())
}
