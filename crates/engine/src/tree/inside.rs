//! Reading and writing below a folder that somebody else fills.
//!
//! Every step of a path is opened by itself and refused if it is a link, so nothing that an agent puts into its work
//! tree leads us out of it, not even when it is put there between two steps.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::error::TreeError;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Not to wait: it could be a pipe that nobody writes to.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const NEW: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

/// What a file is called as long as it is not complete; whose it is, and a number, come behind it.
const UNFINISHED: &str = ".tribunal-";

/// Removes files from a folder that somebody began to write who was killed.
pub(crate) fn sweep_unfinished(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(UNFINISHED).and_then(|rest| rest.split_once('-')?.0.parse().ok());
        let is_gone = |owner: Pid| rustix::process::test_kill_process(owner) == Err(Errno::SRCH);
        if owner.and_then(Pid::from_raw).is_some_and(is_gone) {
            let _ = std::fs::remove_file(entry.path()); // the next one tries again
        }
    }
}

/// The whole of a plain file of at most `max_bytes`.
pub fn read_inside(root: &Path, relative: &str, max_bytes: u64) -> Result<Vec<u8>, TreeError> {
    let (folder, name) = descend(root, relative, false)?;
    let failed = |error| explain(&folder, name, relative, root, error);
    let opened = rustix::fs::openat(&folder, name, FILE, Mode::empty()).map_err(failed)?;
    let stat = rustix::fs::fstat(&opened).map_err(failed)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(TreeError::NotAFile { path: relative.to_owned() });
    }
    let mut bytes = Vec::new();
    let path = root.join(relative);
    File::from(opened).take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(TreeError::io(&path))?;
    if max_bytes < bytes.len() as u64 {
        return Err(TreeError::TooBig { path, limit: max_bytes });
    }
    Ok(bytes)
}

/// Replaces a file in one step, or makes it, with the folders on the way. A link in its place is replaced, not followed.
pub fn write_inside(root: &Path, relative: &str, bytes: &[u8]) -> Result<(), TreeError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (folder, name) = descend(root, relative, true)?;
    let failed = |error| explain(&folder, name, relative, root, error);
    let mut mode = Mode::from_raw_mode(0o644);
    if let Ok(stat) = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => mode = Mode::from_raw_mode(stat.st_mode & 0o777),
            FileType::Symlink => {}
            _ => return Err(TreeError::NotAFile { path: relative.to_owned() }),
        }
    }
    let new = format!("{UNFINISHED}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let opened = rustix::fs::openat(&folder, &new, NEW, Mode::from_raw_mode(0o600)).map_err(failed)?;
    let mut file = File::from(opened);
    let written = file.write_all(bytes).and_then(|()| file.sync_data()).map_err(TreeError::io(&root.join(relative)));
    let placed = written.and_then(|()| {
        rustix::fs::fchmod(&file, mode).map_err(failed)?;
        rustix::fs::renameat(&folder, &new, &folder, name).map_err(failed)
    });
    if placed.is_err() {
        let _ = rustix::fs::unlinkat(&folder, &new, AtFlags::empty());
    }
    placed
}

/// The parts of a path that stays inside.
pub(super) fn parts(relative: &str) -> Result<Vec<&str>, TreeError> {
    let mut parts = Vec::new();
    for part in Path::new(relative).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) if !relative.contains('\0') => {
                parts.push(part.to_str().expect("a part of a string is a string"));
            }
            _ => return Err(TreeError::Outside { path: relative.to_owned() }),
        }
    }
    if parts.is_empty() { Err(TreeError::Outside { path: relative.to_owned() }) } else { Ok(parts) }
}

/// The folder that a path ends in, open, and the last part.
fn descend<'a>(root: &Path, relative: &'a str, make: bool) -> Result<(OwnedFd, &'a str), TreeError> {
    let mut parts = parts(relative)?;
    let name = parts.pop().expect("there is at least one");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(root, flags, Mode::empty()).map_err(|error| TreeError::io(root)(error.into()))?;
    for part in parts {
        if make {
            match rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(explain(&folder, part, relative, root, error)),
            }
        }
        folder = rustix::fs::openat(&folder, part, FOLDER, Mode::empty())
            .map_err(|error| explain(&folder, part, relative, root, error))?;
    }
    Ok((folder, name))
}

fn explain(folder: &OwnedFd, part: &str, relative: &str, root: &Path, error: Errno) -> TreeError {
    let is_link = rustix::fs::statat(folder, part, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
    if is_link {
        return TreeError::Link { path: relative.to_owned() };
    }
    TreeError::Io { path: root.join(relative), source: error.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn nothing_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        fs::write(root.join("sub/file"), "inside").unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("sub", root.join("alias")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();

        assert_eq!(read_inside(&root, "./sub/file", 6).unwrap(), b"inside");
        for (path, expected) in [
            ("../secret", "`../secret` leads out of the folder"),
            ("sub/../../secret", "`sub/../../secret` leads out of the folder"),
            ("/etc/passwd", "`/etc/passwd` leads out of the folder"),
            ("", "`` leads out of the folder"),
            ("link", "`link` is reached through a symbolic link, which is not followed"),
            ("up/secret", "`up/secret` is reached through a symbolic link, which is not followed"),
            ("alias/file", "`alias/file` is reached through a symbolic link, which is not followed"),
            ("pipe", "`pipe` is not a regular file"),
            ("sub", "`sub` is not a regular file"),
        ] {
            assert_eq!(read_inside(&root, path, 100).unwrap_err().to_string(), expected, "{path}");
        }
        assert!(matches!(read_inside(&root, "sub/file", 5), Err(TreeError::TooBig { .. })));
        assert!(matches!(read_inside(&root, "none/file", 5), Err(TreeError::Io { .. })));
        for path in ["../new", "up/new", "alias/new", "/tmp/new", "sub"] {
            assert!(write_inside(&root, path, b"x").is_err(), "{path}");
        }
    }

    #[test]
    fn what_the_dead_began_to_write_is_swept_away() {
        let dir = tempfile::tempdir().unwrap();
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        dead.wait().unwrap();
        let (dead, alive) = (format!(".tribunal-{}-3", dead.id()), format!(".tribunal-{}-3", std::process::id()));
        for name in [&dead, &alive, ".tribunal-x-3", ".tribunal", "notes"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        sweep_unfinished(dir.path());
        assert!(!dir.path().join(&dead).exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_file_is_replaced_in_one_step_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write_inside(root, "a/b/new", b"one").unwrap();
        fs::set_permissions(root.join("a/b/new"), fs::Permissions::from_mode(0o755)).unwrap();
        write_inside(root, "a/b/new", b"two").unwrap();
        assert_eq!(fs::read(root.join("a/b/new")).unwrap(), b"two");
        assert_eq!(fs::metadata(root.join("a/b/new")).unwrap().permissions().mode() & 0o777, 0o755);

        fs::write(root.join("target"), "target").unwrap();
        symlink("target", root.join("link")).unwrap();
        write_inside(root, "link", b"file").unwrap();
        assert_eq!(fs::read(root.join("target")).unwrap(), b"target");
        assert!(!root.join("link").is_symlink());
        assert_eq!(fs::read_dir(root.join("a/b")).unwrap().count(), 1, "nothing temporary is left");
    }
}
