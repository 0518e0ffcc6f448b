//! A run, as lists show it.

use tribunal_kernel::loops::Again;
use tribunal_kernel::{Outcome, Run, Score, theater};
use tribunal_store::index::RunStatus;

use crate::api::types::{Action, RunRow};

/// So many characters of a brief tell one run from another.
const BEGINS: usize = 200;

/// How a brief begins, on one line.
pub(super) fn begins(brief: &str) -> String {
    let words = brief.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(BEGINS) {
        Some((at, _)) => format!("{}…", words[..at].trim_end()),
        None => words,
    }
}

pub(super) fn row(run: &Run, brief: String, is_driven: bool, is_queued: bool, waiting_for: Vec<String>) -> RunRow {
    let spec = run.spec();
    let closed = run.rounds().iter().filter(|state| state.closed.is_some());
    let composites: Vec<Option<Score>> =
        closed.map(|state| state.tally.as_ref().map(|tally| tally.composite)).collect();
    let end = run.end();
    let shipped = end.and_then(|end| end.ship.as_ref()?.composite);
    let stage = spec.settings_of::<theater::Settings>();
    let spent = run.budget().spent;
    RunRow {
        run: spec.run,
        r#loop: spec.kind(),
        subject: spec.subject().to_owned(),
        brief,
        status: RunStatus::of(run).as_str().to_owned(),
        is_driven,
        is_queued,
        reason: end.map(|end| end.reason.clone()).or_else(|| run.decision().reason.clone()),
        rounds: u32::try_from(run.rounds().len()).unwrap_or(u32::MAX),
        turns: u32::try_from(run.turns().len()).unwrap_or(u32::MAX),
        tokens: spent.tokens,
        usd_micros: spent.usd.0,
        opened: run.opened(),
        closed: end.map(|end| end.at),
        threshold: stage.map(|stage| stage.threshold),
        scale: stage.map(|stage| stage.scale),
        score: shipped.or_else(|| composites.last().copied().flatten()),
        composites,
        artifact: stage.map(|stage| stage.artifact.clone()),
        fork_of: spec.fork.map(|fork| fork.run),
        seq: run.seq(),
        actions: actions(run, is_driven, !waiting_for.is_empty()),
        waiting_for,
    }
}

/// What may be asked of a run now. The app has the last word.
fn actions(run: &Run, is_driven: bool, is_awaited: bool) -> Vec<Action> {
    let mut actions = Vec::new();
    let def = run.spec().def();
    match run.end().map(|end| end.outcome) {
        None => {
            actions.extend([Action::Interrupt, Action::Steer]);
            if !is_driven && !is_awaited {
                actions.push(Action::Resume);
            }
            if is_awaited {
                actions.push(Action::Answer);
            }
        }
        Some(outcome) if outcome.is_sticky() && def.again == Again::Reopen => actions.push(Action::Reopen),
        Some(Outcome::Failed | Outcome::TimedOut | Outcome::OverBudget | Outcome::Interrupted) => {
            actions.push(Action::Resume);
        }
        Some(_) => {}
    }
    if run.end().is_some() && def.again == Again::Rerun {
        actions.push(Action::Rerun);
    }
    if run.end().is_some() && def.no_select.is_none() && run.drafts().next().is_some() {
        actions.push(Action::Select);
    }
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_begins_on_one_line() {
        assert_eq!(begins("# A page\n\n for  the bakery\n"), "# A page for the bakery");
        assert_eq!(begins(""), "");
        let long = begins(&"パン ".repeat(BEGINS));
        assert!(long.ends_with("パン…") || long.ends_with("パ…"), "{long}");
        assert!(long.chars().count() <= BEGINS + 1);
    }
}
