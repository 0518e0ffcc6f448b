//! The account that a run shares with the runs that it starts: how much each of them holds.
//!
//! A file beside the log of the first of them. It is there for coordination alone: what counts is in the logs, and a run
//! writes its own line anew whenever it goes on. Whoever wants to begin a call locks the account, looks at what the
//! others hold, and writes down what it holds itself; so two runs cannot both take what is left for one.

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use tribunal_kernel::{Limits, RunId, Spend};

use crate::{Layout, StoreError, dir};

/// The variable by which a run that is started from a turn finds the account.
pub const VARIABLE: &str = "TRIBUNAL_ACCOUNT";

/// Where an account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    path: PathBuf,
}

/// An account that nobody else can look at or change now.
#[derive(Debug)]
pub struct Ledger<'a> {
    path: &'a Path,
    file: File,
    book: Book,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Book {
    /// What all of them together may use.
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    held: BTreeMap<RunId, Spend>,
}

impl Account {
    /// The account of a run that nobody else's account covers.
    pub fn of(layout: &Layout, run: RunId) -> Self {
        Self { path: layout.account(run) }
    }

    /// An account that somebody else opened.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What those who share it may use together. An account that is not there is an error: nobody may spend from it.
    pub fn limits(&self) -> Result<Limits, StoreError> {
        let file = File::open(&self.path).map_err(StoreError::io("open", &self.path))?;
        Ok(read(&self.path, &file)?.limits)
    }

    /// Locks the account, and makes it if it is not there; waits while somebody else has it.
    pub fn open(&self) -> Result<Ledger<'_>, StoreError> {
        let io = |what: &'static str| StoreError::io(what, &self.path);
        dir::create_all(dir::parent(&self.path))?;
        let options = File::options().read(true).write(true).create(true).truncate(false).open(&self.path);
        let file = options.map_err(io("open"))?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| io("lock")(error.into()))?;
        let book = read(&self.path, &file)?;
        Ok(Ledger { path: &self.path, file, book })
    }
}

impl Ledger<'_> {
    /// Says what all of them together may use.
    pub fn limit(&mut self, limits: Limits) -> Result<(), StoreError> {
        self.book.limits = limits;
        self.write()
    }

    /// What all others hold.
    pub fn others(&self, run: RunId) -> Spend {
        let others = self.book.held.iter().filter(|(holder, _)| **holder != run);
        others.fold(Spend::default(), |sum, (_, held)| sum.plus(*held))
    }

    /// Writes down what a run holds: what it has spent, and what its calls in flight may cost.
    pub fn hold(&mut self, run: RunId, held: Spend) -> Result<(), StoreError> {
        if self.book.held.insert(run, held) == Some(held) {
            return Ok(());
        }
        self.write()
    }

    fn write(&mut self) -> Result<(), StoreError> {
        let text = serde_json::to_vec(&self.book).expect("an account is plain JSON");
        let io = |what: &'static str| StoreError::io(what, self.path);
        // In place, because the lock is on this file. A reader that finds it cut short asks under the lock.
        self.file.rewind().map_err(io("write"))?;
        self.file.set_len(0).map_err(io("write"))?;
        self.file.write_all(&text).map_err(io("write"))
    }
}

/// A file that is cut short, by a crash in the middle of [`Ledger::write`], holds nothing: everybody writes anew what
/// they hold before they spend more.
fn read(path: &Path, mut file: &File) -> Result<Book, StoreError> {
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(StoreError::io("read", path))?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
