//! Files that are replaced as a whole: a reader, or a crash, sees the old bytes or the new ones.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

use crate::{StoreError, dir};

/// How the names of files that are not finished begin.
pub(crate) const UNFINISHED: &str = ".tmp-";

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
    let file = temporary(folder, bytes, mode)?;
    if let Some(old) = old {
        fs::set_permissions(file.path(), old.permissions()).map_err(StoreError::io("set permissions of", path))?;
    }
    file.persist(path).map_err(|error| StoreError::io("rename to", path)(error.error))?;
    dir::sync(folder)?;
    Ok(FileChange::Written)
}

/// A file with these bytes, durable but for its name, which is temporary: it goes away when it is dropped.
pub(crate) fn temporary(folder: &Path, bytes: &[u8], mode: u32) -> Result<NamedTempFile, StoreError> {
    let mut file = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(StoreError::io("create a file in", folder))?;
    file.write_all(bytes).map_err(StoreError::io("write", file.path()))?;
    file.as_file().sync_all().map_err(StoreError::io("sync", file.path()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_path_that_cannot_be_written_is_named() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let error = write(&root.path().join("file/view"), b"x").unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
