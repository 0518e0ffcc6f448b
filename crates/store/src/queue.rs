//! Whose turn it is: at most so many runs of a project at once, first come, first served, over all processes.
//!
//! Everybody who wants to run draws a ticket, a file named by the time, and keeps it locked for as long as it runs or
//! waits. A ticket whose lock is free belongs to somebody who is gone. Who has fewer than `limit` live tickets before
//! its own may run.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use uuid::Uuid;

use crate::{Layout, StoreError, dir};

/// How often somebody who waits looks whether it is their turn.
pub const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A place in the queue, for as long as it lives.
#[derive(Debug)]
pub struct Ticket {
    folder: PathBuf,
    path: PathBuf,
    name: String,
    _lock: File,
}

impl Ticket {
    /// Draws the next ticket.
    pub fn draw(layout: &Layout) -> Result<Self, StoreError> {
        let folder = layout.queue();
        dir::create_all(&folder)?;
        loop {
            let name = Uuid::now_v7().to_string();
            let path = folder.join(&name);
            let file =
                OpenOptions::new().write(true).create_new(true).open(&path).map_err(StoreError::io("create", &path))?;
            // Somebody who looked between the two calls takes it for abandoned and removes it: draw another.
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if path.exists() => return Ok(Self { folder, path, name, _lock: file }),
                Ok(()) | Err(rustix::io::Errno::WOULDBLOCK) => {}
                Err(error) => return Err(StoreError::io("lock", &path)(error.into())),
            }
        }
    }

    /// How many are before us; those who are gone are swept away.
    pub fn ahead(&self) -> Result<usize, StoreError> {
        let names = fs::read_dir(&self.folder).map_err(StoreError::io("list", &self.folder))?;
        let mut ahead = 0;
        for entry in names {
            let entry = entry.map_err(StoreError::io("list", &self.folder))?;
            if *entry.file_name().to_string_lossy() < *self.name && is_live(&entry.path())? {
                ahead += 1;
            }
        }
        Ok(ahead)
    }

    /// Whether it is our turn when `limit` may run at once.
    pub fn is_due(&self, limit: usize) -> Result<bool, StoreError> {
        Ok(self.ahead()? < limit.max(1))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // If it stays, the next one who looks removes it.
        let _ = fs::remove_file(&self.path);
    }
}

fn is_live(path: &std::path::Path) -> Result<bool, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(StoreError::io("open", path)(error)),
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            let _ = fs::remove_file(path);
            Ok(false)
        }
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(StoreError::io("lock", path)(error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served_and_the_dead_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let (first, second, third) =
            (Ticket::draw(&layout).unwrap(), Ticket::draw(&layout).unwrap(), Ticket::draw(&layout).unwrap());
        let due = |ticket: &Ticket| ticket.is_due(2).unwrap();
        assert_eq!([due(&first), due(&second), due(&third)], [true, true, false]);
        // What a process that was killed leaves behind: a ticket that nobody holds.
        fs::write(layout.queue().join("00000000-0000-7000-8000-000000000000"), "").unwrap();
        assert_eq!([due(&first), due(&second), due(&third)], [true, true, false]);
        drop(first);
        assert!(due(&third));
        assert_eq!(second.ahead().unwrap(), 0);
        assert_eq!(fs::read_dir(layout.queue()).unwrap().count(), 2);
    }
}
