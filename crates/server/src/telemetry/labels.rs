//! By which words runs and turns are told apart: the same in metrics, lines and spans.

use std::time::Duration;
use tribunal_kernel::theater;
use tribunal_kernel::turn::TurnErrorKind;
use tribunal_kernel::{Decision, Event, Outcome, Round, Run, RunSpec, SeatName, Time, Turn, TurnId};

/// The model of a seat for which none is configured: the agent's own choice.
pub(super) const UNNAMED_MODEL: &str = "default";

/// The agent that a run stands and falls with: who speaks for the panel, or who drafts.
pub(super) fn main_agent(spec: &RunSpec) -> &str {
    bound(spec, spec.trial().main_seat())
}

/// The agent in the seat of this turn.
pub(super) fn agent<'a>(run: &'a Run, turn: &'a Turn) -> &'a str {
    bound(run.spec(), turn.seat.as_str())
}

/// The agent that answers for what an entry says: that of its turn, or the run's main agent.
pub(super) fn answerable<'a>(run: &'a Run, event: &Event) -> &'a str {
    turn_of(event).and_then(|turn| run.turn(turn)).map_or_else(|| main_agent(run.spec()), |turn| agent(run, turn))
}

pub(super) fn model<'a>(run: &'a Run, turn: &'a Turn) -> &'a str {
    run.model(turn).unwrap_or(UNNAMED_MODEL)
}

/// How a run ended. A theater has the seven words of its stage, so that metrics, events and the index agree; in the
/// other loops it is the outcome as the log has it.
pub(super) fn status(run: &Run, outcome: Outcome) -> &'static str {
    (run.spec().def().status)(outcome)
}

/// What follows a round: `continue`, or how the run will end.
pub(super) fn decision(run: &Run, decision: &Decision) -> &'static str {
    decision.outcome.map_or("continue", |outcome| status(run, outcome))
}

/// Why a run ended without anything to show, as a word of the stage. What agents printed is in the log, and stays there.
pub(super) fn cause(run: &Run, outcome: Outcome) -> &'static str {
    if outcome == Outcome::Failed { theater::cause(run) } else { outcome.as_str() }
}

/// An answer that goes back before anybody judges it: not in the form that was asked for, or against a rule that needs no
/// opinion.
pub(super) const MISFIT: &str = "unusable_answer";

/// How long a round took that was closed at `closed`: since its opening, or since the resume of its run.
pub(super) fn round_time(run: &Run, round: Round, closed: Time) -> Duration {
    closed.since(round_start(run, round).unwrap_or(closed))
}

/// When a round began to take time: at its opening, or at the resume of its run.
pub(super) fn round_start(run: &Run, round: Round) -> Option<Time> {
    let state = run.rounds().iter().find(|state| state.round == round)?;
    Some(state.opened.max(run.clock_from()))
}

/// The word for a turn's failure, as in the log.
pub(super) fn failure(kind: TurnErrorKind) -> &'static str {
    match kind {
        TurnErrorKind::Misfit => "misfit",
        TurnErrorKind::Inattentive => "inattentive",
        TurnErrorKind::Died => "died",
        TurnErrorKind::Silent => "silent",
        TurnErrorKind::Overtime => "overtime",
        TurnErrorKind::TooMuchOutput => "too_much_output",
        TurnErrorKind::OverBudget => "over_budget",
        TurnErrorKind::Unavailable => "unavailable",
        TurnErrorKind::Cancelled => "cancelled",
        TurnErrorKind::Lost => "lost",
    }
}

/// The turn that an event is about.
pub(super) fn turn_of(event: &Event) -> Option<TurnId> {
    match event {
        Event::TurnStarted { turn, .. }
        | Event::Heard { turn, .. }
        | Event::TurnAnswered { turn, .. }
        | Event::Ruled { turn, .. }
        | Event::TurnParked { turn, .. }
        | Event::TurnFailed { turn, .. } => Some(*turn),
        _ => None,
    }
}

/// Who sits there. An empty seat goes by its own name, as in the engine.
fn bound<'a>(spec: &'a RunSpec, seat: &'a str) -> &'a str {
    spec.seats.get(&SeatName::new(seat)).map_or(seat, |binding| &binding.agent)
}
