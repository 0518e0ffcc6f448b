//! The events that watchers are told: what all loops have in common, and what each has of its own.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use crate::finding::FindingState;
use crate::theater::TheaterEvent;
use crate::turn::TurnErrorKind;
use crate::{
    Digest, DraftId, FindingId, Format, LoopKind, Outcome, Round, RunId, Score, SeatName, Seq, Severity, Time, TurnId,
};

/// One thing that a watcher is told. `type` and `runId` come first in JSON, then the fields as they stand here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum WatchEvent {
    /// First of all: what the trial is about, and who sits where.
    Scene {
        run_id: String,
        r#loop: LoopKind,
        subject: String,
        /// The brief's blob.
        brief: Digest,
        seats: Vec<SeatedAgent>,
        max_rounds: Option<u32>,
        limits: Allowance,
        /// The run that this one is a variation of.
        fork_of: Option<RunId>,
    },
    RoundOpened {
        run_id: String,
        round: Round,
    },
    /// A call is under way.
    TurnStarted {
        run_id: String,
        turn: TurnId,
        round: Round,
        role: SeatName,
        task: String,
        attempt: u32,
        /// The model that the loop chose, where it chooses, and why this one.
        model: Option<String>,
        why: Option<String>,
        /// The prompt's blob.
        prompt: Digest,
    },
    TurnEnded {
        run_id: String,
        turn: TurnId,
        round: Round,
        role: SeatName,
        task: String,
        said: SaidKind,
        /// In the words of whoever spoke.
        summary: Option<String>,
        /// The loop's word for a judgement.
        word: Option<String>,
        error: Option<TurnFault>,
        /// The blob of the answer as it came.
        raw: Option<Digest>,
        input_tokens: u64,
        output_tokens: u64,
        cached_tokens: u64,
        usd_micros: Option<u64>,
        elapsed_ms: u64,
        /// The run whose answer this is: nobody was called.
        copied: Option<RunId>,
        /// What the run has spent by now.
        spent_tokens: u64,
        spent_usd_micros: u64,
    },
    /// A provider takes no requests for now: the turn goes on later, or another agent takes it over.
    Parked {
        run_id: String,
        turn: TurnId,
        round: Round,
        role: SeatName,
        agent: String,
        until: Time,
        why: String,
        taken_by: Option<String>,
    },
    /// There is a new version of the work.
    Draft {
        run_id: String,
        round: Round,
        role: SeatName,
        turn: TurnId,
        draft: DraftId,
        content: Digest,
        format: Format,
    },
    /// A finding is new, or something has become of it.
    Finding {
        run_id: String,
        id: FindingId,
        role: SeatName,
        /// The round in which it was first raised.
        raised: Round,
        /// The round in which it came to its state.
        round: Round,
        severity: Severity,
        text: String,
        code: Option<String>,
        target: Option<String>,
        state: FindingStatus,
    },
    /// A draft took the place of the one before, or was sent back.
    Ruled {
        run_id: String,
        turn: TurnId,
        round: Round,
        role: SeatName,
        accepted: bool,
        score: Option<Score>,
        reasons: Vec<String>,
    },
    /// What the engine itself ran.
    Receipts {
        run_id: String,
        round: Round,
        /// The commit or tree that it ran in.
        tree: String,
        receipts: Vec<CheckReceipt>,
    },
    /// The contract of a desk, as it stands.
    Stories {
        run_id: String,
        stories: Vec<StoryStatus>,
    },
    /// A round is judged, in a loop whose rounds do not end with `round_end`.
    RoundClosed {
        run_id: String,
        round: Round,
        outcome: Option<Outcome>,
        reason: Option<String>,
        /// What it amounts to, where the loop counts.
        composite: Option<Score>,
        must_fix: Option<u32>,
    },
    /// Somebody stepped in.
    Person {
        run_id: String,
        by: String,
        act: PersonAct,
        text: String,
    },
    /// A run that had ended goes on.
    Resumed {
        run_id: String,
    },
    RunClosed {
        run_id: String,
        outcome: Outcome,
        /// The outcome as one of the theater's seven words.
        status: String,
        reason: String,
        ship: Option<Handover>,
    },
    /// What the theater's own protocol has a name for.
    #[serde(untagged)]
    Theater(TheaterEvent),
}

/// An event, and the entry of the log that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchFrame {
    #[serde(flatten)]
    pub event: WatchEvent,
    pub time: Time,
    pub seq: Seq,
}

/// Not derived: a flattened enum is drawn variant by variant, and the page wants the event under its own name.
impl JsonSchema for WatchFrame {
    fn schema_name() -> Cow<'static, str> {
        "WatchFrame".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An event, and the entry of the log that it comes from.",
            "allOf": [
                generator.subschema_for::<WatchEvent>(),
                {
                    "type": "object",
                    "properties": {
                        "time": generator.subschema_for::<Time>(),
                        "seq": generator.subschema_for::<Seq>(),
                    },
                    "required": ["time", "seq"],
                },
            ],
        })
    }
}

/// Who sits where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatedAgent {
    pub seat: SeatName,
    pub agent: String,
    pub model: Option<String>,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Allowance {
    pub usd_micros: Option<u64>,
    pub tokens: Option<u64>,
    pub wall_ms: Option<u64>,
}

/// What an answer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaidKind {
    Draft,
    Verdict,
    Controlled,
    Mutation,
    Resolved,
    Surveyed,
    Worked,
    Checked,
    Inspected,
    Collected,
    Done,
    Heard,
    /// It brought nothing that could be used.
    Nothing,
}

/// Why a turn brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnFault {
    pub kind: TurnErrorKind,
    pub message: String,
    /// What one can do.
    pub hint: Option<String>,
}

/// What has become of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    Open,
    Fixed,
    Reopened,
    Contested,
}

/// A check that the engine ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReceipt {
    pub check: String,
    pub purpose: String,
    pub line: String,
    pub exit: Option<i32>,
    pub passed: bool,
    /// Why it proves nothing.
    pub failure: Option<String>,
    pub elapsed_ms: u64,
    /// Of the whole output.
    pub output: Digest,
    /// Whether the whole output can be read.
    pub kept: bool,
    pub tail: String,
    pub tests_passed: Option<u64>,
    pub tests_failed: Option<u64>,
    pub tests_skipped: Option<u64>,
}

/// A user story, and the round in which it was verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoryStatus {
    pub id: String,
    pub title: String,
    pub verified_in: Option<Round>,
}

/// What a person did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonAct {
    Interrupted,
    Steered,
    Reanchored,
    Selected,
    Reopened,
    Decided,
}

/// What is handed over at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Handover {
    pub round: Round,
    pub composite: Option<Score>,
    pub content: Digest,
    pub format: Format,
    pub summary: Option<String>,
}

impl WatchEvent {
    /// The event's name; in a stream of server-sent events it stands after `critique.`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scene { .. } => "scene",
            Self::RoundOpened { .. } => "round_opened",
            Self::TurnStarted { .. } => "turn_started",
            Self::TurnEnded { .. } => "turn_ended",
            Self::Parked { .. } => "parked",
            Self::Draft { .. } => "draft",
            Self::Finding { .. } => "finding",
            Self::Ruled { .. } => "ruled",
            Self::Receipts { .. } => "receipts",
            Self::Stories { .. } => "stories",
            Self::RoundClosed { .. } => "round_closed",
            Self::Person { .. } => "person",
            Self::Resumed { .. } => "resumed",
            Self::RunClosed { .. } => "run_closed",
            Self::Theater(event) => event.name(),
        }
    }
}

impl From<FindingState> for FindingStatus {
    fn from(state: FindingState) -> Self {
        match state {
            FindingState::Open => Self::Open,
            FindingState::Fixed { .. } => Self::Fixed,
            FindingState::Reopened { .. } => Self::Reopened,
            FindingState::Contested => Self::Contested,
        }
    }
}
