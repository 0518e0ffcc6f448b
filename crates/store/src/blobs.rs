//! Blobs: bytes whose name is their digest, written before an event cites them.

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;
use tribunal_kernel::Digest;

use crate::{Layout, StoreError, atomic, dir, plain};

/// How much of a blob is hashed at a time.
const CHUNK: usize = 256 * 1024;
/// The time of a blob is that of its last [`put`], to within this: most are put often, and a disk has better to do.
pub(crate) const PUT_AGAIN: Duration = Duration::from_secs(60 * 60);

/// Stores `bytes`; durable when it returns.
///
/// A blob that is there is compared, not rewritten: finding other bytes under this name is damage.
pub(crate) fn put(layout: &Layout, bytes: &[u8]) -> Result<Digest, StoreError> {
    let digest = Digest::of(bytes);
    let (folder, path) = (layout.blobs(), layout.blob(digest));
    if is_there(&path, digest)? && put_again(&path) {
        // Another process may have renamed it a moment ago and not have come to this.
        dir::sync(&folder)?;
        return Ok(digest);
    }
    dir::create_all(&folder)?;
    let file = atomic::temporary(&folder, bytes, atomic::NEW_FILE)?;
    file.persist(&path).map_err(|error| StoreError::io("rename to", &path)(error.error))?;
    dir::sync(&folder)?;
    Ok(digest)
}

/// A blob's bytes, verified.
pub(crate) fn get(layout: &Layout, digest: Digest) -> Result<Vec<u8>, StoreError> {
    let path = layout.blob(digest);
    let bytes = plain::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::NoBlob { digest, place: path.display().to_string() },
        _ => StoreError::io("read", &path)(error),
    })?;
    match Digest::of(&bytes) {
        found if found == digest => Ok(bytes),
        found => Err(StoreError::BlobDamaged { digest, found, place: path.display().to_string() }),
    }
}

/// The digest of a file, however large it is.
pub(crate) fn digest_of(path: &Path) -> io::Result<Digest> {
    let mut file = plain::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(Digest(hash.finalize().into())),
            Ok(read) => hash.update(&chunk[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Notes that a blob was put once more, so that nobody who frees space takes it for an old one that no event cites: the
/// event is about to come. False: it is gone meanwhile.
fn put_again(path: &Path) -> bool {
    let age = fs::metadata(path).and_then(|file| file.modified()).map(|put| put.elapsed().unwrap_or_default());
    match age {
        Ok(age) if age < PUT_AGAIN => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok(_) => {
            let now = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
            let times = Timestamps { last_access: now, last_modification: now };
            let noted = utimensat(CWD, path, &times, AtFlags::empty());
            // Who may not write it may not remove it either.
            noted != Err(rustix::io::Errno::NOENT)
        }
    }
}

fn is_there(path: &Path, digest: Digest) -> Result<bool, StoreError> {
    match digest_of(path) {
        Ok(found) if found == digest => Ok(true),
        Ok(found) => Err(StoreError::BlobDamaged { digest, found, place: path.display().to_string() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::io("read", path)(error)),
    }
}
