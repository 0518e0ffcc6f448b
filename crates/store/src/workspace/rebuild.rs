//! The files of many runs, made again at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_kernel::{Digest, Run, RunId};

use super::files::{AssetFiles, asset_files};
use super::paths::STATE;
use super::{Base, WorkspaceError, WorkspaceState, lock, write, write_with};
use crate::atomic;

/// What [`rebuild`] did.
#[derive(Debug, Default)]
pub struct RebuiltWorkspace {
    /// The files that changed.
    pub changed: Vec<PathBuf>,
    /// Files that nobody could read: they were moved aside, to these names, because they may be somebody's work.
    pub set_aside: Vec<PathBuf>,
    /// Runs whose files could not be made, and why.
    pub failed: Vec<(RunId, WorkspaceError)>,
}

/// Brings the files of many runs on different assets to what their logs say. What they share is read and written once, and
/// what cannot be read is moved aside.
pub fn rebuild(
    root: &Path,
    runs: &[Arc<Run>],
    texts: &impl Fn(Digest) -> Option<String>,
) -> Result<RebuiltWorkspace, WorkspaceError> {
    let _lock = lock(root)?;
    let mut rebuilt = RebuiltWorkspace::default();
    let mut state = Arc::new(rebuilt.past_damage(|| WorkspaceState::read(root))?);
    let mut last = Vec::new();
    for run in runs {
        let files = rebuilt.past_damage(|| asset_files(run, texts, &Base::with(Arc::clone(&state), root, run)?));
        let written = match files {
            Ok(None) => Ok(()),
            Ok(Some(AssetFiles { asset, first, update, last: protocol })) => {
                last.push(protocol);
                write_with(root, &first, atomic::write_soon).and_then(|changed| {
                    rebuilt.changed.extend(changed);
                    Arc::make_mut(&mut state).absorb(&asset, update)
                })
            }
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            rebuilt.failed.push((run.spec().run, error));
        }
    }
    if !last.is_empty() {
        // All that a decision is about has to be there before the decision is.
        atomic::settle(root)?;
        rebuilt.changed.extend(write(root, &[(STATE.into(), state.to_bytes()?)])?);
        rebuilt.changed.extend(write_with(root, &last, atomic::write_soon)?);
        atomic::settle(root)?;
    }
    Ok(rebuilt)
}

impl RebuiltWorkspace {
    /// Tries again without the files that are in the way.
    fn past_damage<T>(&mut self, mut read: impl FnMut() -> Result<T, WorkspaceError>) -> Result<T, WorkspaceError> {
        loop {
            match read() {
                Err(WorkspaceError::Damaged { path, .. }) if path.is_absolute() && path.is_file() => {
                    self.set_aside.push(set_aside(&path)?);
                }
                done => return done,
            }
        }
    }
}

/// So many files of one name are kept aside; beyond that the last one is replaced.
const MOST_ASIDE: u32 = 1000;

/// Gives a file another name, which is free.
fn set_aside(path: &Path) -> Result<PathBuf, WorkspaceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..MOST_ASIDE)
        .map(|number| path.with_file_name(format!("{name}.damaged-{number}")))
        .find(|path| !path.exists());
    let free = free.unwrap_or_else(|| path.with_file_name(format!("{name}.damaged")));
    std::fs::rename(path, &free).map_err(WorkspaceError::io("rename", path))?;
    Ok(free)
}
