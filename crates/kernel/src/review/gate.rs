//! The decision at an iteration's end.

use super::{ReviewWord, Settings};
use crate::breaker;
use crate::circles::Circle;
use crate::rules::Held;
use crate::{Decision, Judgement, Outcome, Round, Verdict};

/// Why a run stops at its last iteration.
pub(super) const ITERATION_LIMIT: &str = "iteration_limit";

/// Decides what follows a judged iteration. The order is the policy: agreement is tested before the limit, so that
/// agreeing in the last iteration counts as converged.
pub(super) fn decide(
    settings: &Settings,
    round: Round,
    last: Round,
    done: bool,
    verdict: &Verdict,
    held: &Held,
    circle: Option<&Circle>,
) -> Decision {
    let is_held = match held {
        Held::NoAnchor | Held::All(_) => true,
        Held::Open(_) => false,
    };
    if verdict.judgement == Judgement::Pass && done && is_held {
        return Decision::terminal(Outcome::Converged, round, "reviewer_ok_and_creator_done");
    }
    if breaker::rounds(round, last.0) {
        let reason = match held {
            Held::Open(open) => format!("{ITERATION_LIMIT}; {open}"),
            Held::NoAnchor | Held::All(_) => ITERATION_LIMIT.to_owned(),
        };
        return Decision::terminal(Outcome::NeedsHuman, round, reason);
    }
    if let Some(circle) = circle {
        return Decision::terminal(Outcome::NeedsHuman, round, circle.to_string());
    }
    if settings.stop_on_needs_human && verdict.word == ReviewWord::NeedsHuman.as_str() {
        return Decision::terminal(Outcome::NeedsHuman, round, "reviewer_needs_human");
    }
    Decision::in_progress(None)
}
