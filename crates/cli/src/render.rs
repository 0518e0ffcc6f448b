//! Entries and runs as text and as JSON.

use serde_json::{Value, json};
use std::time::Duration;
use tribunal_kernel::desk::StoryId;
use tribunal_kernel::{Entry, Event, LoopKind, Run, Said, Score, Tally, TurnState, Usage, Verdict};

use crate::exit::Exit;
use crate::grading;
use crate::person::{People, named};

/// What is said of a run that is not over and that nobody drives.
const STOPPED: &str = "stopped; `tribunal resume` goes on";

/// An event in a line.
pub(crate) fn entry(run: &Run, entry: &Entry) -> String {
    let turn = |id| run.turn(id).map_or_else(String::new, |turn| format!("{} (round {})", turn.seat, turn.round));
    match &entry.event {
        Event::RunOpened { spec } => {
            format!("{} of `{}` opened, run {}", spec.kind(), spec.subject(), spec.run)
        }
        Event::RoundOpened { round } => format!("round {round}"),
        Event::TurnStarted { round, seat, attempt, routed, .. } => {
            let agent = run.spec().seats.get(seat).map_or("", |binding| binding.agent.as_str());
            let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            let model = routed.as_ref().map(|routed| format!(" on {} ({})", routed.model, routed.why));
            format!("{seat} (round {round}): {agent} is working{}{again}", model.unwrap_or_default())
        }
        Event::TurnAnswered { turn: id, said, bill, .. } => {
            let cost = cost(&bill.usage);
            let took = duration(Duration::from_millis(bill.elapsed_ms));
            format!("{}: {} after {took}{cost}", turn(*id), saying(said))
        }
        Event::TurnFailed { turn: id, error, .. } => {
            let hint = error.hint.as_ref().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
            format!("{}: failed: {error}{hint}", turn(*id))
        }
        Event::Heard { turn: id, utterances } => format!("{}: {} things said", turn(*id), utterances.len()),
        Event::RoundClosed { round, decision, tally } => {
            let tally = tally.as_ref().map(|tally| format!("{}, ", amounts_to(run, tally))).unwrap_or_default();
            let reason = decision.reason.as_deref();
            match decision.outcome {
                Some(outcome) => format!("round {round}: {tally}{outcome}, {}", reason.unwrap_or("no reason given")),
                None => format!("round {round}: {tally}the trial goes on{}", reason.map_or(String::new(), colon)),
            }
        }
        Event::Ruled { turn: id, ruling } if ruling.accepted => {
            format!("{}: accepted{}", turn(*id), worth(ruling.score))
        }
        Event::Ruled { turn: id, ruling } => {
            format!("{}: sent back{}: {}", turn(*id), worth(ruling.score), ruling.reasons.join("; "))
        }
        Event::Reanchored { by, anchor } => format!("{by} put another anchor in its place: {}", anchor.kind().as_str()),
        Event::DirectiveGiven { by, text } => format!("{by} says: {text}"),
        Event::InterruptRequested { by } => format!("interrupted by {by}"),
        Event::DraftSelected { draft, by } => format!("{by} picked draft {}", draft.id),
        Event::DecisionReopened { by, why, rounds } => format!("reopened by {by} for {rounds} more rounds: {why}"),
        Event::RunResumed { .. } => "resumed".into(),
        Event::SpentElsewhere { spend } => {
            format!("runs that share its limits hold {} tokens, {}", spend.tokens, spend.usd)
        }
        Event::RunClosed { outcome, reason, .. } => format!("{outcome}: {reason}"),
    }
}

/// How a run stands that a process may drive, in a few words. Where none does, nobody is working, whatever was begun.
pub(crate) fn standing_of(run: &Run, people: &People, is_driven: bool) -> String {
    if is_driven || run.end().is_some() || people.are_all(run) { standing(run, people) } else { stands(run, STOPPED) }
}

/// How a run stands that is driven, in a few words.
pub(crate) fn standing(run: &Run, people: &People) -> String {
    let awaited = people.awaited(run);
    let working = run.in_flight().filter(|turn| !people.sit_in(run.spec(), &turn.seat));
    let mut working: Vec<String> = working
        .map(|turn| {
            let agent = run.spec().seats.get(&turn.seat).map_or("?", |binding| binding.agent.as_str());
            format!("{} ({agent}) working", turn.seat)
        })
        .collect();
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
pub(crate) fn summary(run: &Run) -> Value {
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
    if let Some(banner) = grading::banner(run.spec()) {
        object["banner"] = json!(banner);
    }
    object
}

/// Where a run stands as an object: what it waits for, and what its rounds amounted to.
pub(crate) fn standing_object(run: &Run, people: &People) -> Value {
    let waits_for: Vec<Value> = run
        .in_flight()
        .map(|turn| {
            let agent = run.spec().seats.get(&turn.seat).map(|binding| binding.agent.as_str());
            json!({ "seat": turn.seat, "agent": agent, "task": turn.task, "round": turn.round, "attempt": turn.attempt })
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
    json!({ "standing": standing(run, people), "waits_for": waits_for, "round_list": rounds })
}

/// The same for a run that may wait for people: whom, and that nothing else happens.
pub(crate) fn awaiting(mut summary: Value, run: &Run, people: &People) -> Value {
    let awaited = people.awaited(run);
    summary["awaits"] = awaited.iter().map(|turn| json!({ "seat": turn.seat, "turn": turn.id })).collect();
    if people.are_all(run) {
        summary["status"] = json!("waiting");
    }
    summary
}

/// A run in detail as an object.
pub(crate) fn detail(run: &Run, people: &People) -> Value {
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
    object["limits"] = json!(run.limits());
    object["findings"] = json!(run.findings().iter().collect::<Vec<_>>());
    object["turn_list"] = json!(turns);
    object
}

/// `1m 05s`, `3.2 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds >= 60 {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

fn saying(said: &Said) -> String {
    match said {
        Said::Heard => "has spoken".into(),
        Said::Done => "done".into(),
        Said::Surveyed(survey) => match &survey.plan {
            Some(plan) => format!("{} stories, {} checks", plan.stories.len(), plan.spec.commands.len()),
            None => "the plan is as it was".into(),
        },
        Said::Worked(work) => {
            let stop = work.memory.stop.map_or("no stop status", |stop| stop.as_str());
            let claim = work.claim.as_ref().map(|claim| {
                let stories: Vec<&str> = claim.stories.iter().map(StoryId::as_str).collect();
                format!(", claims {}", stories.join(", "))
            });
            let files = if work.changed.len() == 1 { "1 file".into() } else { format!("{} files", work.changed.len()) };
            format!("{stop}, {files} changed{}", claim.unwrap_or_default())
        }
        Said::Checked(receipts) => {
            let failed: Vec<String> = receipts
                .receipts
                .iter()
                .filter_map(|receipt| Some(format!("`{}`: {}", receipt.line, receipt.failure()?)))
                .collect();
            let all = receipts.receipts.len();
            match failed.as_slice() {
                [] => format!("{all} checks passed"),
                failed => format!("{} of {all} checks failed: {}", failed.len(), failed.join("; ")),
            }
        }
        Said::Inspected(inspection) => judgement(&inspection.verdict),
        Said::Mutation(mutation) => {
            let summon = mutation.summon.as_ref().map(|summon| format!(", summons {}", summon.specialist));
            format!("rewrite {}{}", mutation.draft.content.short(), summon.unwrap_or_default())
        }
        Said::Resolved { decisions } => format!("{} decisions settled", decisions.len()),
        Said::Draft { draft, done, .. } => {
            let done = if *done == Some(true) { ", says it is done" } else { "" };
            format!("draft {}{done}", draft.content.short())
        }
        Said::Verdict(verdict) => judgement(verdict),
    }
}

fn judgement(verdict: &Verdict) -> String {
    let issues = match verdict.findings.len() {
        0 => String::new(),
        1 => ", 1 issue".to_owned(),
        several => format!(", {several} issues"),
    };
    let corrected: Vec<String> = verdict
        .corrections
        .iter()
        .map(|correction| format!(" (it said {}, but {})", correction.given, correction.why))
        .collect();
    let word = match verdict.score {
        Some(score) => format!("{score}"),
        None if verdict.word.is_empty() => "no score".into(),
        None => verdict.word.clone(),
    };
    format!("{word}{issues}{}", corrected.concat())
}

/// What a round amounts to, in a few words.
pub(crate) fn amounts_to(run: &Run, tally: &Tally) -> String {
    match run.spec().kind() {
        LoopKind::Desk => format!("{:.0} % verified", tally.composite.as_f64() * 100.0),
        LoopKind::Review | LoopKind::Theater | LoopKind::Joust => {
            format!("composite {}, must-fix {}", tally.composite, tally.must_fix)
        }
    }
}

fn worth(score: Option<Score>) -> String {
    score.map(|score| format!(", worth {score}")).unwrap_or_default()
}

fn colon(text: &str) -> String {
    format!(": {text}")
}

fn cost(usage: &Usage) -> String {
    let tokens = usage.input_tokens + usage.output_tokens;
    match (tokens, usage.usd) {
        (0, None) => String::new(),
        (tokens, None) => format!(", {tokens} tokens"),
        (tokens, Some(usd)) => format!(", {tokens} tokens, {usd}"),
    }
}
