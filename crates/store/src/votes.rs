//! `.tribunal/votes/`: the key that links are signed with, and the links that were used.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::{fs, io};
use tribunal_kernel::Digest;
use uuid::Uuid;

use crate::backend::VoteKey;
use crate::{Layout, StoreError, atomic, dir, ignore_file};

/// Only its owner may read it: whoever has it can vote for anybody.
const OWNER_ONLY: u32 = 0o600;

/// The project's key, which is made when it is first needed. Of several who need it at once, the first one's counts.
pub(crate) fn key(layout: &Layout) -> Result<VoteKey, StoreError> {
    let path = layout.vote_key();
    if let Some(key) = read(&path)? {
        return Ok(key);
    }
    dir::create_all(dir::parent(&path))?;
    ignore_file::write(layout)?;
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(Uuid::new_v4().as_bytes());
    bytes[16..].copy_from_slice(Uuid::new_v4().as_bytes());
    create(&path, Digest(bytes).to_string().as_bytes())?;
    read(&path)?.ok_or_else(|| StoreError::io("read", &path)(io::Error::other("it is gone again")))
}

fn read(path: &Path) -> Result<Option<VoteKey>, StoreError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("read", path)(error)),
    };
    let mode = fs::metadata(path).map_err(StoreError::io("look at", path))?.permissions().mode();
    let unreadable = |why: &str| StoreError::Unreadable {
        place: path.display().to_string(),
        why: why.to_owned(),
        hint: "remove it to make a new key; links that were sent before stop working",
    };
    if mode & 0o077 != 0 {
        return Err(unreadable("others than its owner can read it"));
    }
    Digest::parse(text.trim()).map(|key| Some(VoteKey(key.0))).ok_or_else(|| unreadable("it is not a key"))
}

/// Uses a link up. Whether it had not been used before.
pub(crate) fn take(layout: &Layout, link: Digest) -> Result<bool, StoreError> {
    create(&layout.used_vote(link), b"")
}

pub(crate) fn give_back(layout: &Layout, link: Digest) -> Result<(), StoreError> {
    let path = layout.used_vote(link);
    fs::remove_file(&path).map_err(StoreError::io("remove", &path))
}

/// Makes a file that only its owner can read, durably, unless it is there. Whether it was made.
fn create(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let folder = dir::parent(path);
    dir::create_all(folder)?;
    match atomic::temporary(folder, bytes, OWNER_ONLY)?.persist_noclobber(path) {
        Ok(_) => dir::sync(folder).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(StoreError::io("rename to", path)(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_its_owners_alone() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        let first = key(&layout).unwrap();
        assert_eq!(key(&layout).unwrap(), first, "it stays");
        assert_eq!(fs::metadata(layout.vote_key()).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        assert!(!format!("{first:?}").contains(&Digest(first.0).to_string()));
        fs::set_permissions(layout.vote_key(), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(key(&layout).unwrap_err().to_string().contains("others than its owner"));
        fs::remove_file(layout.vote_key()).unwrap();
        assert_ne!(key(&layout).unwrap(), first);
    }
}
