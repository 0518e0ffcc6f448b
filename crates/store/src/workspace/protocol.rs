//! The protocol: what happened in each iteration, and the decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use tribunal_kernel::review::Settings;
use tribunal_kernel::{Decision, Digest, DraftId, Round, Run};

use super::decision::Shape;
use super::files::{File, text};
use super::iteration::Iteration;
use super::paths::Asset;
use super::{WorkspaceError, json};

/// The version of all protocol files.
const VERSION: u64 = 1;

/// The file that says what the creator did.
pub(super) fn creator_file(asset: &Asset, iteration: &Iteration<'_>) -> File {
    let creator = Creator {
        version: VERSION,
        iteration: iteration.round,
        asset_id: asset.as_str(),
        applied: true,
        done: iteration.done,
        candidate_id: iteration.draft.id,
    };
    (asset.protocol_creator(iteration.round), json::to_bytes(&creator))
}

/// A complete iteration, for its own file and for the list of all.
#[derive(Debug, Serialize)]
pub(super) struct Complete {
    version: u64,
    iteration: Round,
    creator: CreatorPart,
    reviewer: Value,
}

impl Complete {
    /// The iteration with its candidate and review.
    pub(super) fn new(iteration: &Iteration<'_>, candidate: Value, review: Value) -> Self {
        let creator = CreatorPart { done: iteration.done, candidate };
        Self { version: VERSION, iteration: iteration.round, creator, reviewer: review }
    }

    /// The iteration's own file.
    pub(super) fn file(&self, asset: &Asset) -> File {
        (asset.protocol(self.iteration), json::to_bytes(self))
    }
}

/// The file with the decision and all iterations. Those that were there before the run stand in front, as they were.
pub(super) fn state_file(
    run: &Run,
    settings: &Settings,
    asset: &Asset,
    texts: &impl Fn(Digest) -> Option<String>,
    iterations: &[Complete],
) -> Result<File, WorkspaceError> {
    let mut all = Vec::new();
    if let Some(prior) = &settings.given.prior {
        let what = || "the protocol of earlier iterations".to_owned();
        let protocol = text(texts, prior.protocol, what)?;
        all = serde_json::from_str(&protocol)
            .map_err(|error| WorkspaceError::BadText { what: what(), why: error.to_string() })?;
    }
    all.extend(iterations.iter().map(json::to_value));
    let nothing_decided = settings.given.decision.is_none()
        && run.rounds().iter().all(|state| state.closed.is_none())
        && *run.decision() == Decision::default();
    let state = WorkspaceState {
        version: VERSION,
        asset_id: asset.as_str(),
        max_iterations: run.last_round(settings.max_iterations),
        decision: (!nothing_decided).then(|| Shape::from(run.decision())),
        iterations: all,
    };
    Ok((asset.protocol_state(), json::to_bytes(&state)))
}

/// What the protocol of an asset says.
#[derive(Debug, Default)]
pub(super) struct Protocol {
    pub(super) decision: Option<Decision>,
    /// As they were found.
    pub(super) iterations: Vec<Value>,
    /// The number of the last one.
    pub(super) last: Option<Round>,
    /// The candidates that they name.
    pub(super) candidates: Vec<DraftId>,
}

impl Protocol {
    /// Reads the protocol of an asset; an empty one when there is none.
    pub(super) fn read(root: &Path, asset: &Asset) -> Result<Self, WorkspaceError> {
        let path = root.join(asset.protocol_state());
        let Some((head, _)) = json::read::<Head>(&path)? else { return Ok(Self::default()) };
        if head.version != VERSION {
            return Err(WorkspaceError::Version { path, found: head.version, known: VERSION });
        }
        if head.asset_id != asset.as_str() {
            return Err(WorkspaceError::damaged(&path, format!("it belongs to the asset `{}`", head.asset_id)));
        }
        let mut protocol = Self::default();
        for iteration in &head.iterations {
            let Numbered { iteration: number, creator, reviewer } = json::part(&path, iteration)?;
            if number.0 == 0 || protocol.last.is_some_and(|last| last >= number) {
                return Err(WorkspaceError::damaged(&path, format!("iteration {number} is out of order")));
            }
            if !reviewer.is_object() {
                return Err(WorkspaceError::damaged(&path, format!("iteration {number} has no review")));
            }
            protocol.last = Some(number);
            protocol.candidates.extend(creator.and_then(|creator| creator.candidate).map(|named| named.candidate_id));
        }
        protocol.iterations = head.iterations;
        protocol.decision = head.decision.map(|decision| decision.read(&path)).transpose()?;
        Ok(protocol)
    }

    /// The last review, as it was found.
    pub(super) fn last_review(&self) -> Option<&Value> {
        self.iterations.last()?.get("reviewer")
    }
}

#[derive(Serialize)]
struct Creator<'a> {
    version: u64,
    iteration: Round,
    asset_id: &'a str,
    applied: bool,
    done: bool,
    candidate_id: DraftId,
}

#[derive(Debug, Serialize)]
struct CreatorPart {
    done: bool,
    candidate: Value,
}

#[derive(Serialize)]
struct WorkspaceState<'a> {
    version: u64,
    asset_id: &'a str,
    max_iterations: Round,
    decision: Option<Shape>,
    iterations: Vec<Value>,
}

#[derive(Deserialize)]
struct Head {
    #[serde(default = "first_version")]
    version: u64,
    asset_id: String,
    #[serde(default)]
    decision: Option<Shape>,
    #[serde(default)]
    iterations: Vec<Value>,
}

#[derive(Deserialize)]
struct Numbered {
    iteration: Round,
    #[serde(default)]
    creator: Option<Named>,
    #[serde(default)]
    reviewer: Value,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    candidate: Option<Candidate>,
}

#[derive(Deserialize)]
struct Candidate {
    candidate_id: DraftId,
}

fn first_version() -> u64 {
    VERSION
}
