//! What lies around a page: files below its root, and what a build will put there.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tribunal_checks::{Anchors, Surroundings};

use super::Files;

/// The files around one page.
#[derive(Debug, Clone)]
pub struct PageFiles {
    pub files: Files,
    /// Folders below the root that a build makes: what is below them is taken for there.
    built: Vec<String>,
}

impl PageFiles {
    /// Files below `root`; `built` are folders that a build makes.
    pub fn new(files: Files, root: &Path, built: &[PathBuf]) -> Self {
        let below = |folder: &PathBuf| {
            let parts = plain(folder).strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
            Some(parts)
        };
        Self { files, built: built.iter().filter_map(below).collect() }
    }

    fn is_built(&self, path: &str) -> bool {
        let is_below = |folder: &String| {
            folder.is_empty()
                || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.built.iter().any(is_below)
    }
}

impl Surroundings for PageFiles {
    fn exists(&self, path: &str) -> bool {
        self.is_built(path) || self.files.exists(path)
    }

    fn anchors(&self, path: &str) -> Option<Arc<Anchors>> {
        if self.is_built(path) { None } else { self.files.anchors(path) }
    }
}

/// A path without dots and links in it, whether there is such a folder or not.
fn plain(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    // What is there of it may be a link.
    let (mut there, mut rest) = (plain.clone(), Vec::new());
    while let Some(name) = there.file_name().map(ToOwned::to_owned) {
        if let Ok(real) = there.canonicalize() {
            return rest.into_iter().rev().fold(real, |path, name| path.join(name));
        }
        rest.push(name);
        there.pop();
    }
    plain
}
