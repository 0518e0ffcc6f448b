//! One writer at a time, over all processes.

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::WorkspaceError;
use crate::{Layout, dir};

/// An update takes milliseconds; who holds the lock longer than this is stuck.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The right to write the workspace's files. Given back when it is dropped, or when the process dies.
#[derive(Debug)]
pub struct WorkspaceLock {
    _file: File,
}

impl WorkspaceLock {
    /// Waits for the lock of the workspace at `root`.
    pub(super) fn acquire(root: &Path) -> Result<Self, WorkspaceError> {
        Self::acquire_within(root, PATIENCE)
    }

    fn acquire_within(root: &Path, patience: Duration) -> Result<Self, WorkspaceError> {
        let folder = Layout::new(root).folder();
        dir::create_all(&folder)?;
        // Never removed: a second process could lock a file that has no name any more.
        let path = folder.join("workspace.lock");
        let mut options = File::options();
        let file =
            options.write(true).create(true).truncate(false).open(&path).map_err(WorkspaceError::io("open", &path))?;
        let begin = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if begin.elapsed() < patience => thread::sleep(BETWEEN_TRIES),
                Err(Errno::WOULDBLOCK) => return Err(WorkspaceError::Busy { path, waited: patience }),
                Err(errno) => return Err(WorkspaceError::io("lock", &path)(errno.into())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_for_the_first() {
        let root = tempfile::tempdir().unwrap();
        let first = WorkspaceLock::acquire(root.path()).unwrap();
        let error = WorkspaceLock::acquire_within(root.path(), Duration::from_millis(20)).unwrap_err();
        assert!(matches!(error, WorkspaceError::Busy { .. }), "{error}");
        drop(first);
        WorkspaceLock::acquire_within(root.path(), Duration::ZERO).unwrap();
    }
}
