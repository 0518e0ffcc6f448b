//! The decision at an iteration's end.

use super::{ReviewWord, Settings};
use crate::breaker;
use crate::{Decision, Judgement, Outcome, Round, Verdict};

/// Why a run stops at its last iteration.
pub(super) const ITERATION_LIMIT: &str = "iteration_limit";

/// Decides what follows a judged iteration. The order is the policy: agreement is tested before the limit, so that
/// agreeing in the last iteration counts as converged.
pub(super) fn decide(settings: &Settings, round: Round, last: Round, done: bool, verdict: &Verdict) -> Decision {
    if verdict.judgement == Judgement::Pass && done {
        return Decision::terminal(Outcome::Converged, round, "reviewer_ok_and_creator_done");
    }
    if breaker::rounds(round, last.0) {
        return Decision::terminal(Outcome::NeedsHuman, round, ITERATION_LIMIT);
    }
    if settings.stop_on_needs_human && verdict.word == ReviewWord::NeedsHuman.as_str() {
        return Decision::terminal(Outcome::NeedsHuman, round, "reviewer_needs_human");
    }
    Decision::in_progress(None)
}
