//! A review that never agrees: as many turns as a measure wants.

use anyhow::{Result, bail};
use std::sync::Arc;
use tribunal_agents::{Answer, Native, TurnRequest};
use tribunal_engine::projection::NoView;
use tribunal_engine::{Seating, Session, SystemClock};
use tribunal_kernel::{Event, Outcome, RunSpec, review};
use tribunal_store::Backend;
use tribunal_store::conformance::{BRIEF, events, run_id};
use tribunal_testkit::script::Scripted;

/// The names under which the run of a measure looks for its agents.
pub(super) const AGENTS: [&str; 2] = ["writer", "critic"];
/// Turns of one iteration.
pub(super) const SEATS: u32 = 2;

/// What a creator and a reviewer answer; `nth` makes each answer different, as real ones are.
pub(super) fn answer(is_creator: bool, nth: u32) -> String {
    if is_creator {
        let text = "A sentence of the draft, as long as sentences are. ".repeat(20);
        format!(r#"{{"done": false, "candidate": {{"content": "Draft {nth}. {text}", "format": "markdown"}}}}"#)
    } else {
        r#"{"verdict": "changes_requested", "summary": "Not yet.",
            "issues": [{"severity": "error", "message": "Say more.", "code": "short"}]}"#
            .to_owned()
    }
}

/// An agent that answers at once.
pub(super) fn instant() -> Arc<dyn Native> {
    Arc::new(Scripted(|request: TurnRequest| async move {
        let text = answer(request.seat == *"creator", request.turn.0);
        Ok(Answer { text, ..Answer::default() })
    }))
}

/// Plays run `number` to its end: `turns` turns.
pub(super) async fn play(store: Arc<dyn Backend>, number: u64, turns: u32, seating: &Seating) -> Result<()> {
    let spec = spec(number, turns / SEATS)?;
    let mut session = Session::create(store, Arc::new(SystemClock), spec, &[BRIEF.to_owned()]).await?;
    let end = session.drive(seating, &mut NoView).await?;
    if end.outcome != Outcome::NeedsHuman || session.run().turns().len() != turns as usize {
        bail!("the run ended otherwise than planned: {}, {}", end.outcome, end.reason);
    }
    Ok(())
}

fn spec(number: u64, iterations: u32) -> Result<RunSpec> {
    let Some((_, Event::RunOpened { spec })) = events(run_id(number)).next() else { bail!("a run is opened first") };
    let mut spec = *spec;
    let Some(settings) = spec.settings_of_mut::<review::Settings>() else { bail!("the events are of a review") };
    settings.max_iterations = iterations;
    Ok(spec)
}
