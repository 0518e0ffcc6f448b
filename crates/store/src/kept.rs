//! One small JSON file that several processes change: read, and replaced as a whole by one at a time.

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::{StoreError, atomic, dir};

/// What is in the file; nothing said without one. `unreadable` says why it cannot be understood.
pub(crate) fn read<T: DeserializeOwned + Default>(
    path: &Path,
    unreadable: impl FnOnce(String) -> StoreError,
) -> Result<T, StoreError> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(StoreError::io("read", path)(error)),
    }
}

/// Replaces what is in the file; whoever else wants to waits meanwhile.
pub(crate) fn change<T: Serialize, G>(
    path: &Path,
    read: impl FnOnce() -> Result<T, StoreError>,
    change: impl FnOnce(&mut T) -> G,
) -> Result<G, StoreError> {
    let _turnstile = turnstile(path)?;
    let mut kept = read()?;
    let given = change(&mut kept);
    let mut text = serde_json::to_vec_pretty(&kept).map_err(|source| StoreError::Unwritable { source })?;
    text.push(b'\n');
    atomic::write(path, &text)?;
    Ok(given)
}

/// Held while the file is read and written again: it is replaced as a whole, so a lock on itself would not last.
pub(crate) fn turnstile(path: &Path) -> Result<File, StoreError> {
    let path = path.with_extension("lock");
    dir::create_all(dir::parent(&path))?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(StoreError::io("open", &path))?;
    flock(&file, FlockOperation::LockExclusive).map_err(|error| StoreError::io("lock", &path)(error.into()))?;
    Ok(file)
}
