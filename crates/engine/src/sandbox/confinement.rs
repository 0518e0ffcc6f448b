//! What a process may do beyond reading.

use std::path::{Component, Path, PathBuf};

use super::error::SandboxError;

/// What a process may do beyond reading. Of two paths, one inside of the other, the inner one counts: a folder that may
/// be written inside of a hidden one is there and may be written. Of the same path the strictest counts.
///
/// Nothing is implied: the folder where an agent keeps its own state must be among `writable`, and `/tmp` is not.
/// All paths are absolute, exist (except `hidden` ones) and contain no symbolic link: an agent could have put it there
/// in an earlier turn, so as to be given what it points to. Whoever resolves links does it before an agent had access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Folders (or files) it may write. A file cannot be replaced by renaming another one over it: prefer folders.
    pub writable: Vec<PathBuf>,
    /// Inside of a writable folder, and yet not. Must exist: what is not there cannot be protected from being made.
    pub read_only: Vec<PathBuf>,
    /// What it must not even see. What is not there is not hidden, should it come later.
    pub hidden: Vec<PathBuf>,
    pub network: bool,
    /// Its own folder for temporary files: writable, and named by `TMPDIR`.
    pub tmp: PathBuf,
}

/// How a path is shown to the process, from the laxest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum View {
    Writable,
    ReadOnly,
    Hidden,
}

impl Confinement {
    /// Every path with its view, outer ones first. Checked.
    pub(super) fn views(&self) -> Result<Vec<(&Path, View)>, SandboxError> {
        let writable = self.writable.iter().chain([&self.tmp]).map(|path| (path, View::Writable));
        let read_only = self.read_only.iter().map(|path| (path, View::ReadOnly));
        let hidden = self.hidden.iter().map(|path| (path, View::Hidden));
        let mut views = Vec::new();
        for (path, view) in writable.chain(read_only).chain(hidden) {
            match check(path) {
                Ok(()) => views.push((path.as_path(), view)),
                Err(SandboxError::Missing { .. }) if view == View::Hidden => {}
                Err(error) => return Err(error),
            }
        }
        views.sort_by_key(|(path, view)| (path.components().count(), *view));
        // Of the same path the last, strictest view stays.
        views.reverse();
        let mut seen = Vec::new();
        views.retain(|(path, _)| {
            let is_new = !seen.contains(path);
            seen.push(path);
            is_new
        });
        views.reverse();
        Ok(views)
    }
}

fn check(path: &Path) -> Result<(), SandboxError> {
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Err(SandboxError::NotAbsolute { path: path.to_owned() });
    }
    let real = path.canonicalize().map_err(|source| SandboxError::Missing { path: path.to_owned(), source })?;
    if real == path { Ok(()) } else { Err(SandboxError::Symlink { path: path.to_owned(), real }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(confinement: &Confinement, root: &Path) -> String {
        let views = confinement.views().unwrap();
        let show =
            |(path, view): &(&Path, View)| format!("{} {view:?}", path.strip_prefix(root).unwrap_or(path).display());
        views.iter().map(show).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn outer_paths_come_first_and_the_strictest_view_of_one_counts() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b/c")).unwrap();
        let confinement = Confinement {
            writable: vec![root.join("a/b/c"), root.join("a"), root.join("a/b")],
            read_only: vec![root.join("a/b")],
            hidden: vec![root.join("a/b"), root.join("a/none")],
            network: false,
            tmp: root.clone(),
        };
        assert_eq!(names(&confinement, &root), " Writable, a Writable, a/b Hidden, a/b/c Writable");
    }

    #[test]
    fn a_link_on_the_way_is_refused_and_so_is_what_is_missing_or_relative() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        let with = |path: &Path| {
            let confinement =
                Confinement { writable: vec![path.into()], tmp: root.join("real"), ..Confinement::default() };
            confinement.views().unwrap_err()
        };
        assert!(matches!(with(&root.join("link")), SandboxError::Symlink { .. }));
        assert!(matches!(with(&root.join("link/ssl")), SandboxError::Symlink { .. }));
        assert!(matches!(with(&root.join("missing")), SandboxError::Missing { .. }));
        assert!(matches!(with(&root.join("real/../real")), SandboxError::NotAbsolute { .. }));
        assert!(matches!(with(Path::new("real")), SandboxError::NotAbsolute { .. }));
    }
}
