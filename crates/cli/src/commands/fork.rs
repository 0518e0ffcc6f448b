//! `tribunal fork`: the same trial once more with one thing changed, from a round on; only what differs is paid.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_engine::Session;
use tribunal_kernel::run::RoundState;
use tribunal_kernel::spec::Fork;
use tribunal_kernel::theater::{Panel, stage_of};
use tribunal_kernel::{Event, LoopKind, LoopSettings, Round, Run, RunId, RunSpec, SeatName};
use tribunal_store::Backend as _;
use uuid::Uuid;

use super::plan::Estimate;
use super::print_json;
use super::run::{Reported, raise_banner};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::grading::mark_on;
use crate::opening::{allowance, joust, review, theater};
use crate::progress::Screen;
use crate::project::Project;
use crate::render;
use crate::seating::bind;
use crate::trial;

pub(super) async fn fork(project: &Project, global: &Global, args: &args::Fork) -> Result<Exit, Failure> {
    let old = project.read(project.find(args.run.as_deref()).await?).await?;
    let from = Round(args.from_round);
    check(&old, from)?;
    let spec = vary(project, global, args, &old, from)?;
    let screen = Screen::new(global.verbose, global.json);
    let estimate = Estimate::of(project, &spec, &[], from.0 - 1);
    let kept = old.turns().iter().filter(|turn| turn.round < from && turn.said().is_some()).count();
    let price = format!(
        "{kept} answers of run {} stand; from round {from} at most {}, less what is asked again in the same words",
        old.spec().run,
        estimate.told()
    );
    if args.dry_run {
        if global.json {
            print_json(&json!({
                "of": old.spec().run, "from_round": from, "stand": kept, "estimate": estimate.object(),
                "changed": differences(old.spec(), &spec),
            }));
        } else {
            println!("{price}");
            for line in changes(old.spec(), &spec) {
                println!("  {line}");
            }
        }
        return Ok(Exit::Pass);
    }
    screen.say(&price);
    raise_banner(&screen, &spec);
    let id = spec.run;
    let mut session = Session::create(project.store.clone(), project.clock.clone(), spec, &[]).await?;
    for event in said_before(project, old.spec().run, from).await? {
        session.record(event, &[]).await?;
    }
    let runs = trial::drive(project, &screen, vec![session]).await?;
    let [new] = runs.as_slice() else {
        return Err(Failure::environment(format!("run {id} is gone"), None));
    };
    let comparison = Comparison::of(&old, new);
    if global.json {
        let mut object = Reported::of(project, new).object;
        object["fork"] = comparison.object();
        print_json(&object);
    } else {
        print!("{}", comparison.told());
    }
    Ok(trial::exit([new]))
}

/// Whether this run can be forked there.
fn check(old: &Run, from: Round) -> Result<(), Failure> {
    let id = old.spec().run;
    let refused = |why: &str, hint: &str| Err(Failure::usage(format!("run {id} {why}"), hint));
    match old.spec().kind() {
        LoopKind::Desk => {
            return refused("is a desk: its work is in files", "`tribunal desk run` goes on from where they stand");
        }
        LoopKind::Theater if stage_of(old.spec()).is_some_and(|stage| stage.panel == Panel::Single) => {
            return refused(
                "was played in one stream, which has no rounds to branch off from",
                "`tribunal rerun` plays it anew",
            );
        }
        LoopKind::Theater | LoopKind::Review | LoopKind::Joust => {}
    }
    let first = old.rounds().first().map_or(1, |state| state.round.0);
    let last = old.rounds().last().map_or(0, |state| state.round.0);
    if from.0 < first || from.0 > last + 1 {
        return refused(
            &format!("has the rounds {first} to {last}"),
            &format!("`--from-round` takes {first} to {}: the first round that is played anew", last + 1),
        );
    }
    Ok(())
}

/// The spec of the old run with what is to be changed.
fn vary(project: &Project, global: &Global, args: &args::Fork, old: &Run, from: Round) -> Result<RunSpec, Failure> {
    let was = old.spec();
    let mut spec = was.clone();
    if !global.set.is_empty() {
        // A run that was started from a file had no brief in the configuration.
        let brief = project.text(was.brief).filter(|_| project.config().run.brief.is_none());
        let brief: Vec<_> = brief.map(|text| ("run.brief".to_owned(), text)).into_iter().collect();
        let plain = Project::load(&Global { set: Vec::new(), ..global.clone() }, brief.clone())?;
        let varied = Project::load(global, brief)?;
        let (before, after) = (configured(&plain, old)?, configured(&varied, old)?);
        let mut value = serde_json::to_value(&spec).expect("a spec is plain JSON");
        overlay(&mut value, &object(&before), &object(&after));
        spec = serde_json::from_value(value).map_err(|error| {
            Failure::usage(format!("these settings do not fit the run: {error}"), "`tribunal config` lists the keys")
        })?;
    }
    for (seat, agent) in &args.seats {
        let name = SeatName::new(seat);
        if !spec.seats.contains_key(&name) {
            let seats: Vec<&str> = spec.seats.keys().map(SeatName::as_str).collect();
            return Err(Failure::usage(
                format!("run {} has no seat `{seat}`", was.run),
                format!("its seats are {}", seats.join(", ")),
            ));
        }
        spec.seats.insert(name, bind(project.config(), seat, agent)?);
    }
    if let LoopSettings::Theater { theater } = &mut spec.settings {
        // Who is seated now counts, as of today.
        theater.mark = mark_on(project, theater, &spec.seats)?;
    }
    spec.rates = allowance::rates(project, &spec);
    spec.run = RunId(Uuid::now_v7());
    spec.fork = Some(Fork { run: was.run, from, origin: was.origin() });
    Ok(spec)
}

/// What a run of this kind would be given by the configuration now.
fn configured(project: &Project, old: &Run) -> Result<RunSpec, Failure> {
    let was = old.spec();
    Ok(match was.kind() {
        LoopKind::Review => review::spec(project, was.subject())?.0,
        LoopKind::Theater => theater::spec(project, true, None, Some(theater::prior(project, old)?))?.0,
        LoopKind::Joust => joust::spec(project)?.0,
        LoopKind::Desk => was.clone(),
    })
}

fn object(spec: &RunSpec) -> Value {
    let mut value = serde_json::to_value(spec).expect("a spec is plain JSON");
    // A name of its own says nothing about the settings.
    value["run"] = Value::Null;
    value
}

/// Changes in `value` what differs between `before` and `after`, and nothing else.
fn overlay(value: &mut Value, before: &Value, after: &Value) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            *value = after.clone();
        }
        return;
    };
    let Value::Object(target) = value else {
        *value = after.clone();
        return;
    };
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        target.remove(key);
    }
    for (key, after) in new {
        match (old.get(key), target.get_mut(key)) {
            (Some(before), Some(there)) => overlay(there, before, after),
            (Some(before), None) if before == after => {}
            (Some(_) | None, _) => drop(target.insert(key.clone(), after.clone())),
        }
    }
}

/// Every value that differs, with its path.
fn differences(old: &RunSpec, new: &RunSpec) -> Value {
    let mut found = Vec::new();
    walk(&object(old), &object(new), "", &mut found);
    found.retain(|(path, _, _)| !["fork", "rates"].iter().any(|ours| path.starts_with(ours)));
    found.into_iter().map(|(key, was, is)| json!({ "key": key, "was": was, "is": is })).collect()
}

fn changes(old: &RunSpec, new: &RunSpec) -> Vec<String> {
    let line = |change: &Value| {
        format!("{}: {} instead of {}", change["key"].as_str().unwrap_or_default(), change["is"], change["was"])
    };
    differences(old, new).as_array().into_iter().flatten().map(line).collect()
}

fn walk(old: &Value, new: &Value, path: &str, found: &mut Vec<(String, Value, Value)>) {
    match (old, new) {
        (Value::Object(was), Value::Object(is)) => {
            let mut keys: Vec<&String> = was.keys().chain(is.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                walk(was.get(key).unwrap_or(&Value::Null), is.get(key).unwrap_or(&Value::Null), &path, found);
            }
        }
        _ if old != new => found.push((path.to_owned(), old.clone(), new.clone())),
        _ => {}
    }
}

/// What people had said before the branch: it holds for what comes after it, too.
async fn said_before(project: &Project, run: RunId, from: Round) -> Result<Vec<Event>, Failure> {
    let entries = project.store.logs().read(run).await?;
    let events = entries.into_iter().map(|entry| entry.event);
    let before = events.take_while(|event| !matches!(event, Event::RoundOpened { round } if *round >= from));
    Ok(before.filter(|event| matches!(event, Event::DirectiveGiven { .. } | Event::Reanchored { .. })).collect())
}

/// Two runs side by side.
struct Comparison<'r> {
    old: &'r Run,
    new: &'r Run,
}

impl<'r> Comparison<'r> {
    fn of(old: &'r Run, new: &'r Run) -> Self {
        Self { old, new }
    }

    /// The rounds of either, with how each of them was judged.
    fn rounds(&self) -> Vec<(Round, Option<String>, Option<String>)> {
        let mut rounds: Vec<Round> =
            self.old.rounds().iter().chain(self.new.rounds()).map(|state| state.round).collect();
        rounds.sort_unstable();
        rounds.dedup();
        let judged = |run: &Run, round: Round| {
            run.rounds().iter().find(|state| state.round == round).map(|state| judgement(run, state))
        };
        rounds.into_iter().map(|round| (round, judged(self.old, round), judged(self.new, round))).collect()
    }

    fn outcomes(&self) -> [&'static str; 2] {
        [self.old, self.new].map(|run| run.end().map_or("not over", |end| end.outcome.as_str()))
    }

    fn told(&self) -> String {
        let mut text = format!("{} compared with {}\n", self.new.spec().run, self.old.spec().run);
        for line in changes(self.old.spec(), self.new.spec()) {
            let _ = writeln!(text, "  {line}");
        }
        for (round, was, is) in self.rounds() {
            let none = || "was not played".to_owned();
            if was == is {
                let _ = writeln!(text, "round {round}: as before, {}", is.unwrap_or_else(none));
            } else {
                let _ =
                    writeln!(text, "round {round}: {}; before: {}", is.unwrap_or_else(none), was.unwrap_or_else(none));
            }
        }
        let [was, is] = self.outcomes();
        let flip = if was == is { "as before".to_owned() } else { format!("before: {was}") };
        let _ = writeln!(text, "outcome: {is}, {flip}");
        let (calls, copied) = self.calls();
        let [before, after] = [self.old, self.new].map(|run| run.budget().spent);
        let _ = writeln!(
            text,
            "spent: {} tokens, {} for {} calls, {copied} more were answered already; before: {} tokens, {}",
            after.tokens,
            after.usd,
            calls - copied,
            before.tokens,
            before.usd
        );
        text
    }

    fn object(&self) -> Value {
        let [was, is] = self.outcomes();
        let (calls, copied) = self.calls();
        let rounds: Vec<Value> = self
            .rounds()
            .into_iter()
            .map(|(round, was, is)| json!({ "round": round, "same": was == is, "was": was, "is": is }))
            .collect();
        json!({
            "of": self.old.spec().run,
            "from_round": self.new.spec().fork.map(|fork| fork.from),
            "changed": differences(self.old.spec(), self.new.spec()),
            "rounds": rounds,
            "outcome": { "was": was, "is": is, "flips": was != is },
            "calls": calls - copied,
            "copied": copied,
            "spent_before": self.old.budget().spent,
        })
    }

    /// Calls that ended, and how many of them were answered by the other run.
    fn calls(&self) -> (usize, usize) {
        let bills: Vec<_> = self.new.turns().iter().filter_map(|turn| turn.bill()).collect();
        (bills.len(), bills.iter().filter(|bill| bill.copied.is_some()).count())
    }
}

/// How a round was judged, in a few words.
fn judgement(run: &Run, state: &RoundState) -> String {
    let Some((_, decision)) = &state.closed else { return "not over".into() };
    let tally = state.tally.as_deref().map(|tally| format!("{}, ", render::amounts_to(run, tally))).unwrap_or_default();
    match decision.outcome {
        Some(outcome) => format!("{tally}{outcome}"),
        None => format!("{tally}the trial goes on"),
    }
}
