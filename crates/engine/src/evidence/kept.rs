//! What is made once and used by later runs, in the user's cache folder: what `setup` left, and Go's standard library.
//!
//! # What was decided
//! - Whoever makes a folder locks it for itself; whoever uses one shares the lock **for as long as it is used**, since some
//!   of it is read where it is. The system lets go of a lock when its process dies.
//! - When one was last used is the time of its mark. Once a day what nobody has used for a month is removed, and then the
//!   least recently used ones until the rest is small enough; never one that is locked.
//! - A lock is a file beside the folder, and goes with it. Who waited for one that is gone begins again.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::tree::remove_all;

/// What says that a folder has come to its end; its time is when it was last used, and its text how large it is.
const DONE: &str = "done";
/// Its time is when it was last cleaned up.
const PRUNED: &str = "pruned";
/// How often a lock is taken again that was cleared away as it was taken.
const ATTEMPTS: usize = 8;
/// So many folders are looked at when it is cleaned up.
const MOST_SEEN: usize = 10_000;
/// So many files are counted of one; what has more is large enough to be the first to go.
const MOST_FILES: usize = 5_000_000;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptLimits {
    /// Not used for so long.
    pub(super) unused: Duration,
    pub(super) folders: usize,
    pub(super) bytes: u64,
    /// How long after one cleaning comes the next.
    pub(super) every: Duration,
}

impl Default for KeptLimits {
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Self { unused: day * 30, folders: 100, bytes: 10 << 30, every: day }
    }
}

/// A folder that is kept, in use.
#[derive(Debug)]
pub(super) struct KeptFolder {
    path: PathBuf,
    _lock: File,
}

/// A folder that is to be made, by nobody else meanwhile. What is not finished is gone.
#[derive(Debug)]
pub(super) struct KeptDraft {
    path: PathBuf,
    _lock: File,
    is_finished: bool,
}

/// What is found under a name.
#[derive(Debug)]
pub(super) enum KeptFound {
    Kept(KeptFolder),
    Missing(KeptDraft),
}

impl KeptFolder {
    /// Takes what is kept under a name, or the right to make it. Waits for whoever makes it now.
    pub(super) async fn find(place: &Path, name: &str) -> io::Result<KeptFound> {
        let (place, name) = (place.to_owned(), name.to_owned());
        tokio::task::spawn_blocking(move || find(&place, &name)).await.map_err(io::Error::other)?
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl KeptDraft {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It is whole: from now on it is found.
    pub(super) async fn finish(mut self) -> io::Result<KeptFolder> {
        let (Some(place), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()))
        else {
            return Err(io::Error::other("a folder without a name"));
        };
        let (place, name, path) = (place.to_owned(), name.to_owned(), self.path.clone());
        let size = tokio::task::spawn_blocking(move || size_of(&path)).await.map_err(io::Error::other)?;
        fs::write(self.path.join(DONE), size.to_string())?;
        self.is_finished = true;
        drop(self);
        match KeptFolder::find(&place, &name).await? {
            KeptFound::Kept(kept) => Ok(kept),
            KeptFound::Missing(_) => Err(io::Error::other("somebody cleared it away")),
        }
    }
}

impl Drop for KeptDraft {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = remove_all(&self.path); // what matters is why it is not finished
        }
    }
}

fn lock_of(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

fn find(place: &Path, name: &str) -> io::Result<KeptFound> {
    fs::create_dir_all(place)?;
    let path = place.canonicalize()?.join(name);
    for _ in 0..ATTEMPTS {
        let Some(lock) = locked(&path, File::lock_shared)? else { continue };
        if is_done(&path) {
            touch(&path.join(DONE), SystemTime::now());
            return Ok(KeptFound::Kept(KeptFolder { path, _lock: lock }));
        }
        drop(lock);
        let Some(lock) = locked(&path, File::lock)? else { continue };
        if !is_done(&path) {
            remove_all(&path).map_err(io::Error::other)?;
            fs::create_dir_all(&path)?;
            return Ok(KeptFound::Missing(KeptDraft { path, _lock: lock, is_finished: false }));
        }
    }
    Err(io::Error::other("somebody clears it away each time"))
}

/// The lock of a folder, taken; nothing if it was cleared away meanwhile.
fn locked(folder: &Path, take: impl Fn(&File) -> io::Result<()>) -> io::Result<Option<File>> {
    let path = lock_of(folder);
    let file = match open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder.parent().unwrap_or(folder))?;
            open(&path)?
        }
        opened => opened?,
    };
    take(&file)?;
    Ok(is_at(&file, &path).then_some(file))
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

/// Whether a file is still the one that has this name.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |own: fs::Metadata, there: fs::Metadata| own.ino() == there.ino() && own.dev() == there.dev();
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(own, there)| same(own, there))
}

fn is_done(folder: &Path) -> bool {
    folder.join(DONE).is_file()
}

fn touch(path: &Path, now: SystemTime) {
    // Without it, it is removed a little too early, and made again.
    let _ = File::options().write(true).open(path).and_then(|file| file.set_modified(now));
}

/// What a folder takes on the disk.
fn size_of(folder: &Path) -> u64 {
    let (mut bytes, mut open) = (0, vec![folder.to_owned()]);
    let mut left = MOST_FILES;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks() * 512;
            if found.is_dir() && left > 0 {
                open.push(entry.path());
            }
        }
    }
    if left == 0 { u64::MAX } else { bytes }
}

/// One that is kept, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeptSeen {
    path: PathBuf,
    /// Never, where it was not finished.
    used: Option<SystemTime>,
    bytes: u64,
}

/// Cleans up below a cache folder, unless that was done a short while ago. Gives what was removed.
pub(super) fn prune(cache: &Path, limits: &KeptLimits, now: SystemTime) -> io::Result<Vec<PathBuf>> {
    let mark = cache.join(PRUNED);
    let age = fs::metadata(&mark).and_then(|found| found.modified()).ok().and_then(|at| now.duration_since(at).ok());
    if age.is_some_and(|age| age < limits.every) {
        return Ok(Vec::new());
    }
    fs::create_dir_all(cache)?;
    let own = open(&mark)?;
    match own.try_lock() {
        Ok(()) => own.set_modified(now)?,
        Err(TryLockError::WouldBlock) => return Ok(Vec::new()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut places = folders(&cache.join("setup"));
    places.push(cache.join("go"));
    let seen: Vec<KeptSeen> = places.iter().flat_map(|place| folders(place)).take(MOST_SEEN).map(look).collect();
    let removed = spent(seen, limits, now).into_iter().filter(remove).map(|seen| seen.path).collect();
    // A project of which nothing is kept.
    for place in places {
        let _ = fs::remove_dir(place);
    }
    Ok(removed)
}

fn folders(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

fn look(path: PathBuf) -> KeptSeen {
    let done = path.join(DONE);
    let used = fs::metadata(&done).and_then(|found| found.modified()).ok();
    let told = fs::read_to_string(&done).ok().and_then(|text| text.trim().parse().ok());
    let bytes = told.unwrap_or_else(|| size_of(&path));
    KeptSeen { path, used, bytes }
}

/// Those that may go: unfinished ones, those that were not used for long, and then the least recently used ones until the
/// rest fits.
fn spent(mut seen: Vec<KeptSeen>, limits: &KeptLimits, now: SystemTime) -> Vec<KeptSeen> {
    seen.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.path.cmp(&b.path)));
    let (mut count, mut bytes) = (0, 0_u64);
    seen.retain(|seen| {
        let Some(used) = seen.used else { return true };
        count += 1;
        bytes = bytes.saturating_add(seen.bytes);
        let is_old = now.duration_since(used).is_ok_and(|age| age > limits.unused);
        // The newest one is worth more than any limit: somebody works with it.
        is_old || (count > 1 && (count > limits.folders || bytes > limits.bytes))
    });
    seen
}

/// Removes one, unless somebody uses or makes it, or has used it since it was seen.
fn remove(seen: &KeptSeen) -> bool {
    let path = lock_of(&seen.path);
    let Ok(lock) = open(&path) else { return false };
    if lock.try_lock().is_err() || !is_at(&lock, &path) || look_used(&seen.path) != seen.used {
        return false;
    }
    // Half of one must never be taken for a whole one.
    let _ = fs::remove_file(seen.path.join(DONE));
    let is_gone = remove_all(&seen.path).is_ok();
    let _ = fs::remove_file(&path);
    is_gone
}

fn look_used(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder.join(DONE)).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    async fn make(place: &Path, name: &str, text: &str) -> KeptFolder {
        match KeptFolder::find(place, name).await.unwrap() {
            KeptFound::Kept(kept) => kept,
            KeptFound::Missing(draft) => {
                fs::write(draft.path().join("x"), text).unwrap();
                draft.finish().await.unwrap()
            }
        }
    }

    #[tokio::test]
    async fn what_is_whole_is_found_and_what_was_not_finished_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let KeptFound::Missing(draft) = KeptFolder::find(folder.path(), "a").await.unwrap() else {
            panic!("it is new")
        };
        fs::write(draft.path().join("x"), "half").unwrap();
        drop(draft);
        assert!(!folder.path().join("a").exists(), "nothing of it is kept");
        // A process that was killed left half of one.
        fs::create_dir_all(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/x"), "half").unwrap();
        let KeptFound::Missing(draft) = KeptFolder::find(folder.path(), "a").await.unwrap() else {
            panic!("half of one")
        };
        assert!(!draft.path().join("x").exists());
        drop(draft);
        let first = make(folder.path(), "a", "whole").await;
        let second = make(folder.path(), "a", "again").await;
        assert_eq!(first.path(), second.path(), "two use it at once");
        assert_eq!(fs::read_to_string(first.path().join("x")).unwrap(), "whole");
    }

    #[tokio::test]
    async fn what_nobody_used_for_long_is_removed_and_what_somebody_uses_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().canonicalize().unwrap();
        let now = SystemTime::now();
        let (one, other, go) = (cache.join("setup/one"), cache.join("setup/other"), cache.join("go"));
        let held = make(&one, "in-use", "x").await;
        for (place, name) in [(&one, "old"), (&one, "new"), (&other, "old"), (&go, "old"), (&go, "new")] {
            drop(make(place, name, "x").await);
        }
        for old in [&one.join("in-use"), &one.join("old"), &other.join("old"), &go.join("old")] {
            touch(&old.join(DONE), now - DAY * 31);
        }
        let KeptFound::Missing(making) = KeptFolder::find(&one, "making").await.unwrap() else { panic!("it is new") };
        fs::create_dir_all(one.join("killed/tree")).unwrap();
        let limits = KeptLimits::default();
        let mut removed = prune(&cache, &limits, now).unwrap();
        removed.sort();
        assert_eq!(removed, [go.join("old"), one.join("killed"), one.join("old"), other.join("old")]);
        for kept in [one.join("in-use"), one.join("new"), go.join("new"), making.path().to_owned()] {
            assert!(kept.is_dir(), "{}", kept.display());
        }
        assert!(!one.join("old.lock").exists() && one.join("in-use.lock").exists());
        // Once a day.
        drop(held);
        assert_eq!(prune(&cache, &limits, now + DAY / 2).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(prune(&cache, &limits, now + DAY * 2).unwrap(), [one.join("in-use")]);
        // Used, it is new again.
        touch(&one.join("new").join(DONE), now - DAY * 31);
        drop(make(&one, "new", "x").await);
        assert_eq!(prune(&cache, &limits, now + DAY * 4).unwrap(), Vec::<PathBuf>::new());
    }

    #[tokio::test]
    async fn too_many_or_too_large_ones_go_the_least_recently_used_first() {
        let now = SystemTime::now();
        let seen = |name: &str, days: u32, bytes| KeptSeen { path: name.into(), used: Some(now - DAY * days), bytes };
        let names = |limits: &KeptLimits, all: &[KeptSeen]| {
            spent(all.to_vec(), limits, now).into_iter().map(|seen| seen.path).collect::<Vec<_>>()
        };
        let all = [seen("c", 3, 10), seen("a", 1, 10), seen("b", 2, 10)];
        let limits = KeptLimits { folders: 2, ..KeptLimits::default() };
        assert_eq!(names(&limits, &all), [PathBuf::from("c")]);
        let limits = KeptLimits { bytes: 15, ..KeptLimits::default() };
        assert_eq!(names(&limits, &all), [PathBuf::from("b"), PathBuf::from("c")]);
        let limits = KeptLimits { bytes: 5, ..KeptLimits::default() };
        assert_eq!(names(&limits, &all[1..2]), Vec::<PathBuf>::new(), "the newest one stays");
        // A clock that went back makes nothing old.
        let ahead = KeptSeen { used: Some(now + DAY * 90), ..seen("d", 0, 1) };
        assert_eq!(names(&KeptLimits::default(), &[ahead]), Vec::<PathBuf>::new());
    }
}
