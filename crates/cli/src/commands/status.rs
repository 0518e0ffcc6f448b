//! `tribunal status`: how runs stand.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tribunal_app::decide::Undecided;
use tribunal_app::status::{self, RunList, RunStanding};
use tribunal_app::{AppError, Exit, Project, clean, forecast, grading, stop, summary};
use tribunal_kernel::ballot::PersonVote;
use tribunal_kernel::joust::{joust_of, snowball};
use tribunal_kernel::judge::Stop;
use tribunal_kernel::share::{Share, shares};
use tribunal_kernel::text::one_line;
use tribunal_kernel::{Decision, Run, RunId, Said, Score, theater};
use tribunal_store::backend::SpaceUsage;

use super::{print_json, unreadable_run, warn_of};
use crate::args::{self, Global};
use crate::size::size;

/// Said of what was decided before there was a log of it.
const NO_RUN: &str = "; there is no run of it here";
/// So many stops without proof are shown.
const STOPS_SHOWN: usize = 10;

pub(super) async fn status(project: &Project, global: &Global, args: &args::Status) -> Result<Exit, AppError> {
    if let Some(name) = &args.run {
        let status = match status::one(project, Some(name)).await {
            Ok(status) => status,
            Err(error) => return without_run(project, global, name, error).await,
        };
        let earlier = forecast::earlier_runs(project, &status.run).await?;
        if global.json {
            print_json(&forecast::told(status.detail(), &status.run, &earlier));
        } else {
            print!("{}", one(&status, &earlier));
        }
        return Ok(Exit::Pass);
    }
    let list = status::list(project, args.search.as_deref(), usize::MAX).await?;
    let unproven = stop::unproven(project).await?;
    let usage = if args.all { Some(clean::space(project)?.usage().await?) } else { None };
    if global.json {
        let sized = |run: &RunStanding| {
            let mut object = run.object();
            if let Some(usage) = &usage {
                object["bytes"] = json!(usage.of(run.run.spec().run));
            }
            object
        };
        let runs: Vec<Value> = list.runs.iter().map(sized).collect();
        let damaged = list.damaged.iter().map(unreadable_run);
        let mut object = json!({ "runs": runs.into_iter().chain(damaged).collect::<Vec<_>>() });
        if !unproven.is_empty() {
            object["unproven_stops"] = json!(unproven);
        }
        if !list.decided.is_empty() {
            let decided = list.decided.iter().map(|(asset, decision)| summary::decided(asset, decision));
            object["decided"] = decided.collect();
        }
        if let Some(usage) = &usage {
            object["space"] = space(usage);
        }
        print_json(&object);
    } else {
        table(&list, args.search.is_some());
        stopped(&unproven);
        if let Some(usage) = &usage {
            sizes(&list, usage);
        }
    }
    // A run that cannot be read is not simply left out.
    Ok(if list.damaged.is_empty() { Exit::Pass } else { Exit::Failed })
}

/// What was decided in the workspace before there was a log of it.
async fn without_run(project: &Project, global: &Global, name: &str, error: AppError) -> Result<Exit, AppError> {
    let list = status::list(project, None, usize::MAX).await?;
    let Some((asset, decision)) = list.decided.iter().find(|(asset, _)| asset == name) else { return Err(error) };
    if global.json {
        print_json(&summary::decided(asset, decision));
    } else {
        println!("{}{NO_RUN}", decided(asset, decision));
    }
    Ok(Exit::Pass)
}

fn decided(asset: &str, decision: &Decision) -> String {
    let outcome = decision.outcome.map_or("decided", |outcome| outcome.as_str());
    let reason = decision.reason.as_deref().unwrap_or("no reason given");
    format!("{asset}: {outcome} ({reason}), decided in the workspace")
}

fn table(list: &RunList, is_search: bool) {
    list.damaged.iter().for_each(warn_of);
    // One of those that cannot be read may be the run.
    let no_run = if list.damaged.is_empty() { NO_RUN } else { "" };
    for (asset, decision) in &list.decided {
        println!("{}{no_run}", decided(asset, decision));
    }
    if list.runs.is_empty() && list.decided.is_empty() && list.damaged.is_empty() {
        eprintln!("no runs{}", if is_search { " with this text" } else { " yet; `tribunal run` starts one" });
    }
    if list.runs.is_empty() {
        return;
    }
    println!("{:36}  {:16}  {:11}  {:>6}  {:>8}  {:>9}  reason", "run", "asset", "status", "rounds", "tokens", "cost");
    for status in &list.runs {
        let run = &status.run;
        let spent = run.budget().spent;
        println!(
            "{:36}  {:16}  {:11}  {:>6}  {:>8}  {:>9}  {}",
            run.spec().run.to_string(),
            run.spec().subject(),
            status.word(),
            run.rounds().len(),
            spent.tokens,
            spent.usd.to_string(),
            forked(run) + &run.end().map_or_else(|| status.standing(), |end| end.reason.clone()),
        );
    }
}

/// For programs: what everything takes, in bytes.
fn space(usage: &SpaceUsage) -> Value {
    json!({
        "total": usage.total(),
        "runs": usage.runs.values().sum::<u64>(),
        "trees": usage.trees.values().sum::<u64>(),
        "blobs": usage.blobs,
        "blob_count": usage.blob_count,
        "index": usage.index,
        "other": usage.other,
    })
}

/// The largest first, as `du` is mostly read, and then everything.
fn sizes(list: &RunList, usage: &SpaceUsage) {
    let subject = |run: RunId| list.runs.iter().find(|status| status.run.spec().run == run);
    let subject = |run| subject(run).map_or("(no run)", |status| status.run.spec().subject());
    let ids: BTreeSet<RunId> = usage.runs.keys().chain(usage.trees.keys()).copied().collect();
    let mut rows: Vec<(u64, RunId)> = ids.into_iter().map(|run| (usage.of(run), run)).collect();
    rows.sort_unstable_by(|one, other| other.cmp(one));
    println!();
    for (bytes, run) in rows {
        let tree = usage.trees.get(&run).map(|tree| format!(", {} of it a work tree", size(*tree))).unwrap_or_default();
        println!("{:>10}  run {run}  {}{tree}", size(bytes), subject(run));
    }
    println!("{:>10}  {} blobs: prompts, answers, drafts", size(usage.blobs), usage.blob_count);
    println!("{:>10}  the index", size(usage.index));
    println!("{:>10}  the rest", size(usage.other));
    println!("{:>10}  in all; `tribunal clean` frees what nobody needs", size(usage.total()));
}

/// What a run is that varies another one, before how it stands.
fn forked(run: &Run) -> String {
    run.spec().fork.map(|fork| format!("fork of {} from round {}; ", fork.run, fork.from)).unwrap_or_default()
}

/// Agents that said they were done and got through although nothing was shown.
fn stopped(unproven: &[Stop]) {
    let left_out = unproven.len().saturating_sub(STOPS_SHOWN);
    if left_out > 0 {
        println!("{left_out} earlier stops of agents got through without proof; `--json` lists them");
    }
    for Stop { at, agent, end, run, why, .. } in unproven.iter().skip(left_out) {
        let run = run.map(|run| format!(", run {run}")).unwrap_or_default();
        println!("{at}  {agent} stopped, {}: {}{run}", end.told(), one_line(why));
    }
}

/// What rolls through a joust.
fn snowballed(run: &Run) -> String {
    let mut text = String::new();
    let history = snowball::history(run, false);
    if !history.is_empty() {
        let worth: Vec<String> = history.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "score by round: {} {}", sparkline(&history), worth.join(" "));
    }
    for request in snowball::queue(run) {
        let (who, summon) = (request.requested_by, request.summon);
        let vacant = if request.is_vacant() { " (no such seat: add it to `joust.specialists`)" } else { "" };
        let _ = writeln!(text, "waiting: {}, asked by {who}: {}{vacant}", summon.specialist, summon.ask);
    }
    for (round, seat) in snowball::tripped(run) {
        let _ =
            writeln!(text, "needs attention: {seat} was skipped in round {round}, none of its rewrites could be taken");
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
fn one(status: &RunStanding, earlier: &[Run]) -> String {
    let mut text = String::new();
    let run = &*status.run;
    let spec = run.spec();
    let _ = writeln!(text, "{} of `{}`, run {}", spec.kind(), spec.subject(), spec.run);
    let _ = writeln!(text, "opened {}", run.opened());
    if let Some(fork) = spec.fork {
        let _ = writeln!(text, "fork of run {}, from round {}", fork.run, fork.from);
    }
    if let Some(end) = run.end() {
        let _ = writeln!(text, "{} {}: {}", end.outcome, end.at, end.reason);
    } else {
        let _ = writeln!(text, "{}", status.standing());
        if !status.people.awaited(run).is_empty() {
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
    if let Some(circle) = run.circle() {
        let _ = writeln!(text, "{circle}");
        for position in &circle.positions {
            let demands =
                if position.demands.is_empty() { "nothing demanded".into() } else { position.demands.join("; ") };
            let _ = writeln!(text, "  round {}: {demands}", position.round);
        }
    }
    for PersonVote { by, vote, .. } in run.person_votes() {
        let why = vote.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let _ = writeln!(text, "decided by {by}: {} {}{why}", one_line(&vote.item), vote.says.as_str());
    }
    for item in run.open_items() {
        let why = item.why.as_deref().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
        let _ = writeln!(text, "{}: {}{why}", item.state.as_str(), one_line(&item.item));
    }
    if Undecided::of(run).is_some() {
        let _ = writeln!(text, "`tribunal answer {}` lets you decide what is undecided", spec.run);
    }
    for waiver in &spec.waivers {
        let target = waiver.target.as_deref().map(|target| format!(" ({target})")).unwrap_or_default();
        let _ = writeln!(text, "waived: {}{target}: {}", waiver.code, waiver.why);
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
        // Whom nobody configured and nobody asked is not worth a line.
        if turns == 0 && spec.is_filled(seat) {
            continue;
        }
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
        let covers = |code: &str| spec.waivers.iter().any(|waiver| waiver.covers(code, &life.finding.text));
        let is_waived = life.finding.contested && life.finding.code.as_deref().is_some_and(covers);
        let state = if is_waived { "waived".to_owned() } else { life.state.to_string() };
        let _ = writeln!(
            text,
            "  {}: {}{code} (raised in {}, {})",
            life.finding.severity.as_str(),
            life.finding.text,
            life.raised,
            state
        );
    }
    if let Some(forecast) = forecast::of(run, earlier) {
        let _ = writeln!(text, "forecast: {forecast}");
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
