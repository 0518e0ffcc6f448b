//! Accounts in files: what runs that share a limit hold of it, beside the log of the first of them.
//!
//! The file is replaced as a whole, so nobody ever finds half of one; the lock is on a file beside it, which stays. What
//! cannot be read closes the account: nobody spends from it before a person has looked.

use rustix::fs::{FlockOperation, flock};
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tribunal_kernel::{Limits, RunId, Spend};

use crate::backend::{AccountBook, AccountHold, AccountId};
use crate::{Layout, StoreError, atomic, dir};

/// The variable by which a run that is started from a turn finds the account.
pub const VARIABLE: &str = AccountId::VARIABLE;

/// Where an account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    path: PathBuf,
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

    /// What the backend calls it.
    pub fn id(&self) -> AccountId {
        AccountId(self.path.display().to_string())
    }

    /// See [`Accounts::open`](crate::backend::Accounts::open).
    pub fn open(&self, limits: Limits, elsewhere: Spend) -> Result<(), StoreError> {
        dir::create_all(dir::parent(&self.path))?;
        let _lock = self.lock()?;
        let found = self.read()?;
        let mut book = found.clone().unwrap_or_else(|| AccountBook::new(limits.clone(), elsewhere));
        book.limits = limits;
        self.write(found.as_ref(), &book)
    }

    /// See [`Accounts::limits`](crate::backend::Accounts::limits).
    pub fn limits(&self) -> Result<Limits, StoreError> {
        let _lock = self.lock_existing()?;
        Ok(self.promised()?.limits)
    }

    /// See [`Accounts::others`](crate::backend::Accounts::others).
    pub fn others(&self, run: RunId) -> Result<Spend, StoreError> {
        let _lock = self.lock_existing()?;
        Ok(self.promised()?.others(run))
    }

    /// See [`Accounts::hold`](crate::backend::Accounts::hold).
    pub fn hold(&self, run: RunId, others: Spend, held: Spend) -> Result<AccountHold, StoreError> {
        let _lock = self.lock_existing()?;
        let found = self.promised()?;
        let mut book = found.clone();
        let hold = book.hold(run, others, held);
        self.write(Some(&found), &book)?;
        Ok(hold)
    }

    /// See [`Accounts::settle`](crate::backend::Accounts::settle).
    pub fn settle(&self, run: RunId, held: Spend) -> Result<(), StoreError> {
        let _lock = self.lock_existing()?;
        let found = self.promised()?;
        let mut book = found.clone();
        book.settle(run, held);
        self.write(Some(&found), &book)
    }

    /// Waits for whoever has the account.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.path.with_extension("lock");
        let file = File::options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(StoreError::io("open", &path))?;
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(StoreError::io("lock", &path)(error.into())),
            }
        }
    }

    /// The same, and leaves no lock where no account is.
    fn lock_existing(&self) -> Result<File, StoreError> {
        match fs::symlink_metadata(&self.path) {
            Ok(_) => self.lock(),
            Err(error) => Err(self.closed(&error)),
        }
    }

    /// What is written there; nothing, if there is no account.
    fn read(&self) -> Result<Option<AccountBook>, StoreError> {
        match fs::read(&self.path) {
            Ok(bytes) => AccountBook::read(&bytes).map(Some).map_err(|why| self.closed(&why)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.closed(&error)),
        }
    }

    fn promised(&self) -> Result<AccountBook, StoreError> {
        self.read()?.ok_or_else(|| self.closed(&"it is not there"))
    }

    /// Durable before it gets its name, so that what a crash leaves is the old one or the new one.
    fn write(&self, before: Option<&AccountBook>, book: &AccountBook) -> Result<(), StoreError> {
        if before == Some(book) {
            return Ok(());
        }
        let file = atomic::temporary(dir::parent(&self.path), &book.to_bytes(), atomic::NEW_FILE)?;
        file.persist(&self.path).map_err(|error| StoreError::io("rename to", &self.path)(error.error))?;
        Ok(())
    }

    fn closed(&self, why: &dyn Display) -> StoreError {
        StoreError::AccountClosed { place: self.path.display().to_string(), why: why.to_string() }
    }
}
