//! Links that lead out of the work. Whoever writes through one, a check, a later worker, the user after `adopt`, writes
//! somewhere else; so a link that leads out is no part of the work, unless it was there before.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::error::TreeError;
use super::folder;

/// Links that lead to links: past these the system gives up as well, and it leads nowhere.
const HOPS: usize = 40;
/// Files and folders that are looked at; a tree that is larger is not searched to its end.
const MOST_ENTRIES: usize = 2_000_000;

/// Whether a link, named from `root`, leads out of it and has no business to.
pub(super) fn is_stray(root: &Path, link: &Path) -> bool {
    leads_out(root, link) && !is_interpreter(root, link)
}

/// An environment of Python's leads to its interpreter by a link, and nobody who made one meant more by it.
fn is_interpreter(root: &Path, link: &Path) -> bool {
    let Ok(target) = fs::read_link(root.join(link)) else { return false };
    let is_named = |path: &Path, names: &[&str]| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        names.iter().any(|known| name.starts_with(known))
    };
    let programs = link.parent().filter(|folder| folder.ends_with("bin"));
    let environment = programs.and_then(Path::parent);
    environment.is_some_and(|environment| root.join(environment).join("pyvenv.cfg").is_file())
        && is_named(link, &["python"])
        && is_named(&target, &["python", "pypy"])
}

/// Whether it leads out of `root` or into git's own books, by whatever way. A full path does: where the work is laid out
/// again, it would still lead to this place.
fn leads_out(root: &Path, link: &Path) -> bool {
    let mut at: Vec<OsString> = link.iter().map(Into::into).collect();
    let mut ahead = VecDeque::new();
    for _ in 0..HOPS {
        let Ok(target) = fs::read_link(root.join(at.iter().collect::<PathBuf>())) else { return false };
        at.pop();
        for part in target.components().rev() {
            match part {
                Component::Normal(_) | Component::ParentDir => ahead.push_front(part.as_os_str().to_owned()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return true,
            }
        }
        loop {
            let Some(part) = ahead.pop_front() else { return false };
            if part == ".." {
                if at.pop().is_none() {
                    return true;
                }
                continue;
            }
            if part.eq_ignore_ascii_case(".git") {
                return true;
            }
            at.push(part);
            if root.join(at.iter().collect::<PathBuf>()).is_symlink() {
                break;
            }
        }
    }
    false
}

/// The first link on the way from `root` to a path, or the path itself if there is none: what is behind a link is not in the
/// folder.
pub(super) fn up_to_link(root: &Path, path: &Path) -> PathBuf {
    let mut at = PathBuf::new();
    for part in path {
        at.push(part);
        if root.join(&at).is_symlink() {
            break;
        }
    }
    at
}

/// Removes links that lead into one of these folders, wherever they are below `root`: what git ignores stays from turn to
/// turn, and whoever builds there would build in the user's own.
pub(super) fn cut_links_into(root: &Path, folders: &[PathBuf]) -> Result<(), TreeError> {
    let (mut open, mut seen) = (vec![root.to_owned()], 0usize);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if MOST_ENTRIES < seen {
                return Ok(());
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_symlink() && leads_into(root, &entry.path(), folders) {
                folder::remove(&entry.path())?;
            }
        }
    }
    Ok(())
}

/// Where it really leads, if there is anything; the work itself may lie in one of the folders.
fn leads_into(root: &Path, link: &Path, folders: &[PathBuf]) -> bool {
    let Ok(target) = fs::read_link(link) else { return false };
    let named = link.parent().unwrap_or(root).join(target);
    // What is not there yet can be made through the link, if the folder is there.
    let found = named.canonicalize().or_else(|error| match (named.parent(), named.file_name()) {
        (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)),
        _ => Err(error),
    });
    found.is_ok_and(|found| !found.starts_with(root) && folders.iter().any(|folder| found.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_leads_out_by_whatever_way() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        for (name, target, expected) in [
            ("plain", "a/file", false),
            ("missing", "a/none", false),
            ("a/up", "../a/b/../file", false),
            ("top", ".", false),
            ("full", "/etc/passwd", true),
            ("full-inside", root.join("a/file").to_str().unwrap(), true),
            ("a/out", "../../other", true),
            ("a/b/deep", "../../../x", true),
            ("back", "a/../../root/a/file", true),
            ("books", ".git/hooks", true),
            ("a/b/books", "../../.GIT/config", true),
            ("short", "a/b", false),
            ("through", "short/../../x", false),
            ("further", "short/../../../x", true),
            ("through-inside", "short/../file", false),
            ("over", "a/out/x", true),
            ("round", "round", false),
            ("there", "and-back", false),
            ("and-back", "there", false),
        ] {
            symlink(target, root.join(name)).unwrap();
            assert_eq!(leads_out(&root, Path::new(name)), expected, "{name} -> {target}");
        }
    }

    #[test]
    fn an_environment_of_pythons_keeps_its_interpreter() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for folder in [".venv/bin", "other/bin"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join(".venv/pyvenv.cfg"), "").unwrap();
        for (name, target, expected) in [
            (".venv/bin/python3", "/usr/bin/python3", false),
            (".venv/bin/python", "python3", false),
            (".venv/bin/data", "/usr/bin/python3", true),
            (".venv/bin/python4", "/home/ada/.profile", true),
            (".venv/python", "/usr/bin/python3", true),
            ("other/bin/python", "/usr/bin/python3", true),
        ] {
            symlink(target, root.join(name)).unwrap();
            assert_eq!(is_stray(root, Path::new(name)), expected, "{name} -> {target}");
        }
    }

    #[test]
    fn links_into_the_users_folders_are_cut_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let (user, root) = (dir.join("user"), dir.join("user/.tribunal/work"));
        for folder in [user.join("target"), root.join("target/deep"), dir.join("tools")] {
            fs::create_dir_all(folder).unwrap();
        }
        for (name, target, stays) in [
            ("target/deep/a", user.join("target"), false),
            ("target/new", user.join("target/none"), false),
            ("up", "../../target".into(), false),
            ("python", dir.join("tools"), true),
            ("nowhere", dir.join("none/none"), true),
            ("own", root.join("target"), true),
            ("beside", "target/deep".into(), true),
        ] {
            symlink(&target, root.join(name)).unwrap();
            cut_links_into(&root, std::slice::from_ref(&user)).unwrap();
            assert_eq!(root.join(name).is_symlink(), stays, "{name}");
        }
        assert!(user.join("target").is_dir());
    }
}
