//! `tribunal status`: how runs stand.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use tribunal_app::people::People;
use tribunal_app::{AppError, Exit, Project, grading, summary};
use tribunal_kernel::joust::{joust_of, snowball};
use tribunal_kernel::share::{Share, shares};
use tribunal_kernel::{Run, RunId, Said, Score, theater};
use tribunal_store::index::RunFilter;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn status(project: &Project, global: &Global, args: &args::Status) -> Result<Exit, AppError> {
    let people = People::of(project.config());
    if let Some(name) = &args.run {
        let run = project.read(project.find(Some(name)).await?).await?;
        let is_driven = project.is_driven(run.spec().run).await?;
        if global.json {
            let mut detail = with_driver(summary::detail(&run, &people), &run, &people, is_driven);
            detail["standing"] = json!(summary::standing_of(&run, &people, is_driven));
            print_json(&detail);
        } else {
            print!("{}", one(&run, &people, is_driven));
        }
        return Ok(Exit::Pass);
    }
    let mut runs = Vec::new();
    for spec in project.specs().await? {
        runs.push(Arc::new(project.read(spec.run).await?));
    }
    if let Some(text) = &args.search {
        let filter = RunFilter { text: Some(text.clone()), limit: u32::MAX, ..RunFilter::default() };
        for run in &runs {
            project.store.lists().update(run.clone()).await?;
        }
        let found = project.store.lists().runs(filter).await?;
        let found: Vec<RunId> = found.into_iter().map(|row| row.run).collect();
        runs.retain(|run| found.contains(&run.spec().run));
    }
    if global.json {
        let mut list = Vec::new();
        for run in &runs {
            list.push(with_driver(summary::summary(run), run, &people, project.is_driven(run.spec().run).await?));
        }
        print_json(&json!({ "runs": list }));
    } else if runs.is_empty() {
        eprintln!(
            "no runs{}",
            if args.search.is_some() { " with this text" } else { " yet; `tribunal run` starts one" }
        );
    } else {
        println!(
            "{:36}  {:16}  {:11}  {:>6}  {:>8}  {:>9}  reason",
            "run", "asset", "status", "rounds", "tokens", "cost"
        );
        for run in &runs {
            let spent = run.budget().spent;
            let is_driven = project.is_driven(run.spec().run).await?;
            let standing = || summary::standing_of(run, &people, is_driven);
            let (status, reason) = match run.end() {
                Some(end) => (end.outcome.as_str(), end.reason.clone()),
                None if people.are_all(run) => ("waiting", standing()),
                None if is_driven => ("running", standing()),
                None => ("stopped", standing()),
            };
            println!(
                "{:36}  {:16}  {status:11}  {:>6}  {:>8}  {:>9}  {reason}",
                run.spec().run.to_string(),
                run.spec().subject(),
                run.rounds().len(),
                spent.tokens,
                spent.usd.to_string(),
            );
        }
    }
    Ok(Exit::Pass)
}

/// A run as an object: whom it waits for, and whether anybody works on it.
fn with_driver(object: Value, run: &Run, people: &People, is_driven: bool) -> Value {
    let mut object = summary::awaiting(object, run, people);
    object["driven"] = json!(is_driven);
    object
}

/// What rolls through a joust.
fn snowballed(run: &Run) -> String {
    let mut text = String::new();
    let history = snowball::history(run);
    if !history.is_empty() {
        let worth: Vec<String> = history.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "score by round: {} {}", sparkline(&history), worth.join(" "));
    }
    for request in snowball::queue(run) {
        let (who, summon) = (request.requested_by, request.summon);
        let vacant = if request.is_vacant { " (no such seat: add it to `joust.specialists`)" } else { "" };
        let _ = writeln!(text, "waiting: {}, asked by {who}: {}{vacant}", summon.specialist, summon.ask);
    }
    if run.rounds().iter().filter_map(|state| state.tally.as_ref()).any(|tally| !tally.warnings.is_empty()) {
        text.push_str("needs attention: an editor's rewrites were all rejected\n");
    }
    text
}

/// Shares of 1 as bars.
fn sparkline(history: &[Score]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |score: &Score| BARS[usize::try_from(score.0 * 7 / 1_000_000).unwrap_or(7).min(7)];
    history.iter().map(bar).collect()
}

/// One run for a person.
fn one(run: &Run, people: &People, is_driven: bool) -> String {
    let mut text = String::new();
    let spec = run.spec();
    let _ = writeln!(text, "{} of `{}`, run {}", spec.kind(), spec.subject(), spec.run);
    let _ = writeln!(text, "opened {}", run.opened());
    if let Some(end) = run.end() {
        let _ = writeln!(text, "{} {}: {}", end.outcome, end.at, end.reason);
    } else {
        let _ = writeln!(text, "{}", summary::standing_of(run, people, is_driven));
        if !people.awaited(run).is_empty() {
            let _ = writeln!(text, "`tribunal answer {}` shows the question and reads the answer", spec.run);
        }
    }
    if let Some(anchor) = run.anchor() {
        let why = joust_of(spec).map(|settings| format!(" ({})", snowball::why(settings, run)));
        let _ = writeln!(text, "anchor: {}{}", anchor.kind().as_str(), why.unwrap_or_default());
    }
    if joust_of(spec).is_some() {
        text.push_str(&snowballed(run));
    }
    if let Some(policy) = theater::stage_of(spec).and_then(|settings| settings.policy.as_deref()) {
        let _ = writeln!(text, "policy: {policy}");
    }
    if let Some(banner) = grading::banner(spec) {
        let _ = writeln!(text, "{banner}");
    }
    for judge in spec.same_model_judges() {
        let _ = writeln!(text, "{judge}");
    }
    if let Some(ship) = run.end().and_then(|end| end.ship.as_deref()) {
        let with = ship.composite.map(|composite| format!(" with {composite}")).unwrap_or_default();
        let _ = writeln!(text, "result: round {}{with}", ship.round);
    }
    for (number, directive) in (1..).zip(run.directives()) {
        let seen = if number <= run.acknowledged() { "delivered" } else { "not delivered yet" };
        let _ = writeln!(text, "{} said: {} ({seen})", directive.by, directive.text);
    }
    for (seat, binding) in &spec.seats {
        let turns = run.turns().iter().filter(|turn| turn.seat == *seat).count();
        let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
        let _ = writeln!(text, "  {seat}: {}, {turns}", binding.agent);
    }
    for line in run.controls_told() {
        let _ = writeln!(text, "control: {line}");
    }
    for state in run.rounds() {
        let decision = match &state.closed {
            Some((_, decision)) => match decision.outcome {
                Some(outcome) => format!("{outcome}: {}", decision.reason.as_deref().unwrap_or("no reason given")),
                None => "continues".into(),
            },
            None => "open".into(),
        };
        let words: Vec<String> = run
            .turns_of(state.round)
            .filter_map(|turn| match turn.said()? {
                Said::Draft { done: Some(true), .. } => Some(format!("{} is done", turn.seat)),
                Said::Draft { done: Some(false), .. } => Some(format!("{} is not done", turn.seat)),
                said => said.verdict().and_then(|verdict| match verdict.score {
                    Some(score) => Some(format!("{} {score}", turn.seat)),
                    None if verdict.word.is_empty() => None,
                    None => Some(format!("{} says {}", turn.seat, verdict.word)),
                }),
            })
            .chain(state.tally.as_deref().map(|tally| summary::amounts_to(run, tally)))
            .collect();
        let _ = writeln!(text, "round {}: {} — {decision}", state.round, words.join(", "));
    }
    let findings: Vec<_> = run.findings().iter().collect();
    if !findings.is_empty() {
        let _ = writeln!(text, "findings:");
    }
    for life in findings {
        let code = life.finding.code.as_deref().map(|code| format!(" [{code}]")).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {}: {}{code} (raised in {}, {})",
            life.finding.severity.as_str(),
            life.finding.text,
            life.raised,
            life.state
        );
    }
    let spent = run.budget().spent;
    let _ = writeln!(text, "spent {} tokens, {}", spent.tokens, spent.usd);
    for share in shares(run).iter().filter(|share| share.usage.is_reported() || share.copied > 0) {
        let _ = writeln!(text, "  {}", spending(share));
    }
    text
}

/// What a seat spent, in a line. What nobody reported is our guess, and says so.
fn spending(share: &Share) -> String {
    let Share { seat, agent, model, calls, copied, usage } = share;
    let model = model.as_deref().map(|model| format!(", {model}")).unwrap_or_default();
    let cached = if usage.cached_tokens > 0 { format!(" ({} cached)", usage.cached_tokens) } else { String::new() };
    let usd = usage.usd.map_or_else(|| "price unknown".to_owned(), |usd| usd.to_string());
    let guess = if usage.estimated { ", estimated" } else { "" };
    let copied = if *copied > 0 { format!(", {copied} answered already") } else { String::new() };
    let (input, output) = (usage.input_tokens, usage.output_tokens);
    format!("{seat} ({agent}{model}): {calls} calls{copied}, {input} tokens in{cached}, {output} out, {usd}{guess}")
}
