//! What the workspace holds before an update, as far as the update has to respect it.

use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use tribunal_kernel::{Decision, DraftId, Run};

use super::files::settings;
use super::paths::Asset;
use super::protocol::Protocol;
use super::{WorkspaceError, WorkspaceState, read};

/// The ground on which [`files`](super::files) builds.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    pub state: Arc<WorkspaceState>,
    /// The decision that the workspace knows of.
    pub decision: Option<Decision>,
    /// The candidate that a person picked, when this run did not propose it.
    pub(super) picked: Option<Value>,
    /// Candidates that have a file and that neither `state.json` nor this run knows, oldest first: somebody else put them
    /// there, and the creator is shown them.
    pub(super) unlisted: Vec<Value>,
}

impl Base {
    /// A workspace that holds nothing yet.
    pub fn fresh(episode_id: impl Into<String>) -> Self {
        Self { state: Arc::new(WorkspaceState::fresh(episode_id)), decision: None, picked: None, unlisted: Vec::new() }
    }

    /// What the workspace at `root` holds of the run's asset.
    pub fn read(root: &Path, run: &Run) -> Result<Self, WorkspaceError> {
        Self::with(Arc::new(WorkspaceState::read(root)?), root, run)
    }

    /// The same, where `state.json` says this.
    pub(super) fn with(state: Arc<WorkspaceState>, root: &Path, run: &Run) -> Result<Self, WorkspaceError> {
        let asset = Asset::parse(&settings(run)?.asset)?;
        let picked = run.selection().filter(|pick| run.drafts().all(|draft| draft.id != pick.id));
        let picked = match picked {
            Some(pick) => read::candidate_file(&root.join(asset.candidate(pick.id, "json")), &asset)?,
            None => None,
        };
        let drafts = run.drafts().map(|draft| draft.id);
        let known: HashSet<DraftId> = state.candidates(&asset).chain(drafts).collect();
        let unlisted = read::candidate_values(root, &asset, |id| known.contains(&id))?;
        Ok(Self { decision: Protocol::read(root, &asset)?.decision, state, picked, unlisted })
    }
}
