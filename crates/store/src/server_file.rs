//! `.tribunal/server.json`: where a server of this project answers, and its key. One server at a time; others on this
//! machine find it here.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::backend::ServerAddress;
use crate::log::lock;
use crate::{Layout, StoreError, dir, ignore_file};

/// Only its owner may read it: it holds the key.
const OWNER_ONLY: u32 = 0o600;
/// What is longer was not written by us.
const MAX_LENGTH: u64 = 64 * 1024;

/// The file, held by a server for as long as it lives.
#[derive(Debug)]
pub(crate) struct ServerFile {
    file: File,
    /// What the server before left.
    pub(crate) before: ServerAddress,
}

impl ServerFile {
    /// Takes the file. `None`: another server has it.
    pub(crate) fn take(layout: &Layout) -> Result<Option<Self>, StoreError> {
        let path = layout.server();
        dir::create_all(dir::parent(&path))?;
        ignore_file::write(layout)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(OWNER_ONLY)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        if !lock::lock(&file).map_err(StoreError::io("lock", &path))? {
            return Ok(None);
        }
        let owner_only = std::fs::Permissions::from_mode(OWNER_ONLY);
        file.set_permissions(owner_only).map_err(StoreError::io("set permissions of", &path))?;
        let before = read(&mut file, &path)?;
        Ok(Some(Self { file, before }))
    }

    /// Says where we answer.
    pub(crate) fn publish(&mut self, address: &ServerAddress) -> io::Result<()> {
        let text = serde_json::to_vec(address)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.file.sync_all()
    }
}

/// Where a server answers now, if one does.
pub(crate) fn find(layout: &Layout) -> Result<Option<ServerAddress>, StoreError> {
    let path = layout.server();
    let Some(mut file) = lock::held(&path)? else { return Ok(None) };
    Ok(Some(read(&mut file, &path)?).filter(|found| !found.address.is_empty()))
}

/// What is written there. Whatever is not ours is an empty address.
fn read(file: &mut File, path: &Path) -> Result<ServerAddress, StoreError> {
    let mut text = Vec::new();
    file.take(MAX_LENGTH).read_to_end(&mut text).map_err(StoreError::io("read", path))?;
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_at_a_time_and_the_key_outlives_it() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        assert_eq!(find(&layout).unwrap(), None);
        let mut ours = ServerFile::take(&layout).unwrap().unwrap();
        assert_eq!(ours.before, ServerAddress::default());
        assert!(ServerFile::take(&layout).unwrap().is_none(), "somebody has it");
        assert_eq!(find(&layout).unwrap(), None, "nothing is written yet");
        let address =
            ServerAddress { address: "http://127.0.0.1:1".into(), token: "key".into(), project: "shop".into() };
        ours.publish(&address).unwrap();
        assert_eq!(find(&layout).unwrap().as_ref(), Some(&address));
        assert_eq!(std::fs::metadata(layout.server()).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        drop(ours);
        assert_eq!(find(&layout).unwrap(), None, "nobody answers");
        assert_eq!(ServerFile::take(&layout).unwrap().unwrap().before, address);
    }
}
