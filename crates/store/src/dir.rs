//! Directories that survive a power failure.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::StoreError;

/// How often a folder is tried to be removed in which somebody is still busy, and how long in between: two seconds.
const REMOVE_ATTEMPTS: u32 = 100;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// Makes the entries of `dir` durable: files in it that were created, renamed or removed.
pub(crate) fn sync(dir: &Path) -> Result<(), StoreError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(StoreError::io("sync", dir))
}

/// Creates `dir` and the parents it lacks, each of them durable.
pub(crate) fn create_all(dir: &Path) -> Result<(), StoreError> {
    // A thread that finds the folder there may rely on it, so it has to wait for the one that is just making it.
    static MAKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let lacking: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()).collect();
    for dir in lacking.into_iter().rev() {
        match fs::create_dir(dir) {
            Ok(()) => {}
            // Another process was faster; syncing is idempotent.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(error) => return Err(StoreError::io("create", dir)(error)),
        }
        sync(parent(dir))?;
    }
    Ok(())
}

/// Makes `dir` an empty folder: what was in it is gone.
pub(crate) fn empty(dir: &Path) -> Result<(), StoreError> {
    match remove_tree(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(StoreError::io("empty", dir)(error)),
    }
    create_all(dir)
}

/// Removes a folder with all that is in it. Whoever was killed a moment ago may still be writing there, or removing the
/// same folder: it is tried again for a while.
pub fn remove_tree(dir: &Path) -> io::Result<()> {
    for attempt in 1.. {
        match fs::remove_dir_all(dir) {
            Err(error) if attempt < REMOVE_ATTEMPTS && is_passing(&error) && dir.exists() => {
                thread::sleep(BETWEEN_ATTEMPTS);
            }
            // What vanished inside of it meanwhile was removed by somebody else; so was the rest if it is gone.
            Err(error) if attempt > 1 && error.kind() == io::ErrorKind::NotFound => break,
            done => return done,
        }
    }
    Ok(())
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

/// The folder that `path` is in.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// The folder `to`, as seen from `from`. Both are absolute.
pub fn relative(from: &Path, to: &Path) -> String {
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    if path.as_os_str().is_empty() { ".".to_owned() } else { path.to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_which_somebody_still_writes_is_removed_when_they_are_gone() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("tree");
        fs::create_dir(&folder).unwrap();
        thread::scope(|scope| {
            let last = scope.spawn(|| {
                // Puts something back whenever it is gone, some times.
                let mut left = 0;
                while left < 200 {
                    left += u32::from(fs::write(folder.join(left.to_string()), "x").is_ok());
                    if !folder.exists() {
                        break;
                    }
                }
            });
            remove_tree(&folder).unwrap();
            last.join().unwrap();
        });
        assert!(!folder.exists());
        assert_eq!(remove_tree(&folder).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_is_named_as_another_one_sees_it() {
        for (from, to, expected) in [
            ("/p", "/p", "."),
            ("/p", "/p/site", "site"),
            ("/p/a", "/p/b", "../b"),
            ("/p/a", "/elsewhere", "../../elsewhere"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), expected, "{from} {to}");
        }
    }
}
