//! The same trial once more with one thing changed, from a round on; only what differs is paid.

use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_engine::Session;
use tribunal_kernel::run::RoundState;
use tribunal_kernel::spec::{FORMAT, Fork};
use tribunal_kernel::{Binding, Event, Round, Run, RunId, RunSpec, SeatName, Spend, Turn, Usage, Usd};

use crate::allowance;
use crate::controls;
use crate::error::AppError;
use crate::loops::{self, opener};
use crate::plan::Estimate;
use crate::project::{Project, ProjectAt};
use crate::seating::bind;
use crate::start::announce_mark;
use crate::summary;

/// What is to be tried again, and what is to be otherwise.
#[derive(Debug, Clone)]
pub struct ForkRequest {
    /// A run's id, a part of it, or its subject; nothing: the newest.
    pub run: Option<String>,
    /// The first round that is played again.
    pub from: Round,
    /// Other agents in seats.
    pub seats: Vec<(String, String)>,
}

/// A fork that nobody has paid for yet.
#[derive(Debug)]
pub struct Forking {
    pub old: Run,
    pub spec: RunSpec,
    pub from: Round,
    /// So many answers of the old run stand.
    pub kept: usize,
    pub quote: ForkQuote,
    pub estimate: Estimate,
}

impl ForkRequest {
    /// What it would be. `at` has the settings that are to be otherwise.
    pub async fn prepare(&self, project: &Project, at: &ProjectAt) -> Result<Forking, AppError> {
        let old = project.read(original(project, self.run.as_deref()).await?).await?;
        let from = self.from;
        check(&old, from)?;
        let spec = self.vary(project, at, &old).await?;
        let estimate = Estimate::of(project, &spec, &[], from.0 - 1).await;
        let kept = old.turns().iter().filter(|turn| turn.round < from && turn.said().is_some()).count();
        let quote = ForkQuote::of(&old, &spec, from);
        Ok(Forking { old, spec, from, kept, quote, estimate })
    }

    /// The spec of the old run with what is to be changed.
    async fn vary(&self, project: &Project, at: &ProjectAt, old: &Run) -> Result<RunSpec, AppError> {
        let was = old.spec();
        let mut spec = was.clone();
        if !at.settings.is_empty() {
            // A run that was started from a file had no brief in the configuration.
            let brief = project.text(was.brief).await.filter(|_| project.config().run.brief.is_none());
            let brief: Vec<_> = brief.map(|text| ("run.brief".to_owned(), text)).into_iter().collect();
            let plain = ProjectAt { settings: Vec::new(), ..at.clone() };
            let configured = async |at: &ProjectAt| {
                let project = Project::load(&at.with(brief.clone()), Arc::clone(&project.console))?;
                opener(was.kind()).configured(&project, old).await
            };
            let (before, after) = (configured(&plain).await?, configured(at).await?);
            if before.attachments != after.attachments {
                return Err(AppError::invalid(
                    "a fork is shown what was attached to its run, and nothing else",
                    "start a new run: `tribunal run --again --attach FILE`",
                ));
            }
            let mut value = serde_json::to_value(&spec).expect("a spec is plain JSON");
            overlay(&mut value, &object(&before), &object(&after));
            spec = serde_json::from_value(value).map_err(|error| {
                AppError::invalid(
                    format!("these settings do not fit the run: {error}"),
                    "`tribunal config` lists the keys",
                )
            })?;
        }
        for (seat, agent) in &self.seats {
            let name = SeatName::new(seat);
            if !spec.seats.contains_key(&name) {
                let seats: Vec<&str> = spec.agent_seats().map(SeatName::as_str).collect();
                return Err(AppError::not_found(
                    format!("run {} has no seat `{seat}`", was.run),
                    format!("its seats are {}", seats.join(", ")),
                ));
            }
            spec.seats.insert(name, bind(project.config(), seat, agent)?);
        }
        // Who is seated now counts, as of today.
        opener(spec.kind()).refresh(project, &mut spec).await?;
        spec.rates = allowance::rates(project, &spec);
        // Whatever format the old one has, this one is of today's.
        spec.format = FORMAT;
        spec.workspace = project.seen_from_home(&project.folder_of(was));
        spec.agents = allowance::definitions(project, &spec);
        spec.controls = controls::of(project, &spec).await?;
        spec.run = RunId(tribunal_store::new_id());
        spec.fork = Some(Fork { run: was.run, from: self.from, origin: was.origin() });
        Ok(spec)
    }
}

impl Forking {
    /// Opens the fork. What people had said before the branch holds for what comes after it, too.
    pub async fn open(&self, project: &Project) -> Result<Session, AppError> {
        announce_mark(project, &self.spec);
        let mut session = loops::create(project, self.spec.clone(), &[]).await?;
        for event in said_before(project, self.old.spec().run, self.from).await? {
            session.record(event, &[]).await?;
        }
        Ok(session)
    }
}

/// The run that somebody means: by its id, whatever it is; by its subject, or without a name, the newest that is no fork
/// itself. A variation of a variation has to be asked for.
async fn original(project: &Project, name: Option<&str>) -> Result<RunId, AppError> {
    let specs = project.specs().await?;
    let is_meant = |spec: &&RunSpec| name.is_none_or(|name| spec.subject() == name);
    let newest = specs.iter().filter(is_meant).find(|spec| spec.fork.is_none());
    match newest {
        Some(spec) => Ok(spec.run),
        None => project.find(name).await,
    }
}

/// What a fork will cost, judged by what the same rounds cost before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForkQuote {
    /// If it ends in the first round that is played again.
    pub least: Spend,
    /// If it takes as many rounds as the old run.
    pub likely: Spend,
    /// Nobody is called who takes money, or of whom that is not known.
    pub is_free: bool,
}

impl ForkQuote {
    fn of(old: &Run, spec: &RunSpec, from: Round) -> Self {
        let was = old.spec();
        // What stands in prompts changes every question; another agent in a seat changes those to that seat.
        let differs = differences(was, spec);
        let changes = differs.as_array().into_iter().flatten().filter_map(|change| change["key"].as_str());
        let is_reworded = changes.into_iter().any(|key| !key.starts_with("seats."));
        let is_asked_again = |seat: &SeatName| is_reworded || was.seats.get(seat) != spec.seats.get(seat);
        let cost = |turn: &Turn| {
            let usage = turn.bill().map(|bill| bill.usage).unwrap_or_default();
            let model = spec.seats.get(&turn.seat).and_then(|binding| binding.model.as_ref());
            let rate = model.filter(|_| is_asked_again(&turn.seat)).and_then(|model| spec.rates.get(model));
            Spend::from(rate.map_or(usage, |rate| rate.bill(Usage { usd: None, ..usage })))
        };
        let sum =
            |turns: &mut dyn Iterator<Item = &Turn>| turns.fold(Spend::default(), |sum, turn| sum.plus(cost(turn)));
        let again = old.turns().iter().filter(|turn| turn.round >= from);
        let mut least = sum(&mut again.clone().filter(|turn| turn.round == from && is_asked_again(&turn.seat)));
        let later = sum(&mut again.clone().filter(|turn| turn.round > from));
        let mut likely = least.plus(later);
        if again.clone().count() == 0 {
            // A round that nobody has played yet costs what one cost before.
            let rounds = u64::try_from(old.rounds().len().max(1)).unwrap_or(1);
            let all = sum(&mut old.turns().iter());
            least = Spend { tokens: all.tokens / rounds, usd: Usd(all.usd.0 / rounds) };
            likely = least;
        }
        // One other answer makes every question after it another one: whoever sat there before may be asked again, too.
        let is_varied = was.agents != spec.agents || differs.as_array().is_some_and(|changes| !changes.is_empty());
        if is_varied && likely.usd.0 == 0 {
            likely = likely.max(sum(&mut again.clone()));
        }
        let calls_models = spec.agent_seats().any(|seat| spec.is_model(seat));
        // A program may say what it costs; of one that has not been called yet, or not as it is called now, nobody knows
        // whether it does.
        let has_answered = |Binding { agent, model, .. }: &Binding| {
            let is_the_same = was.agents.get(agent) == spec.agents.get(agent);
            let answered = |turn: &Turn| {
                old.agent_of(turn) == agent && old.model(turn) == model.as_deref() && turn.bill().is_some()
            };
            is_the_same && old.turns().iter().any(answered)
        };
        let is_paid = |seat: &SeatName| !spec.is_measured(seat) && !spec.is_person(seat);
        let is_stranger = |seat: &SeatName| is_paid(seat) && !has_answered(&spec.seats[seat]);
        let calls_strangers = is_varied && spec.agent_seats().any(is_stranger);
        Self { least, likely, is_free: likely.usd.0 == 0 && !calls_models && !calls_strangers }
    }

    pub fn told(&self) -> String {
        let Self { least, likely, .. } = self;
        if least == likely {
            return format!("about {} tokens, {}", likely.tokens, likely.usd);
        }
        format!(
            "about {} tokens, {}, or {} tokens, {} if it takes as many rounds as before",
            least.tokens, least.usd, likely.tokens, likely.usd
        )
    }
}

/// Whether this run can be forked there.
fn check(old: &Run, from: Round) -> Result<(), AppError> {
    let id = old.spec().run;
    let refused = |why: &str, hint: &str| Err(AppError::conflict(format!("run {id} {why}"), hint));
    let spec = old.spec();
    if let Err(refusal) = spec.trial().can_fork() {
        return refused(refusal.why, &refusal.hint(spec));
    }
    let first = old.rounds().first().map_or(1, |state| state.round.0);
    let last = old.rounds().last().map_or(0, |state| state.round.0);
    if from.0 < first || from.0 > last + 1 {
        return refused(
            &format!("has rounds {first} to {last}"),
            &format!("`--from-round` takes {first} to {}: the first round to run again", last + 1),
        );
    }
    Ok(())
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
pub fn differences(old: &RunSpec, new: &RunSpec) -> Value {
    let mut found = Vec::new();
    walk(&object(old), &object(new), "", &mut found);
    found.retain(|(path, _, _)| {
        !["fork", "rates", "format", "project", "workspace", "agents", "controls"]
            .iter()
            .any(|ours| path.starts_with(ours))
    });
    found.into_iter().map(|(key, was, is)| json!({ "key": key, "was": was, "is": is })).collect()
}

pub fn changes(old: &RunSpec, new: &RunSpec) -> Vec<String> {
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
async fn said_before(project: &Project, run: RunId, from: Round) -> Result<Vec<Event>, AppError> {
    let entries = project.store.logs().read(run).await?;
    let events = entries.into_iter().map(|entry| entry.event);
    let before = events.take_while(|event| !matches!(event, Event::RoundOpened { round } if *round >= from));
    Ok(before.filter(|event| matches!(event, Event::DirectiveGiven { .. } | Event::Reanchored { .. })).collect())
}

/// Two runs side by side.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'r> {
    pub old: &'r Run,
    pub new: &'r Run,
}

impl<'r> Comparison<'r> {
    pub fn of(old: &'r Run, new: &'r Run) -> Self {
        Self { old, new }
    }

    /// The rounds of either, with how each of them was judged.
    pub fn rounds(&self) -> Vec<(Round, Option<String>, Option<String>)> {
        let mut rounds: Vec<Round> =
            self.old.rounds().iter().chain(self.new.rounds()).map(|state| state.round).collect();
        rounds.sort_unstable();
        rounds.dedup();
        let judged = |run: &Run, round: Round| {
            run.rounds().iter().find(|state| state.round == round).map(|state| judgement(run, state))
        };
        rounds.into_iter().map(|round| (round, judged(self.old, round), judged(self.new, round))).collect()
    }

    pub fn outcomes(&self) -> [&'static str; 2] {
        [self.old, self.new].map(|run| run.end().map_or("not over", |end| end.outcome.as_str()))
    }

    pub fn object(&self) -> Value {
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
    pub fn calls(&self) -> (usize, usize) {
        let bills: Vec<_> = self.new.turns().iter().filter_map(|turn| turn.bill()).collect();
        (bills.len(), bills.iter().filter(|bill| bill.copied.is_some()).count())
    }
}

/// How a round was judged, in a few words.
fn judgement(run: &Run, state: &RoundState) -> String {
    let Some((_, decision)) = &state.closed else { return "not over".into() };
    let tally =
        state.tally.as_deref().map(|tally| format!("{}, ", summary::amounts_to(run, tally))).unwrap_or_default();
    match decision.outcome {
        Some(outcome) => format!("{tally}{outcome}"),
        None => format!("{tally}the run continues"),
    }
}
