//! An index that stays open as long as somebody may need it.
//!
//! Opening one checks every page of it, twice: right for a command, and more with every run for a server that opens it
//! for each request.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tribunal_kernel::Run;

use super::{Index, IndexError};

/// The index at a path: opened when it is first needed, and again if the file there is another one by then. Several
/// threads may share it; they take turns.
#[derive(Debug)]
pub struct KeptIndex {
    path: PathBuf,
    open: Mutex<Option<(FileId, Index)>>,
}

/// Which file it is: one that was removed and made again has another.
type FileId = (u64, u64);

impl KeptIndex {
    /// The index at `path`. Nothing is opened yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::new(None) }
    }

    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.id().is_some()
    }

    /// Does something with the index. What fails leaves nothing open: the next one checks the whole file again.
    pub fn with<T>(&self, work: impl FnOnce(&mut Index) -> Result<T, IndexError>) -> Result<T, IndexError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out, so that it is gone if `work` panics.
        let mut index = match (open.take(), self.id()) {
            (Some((was, index)), Some(is)) if was == is => index,
            (Some(gone), None) => {
                drop(gone);
                // Somebody deleted it under us. What was in its journal would be taken for the new one's.
                super::remove(&self.path)?;
                Index::open(&self.path)?
            }
            _ => Index::open(&self.path)?,
        };
        let result = work(&mut index)?;
        *open = self.id().map(|id| (id, index));
        Ok(result)
    }

    /// Builds it again from these runs, whatever was there: what cannot be opened is made again.
    pub fn rebuild<'r>(&self, runs: impl IntoIterator<Item = &'r Run>) -> Result<(), IndexError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
        let mut index = Index::open(&self.path).or_else(|_| Index::recreate(&self.path))?;
        index.rebuild(runs)?;
        *open = self.id().map(|id| (id, index));
        Ok(())
    }

    fn id(&self) -> Option<FileId> {
        fs::metadata(&self.path).ok().map(|file| (file.dev(), file.ino()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::RunFilter;

    #[test]
    fn it_is_opened_once_and_again_when_the_file_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        let kept = KeptIndex::new(path.clone());
        let open = |kept: &KeptIndex| kept.open.lock().unwrap().as_ref().map(|(id, _)| *id);
        assert_eq!(open(&kept), None, "nobody needed it");
        assert_eq!(kept.with(|index| index.runs(&RunFilter::default())).unwrap(), []);
        let first = open(&kept).unwrap();
        kept.with(|index| index.runs(&RunFilter::default())).unwrap();
        assert_eq!(open(&kept), Some(first));

        // Moved and not removed, so that its number is not given to the one that comes.
        fs::rename(&path, folder.path().join("old")).unwrap();
        kept.with(|index| index.runs(&RunFilter::default())).unwrap();
        assert!(path.exists() && open(&kept).is_some_and(|id| id != first), "made again");

        super::super::remove(&path).unwrap();
        fs::write(&path, "no index ".repeat(1000)).unwrap();
        assert!(kept.with(|index| index.runs(&RunFilter::default())).is_err());
        assert_eq!(open(&kept), None, "what fails is not kept");
    }
}
