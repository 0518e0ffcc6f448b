//! Turns: one call of one seat.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::control::ControlReading;
use crate::evidence::Evidence;
use crate::heard::Heard;
use crate::mutation::Mutation;
use crate::parking::Parking;
use crate::ruling::Ruling;
use crate::trial::Routed;
use crate::{Digest, Draft, Round, RunId, SeatName, Spend, Time, TurnId, Usage, Verdict, desk};

/// One call of one seat. A failed turn and its retry are two turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub id: TurnId,
    pub round: Round,
    pub seat: SeatName,
    /// What the seat was asked to do, in the loop's words (`draft`, `review`, …).
    pub task: String,
    /// 1 for the first try.
    pub attempt: u32,
    pub prompt: Digest,
    /// How many bytes at its beginning are the same in every call of this seat.
    pub stable: u32,
    pub request: Digest,
    pub reserved: Spend,
    /// The model that the loop chose, and why, where it chooses.
    pub routed: Option<Box<Routed>>,
    pub started: Time,
    pub state: TurnState,
    /// What the loop said of the draft that it brought, where it rules on drafts.
    pub ruling: Option<Box<Ruling>>,
    /// Why it was sent back, if it was: what the seat is told when it is asked again.
    pub rejection: Option<Box<TurnError>>,
    /// What it said on the way, if it speaks for several seats.
    pub heard: Option<Box<Heard>>,
    /// Why it was last made to wait, if it was, and until when.
    pub parked: Option<Box<Parking>>,
    /// The agent that took it over from the one in its seat.
    pub stand_in: Option<Box<str>>,
}

/// Where a turn stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnState {
    /// Durably begun, not known to have ended: on resume it is called again.
    InFlight,
    Answered {
        said: Box<Said>,
        raw: Digest,
        bill: Bill,
        at: Time,
    },
    Failed {
        error: TurnError,
        bill: Bill,
        at: Time,
    },
}

/// What an answer meant, in the kernel's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Said {
    /// A version of the work, and whether its author thinks it done.
    Draft {
        draft: Draft,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<bool>,
        /// What its author says about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
    },
    Verdict(Verdict),
    /// A rewrite of the draft, and what comes with it.
    Mutation(Box<Mutation>),
    /// What a judge made of a draft with planted faults.
    Controlled(ControlReading),
    /// What is settled, in few words: the trail can be forgotten.
    Resolved {
        decisions: Vec<String>,
    },
    /// How a desk's files stand.
    Surveyed(Box<desk::Survey>),
    /// What a worker left behind.
    Worked(Box<desk::Work>),
    /// What the engine saw when it ran the checks.
    Checked(Box<desk::Receipts>),
    /// A verifier's verdict, held against the receipts.
    Inspected(Box<desk::Inspection>),
    /// What was seen of a change.
    Collected(Box<Evidence>),
    /// It was done, and there is nothing to say about it.
    Done,
    /// It was said on the way: see [`Turn::heard`].
    Heard,
}

/// Why a turn brought nothing that could be used. Never a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnError {
    pub kind: TurnErrorKind,
    /// For people and for the next attempt's prompt.
    pub message: String,
    /// What the user can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of failure that are treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnErrorKind {
    /// It answered, but not in the form that was asked for.
    Misfit,
    /// A judge got wrong what is known of the draft: it has not looked, and its vote does not count.
    Inattentive,
    /// It ended before it answered.
    Died,
    /// No output for too long.
    Silent,
    /// Longer than a turn may take.
    Overtime,
    /// More output than a turn may give.
    TooMuchOutput,
    /// It reached what was set aside for it: more would have broken a limit.
    OverBudget,
    /// It could not be started at all.
    Unavailable,
    /// We ended it: an interrupt, or the run's time was over.
    Cancelled,
    /// Whoever performed it was killed, and it cannot be performed twice.
    Lost,
}

impl TurnErrorKind {
    /// Whether another attempt can help.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Misfit | Self::Inattentive | Self::Died | Self::Silent | Self::Overtime | Self::TooMuchOutput => true,
            Self::OverBudget | Self::Unavailable | Self::Cancelled | Self::Lost => false,
        }
    }
}

impl Said {
    /// The judgement in it, if it is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        match self {
            Self::Verdict(verdict) => Some(verdict),
            Self::Inspected(inspection) => Some(&inspection.verdict),
            _ => None,
        }
    }
}

impl Turn {
    /// What the answer meant, if there is one.
    pub fn said(&self) -> Option<&Said> {
        match &self.state {
            TurnState::Answered { said, .. } => Some(said),
            TurnState::InFlight | TurnState::Failed { .. } => None,
        }
    }

    /// Why it brought nothing, if it did not.
    pub fn error(&self) -> Option<&TurnError> {
        match &self.state {
            TurnState::Failed { error, .. } => Some(error),
            TurnState::InFlight | TurnState::Answered { .. } => None,
        }
    }

    /// The model that the loop chose for it.
    pub fn model(&self) -> Option<&str> {
        self.routed.as_deref().map(|routed| routed.model.as_str())
    }

    /// The drafts it brought, each with its round.
    pub fn drafts(&self) -> impl Iterator<Item = (Round, &Draft)> {
        let said = match self.said() {
            Some(Said::Draft { draft, .. }) => Some((self.round, draft)),
            Some(Said::Mutation(mutation)) => Some((self.round, &mutation.draft)),
            Some(_) | None => None,
        };
        said.into_iter().chain(self.heard.iter().flat_map(|heard| heard.drafts()))
    }

    /// What it took, once it has ended.
    pub fn bill(&self) -> Option<&Bill> {
        match &self.state {
            TurnState::Answered { bill, .. } | TurnState::Failed { bill, .. } => Some(bill),
            TurnState::InFlight => None,
        }
    }
}

/// What a turn took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bill {
    pub usage: Usage,
    pub elapsed_ms: u64,
    /// What the agent calls the talk, where it can be taken up again by this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<str>>,
    /// The run whose answer this is: nobody was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied: Option<RunId>,
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
