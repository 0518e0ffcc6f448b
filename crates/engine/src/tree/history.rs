//! The history as it is, whatever books beside the objects say of it.
//!
//! A repository can be told that a commit has other parents than it has, or none: grafts, replacements, a graph of commits
//! kept aside, a list of commits where a clone was cut off. The first three are never asked ([`super::git`]). The last one is
//! needed in a clone that was really cut off; where the parents are there, nothing was, and the entry does not count.

use std::fs;
use std::path::Path;

use super::error::TreeError;
use super::git::Git;
use crate::temporary::{FolderUse, TemporaryFolder};

/// Where git is told which file lists the commits that history ends at; nothing: there is none.
const SHALLOW_FILE: &str = "GIT_SHALLOW_FILE";
/// So many entries are looked at. Of a longer list nothing is believed but what git itself finds missing.
const MOST_ENTRIES: usize = 1_000;

/// Git that follows parents as commits name them.
#[derive(Debug)]
pub(super) struct History {
    pub(super) git: Git,
    /// The entries that count.
    _list: Option<TemporaryFolder>,
}

impl History {
    pub(super) async fn of(git: Git) -> Result<Self, TreeError> {
        let path = git.line(&["rev-parse", "--path-format=absolute", "--git-path", "shallow"]).await?;
        let Ok(text) = fs::read_to_string(Path::new(&path)) else { return Ok(Self { git, _list: None }) };
        let mut ends = Vec::new();
        for commit in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_ENTRIES) {
            if !has_parents(&git, commit).await? {
                ends.push(commit);
            }
        }
        if ends.is_empty() {
            return Ok(Self { git: git.with(SHALLOW_FILE, ""), _list: None });
        }
        let cannot = |error| TreeError::io(Path::new("a temporary file"))(error);
        let folder = TemporaryFolder::make(FolderUse::Git).map_err(cannot)?;
        let list = folder.path().join("shallow");
        fs::write(&list, ends.join("\n") + "\n").map_err(cannot)?;
        Ok(Self { git: git.with(SHALLOW_FILE, &list), _list: Some(folder) })
    }
}

/// Whether a commit names parents, and all of them are here.
async fn has_parents(git: &Git, commit: &str) -> Result<bool, TreeError> {
    let shown = git.try_call(&["cat-file", "commit", commit], &[]).await?;
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let parents: Vec<&str> = text.lines().map_while(|line| (!line.is_empty()).then_some(line)).collect();
    let parents = parents.iter().filter_map(|line| line.strip_prefix("parent "));
    let mut any = false;
    for parent in parents {
        if git.try_call(&["cat-file", "-e", &format!("{parent}^{{commit}}")], &[]).await?.code != 0 {
            return Ok(false);
        }
        any = true;
    }
    Ok(any && shown.code == 0)
}
