//! Decisions stick: what is locked keeps its value.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::{Outcome, Round};

/// What the gate says at a round's end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Decision {
    /// `None` while the trial goes on.
    pub outcome: Option<Outcome>,
    pub final_round: Option<Round>,
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub locked: BTreeSet<DecisionField>,
}

/// A part of a decision that can be locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionField {
    FinalRound,
    Outcome,
    Reason,
}

impl DecisionField {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::FinalRound, Self::Outcome, Self::Reason];
}

impl Decision {
    /// Nothing is decided yet.
    pub fn in_progress(reason: Option<String>) -> Self {
        Self { reason, ..Self::default() }
    }

    /// An end: all of it is locked from now on.
    pub fn terminal(outcome: Outcome, round: Round, reason: impl Into<String>) -> Self {
        Self {
            outcome: Some(outcome),
            final_round: Some(round),
            reason: Some(reason.into()),
            locked: DecisionField::ALL.into_iter().collect(),
        }
    }

    /// Whether it is an end that nobody but a person may lift.
    pub fn is_settled(&self) -> bool {
        self.outcome.is_some() && self.locked.contains(&DecisionField::Outcome)
    }

    /// This decision, overtaken by a newer one: every locked field keeps its old value, and the locks unite.
    pub fn merge(&self, newer: Self) -> Self {
        let kept = |field| self.locked.contains(&field);
        Self {
            outcome: if kept(DecisionField::Outcome) { self.outcome } else { newer.outcome },
            final_round: if kept(DecisionField::FinalRound) { self.final_round } else { newer.final_round },
            reason: if kept(DecisionField::Reason) { self.reason.clone() } else { newer.reason },
            locked: self.locked.union(&newer.locked).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_reason_survives_the_end() {
        let hold = Decision {
            reason: Some("human_hold".into()),
            locked: BTreeSet::from([DecisionField::Reason]),
            ..Decision::default()
        };
        let merged = hold.merge(Decision::terminal(Outcome::Converged, Round(2), "reviewer_ok_and_creator_done"));
        assert_eq!(merged.outcome, Some(Outcome::Converged));
        assert_eq!(merged.reason.as_deref(), Some("human_hold"));
        assert_eq!(merged.locked, DecisionField::ALL.into_iter().collect());
    }

    #[test]
    fn a_settled_decision_cannot_be_overtaken() {
        let settled = Decision::terminal(Outcome::NeedsHuman, Round(3), "iteration_limit");
        assert_eq!(settled.merge(Decision::terminal(Outcome::Converged, Round(4), "other")), settled);
    }
}
