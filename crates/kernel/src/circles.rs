//! Going in circles: rounds that bring back what was there before.
//!
//! Seen from the log alone: a draft that comes back after another one, a demand that comes back a second time, or three
//! rounds that raise as many demands as they settle. Whoever is asked to judge a circle is shown both positions.

use std::fmt;

use crate::finding::{FindingState, Life};
use crate::{Round, Run, Severity};

/// A demand that came back so often goes in circles.
const RETURNS: u32 = 2;
/// So many rounds that raise as many demands as they settle go in circles.
const EVEN_ROUNDS: u32 = 3;

/// Two positions between which a run goes back and forth.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Circle {
    /// What came back, in a sentence.
    pub what: String,
    pub positions: [CirclePosition; 2],
}

/// A round, and what was demanded in it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CirclePosition {
    pub round: Round,
    pub demands: Vec<String>,
}

impl Run {
    /// Whether the last round that was judged brought back what was there before.
    pub fn circle(&self) -> Option<Circle> {
        let judged = self.rounds().iter().rev().find(|state| state.closed.is_some())?;
        Circle::of(self, judged.round)
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "going in circles: {}", self.what)
    }
}

impl Circle {
    /// A draft that stood in an earlier round, and not in one between.
    pub fn of_drafts(run: &Run, round: Round) -> Option<Self> {
        let text = |round: Round| run.standing(round).map(|draft| draft.text);
        let now = text(round)?;
        let rounds = || run.rounds().iter().map(|state| state.round).filter(|earlier| *earlier < round);
        let other = rounds().rev().find(|between| text(*between).is_some_and(|text| text != now))?;
        let first = rounds().find(|earlier| *earlier < other && text(*earlier) == Some(now))?;
        let what = format!("round {round} brings back the draft of round {first}, after another one in round {other}");
        Some(Self { what, positions: [first, other].map(|round| CirclePosition::of(run, round)) })
    }

    /// A demand that came back a second time, or rounds that raise as many as they settle.
    pub fn of_demands(run: &Run, round: Round) -> Option<Self> {
        let demands = || run.findings().iter().filter(|life| life.finding.severity == Severity::MustFix);
        let previous = Round(round.0.checked_sub(1)?);
        let positions = || [previous, round].map(|round| CirclePosition::of(run, round));
        let is_back = |life: &&Life| {
            life.returned >= RETURNS && matches!(life.state, FindingState::Reopened { round: back } if back == round)
        };
        if let Some(life) = demands().find(is_back) {
            let what = format!("for the second time this came back: {}", life.finding.text);
            return Some(Self { what, positions: positions() });
        }
        let first = round.0.checked_sub(EVEN_ROUNDS - 1).filter(|first| *first > 1)?;
        let is_even = |number: u32| {
            let raised = demands().filter(|life| life.raised.0 == number).count();
            let settled = demands().filter(|life| life.state == FindingState::Fixed { round: Round(number) }).count();
            raised > 0 && raised == settled
        };
        // Who gets better does not go in circles, whatever else is found.
        let worth: Vec<_> = run.rounds().iter().filter_map(|state| Some(state.tally.as_ref()?.composite)).collect();
        let is_better =
            worth.last().zip(worth.len().checked_sub(2).map(|at| worth[at])).is_some_and(|(now, was)| *now > was);
        (!is_better && (first..=round.0).all(is_even)).then(|| Self {
            what: format!("rounds {first} to {round} each raised as many demands as they settled"),
            positions: positions(),
        })
    }

    /// Either of them.
    pub fn of(run: &Run, round: Round) -> Option<Self> {
        Self::of_drafts(run, round).or_else(|| Self::of_demands(run, round))
    }
}

impl CirclePosition {
    pub(crate) fn of(run: &Run, round: Round) -> Self {
        let verdicts = run.turns_of(round).filter_map(|turn| turn.said()?.verdict());
        let demands = verdicts.flat_map(crate::Verdict::must_fixes).map(|finding| finding.text.clone());
        Self { round, demands: demands.collect() }
    }
}
