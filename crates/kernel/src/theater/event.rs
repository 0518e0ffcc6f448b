//! The events that people and programs watch: `critique.<type>`, derived from the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Round, Score, SeatName, Verdict};

/// What happens on the stage. `type` and `runId` come first in JSON, then the fields as they stand here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum TheaterEvent {
    RunStarted {
        run_id: String,
        protocol_version: u32,
        cast: Vec<SeatName>,
        max_rounds: u32,
        threshold: Score,
        scale: Score,
    },
    PanelistOpen {
        run_id: String,
        round: Round,
        role: SeatName,
    },
    PanelistDim {
        run_id: String,
        round: Round,
        role: SeatName,
        dim_name: String,
        dim_score: Option<Score>,
        dim_note: String,
    },
    PanelistMustFix {
        run_id: String,
        round: Round,
        role: SeatName,
        text: String,
    },
    PanelistClose {
        run_id: String,
        round: Round,
        role: SeatName,
        score: Option<Score>,
    },
    RoundEnd {
        run_id: String,
        round: Round,
        composite: Score,
        must_fix: u32,
        decision: RoundDecision,
        reason: String,
    },
    Ship {
        run_id: String,
        round: Round,
        composite: Score,
        status: String,
        artifact_ref: ArtifactRef,
        summary: String,
    },
    Degraded {
        run_id: String,
        reason: String,
        adapter: String,
    },
    /// Both are of the same round; nothing if no round was completed.
    Interrupted {
        run_id: String,
        best_round: Option<Round>,
        composite: Option<Score>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recovery: Option<String>,
    },
    Failed {
        run_id: String,
        cause: String,
    },
    ParserWarning {
        run_id: String,
        kind: String,
        position: u64,
    },
}

/// What follows a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundDecision {
    Continue,
    Ship,
}

/// Where a shipped artifact is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactRef {
    pub project_id: String,
    pub artifact_id: String,
}

impl TheaterEvent {
    /// The event's name; in a stream of server-sent events it stands after `critique.`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::PanelistOpen { .. } => "panelist_open",
            Self::PanelistDim { .. } => "panelist_dim",
            Self::PanelistMustFix { .. } => "panelist_must_fix",
            Self::PanelistClose { .. } => "panelist_close",
            Self::RoundEnd { .. } => "round_end",
            Self::Ship { .. } => "ship",
            Self::Degraded { .. } => "degraded",
            Self::Interrupted { .. } => "interrupted",
            Self::Failed { .. } => "failed",
            Self::ParserWarning { .. } => "parser_warning",
        }
    }

    /// What a verdict says: a score for every dimension, then what has to be mended.
    pub(crate) fn judged(run_id: &str, round: Round, role: &SeatName, verdict: &Verdict) -> Vec<Self> {
        let dims = verdict.dims.iter().map(|dim| Self::PanelistDim {
            run_id: run_id.to_owned(),
            round,
            role: role.clone(),
            dim_name: dim.name.clone(),
            dim_score: dim.score,
            dim_note: dim.note.clone(),
        });
        let demands = verdict.must_fixes().map(|finding| Self::PanelistMustFix {
            run_id: run_id.to_owned(),
            round,
            role: role.clone(),
            text: finding.text.clone(),
        });
        dims.chain(demands).collect()
    }
}
