//! What a run may use: its limits, whose account it spends from, and what its models cost.

use std::collections::BTreeMap;
use tribunal_config::{AgentKind, Unpriced, WaiverConfig};
use tribunal_kernel::desk::{VERIFIER, WORKER, desk_of};
use tribunal_kernel::quote::Cap;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::waiver::Waiver;
use tribunal_kernel::{Binding, Limits, Rate, Run, RunSpec, Score, SeatName, Usd};
use tribunal_store::backend::AccountId;

use crate::attachments;
use crate::controls;
use crate::error::AppError;
use crate::loops;
use crate::loops::check_anchor;
use crate::prices;
use crate::project::Project;

/// A run spec with everything that this run may use.
pub(crate) async fn grant(project: &Project, spec: RunSpec) -> Result<RunSpec, AppError> {
    let spec = RunSpec { seats: introduced(project, spec.seats)?, ..spec };
    let limits = limits_of(project, &spec).await?;
    let rates = rates(project, &spec);
    let account = inherited().map(|account| project.store.accounts().name_of(&account));
    if let Some(anchor) = &spec.anchor {
        check_anchor(&spec, anchor)?;
    }
    let agents = definitions(project, &spec);
    let spec = RunSpec { agents, ..spec };
    attachments::check_seen(&spec)?;
    let spec = RunSpec { limits, rates, account, waivers: waivers(project), ..spec };
    Ok(RunSpec { controls: controls::of(project, &spec).await?, ..spec })
}

/// The same for a spec that nobody runs: it says who sits where, and is compared with another one.
pub(crate) fn described(project: &Project, mut spec: RunSpec) -> RunSpec {
    if let Ok(seats) = introduced(project, spec.seats.clone()) {
        spec.seats = seats;
    }
    RunSpec { agents: definitions(project, &spec), waivers: waivers(project), ..spec }
}

/// Who sits where, with what each is told to be: by its seat, or else by its agent.
fn introduced(
    project: &Project,
    mut seats: BTreeMap<SeatName, Binding>,
) -> Result<BTreeMap<SeatName, Binding>, AppError> {
    let config = project.config();
    for (seat, binding) in &mut seats {
        let own = config.seats.get(seat.as_str()).and_then(|own| own.persona.as_ref());
        let persona = own.or_else(|| config.agents.get(&binding.agent)?.persona.as_ref());
        if let Some(persona) = persona {
            binding.persona = Some(loops::text_of(persona, "persona")?);
        }
    }
    Ok(seats)
}

/// What the configuration lets stand.
fn waivers(project: &Project) -> Vec<Waiver> {
    let waived = project.config().waive.values().cloned();
    waived.map(|WaiverConfig { code, target, why }| Waiver { code, target, why }).collect()
}

/// The configured limits of a run. What is started from a turn of another run has no more than that one.
pub async fn limits(project: &Project) -> Result<Limits, AppError> {
    let limits = &project.config().limits;
    let limits = Limits {
        usd: limits.usd.map(|usd| Usd(usd.micros())),
        tokens: limits.tokens,
        wall_ms: limits.wall.map(|wall| u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)),
        rounds: limits.rounds,
        stop_when_left: limits.stop_when_left.map(|left| Score(left.micros())),
    };
    let Some(account) = inherited() else { return Ok(limits) };
    let shared = project.store.accounts().limits(&account).await.map_err(|error| {
        AppError::environment(
            format!("cannot read the account of the run that started this one: {error}"),
            Some(format!("unset {} to run on its own", AccountId::VARIABLE)),
        )
    })?;
    Ok(limits.within(&Limits { usd: shared.usd, tokens: shared.tokens, ..Limits::default() }))
}

/// The limits of a run of this loop.
pub async fn limits_of(project: &Project, spec: &RunSpec) -> Result<Limits, AppError> {
    Ok(loops::limits(spec.kind(), project.config(), limits(project).await?))
}

/// The account that a run shares with those that it starts: that of the run that started it, or its own. A run without
/// a limit on money or tokens needs none.
pub async fn account(project: &Project, run: &Run) -> Result<Option<AccountId>, AppError> {
    let accounts = project.store.accounts();
    if let Some(name) = &run.spec().account {
        return Ok(Some(accounts.named(name)));
    }
    let Limits { usd, tokens, .. } = *run.limits();
    if usd.is_none() && tokens.is_none() {
        return Ok(None);
    }
    let account = accounts.of(run.spec().run);
    accounts.open(&account, Limits { usd, tokens, ..Limits::default() }, run.budget().elsewhere).await?;
    Ok(Some(account))
}

/// The account of the run from whose turn we were started.
pub(crate) fn inherited() -> Option<AccountId> {
    std::env::var(AccountId::VARIABLE).ok().filter(|name| !name.is_empty()).map(AccountId)
}

/// The agents in these seats as they are configured, for whoever takes the run up without this configuration.
pub(crate) fn definitions(project: &Project, spec: &RunSpec) -> BTreeMap<String, AgentDefinition> {
    spec.callable().filter_map(|(name, _)| Some((name.to_owned(), definition(project, name)?))).collect()
}

/// An agent as it is configured.
pub(crate) fn definition(project: &Project, name: &str) -> Option<AgentDefinition> {
    let mut agent = project.config().agents.get(name)?.clone();
    agent.cwd = agent.cwd.map(|cwd| project.seen_from_home(&project.root().join(cwd)).into());
    // What it is told to be is said of its seats, without a path of this machine.
    agent.persona = None;
    agent.controls = Some(agent.controls.unwrap_or(agent.kind.is_model()));
    Some(AgentDefinition(serde_json::to_value(&agent).expect("an agent is plain data")))
}

/// The models that may be called in a seat: the one that is configured there, or those that its loop chooses from.
fn models_in<'s>(spec: &'s RunSpec, seat: &SeatName, binding: &'s Binding) -> Vec<&'s str> {
    let chosen: Vec<&String> = match (desk_of(spec), seat.as_str()) {
        (Some(desk), WORKER) => desk.ladder.iter().chain(&desk.worker_model).collect(),
        (Some(desk), VERIFIER) => desk.verifier_ladder.iter().chain(&desk.verifier_model).collect(),
        _ => Vec::new(),
    };
    let own = binding.model.as_deref().into_iter();
    own.chain(chosen.into_iter().map(String::as_str)).collect()
}

/// What the models that may be called cost, as far as it is known. An agent whose provider has another price than that under
/// the model's name has its own.
pub fn rates(project: &Project, spec: &RunSpec) -> BTreeMap<String, Rate> {
    let mut rates = BTreeMap::new();
    let mut price = |name: &str, has_model: bool, models: Vec<&str>| {
        let agent = project.config().agents.get(name);
        // To a plain program at a desk a model is a word that it is told, not a bill.
        let is_program = desk_of(spec).is_some() && agent.is_some_and(|agent| agent.kind == AgentKind::Command);
        for model in models.into_iter().filter(|model| !is_program || project.config().own_price(model).is_some()) {
            let Some(found) = prices::found(project, agent, model) else { continue };
            let rate = prices::rate(&found.price);
            if *rates.entry(model.to_owned()).or_insert(rate) != rate {
                rates.insert(format!("{name}/{model}"), rate);
            }
        }
        // Its own choice is none of ours, and it is held to its limit by what that may cost.
        if !has_model && agent.is_some_and(|agent| agent.kind == AgentKind::Claude) {
            rates.extend(prices::dearest_claude(project).map(|rate| (format!("{name}/"), rate)));
        }
    };
    for (seat, binding) in &spec.seats {
        price(&binding.agent, binding.model.is_some(), models_in(spec, seat, binding));
        if let Some(other) = &binding.fallback {
            price(&other.agent, other.model.is_some(), other.model.as_deref().into_iter().collect());
        }
    }
    rates
}

/// Somebody for whom a limit in money cannot hold: the agent does not say what it costs, and nobody else knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnpricedSeat {
    pub seat: SeatName,
    pub agent: String,
    model: Option<String>,
    /// Whether it only takes turns over.
    is_fallback: bool,
}

/// Everybody for whom a limit in money cannot hold, whether they sit there or take turns over.
pub fn unpriced(project: &Project, spec: &RunSpec) -> Vec<UnpricedSeat> {
    let is_silent = |kind: AgentKind| {
        use AgentKind::{Acp, Codex, Copilot, Gemini, Goose, Http, Qwen};
        matches!(kind, Acp | Codex | Copilot | Gemini | Goose | Http | Qwen)
    };
    let is_unknown = |agent: &str, models: &[&str], reserve: Usd| {
        let has_rate = |model: &&str| spec.rate(agent, Some(model)).is_some();
        let is_known = !models.is_empty() && models.iter().all(has_rate);
        project.config().agents.get(agent).is_some_and(|agent| is_silent(agent.kind)) && !is_known && reserve.0 == 0
    };
    let mut found = Vec::new();
    for (seat, binding) in &spec.seats {
        let mut look = |agent: &str, models: &[&str], reserve: Usd, is_fallback: bool| {
            if is_unknown(agent, models, reserve) {
                let model = models.first().map(|model| (*model).to_owned());
                found.push(UnpricedSeat { seat: seat.clone(), agent: agent.to_owned(), model, is_fallback });
            }
        };
        look(&binding.agent, &models_in(spec, seat, binding), binding.reserve.usd, false);
        if let Some(other) = &binding.fallback {
            let models: Vec<&str> = other.model.as_deref().into_iter().collect();
            look(&other.agent, &models, other.reserve.usd, true);
        }
    }
    found
}

/// Refuses a run whose limit in money could not hold, before anything is paid.
pub fn check_priced(project: &Project, spec: &RunSpec, limits: &Limits) -> Result<(), AppError> {
    if limits.usd.is_none() || project.config().limits.unpriced == Unpriced::Allow {
        return Ok(());
    }
    let unpriced = unpriced(project, spec);
    let Some(UnpricedSeat { agent, model, .. }) = unpriced.first() else { return Ok(()) };
    let price = match model {
        Some(model) => format!("set `[prices.{}]`, ", key(model)),
        None => format!("set `agents.{agent}.model`, "),
    };
    let named = |UnpricedSeat { seat, agent, is_fallback, .. }: &UnpricedSeat| {
        if *is_fallback { format!("{seat}'s fallback `{agent}`") } else { seat.to_string() }
    };
    let names: Vec<String> = unpriced.iter().map(named).collect();
    Err(AppError::misconfigured(
        format!("the price of {} is not known, so `limits.usd` cannot hold", names.join(", ")),
        format!("{price}`agents.{agent}.reserve_usd`, or `limits.unpriced = \"allow\"`"),
    ))
}

/// A name as TOML has it in a key.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.chars().all(is_bare) { name.to_owned() } else { format!("{name:?}") }
}

/// Seats that can cost more than the limit leaves: nobody can tell their agents when to stop.
pub fn unheld(project: &Project, spec: &RunSpec) -> Vec<String> {
    if spec.limits.usd.is_none() && spec.limits.tokens.is_none() {
        return Vec::new();
    }
    let told = |(seat, binding): (&SeatName, &Binding)| {
        let agent = project.config().agents.get(&binding.agent)?;
        let name = &binding.agent;
        match spec.cap(seat) {
            Cap::None => Some(format!(
                "{seat}: `{name}` ({}) cannot be told a limit: the run can exceed its limit by one of its turns",
                agent.kind
            )),
            Cap::Requests | Cap::Turn | Cap::Free => None,
        }
    };
    spec.seats.iter().filter_map(told).collect()
}
