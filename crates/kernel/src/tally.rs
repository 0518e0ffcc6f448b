//! A tally: what a round amounts to, in numbers.

use serde::{Deserialize, Serialize};

use crate::ballot::JudgedItem;
use crate::{Draft, Round, Score, SeatName};

/// What a round's verdicts amount to. Recorded when the round closes, so that every view shows the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub composite: Score,
    /// Must-fixes that stand open at the round's end.
    pub must_fix: u32,
    /// Seats that should have judged and did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<SeatName>,
    /// What was put to the vote and is not met: broken, or undecided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<JudgedItem>,
    /// What was odd about the round, as words for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a run hands over at its end: the draft of a round, and what that round was worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ship {
    pub round: Round,
    pub draft: Draft,
    /// Nothing, if nobody judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<Score>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
