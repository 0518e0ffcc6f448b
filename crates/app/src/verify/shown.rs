//! Files that show a run, held against its log.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_kernel::loops::LoopFiles;
use tribunal_kernel::{Digest, Entry, Run};
use tribunal_store::{BlockingBackend, artifacts, desk, workspace};

use crate::error::AppError;
use crate::newest::NewestRuns;
use crate::project::{Project, as_text};

/// A file that is not what the log says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDifference {
    pub file: PathBuf,
    pub state: ShownState,
}

/// In which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownState {
    /// Somebody changed it.
    Changed,
    /// It is gone; the log has everything that was in it.
    Missing,
    /// It looks like a result, and the log has none like it.
    Planted,
}

/// The files of a run that has ended, as far as they differ from what its log says.
pub(super) async fn differences(
    project: &Project,
    newest: &NewestRuns<'_>,
    run: Run,
    log: Arc<Vec<Entry>>,
) -> Result<Vec<ShownDifference>, AppError> {
    let files = run.spec().def().files;
    if files.are_shared() {
        // A variation writes nothing there, and of several runs on one thing the newest is shown.
        let newest = newest.on(run.spec().subject()).await;
        if run.spec().fork.is_some() || newest != Some(run.spec().run) {
            return Ok(Vec::new());
        }
    }
    let store = BlockingBackend::new(project.store.clone());
    let (folder, place) = (project.folder_of(run.spec()), project.artifacts(run.spec().run));
    let compared = tokio::task::spawn_blocking(move || -> Result<Vec<ShownDifference>, AppError> {
        let fetch = |digest: Digest| store.wait(store.blobs().get(digest));
        let scratch = || tempfile::tempdir().map_err(|error| AppError::environment(error.to_string(), None));
        match files {
            LoopFiles::Workspace => {
                let mut base = workspace::Base::read(&folder, &run)?;
                // What the workspace says was decided is what is looked at, and no ground for it.
                base.decision = run.spec().trial().inherited().cloned();
                let text = |digest| fetch(digest).ok().map(as_text);
                let files = workspace::files(&run, &text, &base)?;
                // What lies there besides may be a person's: `copy/selected` is where people put their own choice, too.
                Ok(files.iter().filter_map(|(path, bytes)| compare(&folder.join(path), bytes)).collect())
            }
            LoopFiles::Artifacts => {
                let scratch = scratch()?;
                artifacts::update(scratch.path(), &run, &fetch)?;
                artifacts::rebuild(scratch.path(), &run, &log)?;
                let mut found = held_against(scratch.path(), &place)?;
                if let (Some(ours), Some(theirs)) =
                    (artifacts::folder(scratch.path(), &run), artifacts::folder(&place, &run))
                {
                    let expected = files_in(&ours).filter_map(|path| Some(theirs.join(path.file_name()?))).collect();
                    let is_result = |name: &str| name.starts_with("shipped.") || name.starts_with("round-");
                    found.extend(planted(&theirs, &expected, is_result));
                }
                Ok(found)
            }
            LoopFiles::Desk => {
                let scratch = scratch()?;
                desk::update(scratch.path(), &run, &fetch)?;
                held_against(scratch.path(), &folder)
            }
        }
    });
    compared.await.unwrap_or_else(|error| Err(AppError::environment(format!("a bug: {error}"), None)))
}

/// Every file below `expected`, held against the one of the same name below `place`.
fn held_against(expected: &Path, place: &Path) -> Result<Vec<ShownDifference>, AppError> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let path = expected.join(&folder);
        let failed = |error| AppError::environment(format!("cannot read {}: {error}", path.display()), None);
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let inside = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(inside);
            } else {
                let bytes = fs::read(entry.path()).map_err(failed)?;
                found.extend(compare(&place.join(inside), &bytes));
            }
        }
    }
    found.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(found)
}

/// What lies in a folder under a name like that of a result, without being one.
fn planted(folder: &Path, expected: &BTreeSet<PathBuf>, is_result: impl Fn(&str) -> bool) -> Vec<ShownDifference> {
    let is_planted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !expected.contains(path) && is_result(&name)
    };
    let mut found: Vec<PathBuf> = files_in(folder).filter(is_planted).collect();
    found.sort();
    found.into_iter().map(|file| ShownDifference { file, state: ShownState::Planted }).collect()
}

/// Whatever is in a folder; nothing, if it is not there.
fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn compare(path: &Path, expected: &[u8]) -> Option<ShownDifference> {
    // A pipe in its place would let us wait for ever.
    let is_file = fs::metadata(path).map(|found| found.is_file());
    let state = match is_file.and_then(|is_file| if is_file { fs::read(path) } else { Ok(Vec::new()) }) {
        Ok(bytes) if bytes == expected => return None,
        Ok(_) => ShownState::Changed,
        Err(_) => ShownState::Missing,
    };
    Some(ShownDifference { file: path.to_owned(), state })
}
