//! Several runs brought to what their logs say at once: what they share is read and written once.

use std::path::Path;
use std::sync::Arc;
use tribunal_kernel::{Digest, Run, RunId};

use super::files::{AssetFiles, asset_files};
use super::paths::STATE;
use super::{Base, WorkspaceError, WorkspaceState, lock, write};

/// Brings the files of runs on different assets to what their logs say. Gives the runs whose files could not be made, and why.
///
/// Of a thousand assets that are reviewed at the same time each one changes `state.json`, which holds all of them: one by one
/// that would be a thousand times the work of a thousand.
pub fn update_all(
    root: &Path,
    runs: &[Arc<Run>],
    texts: &impl Fn(Digest) -> Option<String>,
) -> Result<Vec<(RunId, WorkspaceError)>, WorkspaceError> {
    let _lock = lock(root)?;
    let mut state = Arc::new(WorkspaceState::read(root)?);
    let (mut last, mut failed) = (Vec::new(), Vec::new());
    for run in runs {
        let mut bring = || -> Result<(), WorkspaceError> {
            let base = Base::with(Arc::clone(&state), root, run)?;
            let Some(AssetFiles { asset, first, update, last: protocol }) = asset_files(run, texts, &base)? else {
                return Ok(());
            };
            drop(base);
            write(root, &first)?;
            Arc::make_mut(&mut state).absorb(&asset, update)?;
            last.push(protocol);
            Ok(())
        };
        if let Err(error) = bring() {
            failed.push((run.spec().run, error));
        }
    }
    if !last.is_empty() {
        // By the time that a decision is there, everything that it is about has to be there.
        write(root, &[(STATE.into(), state.to_bytes()?)])?;
        write(root, &last)?;
    }
    Ok(failed)
}
