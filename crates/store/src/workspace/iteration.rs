//! An iteration, as far as it got: a candidate, and once it is judged, its review.

use tribunal_kernel::review::{CREATOR, DRAFT, REVIEW, REVIEWER};
use tribunal_kernel::{Draft, Round, Run, Said, SeatName, Slot, Time, Turn, TurnState, Verdict};

/// One iteration whose creator has answered.
#[derive(Debug)]
pub(super) struct Iteration<'a> {
    pub(super) round: Round,
    pub(super) turn: &'a Turn,
    pub(super) draft: &'a Draft,
    pub(super) done: bool,
    pub(super) at: Time,
    /// With it the iteration is complete.
    pub(super) judged: Option<Judged<'a>>,
}

/// The reviewer's part.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    pub(super) turn: &'a Turn,
    pub(super) verdict: &'a Verdict,
    pub(super) at: Time,
}

/// The iterations of a run, oldest first.
pub(super) fn iterations(run: &Run) -> Vec<Iteration<'_>> {
    run.rounds().iter().filter_map(|state| iteration(run, state.round)).collect()
}

/// An iteration of a run, once it has a candidate.
pub(super) fn iteration(run: &Run, round: Round) -> Option<Iteration<'_>> {
    let (turn, said, at) = answer(run, round, CREATOR, DRAFT)?;
    let Said::Draft { draft, done, .. } = said else { return None };
    let judged = answer(run, round, REVIEWER, REVIEW)
        .and_then(|(turn, said, at)| said.verdict().map(|verdict| Judged { turn, verdict, at }));
    Some(Iteration { round, turn, draft, done: done.unwrap_or_default(), at, judged })
}

fn answer<'a>(run: &'a Run, round: Round, seat: &str, task: &str) -> Option<(&'a Turn, &'a Said, Time)> {
    let Slot::Answered { turn, said } = run.slot(round, &SeatName::new(seat), task) else { return None };
    let TurnState::Answered { at, .. } = turn.state else { return None };
    Some((turn, said, at))
}
