//! Which files a model may read: those of the workspace that are the work, and nothing beside them.

use std::path::{Component, Path, PathBuf};

use crate::hidden::is_hidden;

/// The path inside of the workspace that a model means, or why it may not be read. Says nothing about links: those are
/// looked at when the file is opened.
pub(super) fn inside(path: &str) -> Result<PathBuf, &'static str> {
    if path.contains('\0') {
        return Err("that is no path");
    }
    let mut inside = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) if is_hidden(&name.to_string_lossy()) => return Err("that is not to be read"),
            Component::Normal(name) => inside.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err("paths start at the workspace and stay in it");
            }
        }
    }
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for (path, expected) in [
            ("", Some("")),
            (".", Some("")),
            ("./a/./b.md", Some("a/b.md")),
            ("a b/ü.txt", Some("a b/ü.txt")),
            ("a//b", Some("a/b")),
            (".github/workflows/ci.yml", Some(".github/workflows/ci.yml")),
            (".gitignore", Some(".gitignore")),
            ("..", None),
            ("a/../b", None),
            ("a/../../etc/passwd", None),
            ("/etc/passwd", None),
            ("/", None),
            (".git", None),
            (".git/config", None),
            ("sub/.GIT/config", None),
            (".tribunal/runs", None),
            ("a/.tribunal", None),
            (".env", None),
            ("app/.env.local", None),
            (".ssh/id_ed25519", None),
            ("a\0b", None),
        ] {
            assert_eq!(inside(path).ok(), expected.map(PathBuf::from), "{path:?}");
        }
    }
}
