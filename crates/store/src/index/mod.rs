//! The index: every run in a table, for lists, searches and status.
//!
//! A projection: `tribunal reindex` rebuilds it from the logs, and deleting the file loses nothing. It is never
//! asked what happened in a run, only which runs there are and how they stand.

mod error;
mod kept;
mod migration;
mod query;
mod update;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};
use tribunal_kernel::{Run, RunId};

use crate::{StoreError, dir};

pub use error::IndexError;
pub use kept::KeptIndex;
pub use query::{ArtifactRow, FindingRow, ListedRun, RunFilter, RunStatus, SeatRow};

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open index.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens the index at `path`, and makes it when there is none. One that is damaged, newer than this program or not
    /// ours is refused: see [`Index::recreate`].
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        dir::create_all(dir::parent(path))?;
        let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags).map_err(IndexError::at(path))?;
        let mut index = Self { connection, path: path.to_owned() };
        index.prepare()?;
        Ok(index)
    }

    /// An empty index that is gone when it is dropped.
    pub fn in_memory() -> Result<Self, IndexError> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(IndexError::at(&path))?;
        let mut index = Self { connection, path };
        index.prepare()?;
        Ok(index)
    }

    /// Throws away what is at `path`, whatever it is, and opens an empty index: `tribunal reindex` does so when the old
    /// one cannot be opened, and fills it.
    pub fn recreate(path: &Path) -> Result<Self, IndexError> {
        remove(path)?;
        Self::open(path)
    }

    /// Takes in how a run stands. What is older than what the index knows is ignored, so updates may arrive late.
    pub fn update(&mut self, run: &Run) -> Result<(), IndexError> {
        let folder = dir::parent(&self.path).to_owned();
        self.transaction(|connection| update::write(connection, &folder, run))
    }

    /// Makes the index anew from all runs there are, at once: other readers see the old one or the new one.
    pub fn rebuild(&mut self, runs: impl IntoIterator<Item: Borrow<Run>>) -> Result<(), IndexError> {
        let folder = dir::parent(&self.path).to_owned();
        self.transaction(|connection| {
            update::clear(connection)?;
            runs.into_iter().try_for_each(|run| update::write(connection, &folder, run.borrow()))
        })
    }

    /// Forgets a run that is gone.
    pub fn forget(&mut self, run: RunId) -> Result<(), IndexError> {
        self.transaction(|connection| update::remove(connection, run))
    }

    /// The runs that `filter` admits, newest first.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<ListedRun>, IndexError> {
        query::runs(&self.connection, filter).map_err(IndexError::at(&self.path))
    }

    /// Of these runs, those that are not in here yet, in the same order.
    pub fn missing(&self, runs: Vec<RunId>) -> Result<Vec<RunId>, IndexError> {
        query::missing(&self.connection, runs).map_err(IndexError::at(&self.path))
    }

    /// The findings of a run, in the order in which they were raised.
    pub fn findings(&self, run: RunId) -> Result<Vec<FindingRow>, IndexError> {
        query::findings(&self.connection, run).map_err(IndexError::at(&self.path))
    }

    /// What a theater made, if the run is one.
    pub fn artifact(&self, run: RunId) -> Result<Option<ArtifactRow>, IndexError> {
        query::artifact(&self.connection, run).map_err(IndexError::at(&self.path))
    }

    /// Who sits where in a run, and what it took.
    pub fn seats(&self, run: RunId) -> Result<Vec<SeatRow>, IndexError> {
        query::seats(&self.connection, run).map_err(IndexError::at(&self.path))
    }

    fn prepare(&mut self) -> Result<(), IndexError> {
        let at = || IndexError::at(&self.path);
        self.connection.busy_timeout(PATIENCE).map_err(at())?;
        migration::check(&self.connection, &self.path)?;
        self.connection.pragma_update(None, "journal_mode", "wal").map_err(at())?;
        // A commit that is lost with the power is made again from the logs.
        self.connection.pragma_update(None, "synchronous", "normal").map_err(at())?;
        self.connection.pragma_update(None, "foreign_keys", true).map_err(at())?;
        self.transaction(migration::up)?;
        // Another process may have been faster, and newer.
        migration::check(&self.connection, &self.path)
    }

    /// Everything in `work`, or nothing. The right to write is taken at the beginning, where waiting for it is safe.
    fn transaction(&mut self, work: impl FnOnce(&Connection) -> Result<(), rusqlite::Error>) -> Result<(), IndexError> {
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = begun.and_then(|transaction| work(&transaction).and_then(|()| transaction.commit()));
        done.map_err(IndexError::at(&self.path))
    }
}

/// Removes an index with everything that belongs to it. It need not be there.
fn remove(path: &Path) -> Result<(), IndexError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", Path::new(&name))(error).into());
            }
            _ => {}
        }
    }
    Ok(())
}
