//! A folder for checkouts that one process has for itself, and what others that were killed left beside it.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::tree::remove_all;

/// Held by whoever works in the folder: the system lets go of it when they die.
const LOCK: &str = "in-use.lock";
/// So many folders that others left are looked at.
const MOST: usize = 1_000;
/// How often a folder is made again that somebody cleared away as it was made.
const ATTEMPTS: usize = 8;
/// Whoever was killed is gone by then, also on a busy machine.
const DYING: Duration = Duration::from_secs(30);
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// A folder in use. It is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct FolderClaim {
    folder: PathBuf,
    lock: File,
}

impl FolderClaim {
    /// The same as [`take`](Self::take), but waits for a process that is just dying: the system lets go of what it held only
    /// when all that it had under way is over.
    pub(crate) async fn wait_for(folder: &Path) -> io::Result<Self> {
        let begun = Instant::now();
        loop {
            match Self::take(folder) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && begun.elapsed() < DYING => {
                    tokio::time::sleep(BETWEEN_TRIES).await;
                }
                taken => return taken,
            }
        }
    }

    /// Makes the folder and takes it, empty, and clears away folders beside it that nobody uses any more.
    pub(crate) fn take(folder: &Path) -> io::Result<Self> {
        if let Some(parent) = folder.parent() {
            clear(parent, folder);
        }
        let mut last = io::Error::other("somebody clears it away each time");
        for _ in 0..ATTEMPTS {
            fs::create_dir_all(folder)?;
            let lock = File::create(folder.join(LOCK))?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                // Between making and taking it somebody else may have cleared it away.
                Ok(()) if folder.join(LOCK).exists() => {
                    empty(folder)?;
                    return Ok(Self { folder: folder.to_owned(), lock });
                }
                Ok(()) => {}
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }
}

impl Drop for FolderClaim {
    fn drop(&mut self) {
        let _ = remove_all(&self.folder);
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

/// Removes what somebody left who was killed: a checkout that is begun again must be clean.
fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            remove_all(&entry.path()).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Removes the folders in `parent` whose process is gone. Those that were never taken like this are not ours to judge.
fn clear(parent: &Path, own: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path != own).take(MOST) {
        // Opened as it is: a folder without the file was not taken, or is gone.
        let Ok(lock) = File::options().read(true).write(true).open(path.join(LOCK)) else { continue };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = remove_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_dies_slowly_is_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("run");
        let dying = FolderClaim::take(&folder).unwrap();
        let is_held = FolderClaim::take(&folder).unwrap_err();
        assert_eq!(is_held.kind(), io::ErrorKind::WouldBlock);
        let death = tokio::spawn(async move {
            tokio::time::sleep(BETWEEN_TRIES * 3).await;
            drop(dying);
        });
        FolderClaim::wait_for(&folder).await.unwrap();
        death.await.unwrap();
    }

    #[test]
    fn what_the_dead_left_is_cleared_away_and_what_is_in_use_is_not() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let in_use = FolderClaim::take(&at("in-use")).unwrap();
        fs::write(at("in-use").join("tree"), "x").unwrap();
        for name in ["dead", "closed", "other"] {
            fs::create_dir_all(at(name).join("base/tree")).unwrap();
        }
        fs::write(at("dead").join(LOCK), "").unwrap();
        fs::write(at("closed").join(LOCK), "").unwrap();
        let closed = at("closed").join("base");
        fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
        fs::create_dir_all(at("new").join("given/tree")).unwrap();
        let claim = FolderClaim::take(&at("new")).unwrap();
        assert!(!at("new").join("given").exists(), "whoever was here before was killed");
        assert!(!at("dead").exists() && !at("closed").exists(), "their processes are gone");
        assert!(at("in-use").join("tree").exists() && at("other").exists() && at("new").exists());
        assert!(FolderClaim::take(&at("new")).is_err(), "nobody works in it twice");
        drop((claim, in_use));
        assert!(!at("new").exists() && !at("in-use").exists() && at("other").exists());
    }
}
