//! What happened: facts in the past tense, append-only. Their JSON form is frozen in `testdata/events/`.

use serde::{Deserialize, Serialize};
use tribunal_anchors::Anchor;

use crate::ballot::Vote;
use crate::decision::Decision;
use crate::heard::Utterance;
use crate::ruling::Ruling;
use crate::spec::RunSpec;
use crate::tally::{Ship, Tally};
use crate::trial::Routed;
use crate::turn::{Bill, Said, TurnError};
use crate::{Digest, Draft, DraftId, Limits, Outcome, Round, SeatName, Spend, Time, TurnId};

/// One fact of a run.
///
/// `{"type": …, "data": {…}}`: with the tag beside the content and before it, a line is read in one pass. With the tag
/// inside, serde would buffer every event first, and a long log would take twice as long to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Event {
    /// First in every log: everything the run was given.
    RunOpened {
        // As it was called in the first format.
        #[serde(alias = "charter")]
        spec: Box<RunSpec>,
    },
    RoundOpened {
        round: Round,
    },
    /// A call is about to be made. Its prompt is stored and its price reserved.
    TurnStarted {
        turn: TurnId,
        round: Round,
        seat: SeatName,
        task: String,
        attempt: u32,
        /// The prompt's blob.
        prompt: Digest,
        /// How many bytes at its beginning are the same in every call of this seat.
        #[serde(default, skip_serializing_if = "is_default")]
        stable: u32,
        /// The digest of everything that determines the answer: agent, model, effort, prompt.
        request: Digest,
        #[serde(default, skip_serializing_if = "Spend::is_nothing")]
        reserved: Spend,
        /// The model that the loop chose, where it chooses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        routed: Option<Box<Routed>>,
        /// Who takes it, if that is not the agent in its seat: that one's provider takes no requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        taken_by: Option<String>,
        /// How many directives its prompt holds: the first turn that has one more acknowledges it.
        #[serde(default, skip_serializing_if = "is_default")]
        directives: u32,
    },
    /// A turn in flight, which speaks for several seats, said this.
    Heard {
        turn: TurnId,
        utterances: Vec<Utterance>,
    },
    /// The call ended with something usable. One event holds the answer and its meaning, so no crash can part them.
    TurnAnswered {
        turn: TurnId,
        /// The raw answer's blob.
        raw: Digest,
        said: Box<Said>,
        bill: Bill,
    },
    /// A provider takes no requests for now. The turn is still in flight and is called again at `until`; or it is over, and
    /// another agent gets a turn of its own in its place. No attempt is used.
    TurnParked {
        turn: TurnId,
        /// Who was refused.
        agent: String,
        until: Time,
        why: String,
        /// Who went on with this very turn, in logs from before there was `passed_to`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        taken_by: Option<String>,
        /// Who is asked instead, if somebody is. This turn is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed_to: Option<String>,
        /// What it took all the same.
        #[serde(default, skip_serializing_if = "is_default")]
        bill: Bill,
    },
    /// A draft that a turn brought was taken, or sent back with reasons.
    Ruled {
        turn: TurnId,
        ruling: Ruling,
    },
    TurnFailed {
        turn: TurnId,
        error: TurnError,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Digest>,
        bill: Bill,
    },
    RoundClosed {
        round: Round,
        decision: Decision,
        /// What the verdicts amount to, where the loop counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tally: Option<Box<Tally>>,
    },
    /// Somebody wants the run to stop now.
    InterruptRequested {
        by: String,
    },
    /// A person says what to do. Every turn that starts from now on is told.
    DirectiveGiven {
        by: String,
        text: String,
    },
    /// A person changed what drafts are judged against.
    Reanchored {
        by: String,
        anchor: Box<Anchor>,
    },
    /// A person chose a draft.
    DraftSelected {
        draft: Draft,
        by: String,
    },
    /// A person lifted the lock of a decision and allowed so many more rounds.
    DecisionReopened {
        by: String,
        why: String,
        rounds: u32,
    },
    /// A person decided what judges had left undecided of a draft. The round is judged again with it.
    ItemsDecided {
        by: String,
        draft: DraftId,
        votes: Vec<Vote>,
    },
    /// A run that could not go on goes on, with these limits.
    RunResumed {
        limits: Limits,
    },
    /// Runs that share this run's limits, because it started them or they started it, have spent and set aside so much.
    SpentElsewhere {
        spend: Spend,
    },
    RunClosed {
        outcome: Outcome,
        reason: String,
        /// What is handed over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ship: Option<Box<Ship>>,
    },
}

impl Event {
    /// The event's name, as in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunOpened { .. } => "run_opened",
            Self::RoundOpened { .. } => "round_opened",
            Self::TurnStarted { .. } => "turn_started",
            Self::Heard { .. } => "heard",
            Self::TurnAnswered { .. } => "turn_answered",
            Self::TurnParked { .. } => "turn_parked",
            Self::Ruled { .. } => "ruled",
            Self::TurnFailed { .. } => "turn_failed",
            Self::RoundClosed { .. } => "round_closed",
            Self::InterruptRequested { .. } => "interrupt_requested",
            Self::DirectiveGiven { .. } => "directive_given",
            Self::Reanchored { .. } => "reanchored",
            Self::DraftSelected { .. } => "draft_selected",
            Self::DecisionReopened { .. } => "decision_reopened",
            Self::ItemsDecided { .. } => "items_decided",
            Self::RunResumed { .. } => "run_resumed",
            Self::SpentElsewhere { .. } => "spent_elsewhere",
            Self::RunClosed { .. } => "run_closed",
        }
    }

    /// What it sets aside.
    pub fn reserved(&self) -> Spend {
        match self {
            Self::TurnStarted { reserved, .. } => *reserved,
            _ => Spend::default(),
        }
    }

    /// The blobs this event cites: they are stored before it is appended, and `verify` looks for them.
    pub fn cites(&self) -> Vec<Digest> {
        match self {
            Self::RunOpened { spec } => spec.cites(),
            Self::TurnStarted { prompt, .. } => vec![*prompt],
            Self::TurnAnswered { raw, said, .. } => match &**said {
                Said::Draft { draft, .. } => vec![*raw, draft.content],
                Said::Mutation(mutation) => vec![*raw, mutation.draft.content],
                Said::Surveyed(survey) => {
                    vec![*raw, survey.prd, survey.test_spec, survey.worker_prompt, survey.verifier_prompt]
                }
                Said::Checked(receipts) => std::iter::once(*raw).chain(receipts.cites()).collect(),
                Said::Verdict(_)
                | Said::Controlled(_)
                | Said::Resolved { .. }
                | Said::Worked(_)
                | Said::Inspected(_)
                | Said::Collected(_)
                | Said::Done
                | Said::Heard => vec![*raw],
            },
            Self::Heard { utterances, .. } => utterances.iter().filter_map(Utterance::cites).collect(),
            Self::TurnFailed { raw, .. } => raw.iter().copied().collect(),
            Self::DraftSelected { draft, .. } => vec![draft.content],
            Self::RunClosed { ship, .. } => ship.iter().map(|ship| ship.draft.content).collect(),
            Self::RoundOpened { .. }
            | Self::TurnParked { .. }
            | Self::Ruled { .. }
            | Self::DirectiveGiven { .. }
            | Self::Reanchored { .. }
            | Self::RoundClosed { .. }
            | Self::InterruptRequested { .. }
            | Self::DecisionReopened { .. }
            | Self::ItemsDecided { .. }
            | Self::RunResumed { .. }
            | Self::SpentElsewhere { .. } => Vec::new(),
        }
    }
}

/// For fields that are left out where they say nothing.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
