//! Whose turn it is: at most so many runs of a project at once, first come, first served, over all processes.
//!
//! Everybody who wants to run draws a ticket, a file with the next number, and keeps it locked for as long as it runs or
//! waits. A ticket whose lock is free belongs to somebody who is gone. Who has fewer than `limit` live tickets before
//! its own may run.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Layout, StoreError, dir, ignore_file};

/// A place in the queue, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Ticket {
    folder: PathBuf,
    path: PathBuf,
    number: u64,
    _lock: File,
}

impl Ticket {
    /// Draws the next ticket.
    pub(crate) fn draw(layout: &Layout) -> Result<Self, StoreError> {
        let folder = layout.queue();
        dir::create_all(&folder)?;
        ignore_file::write(layout)?;
        // One at a time: who draws later gets a higher number, so nobody can come in before somebody who has looked.
        let _turnstile = turnstile(&folder)?;
        let number = tickets(&folder)?.into_iter().max().unwrap_or_default() + 1;
        let path = folder.join(number.to_string());
        let file =
            OpenOptions::new().write(true).create_new(true).open(&path).map_err(StoreError::io("create", &path))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| StoreError::io("lock", &path)(error.into()))?;
        Ok(Self { folder, path, number, _lock: file })
    }

    /// How many are before us; those who are gone are swept away.
    pub(crate) fn ahead(&self) -> Result<usize, StoreError> {
        // Not while somebody draws: a ticket that is not locked yet would look abandoned.
        let _turnstile = turnstile(&self.folder)?;
        let mut ahead = 0;
        for number in tickets(&self.folder)? {
            if number < self.number && is_live(&self.folder.join(number.to_string()))? {
                ahead += 1;
            }
        }
        Ok(ahead)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // If it stays, the next one who looks removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Held while tickets are drawn or counted, and no longer.
fn turnstile(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("turnstile");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(StoreError::io("open", &path))?;
    flock(&file, FlockOperation::LockExclusive).map_err(|error| StoreError::io("lock", &path)(error.into()))?;
    Ok(file)
}

/// The numbers of all tickets.
fn tickets(folder: &Path) -> Result<Vec<u64>, StoreError> {
    let entries = fs::read_dir(folder).map_err(StoreError::io("list", folder))?;
    let names = entries.map(|entry| Ok(entry.map_err(StoreError::io("list", folder))?.file_name()));
    let names = names.collect::<Result<Vec<_>, StoreError>>()?;
    Ok(names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect())
}

fn is_live(path: &Path) -> Result<bool, StoreError> {
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
        let due = |ticket: &Ticket| ticket.ahead().unwrap() < 2;
        assert_eq!([due(&first), due(&second), due(&third)], [true, true, false]);
        // What a process that was killed leaves behind: a ticket that nobody holds.
        fs::write(layout.queue().join("0"), "").unwrap();
        assert_eq!([due(&first), due(&second), due(&third)], [true, true, false]);
        drop(first);
        assert!(due(&third));
        assert_eq!(second.ahead().unwrap(), 0);
        assert_eq!(tickets(&layout.queue()).unwrap().len(), 2);
    }
}
