//! The desk, ready for another run.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::files::DeskFiles;
use crate::StoreError;

/// Removes sentinels, claim, verdict and status. Plans, prompts, memory, context and the logs of what was done stay.
pub fn clean(files: &DeskFiles) -> Result<Vec<PathBuf>, StoreError> {
    let mut removed = Vec::new();
    let runtime = format!("{}/runtime/status.json", files.logs());
    let own = [files.complete(), files.blocked(), files.claim(), files.signal(), files.verdict(), files.status()];
    for name in own.into_iter().chain([runtime]) {
        let path = files.path(&name);
        match fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io("remove", &path)(error)),
        }
    }
    Ok(removed)
}
