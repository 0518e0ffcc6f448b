//! The browser's own folder: its settings, its caches and its home, gone with it.
//!
//! Whoever is killed removes nothing, so every start clears away what those before left behind. A lock tells the folders
//! that are in use from the others: the system gives it back, however its process ends.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const PREFIX: &str = "tribunal-browser-";
const LOCK: &str = "in-use";
/// A folder without a lock is one that is just being made, unless it is older.
const BEING_MADE: Duration = Duration::from_secs(60 * 60);
/// Folders that one start looks at: whatever else fills the temporary folder.
const MOST_SEEN: usize = 1000;

/// A profile in use.
#[derive(Debug)]
pub(super) struct Profile {
    folder: TempDir,
    /// Held until the folder is removed: fields go in this order.
    _lock: File,
}

impl Profile {
    /// A new one in the temporary folder of this machine, from which the left-over ones are removed.
    pub(super) fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(place: &Path) -> io::Result<Self> {
        clear(place, SystemTime::now());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the profiles of this user that nobody uses. One that cannot be removed is left alone.
fn clear(place: &Path, now: SystemTime) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let left = ours.take(MOST_SEEN).map(|entry| entry.path()).filter(|path| is_left_over(path, now));
    left.filter(|path| fs::remove_dir_all(path).is_ok()).collect()
}

fn is_left_over(path: &Path, now: SystemTime) -> bool {
    // Of the entry itself: others may put links into a folder that all share.
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return false;
    }
    match File::open(path.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => found.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > BEING_MADE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_clears_away_what_the_killed_left_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let made = |name: &str| fs::create_dir_all(at(name).join("Default/Cache")).unwrap();
        for name in ["tribunal-browser-killed", "tribunal-browser-starting", "tribunal-turn-x", "other"] {
            made(name);
        }
        fs::write(at("tribunal-browser-killed").join(LOCK), "").unwrap();
        fs::write(at("other").join(LOCK), "").unwrap();
        fs::write(at("tribunal-browser-file"), "").unwrap();
        std::os::unix::fs::symlink(at("other"), at("tribunal-browser-link")).unwrap();
        let used = Profile::make_in(place.path()).unwrap();
        assert!(!at("tribunal-browser-killed").exists());
        for name in
            ["tribunal-browser-starting", "tribunal-turn-x", "other", "tribunal-browser-file", "tribunal-browser-link"]
        {
            assert!(at(name).exists(), "{name}");
        }
        let second = Profile::make_in(place.path()).unwrap();
        assert!(used.path().is_dir(), "one that is in use stays");
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
        assert!(second.path().is_dir());
    }

    #[test]
    fn a_folder_that_was_never_locked_goes_when_it_is_old() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tribunal-browser-old");
        fs::create_dir(&path).unwrap();
        let now = SystemTime::now();
        assert_eq!(clear(place.path(), now), Vec::<PathBuf>::new());
        assert_eq!(clear(place.path(), now + BEING_MADE * 2), std::slice::from_ref(&path));
        assert!(!path.exists());
    }
}
