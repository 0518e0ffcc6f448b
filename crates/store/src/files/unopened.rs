//! Runs that were never opened: whoever was about to was killed before the first event was durable. Nothing happened in
//! them, so the next start removes what is there of them.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use tribunal_kernel::RunId;

use super::logs::names;
use crate::{Layout, StoreError, atomic, plain};

/// Removes them, unless somebody is opening a run right now. Whatever cannot be removed is left alone.
pub(super) fn sweep(layout: &Layout) -> usize {
    let Ok(_alone) = locked(&layout.runs(), FlockOperation::NonBlockingLockExclusive) else { return 0 };
    let runs = names(layout).unwrap_or_default();
    runs.into_iter().filter(|run| is_unopened(layout, *run) && remove(layout, *run).is_ok()).count()
}

/// Keeps others from taking a run that has a folder and no lease yet for a left-over one.
pub(super) fn opening(layout: &Layout) -> Result<File, StoreError> {
    let runs = layout.runs();
    locked(&runs, FlockOperation::LockShared).map_err(StoreError::io("lock", &runs))
}

fn locked(path: &Path, operation: FlockOperation) -> io::Result<File> {
    let file = File::open(path)?;
    flock(&file, operation)?;
    Ok(file)
}

/// A run in which anything happened has other files, too: one whose log was emptied later is damaged, and stays.
fn is_unopened(layout: &Layout, run: RunId) -> bool {
    let usual = [layout.log(run), layout.lock(run), layout.lease(run)];
    let Ok(entries) = fs::read_dir(layout.run(run)) else { return false };
    let is_usual = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| usual.contains(&entry.path()));
    entries.into_iter().all(is_usual) && has_no_line(&layout.log(run))
}

/// Whether there is more of a run than there is before its first event. What is just being written is nothing yet, and a
/// folder that somebody just removed has nothing.
pub(super) fn has_more(layout: &Layout, run: RunId) -> bool {
    let usual = [layout.log(run), layout.lock(run), layout.lease(run)];
    let is_more = |entry: fs::DirEntry| {
        let is_unfinished = entry.file_name().as_encoded_bytes().starts_with(atomic::UNFINISHED.as_bytes());
        !is_unfinished && !usual.contains(&entry.path())
    };
    fs::read_dir(layout.run(run)).into_iter().flatten().flatten().any(is_more)
}

fn has_no_line(log: &Path) -> bool {
    match plain::read(log) {
        Ok(bytes) => !bytes.contains(&b'\n'),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn remove(layout: &Layout, run: RunId) -> io::Result<()> {
    let lock = layout.lock(run);
    // Held until the folder is gone. Without the file nobody can have it.
    let _held = match locked(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(held) => Some(held),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Somebody may have opened it before we had the lock.
    if !is_unopened(layout, run) {
        return Ok(());
    }
    for path in [layout.log(run), layout.lease(run), lock] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Of nothing but an empty folder.
    fs::remove_dir(layout.run(run))
}
