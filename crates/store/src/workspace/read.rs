//! What a workspace holds before a run is opened.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tribunal_kernel::draft::{text_digest, with_final_newline};
use tribunal_kernel::review::{PriorIterations, ReviewGiven, SelectedContent};
use tribunal_kernel::{Decision, Digest, Draft, DraftId, Format};

use super::moment::Moment;
use super::paths::{Asset, STATE};
use super::protocol::Protocol;
use super::{WorkspaceError, WorkspaceState, json, selected};

/// What a run is given, and the texts that it cites: they are stored as blobs before the run is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunGiven {
    pub given: ReviewGiven,
    pub texts: Vec<String>,
}

/// Gathers what the workspace at `root` holds of an asset. Changes nothing.
pub fn read(root: &Path, asset: &str) -> Result<RunGiven, WorkspaceError> {
    let asset = Asset::parse(asset)?;
    let state = WorkspaceState::read(root)?;
    let protocol = Protocol::read(root, &asset)?;
    let candidates = known(root, &asset, &state)?;
    let mut texts = Vec::new();
    let mut store = |text: String| {
        let digest = Digest::of(&text);
        texts.push(text);
        digest
    };

    let newest = candidates.iter().max_by_key(|(id, candidate)| (&candidate.created, **id));
    let seed = newest.map(|(id, candidate)| {
        store(candidate.content.clone());
        Draft::of(*id, &candidate.content, candidate.format)
    });
    let selection = selected::read(root, &asset, state.selected_format(&asset))?.map(|(file, text)| {
        store(with_final_newline(&text).into_owned());
        SelectedContent { text: text_digest(&text), file }
    });
    let prior = protocol.last.zip(protocol.last_review()).map(|(iterations, review)| PriorIterations {
        iterations,
        protocol: store(json::to_text(&protocol.iterations)),
        review: store(json::to_text(review)),
    });
    let taken = candidates.keys().copied().chain(protocol.candidates.iter().copied()).collect();
    let given = ReviewGiven { seed, selection, decision: protocol.decision, prior, taken };
    Ok(RunGiven { given, texts })
}

/// The asset's decision, when it is an end that only a person may lift: there is nothing to run then.
pub fn settled(root: &Path, asset: &str) -> Result<Option<Decision>, WorkspaceError> {
    let decision = Protocol::read(root, &Asset::parse(asset)?)?.decision;
    Ok(decision.filter(Decision::is_settled))
}

/// Every candidate that the workspace holds of an asset, with its text.
pub fn candidates(root: &Path, asset: &str) -> Result<Vec<(Draft, String)>, WorkspaceError> {
    let asset = Asset::parse(asset)?;
    let found = known(root, &asset, &WorkspaceState::read(root)?)?;
    let drafts = found
        .into_iter()
        .map(|(id, candidate)| (Draft::of(id, &candidate.content, candidate.format), candidate.content));
    Ok(drafts.collect())
}

/// A candidate's file as it was found; `None` when there is none.
pub(super) fn candidate_file(path: &Path, asset: &Asset) -> Result<Option<Value>, WorkspaceError> {
    let Some((shape, value)) = json::read(path)? else { return Ok(None) };
    candidate(path, shape, asset)?;
    Ok(Some(value))
}

/// The files of candidates that nobody knows, as they were found, oldest first. One that cannot be read is left out here:
/// whoever starts a run on it is told.
pub(super) fn candidate_values(
    root: &Path,
    asset: &Asset,
    is_known: impl Fn(DraftId) -> bool,
) -> Result<Vec<Value>, WorkspaceError> {
    let mut found = Vec::new();
    for path in candidate_files(&root.join(asset.candidates()))? {
        let Ok(Some((shape, value))) = json::read(&path) else { continue };
        if let Ok((id, candidate)) = candidate(&path, shape, asset)
            && !is_known(id)
        {
            found.push(((candidate.created, id), value));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found.into_iter().map(|(_, value)| value).collect())
}

/// A candidate that was there already.
struct Candidate {
    created: Moment,
    format: Format,
    content: String,
}

/// The candidates that have a file, and those that only `state.json` knows.
fn known(root: &Path, asset: &Asset, state: &WorkspaceState) -> Result<BTreeMap<DraftId, Candidate>, WorkspaceError> {
    let mut found = BTreeMap::new();
    let path = root.join(STATE);
    for value in state.candidate_values(asset)? {
        let (id, candidate) = candidate(&path, json::part(&path, &value)?, asset)?;
        found.insert(id, candidate);
    }
    for path in candidate_files(&root.join(asset.candidates()))? {
        let Some((shape, _)) = json::read(&path)? else { continue };
        let (id, candidate) = candidate(&path, shape, asset)?;
        found.insert(id, candidate);
    }
    Ok(found)
}

fn candidate_files(folder: &Path) -> Result<Vec<PathBuf>, WorkspaceError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(WorkspaceError::io("list", folder)(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(WorkspaceError::io("list", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("candidate_") && name.ends_with(".json") {
            files.push(path);
        }
    }
    // So that of several damaged files the same one is reported every time.
    files.sort_unstable();
    Ok(files)
}

fn candidate(path: &Path, shape: Shape, asset: &Asset) -> Result<(DraftId, Candidate), WorkspaceError> {
    let id = shape.candidate_id;
    if shape.asset_id != asset.as_str() {
        let why = format!("candidate {id} belongs to the asset `{}` and not to `{}`", shape.asset_id, asset.as_str());
        return Err(WorkspaceError::damaged(path, why));
    }
    let Some(created) = Moment::parse(&shape.created_at) else {
        let why = format!("`created_at` of candidate {id} is not a time with an offset: {:?}", shape.created_at);
        return Err(WorkspaceError::damaged(path, why));
    };
    Ok((id, Candidate { created, format: shape.format, content: shape.content }))
}

#[derive(Deserialize)]
struct Shape {
    candidate_id: DraftId,
    asset_id: String,
    #[serde(default)]
    format: Format,
    content: String,
    created_at: String,
}
