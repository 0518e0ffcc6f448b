//! Files that are replaced as a whole: a reader, or a crash, sees the old bytes or the new ones.

use rustix::io::Errno;
use rustix::process::Pid;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

use crate::{StoreError, dir};

/// How the names of files that are not finished begin.
pub(crate) const UNFINISHED: &str = ".tmp-";

/// A file is written within moments. Nobody is at one that is older.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Like any other new file: the user's umask decides, not the caution of temporary files.
pub(crate) const NEW_FILE: u32 = 0o666;

/// What [`write`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    Written,
    /// The bytes were there already; the file was not touched.
    Unchanged,
}

/// Makes `path` hold `bytes`, durably, with the folders it needs.
///
/// A file that holds them already keeps its time of modification, so that writing a view again changes nothing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<FileChange, StoreError> {
    replace(path, bytes, true)
}

/// The same for many files: as a whole, but durable only after [`settle`].
pub(crate) fn write_soon(path: &Path, bytes: &[u8]) -> Result<FileChange, StoreError> {
    replace(path, bytes, false)
}

/// Makes everything durable that was written to the file system that `folder` is on.
pub(crate) fn settle(folder: &Path) -> Result<(), StoreError> {
    let folder_file = fs::File::open(folder).map_err(StoreError::io("open", folder))?;
    sync_all_of(&folder_file).map_err(StoreError::io("sync", folder))
}

#[cfg(target_os = "linux")]
fn sync_all_of(folder: &fs::File) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// No other system syncs a single file system: this waits for all of them.
#[cfg(not(target_os = "linux"))]
fn sync_all_of(_: &fs::File) -> std::io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

fn replace(path: &Path, bytes: &[u8], is_durable: bool) -> Result<FileChange, StoreError> {
    let old = fs::metadata(path).ok();
    if let Some(old) = &old
        && old.is_file()
        && old.len() == bytes.len() as u64
        && fs::read(path).is_ok_and(|there| there == bytes)
    {
        return Ok(FileChange::Unchanged);
    }
    let folder = dir::parent(path);
    dir::create_all(folder)?;
    // Never readable by more people than the old one was, not even for a moment.
    let mode = old.as_ref().map_or(NEW_FILE, |old| old.permissions().mode());
    let file = filled(folder, bytes, mode)?;
    if is_durable {
        file.as_file().sync_all().map_err(StoreError::io("sync", file.path()))?;
    }
    if let Some(old) = old {
        fs::set_permissions(file.path(), old.permissions()).map_err(StoreError::io("set permissions of", path))?;
    }
    file.persist(path).map_err(|error| StoreError::io("rename to", path)(error.error))?;
    if is_durable {
        dir::sync(folder)?;
    }
    Ok(FileChange::Written)
}

/// A file with these bytes, durable but for its name, which is temporary: it goes away when it is dropped.
pub(crate) fn temporary(folder: &Path, bytes: &[u8], mode: u32) -> Result<NamedTempFile, StoreError> {
    let file = filled(folder, bytes, mode)?;
    file.as_file().sync_all().map_err(StoreError::io("sync", file.path()))?;
    Ok(file)
}

fn filled(folder: &Path, bytes: &[u8], mode: u32) -> Result<NamedTempFile, StoreError> {
    let mut file = tempfile::Builder::new()
        .prefix(&format!("{UNFINISHED}{}-", std::process::id()))
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(StoreError::io("create a file in", folder))?;
    file.write_all(bytes).map_err(StoreError::io("write", file.path()))?;
    Ok(file)
}

/// Removes what processes that were killed did not finish, in a folder and `depth` levels below it. Gives how many.
pub(crate) fn sweep(folder: &Path, depth: usize) -> usize {
    let mut swept = 0;
    // A folder that cannot be listed has nothing that we could remove.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth > 0 {
            swept += sweep(&entry.path(), depth - 1);
        } else if !is_folder && is_abandoned(&entry) {
            // Whoever comes next tries again.
            swept += usize::from(fs::remove_file(entry.path()).is_ok());
        }
    }
    swept
}

/// Whether a file was begun by a process that is gone, or so long ago that nobody can still be writing it.
fn is_abandoned(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED)) else { return false };
    let owner = rest.split_once('-').and_then(|(pid, _)| Pid::from_raw(pid.parse().ok()?));
    if let Some(owner) = owner {
        return rustix::process::test_kill_process(owner) == Err(Errno::SRCH);
    }
    // Made by a release whose names do not say whose they are.
    let age = entry.metadata().and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age > ABANDONED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_same_bytes_leave_the_file_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b/view.md");
        assert_eq!(write(&path, b"one").unwrap(), FileChange::Written);
        let before = fs::metadata(&path).unwrap();
        assert_eq!(write(&path, b"one").unwrap(), FileChange::Unchanged);
        let after = fs::metadata(&path).unwrap();
        assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
        assert_eq!(write(&path, b"two").unwrap(), FileChange::Written);
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn nothing_unfinished_stays_behind_and_the_mode_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("view");
        write(&path, b"one").unwrap();
        assert_ne!(fs::metadata(&path).unwrap().mode() & 0o044, 0, "readable as far as the umask allows");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_the_dead_left_is_swept_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let (dead, ours) = (format!(".tmp-{}-abc", gone.id()), format!(".tmp-{}-abc", std::process::id()));
        let names = [dead.as_str(), ours.as_str(), ".tmp-abcdef", "view.md", "tmp-1-x", ".tmp-old", "a/b/.tmp-old"];
        fs::create_dir_all(root.path().join("a/b/c")).unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED;
        for name in names {
            fs::write(root.path().join(name), "half").unwrap();
            if name.ends_with("old") {
                File::options().write(true).open(root.path().join(name)).unwrap().set_modified(long_ago).unwrap();
            }
        }
        fs::write(root.path().join("a/b/c").join(&dead), "too deep").unwrap();
        assert_eq!(sweep(root.path(), 2), 3);
        let is_left = |name: &&str| root.path().join(name).exists();
        assert_eq!(names.into_iter().filter(is_left).collect::<Vec<_>>(), [&ours, ".tmp-abcdef", "view.md", "tmp-1-x"]);
        assert!(root.path().join("a/b/c").join(&dead).exists());
        assert_eq!(sweep(&root.path().join("nowhere"), 9), 0);
    }

    #[test]
    fn a_path_that_cannot_be_written_is_named() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let error = write(&root.path().join("file/view"), b"x").unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
