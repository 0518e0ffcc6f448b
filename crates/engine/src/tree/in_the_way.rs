//! What of the user's stands where a merge would write, and nothing else has.
//!
//! Git takes what it ignores for worthless: a merge overwrites such files, and removes such folders, without a word.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::folder::{self, Kind};
use super::git::{Git, fields};
use super::worktree::Worktree;

/// What a path will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Becomes {
    /// A file or a link.
    File,
    /// A submodule: a folder, which git leaves as it is.
    Folder,
    Nothing,
}

/// A path that a merge changes, as seen from the top.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Coming {
    pub(super) path: PathBuf,
    pub(super) becomes: Becomes,
}

impl Worktree {
    /// Refuses to go from one commit to another where that takes away what nobody else has.
    pub(super) async fn keep_clear(&self, user: &Git, from: &str, to: &str) -> Result<(), TreeError> {
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", from, to];
        let coming = coming(&self.books().call(&args, &[]).await?);
        let known = user.call(&["ls-files", "-z", "--cached"], &[]).await?;
        let known = fields(&known).map(path).collect();
        let files = in_the_way(&self.place.top, &coming, &known)?;
        if files.is_empty() {
            return Ok(());
        }
        let files = files.iter().map(|path| self.seen_from_project(path.as_os_str().as_bytes())).collect();
        Err(TreeError::InTheWay { files })
    }
}

/// What is there, is not `known`, and would be overwritten or removed. Of what is known, whoever keeps the books says
/// whether it may change.
pub(super) fn in_the_way(
    top: &Path,
    coming: &[Coming],
    known: &BTreeSet<PathBuf>,
) -> Result<BTreeSet<PathBuf>, TreeError> {
    let mut found = BTreeSet::new();
    for Coming { path, becomes } in coming {
        if let Some((above, is_there)) = above(top, path)? {
            if is_there && *becomes != Becomes::Nothing && !known.contains(&above) {
                found.insert(above);
            }
            continue;
        }
        let Some(there) = look(&top.join(path))?.filter(|_| !known.contains(path)) else { continue };
        match becomes {
            _ if !there.is_dir() => found.extend([path.clone()]),
            Becomes::File => found.extend(unknown_below(top, path, known)?),
            // A folder is not taken away for either.
            Becomes::Folder | Becomes::Nothing => {}
        }
    }
    Ok(found)
}

/// The first thing on the way to a path that is no folder, and whether there is anything at all.
fn above(top: &Path, path: &Path) -> Result<Option<(PathBuf, bool)>, TreeError> {
    let mut ancestors: Vec<&Path> = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
    ancestors.reverse();
    for above in ancestors {
        let there = look(&top.join(above))?;
        if !there.as_ref().is_some_and(Metadata::is_dir) {
            return Ok(Some((above.to_owned(), there.is_some())));
        }
    }
    Ok(None)
}

/// Files and links below a folder that nobody knows. Folders alone are no loss.
fn unknown_below(top: &Path, path: &Path, known: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, TreeError> {
    let listing = folder::list(&top.join(path), &[])?;
    let files = listing.into_iter().filter(|(_, item)| item.kind != Kind::Folder);
    Ok(files.map(|(name, _)| path.join(name)).filter(|path| !known.contains(path)).collect())
}

fn look(path: &Path) -> Result<Option<Metadata>, TreeError> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TreeError::io(path)(error)),
    }
}

/// From `:100644 000000 <object> <object> D`, each with a path behind it.
fn coming(raw: &[u8]) -> Vec<Coming> {
    let mut found = Vec::new();
    let mut fields = fields(raw);
    while let (Some(entry), Some(name)) = (fields.next(), fields.next()) {
        let becomes = match entry.split(|byte| *byte == b' ').nth(1) {
            Some(b"000000") => Becomes::Nothing,
            Some(b"160000") => Becomes::Folder,
            _ => Becomes::File,
        };
        found.push(Coming { path: path(name), becomes });
    }
    found
}

fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_read_from_git() {
        let raw = b":000000 100644 0 1 A\0a b\n\0:100644 000000 1 0 D\0gone\0:000000 160000 0 1 A\0vendor\0:100644 120000 1 2 T\0l\0";
        let read: Vec<(String, Becomes)> =
            coming(raw).into_iter().map(|it| (it.path.display().to_string(), it.becomes)).collect();
        let expected =
            [("a b\n", Becomes::File), ("gone", Becomes::Nothing), ("vendor", Becomes::Folder), ("l", Becomes::File)];
        assert_eq!(read, expected.map(|(path, becomes)| (path.to_owned(), becomes)));
    }
}
