//! Runs as objects, for everybody who reads JSON: the command line, the Model Context Protocol, an export.

use serde_json::{Value, json};
use std::time::Duration;
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::desk::desk_of;
use tribunal_kernel::joust::{joust_of, snowball};
use tribunal_kernel::{Decision, Run, Tally, Turn, TurnState};
use tribunal_store::artifacts;
use tribunal_store::desk::DeskFiles;

use crate::exit::Exit;
use crate::grading;
use crate::parked;
use crate::people::{People, named};
use crate::project::Project;

/// What is said of a run that is not over and that nobody drives.
const STOPPED: &str = "stopped; `tribunal resume` continues it";

/// How a run stands that a process may drive, in a few words. Where none does, nobody is working, whatever was begun.
pub fn standing_of(run: &Run, people: &People, is_driven: bool) -> String {
    if is_driven || run.end().is_some() || people.are_all(run) {
        return standing(run, people);
    }
    match parked::goes_on(run) {
        Some(when) => stands(run, &format!("parked; `tribunal resume` continues it {when}")),
        None => stands(run, STOPPED),
    }
}

/// How a run stands that is driven, in a few words.
pub fn standing(run: &Run, people: &People) -> String {
    let awaited = people.awaited(run);
    let now = SystemClock.now();
    let is_working = |turn: &&Turn| !people.sit_in(run.spec(), &turn.seat) && run.parked_until(turn, now).is_none();
    let working = run.in_flight().filter(is_working);
    let mut working: Vec<String> =
        working.map(|turn| format!("{} ({}) working", turn.seat, run.agent_of(turn))).collect();
    working.extend(parked::told(run));
    if !awaited.is_empty() {
        working.push(format!("waiting for a person: {}", named(&awaited)));
    }
    let state = match run.end() {
        Some(end) => end.outcome.to_string(),
        None if working.is_empty() => "waiting".into(),
        None => working.join(", "),
    };
    stands(run, &state)
}

fn stands(run: &Run, state: &str) -> String {
    let round = run.rounds().last().map_or_else(|| "opening".to_owned(), |state| format!("round {}", state.round));
    let spent = run.budget().spent;
    format!("{round}  {state}  {} tok {}", spent.tokens, spent.usd)
}

/// A run's result as an object.
pub fn summary(run: &Run) -> Value {
    let spent = run.budget().spent;
    let mut object = json!({
        "run": run.spec().run,
        "loop": run.spec().kind(),
        "asset": run.spec().subject(),
        "status": run.end().map_or("running", |end| end.outcome.as_str()),
        "reason": run.end().map(|end| end.reason.as_str()),
        "decision": run.decision(),
        "rounds": run.rounds().len(),
        "turns": run.turns().len(),
        "tokens": spent.tokens,
        "usd_micros": spent.usd,
        "opened": run.opened(),
        "closed": run.end().map(|end| end.at),
        "ship": run.end().and_then(|end| end.ship.as_ref()),
        "exit": run.end().map(|end| Exit::from(end.outcome).code()),
    });
    if let Some(fork) = run.spec().fork {
        object["fork_of"] = json!(fork.run);
        object["fork_from"] = json!(fork.from);
    }
    let same: Vec<String> = run.spec().same_model_judges().iter().map(ToString::to_string).collect();
    if !same.is_empty() {
        object["same_model"] = json!(same);
    }
    if let Some(banner) = grading::banner(run.spec()) {
        object["banner"] = json!(banner);
    }
    if let Some(circle) = run.circle() {
        object["circle"] = json!(circle);
    }
    let open = run.open_items();
    if !open.is_empty() {
        object["open_items"] = json!(open);
    }
    if let (Some(settings), Some(anchor)) = (joust_of(run.spec()), run.anchor()) {
        object["anchor"] = json!(anchor);
        object["anchor"]["why"] = json!(snowball::why(settings, run));
        let waiting = snowball::queue(run).into_iter().map(|request| {
            let (summon, by) = (request.summon, request.requested_by);
            json!({
                "specialist": summon.specialist, "ask": summon.ask, "requested_by": by, "round": request.round,
                "seated": !request.is_vacant(),
            })
        });
        object["queue"] = waiting.collect();
        let skipped = snowball::tripped(run).map(|(round, seat)| json!({ "round": round, "skipped": seat }));
        object["attention"] = skipped.collect();
    }
    if !run.person_votes().is_empty() {
        object["person_votes"] = json!(run.person_votes());
    }
    if !run.spec().waivers.is_empty() {
        object["waivers"] = json!(run.spec().waivers);
    }
    object
}

/// Where a run stands as an object: what it waits for, and what its rounds amounted to.
pub fn standing_object(run: &Run, people: &People) -> Value {
    let waits_for: Vec<Value> = run
        .in_flight()
        .map(|turn| {
            json!({ "seat": turn.seat, "agent": run.agent_of(turn), "task": turn.task, "round": turn.round, "attempt": turn.attempt })
        })
        .collect();
    let rounds: Vec<Value> = run
        .rounds()
        .iter()
        .map(|state| {
            let tally = state.tally.as_deref();
            json!({
                "round": state.round,
                "composite": tally.map(|tally| tally.composite),
                "must_fix": tally.map(|tally| tally.must_fix),
                "decision": state.closed.as_ref().map(|(_, decision)| decision),
            })
        })
        .collect();
    json!({
        "standing": standing(run, people), "waits_for": waits_for, "parked": parked::object(run), "round_list": rounds,
    })
}

/// The same for a run that may wait for people: whom, and that nothing else happens.
pub fn awaiting(mut summary: Value, run: &Run, people: &People) -> Value {
    let awaited = people.awaited(run);
    summary["awaits"] = awaited.iter().map(|turn| json!({ "seat": turn.seat, "turn": turn.id })).collect();
    if people.are_all(run) {
        summary["status"] = json!("waiting");
    } else if parked::is_parked(run) {
        summary["status"] = json!("parked");
        summary["until"] = json!(parked::until(run));
    }
    summary
}

/// A run in detail as an object.
pub fn detail(run: &Run, people: &People) -> Value {
    let mut object = summary(run);
    object["spending"] = json!(tribunal_kernel::share::shares(run));
    let turns: Vec<Value> = run
        .turns()
        .iter()
        .map(|turn| {
            let (state, error) = match &turn.state {
                TurnState::InFlight => ("in_flight", None),
                TurnState::Answered { .. } => ("answered", None),
                TurnState::Failed { error, .. } => ("failed", Some(error)),
            };
            json!({
                "turn": turn.id, "round": turn.round, "seat": turn.seat, "task": turn.task, "attempt": turn.attempt,
                "state": state, "error": error, "said": turn.said(), "bill": turn.bill(), "prompt": turn.prompt,
            })
        })
        .collect();
    if let (Some(object), Value::Object(standing)) = (object.as_object_mut(), standing_object(run, people)) {
        object.extend(standing);
    }
    object["seats"] = json!(run.spec().seats);
    object["controls"] = json!(run.controls_told());
    object["limits"] = json!(run.limits());
    object["findings"] = json!(run.findings().iter().collect::<Vec<_>>());
    object["turn_list"] = json!(turns);
    object
}

/// What a round amounts to, in a few words.
pub fn amounts_to(run: &Run, tally: &Tally) -> String {
    run.spec().kind().def().tally.show(tally)
}

/// What came of a run, with the files that it left.
pub fn result(project: &Project, run: &Run) -> Value {
    let mut object = awaiting(summary(run), run, &People::of(project.config()));
    if let Some(report) = report_file(project, run) {
        object["report"] = json!(report);
    }
    if let Some(file) = artifacts::shipped(&project.artifacts(run.spec().run), run) {
        object["artifact_file"] = json!(file);
    }
    object
}

/// A decision that stands in the workspace, made by nobody whose log is here.
pub fn decided(asset: &str, decision: &Decision) -> Value {
    json!({ "asset": asset, "status": decision.outcome, "reason": decision.reason, "decision": decision })
}

/// The report of a desk that has ended.
pub fn report_file(project: &Project, run: &Run) -> Option<std::path::PathBuf> {
    let settings = desk_of(run.spec()).filter(|_| run.end().is_some())?;
    let files = DeskFiles::new(project.folder_of(run.spec()), &settings.root, &settings.slug);
    Some(files.path(&files.report()))
}

/// `1m 05s`, `3.2 s`.
pub fn elapsed_text(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds >= 60 {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    } else {
        format!("{:.1} s", elapsed.as_secs_f64())
    }
}
