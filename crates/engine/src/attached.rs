//! What is attached to the brief, as a turn gets it: from the store, and for programs as files that are there for as long as
//! the turn lasts. They are copies: whoever writes to one changes nothing for anybody else.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use tribunal_agents::AttachedFile;
use tribunal_kernel::attachment::file_name;
use tribunal_kernel::{Attachment, MediaType, RunId};
use tribunal_store::backend::ScratchFolder;
use tribunal_store::{Backend, StoreError};

use crate::temporary::{FolderUse, TemporaryFolder};

/// What goes along with a turn, with its bytes.
pub async fn fetched(
    store: &dyn Backend,
    attachments: impl IntoIterator<Item = Attachment>,
) -> Result<Vec<AttachedFile>, StoreError> {
    let mut files = Vec::new();
    for Attachment { name, content, media_type, .. } in attachments {
        let bytes = store.blobs().get(content).await?.into();
        files.push(AttachedFile { name, media_type, bytes, path: None });
    }
    Ok(files)
}

/// Lays the files of a turn where its program can read them: until the folder is dropped.
pub(crate) fn lay_out(files: &mut [AttachedFile]) -> io::Result<Option<TemporaryFolder>> {
    if files.is_empty() {
        return Ok(None);
    }
    let folder = TemporaryFolder::make(FolderUse::Attached)?;
    for (number, file) in (1..).zip(files) {
        let path = folder.path().join(file_name(number, &file.name));
        fs::write(&path, &file.bytes)?;
        fs::set_permissions(&path, Permissions::from_mode(0o444))?;
        file.path = Some(path);
    }
    Ok(Some(folder))
}

/// Says where the images of a run lie for people to open; nothing, where there are none.
pub fn told_to_people<'f>(
    store: &dyn Backend,
    run: RunId,
    files: impl IntoIterator<Item = (&'f str, MediaType)>,
) -> String {
    let told = |(number, (name, kind)): (usize, (&str, MediaType))| {
        kind.is_image().then(|| format!("- {name}: {}\n", place(store, run, number, name).display()))
    };
    let lines: String = (1..).zip(files).filter_map(told).collect();
    if lines.is_empty() { lines } else { format!("\nThe attached images:\n{lines}") }
}

/// Where the file of this number lies for people.
pub fn place(store: &dyn Backend, run: RunId, number: usize, name: &str) -> PathBuf {
    store.scratch().path(&ScratchFolder::Attached(run)).join(file_name(number, name))
}

/// Lays files where people can open them. What is there already stays: it is the same.
pub(crate) fn lay_out_for_people(store: &dyn Backend, run: RunId, files: &[AttachedFile]) -> Result<(), StoreError> {
    for (number, file) in (1..).zip(files) {
        let path = place(store, run, number, &file.name);
        if !path.exists() {
            tribunal_store::atomic::write(&path, &file.bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_there_for_as_long_as_the_turn_lasts() {
        assert!(lay_out(&mut []).unwrap().is_none(), "no folder for nothing");
        let file = |name: &str, bytes: &[u8]| AttachedFile {
            name: name.into(),
            media_type: MediaType::Png,
            bytes: bytes.into(),
            path: None,
        };
        // Files of one name in several folders are several files.
        let mut files = [file("a/shot.png", b"one"), file("b/shot.png", b"two")];
        let folder = lay_out(&mut files).unwrap().unwrap();
        let paths = files.map(|file| file.path.unwrap());
        assert_eq!(paths.each_ref().map(|path| fs::read(path).unwrap()), [b"one", b"two"]);
        for path in &paths {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o444);
        }
        drop(folder);
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
