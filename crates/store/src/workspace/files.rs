//! Every file of an asset, from the folded run.

use serde_json::Value;
use std::path::PathBuf;
use tribunal_kernel::review::Settings;
use tribunal_kernel::{Digest, Draft, Run};

use super::base::Base;
use super::candidate::Candidate;
use super::iteration::iterations;
use super::paths::{Asset, STATE};
use super::protocol::{self, Complete};
use super::review::{Review, reviewer};
use super::state::Update;
use super::{WorkspaceError, WorkspaceState, json, provenance, selected};

/// A path relative to the workspace, and what the file holds.
pub type File = (PathBuf, Vec<u8>);

/// Every file of the run's asset, in the order in which they must be written: what is referred to comes before what
/// refers to it. The protocol's state is last, because a decision in it is final for whoever reads it: by then all
/// that the decision is about has to be there.
///
/// `texts` gives the text of a blob, `base` is what the workspace held before. A run that found its asset settled has
/// no files.
pub fn files(run: &Run, texts: &impl Fn(Digest) -> Option<String>, base: &Base) -> Result<Vec<File>, WorkspaceError> {
    let Some(AssetFiles { asset, mut first, update, last }) = asset_files(run, texts, base)? else {
        return Ok(Vec::new());
    };
    let mut state = WorkspaceState::clone(&base.state);
    state.absorb(&asset, update)?;
    first.push((STATE.into(), state.to_bytes()?));
    first.push(last);
    Ok(first)
}

/// The files of an asset, around the one that it shares with others.
pub(super) struct AssetFiles {
    pub(super) asset: Asset,
    /// Everything that the others refer to.
    pub(super) first: Vec<File>,
    /// What `state.json` is told.
    pub(super) update: Update,
    /// The protocol's state.
    pub(super) last: File,
}

/// The same for a run among others.
pub(super) fn asset_files(
    run: &Run,
    texts: &impl Fn(Digest) -> Option<String>,
    base: &Base,
) -> Result<Option<AssetFiles>, WorkspaceError> {
    let settings = settings(run)?;
    let asset = Asset::parse(&settings.asset)?;
    if run.rounds().is_empty() && run.selection().is_none() && run.decision().is_settled() {
        return Ok(None);
    }

    let mut files = provenance::files(run, texts)?;
    let mut protocol = Vec::new();
    let mut complete = Vec::new();
    let mut update =
        Update { candidates: base.unlisted.clone(), reviews: Vec::new(), selected: None, now: run.opened() };
    for iteration in iterations(run) {
        let content = text(texts, iteration.draft.content, || format!("candidate {}", iteration.draft.id))?;
        let candidate = Candidate::proposed(run, &asset, &iteration, &content);
        files.extend(candidate.files(&asset));
        protocol.push(protocol::creator_file(&asset, &iteration));
        if let Some(judged) = &iteration.judged {
            let review = json::to_value(&Review::given(run, iteration.round, judged));
            files.push((asset.review(iteration.round, reviewer(run).as_deref()), json::to_bytes(&review)));
            let whole = Complete::new(&iteration, candidate.to_value(), review.clone());
            protocol.push(whole.file(&asset));
            complete.push(whole);
            update.reviews.push(review);
        }
        update.candidates.push(candidate.to_value());
    }
    let mut selection = Vec::new();
    if let Some(draft) = selected::choice(run, &asset, base) {
        let content = text(texts, draft.content, || format!("the selected candidate {}", draft.id))?;
        if run.drafts().all(|own| own.id != draft.id) {
            let (earlier, made) = earlier(run, &asset, base, draft, &content);
            files.extend(made);
            update.candidates.extend(earlier);
        }
        selection = selected::files(&asset, draft.format, &content);
        update.selected = Some(draft.id);
    }

    files.append(&mut protocol);
    files.append(&mut selection);
    let last = protocol::state_file(run, settings, &asset, texts, &complete)?;
    Ok(Some(AssetFiles { asset, first: files, update, last }))
}

/// The settings of the run's review.
pub(super) fn settings(run: &Run) -> Result<&Settings, WorkspaceError> {
    run.spec().settings_of().ok_or_else(|| WorkspaceError::NoReview { kind: run.spec().kind() })
}

/// A text that the log cites.
pub(super) fn text(
    texts: &impl Fn(Digest) -> Option<String>,
    digest: Digest,
    what: impl Fn() -> String,
) -> Result<String, WorkspaceError> {
    texts(digest).ok_or_else(|| WorkspaceError::MissingText { what: what(), digest })
}

/// A picked candidate from before this run, for `state.json` where it is not there yet. It has files of its own
/// already, unless somebody removed them.
fn earlier(run: &Run, asset: &Asset, base: &Base, draft: &Draft, content: &str) -> (Option<Value>, Vec<File>) {
    if base.state.candidates(asset).any(|id| id == draft.id) {
        return (None, Vec::new());
    }
    if let Some(candidate) = &base.picked {
        return (Some(candidate.clone()), Vec::new());
    }
    // When it was proposed is not known any more; it was there when the run was opened.
    let candidate = Candidate::picked(asset, draft, content, run.opened());
    (Some(candidate.to_value()), candidate.files(asset))
}
