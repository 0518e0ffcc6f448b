//! Folders for temporary files: each ends with whoever made it, however that ends.
//!
//! Whoever is killed removes nothing, so a later start clears away what those before left behind. A lock on the folder
//! itself tells those in use from the others: the system gives it back, however its process ends, and nothing that works
//! in the folder can remove it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What all their names begin with.
const PREFIX: &str = "tribunal-";
/// Letters and digits that end them: nobody gives a folder of their own such a name.
const RANDOM: usize = 12;
/// Folders that one start looks at: whatever else fills the temporary folder.
const MOST_SEEN: usize = 10_000;
/// Between its making and its lock a folder looks left over, and another start may take it away.
const ATTEMPTS: u32 = 20;

/// What a folder is for: a part of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderUse {
    Turn,
    Attached,
    Draft,
    Git,
    Browser,
    Sandbox,
    Signing,
    Survey,
}

impl FolderUse {
    const ALL: [Self; 8] =
        [Self::Turn, Self::Attached, Self::Draft, Self::Git, Self::Browser, Self::Sandbox, Self::Signing, Self::Survey];

    fn prefix(self) -> String {
        let word = match self {
            Self::Turn => "turn",
            Self::Attached => "attached",
            Self::Draft => "draft",
            Self::Git => "git",
            Self::Browser => "browser",
            Self::Sandbox => "sandbox",
            Self::Signing => "signing",
            Self::Survey => "survey",
        };
        format!("{PREFIX}{word}-")
    }

    fn names(self, name: &str) -> bool {
        let random = name.strip_prefix(&self.prefix());
        random.is_some_and(|it| it.len() == RANDOM && it.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    }
}

/// A folder in use.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Held until the folder is removed: fields go in this order.
    _lock: File,
}

impl TemporaryFolder {
    /// A new one, in the temporary folder of this machine.
    pub fn make(purpose: FolderUse) -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir(), purpose)
    }

    fn make_in(place: &Path, purpose: FolderUse) -> io::Result<Self> {
        let mut failure = io::Error::other("other processes remove it again and again");
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new().prefix(&purpose.prefix()).rand_bytes(RANDOM).tempdir_in(place)?;
            match locked(folder.path()) {
                Ok(Some(lock)) => return Ok(Self { folder, _lock: lock }),
                Ok(None) => {}
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of this user that nobody uses. One that cannot be removed is left alone.
pub fn clear_left_over() {
    clear(&std::env::temp_dir());
}

fn clear(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let is_ours = |name: &str| FolderUse::ALL.into_iter().any(|purpose| purpose.names(name));
    let ours = entries.filter(|entry| is_ours(&entry.file_name().to_string_lossy()));
    let mut cleared = Vec::new();
    for path in ours.take(MOST_SEEN).map(|entry| entry.path()) {
        // Of the entry itself: others may put links into a folder that all share.
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
            continue;
        }
        // Held while it is removed, so that nobody else does the same.
        if let Ok(Some(_lock)) = locked(&path)
            && fs::remove_dir_all(&path).is_ok()
        {
            cleared.push(path);
        }
    }
    cleared
}

/// The lock of a folder, unless somebody has it, or it is not the same folder any more.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let folder = File::open(path)?;
    match folder.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    let (held, there) = (folder.metadata()?, fs::symlink_metadata(path)?);
    Ok(((held.dev(), held.ino()) == (there.dev(), there.ino())).then_some(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_clears_away_what_the_killed_left_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let ours = ["browser", "turn", "draft", "git"].map(|word| format!("tribunal-{word}-a1B2c3D4e5F6"));
        let others =
            ["tribunal-", "tribunal-turn-notes", "tribunal-other-a1B2c3D4e5F6", "turn-x", "other"].map(str::to_owned);
        for name in ours.iter().chain(&others) {
            fs::create_dir_all(at(name).join("Default/Cache")).unwrap();
        }
        fs::write(at("tribunal-turn-000000000000"), "").unwrap();
        std::os::unix::fs::symlink(at("other"), at("tribunal-turn-111111111111")).unwrap();
        let used = TemporaryFolder::make_in(place.path(), FolderUse::Turn).unwrap();
        let mut cleared = clear(place.path());
        cleared.sort();
        let mut expected = ours.each_ref().map(|name| at(name));
        expected.sort();
        assert_eq!(cleared, expected);
        for name in
            others.iter().map(String::as_str).chain(["tribunal-turn-000000000000", "tribunal-turn-111111111111"])
        {
            assert!(at(name).exists(), "{name}");
        }
        assert!(used.path().is_dir(), "one that is in use stays");
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn whoever_works_in_it_cannot_make_it_look_left_over() {
        let place = tempfile::tempdir().unwrap();
        let used = TemporaryFolder::make_in(place.path(), FolderUse::Turn).unwrap();
        fs::write(used.path().join("notes"), "").unwrap();
        for entry in fs::read_dir(used.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_eq!(clear(place.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn starts_that_clear_at_the_same_time_take_nothing_away_that_is_being_made() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let folder = TemporaryFolder::make_in(place.path(), FolderUse::Draft).unwrap();
                        clear(place.path());
                        fs::write(folder.path().join("draft.md"), "x").unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
