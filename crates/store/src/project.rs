//! `.tribunal/project.json`: which project this is.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io;

use crate::{Layout, StoreError, atomic, dir, ignore_file};
use tribunal_kernel::ProjectId;

#[derive(Serialize, Deserialize)]
struct Sheet {
    id: ProjectId,
}

/// The project's id. Whoever asks first makes it; of several at once, one does.
pub(crate) fn id(layout: &Layout) -> Result<ProjectId, StoreError> {
    let path = layout.project();
    if let Some(id) = read(layout)? {
        return Ok(id);
    }
    let folder = dir::parent(&path);
    dir::create_all(folder)?;
    ignore_file::write(layout)?;
    let sheet = Sheet { id: ProjectId(crate::new_id()) };
    let mut text = serde_json::to_vec_pretty(&sheet).map_err(|source| StoreError::Unwritable { source })?;
    text.push(b'\n');
    match atomic::temporary(folder, &text, atomic::NEW_FILE)?.persist_noclobber(&path) {
        Ok(_) => {
            dir::sync(folder)?;
            Ok(sheet.id)
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(read(layout)?.unwrap_or(sheet.id)),
        Err(error) => Err(StoreError::io("rename to", &path)(error.error)),
    }
}

fn read(layout: &Layout) -> Result<Option<ProjectId>, StoreError> {
    let path = layout.project();
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("read", &path)(error)),
    };
    let sheet: Sheet = serde_json::from_slice(&text).map_err(|error| StoreError::Unreadable {
        place: path.display().to_string(),
        why: error.to_string(),
        hint: "restore it from a backup; without it, this counts as a different project",
    })?;
    Ok(Some(sheet.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_keeps_its_id_and_one_that_cannot_be_read_is_not_replaced() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        let ids: Vec<ProjectId> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| id(&layout).unwrap())).collect();
            asking.into_iter().map(|asking| asking.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        fs::write(layout.project(), "{}").unwrap();
        let error = id(&layout).unwrap_err();
        assert!(error.to_string().contains("project.json") && error.hint().is_some(), "{error}");
        assert_eq!(fs::read_to_string(layout.project()).unwrap(), "{}");
    }
}
