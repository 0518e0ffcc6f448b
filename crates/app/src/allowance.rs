//! What a run may use: its limits, whose account it spends from, and what its models cost.

use std::collections::BTreeMap;
use tribunal_config::{AgentKind, WaiverConfig};
use tribunal_kernel::desk::{VERIFIER, WORKER, desk_of};
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::waiver::Waiver;
use tribunal_kernel::{Binding, Limits, Rate, Run, RunSpec, SeatName, Usd};
use tribunal_store::backend::AccountId;

use crate::controls;
use crate::error::AppError;
use crate::loops;
use crate::loops::check_anchor;
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
    let spec = RunSpec { limits, rates, account, agents, waivers: waivers(project), ..spec };
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
fn inherited() -> Option<AccountId> {
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

/// What the models that may be called cost, as far as it is known.
pub fn rates(project: &Project, spec: &RunSpec) -> BTreeMap<String, Rate> {
    let mut models: Vec<&str> = spec.callable().filter_map(|(_, model)| model).collect();
    if let Some(desk) = desk_of(spec) {
        let worker = desk.ladder.iter().chain(&desk.worker_model).map(|model| (WORKER, model));
        let verifier = desk.verifier_ladder.iter().chain(&desk.verifier_model).map(|model| (VERIFIER, model));
        let is_paid = |(seat, model): &(&str, &String)| !is_program(project, spec, seat) || is_priced(project, model);
        models.extend(worker.chain(verifier).filter(is_paid).map(|(_, model)| model.as_str()));
    }
    let rate = |model: &str| Some((model.to_owned(), rate(project, model)?));
    models.into_iter().filter_map(rate).collect()
}

/// Whether a plain program sits there. To it a model is a word that it is told, not a bill.
fn is_program(project: &Project, spec: &RunSpec, seat: &str) -> bool {
    let agent = spec.seats.get(&SeatName::new(seat)).and_then(|binding| project.config().agents.get(&binding.agent));
    agent.is_some_and(|agent| agent.kind == AgentKind::Command)
}

/// Whether the project itself says what a model costs.
fn is_priced(project: &Project, model: &str) -> bool {
    project.config().prices.keys().any(|name| model.starts_with(name.as_str()))
}

/// What a model costs, if anybody knows.
pub fn rate(project: &Project, model: &str) -> Option<Rate> {
    let price = project.config().price(model)?;
    let usd = |usd: tribunal_config::UsdAmount| Usd(usd.micros());
    let (input, output) = (usd(price.input), usd(price.output));
    Some(Rate { input, cached: price.cached.map_or(input, usd), output })
}

/// Seats for which a limit in money cannot hold: their agents do not say what they cost, and nobody else knows.
pub fn unpriced(project: &Project, spec: &RunSpec) -> Vec<String> {
    let is_silent = |kind: AgentKind| {
        use AgentKind::{Acp, Codex, Copilot, Gemini, Goose, Http, Qwen};
        matches!(kind, Acp | Codex | Copilot | Gemini | Goose | Http | Qwen)
    };
    let is_unknown = |binding: &Binding| {
        let agent = project.config().agents.get(&binding.agent);
        let has_rate = binding.model.as_deref().is_some_and(|model| spec.rates.contains_key(model));
        agent.is_some_and(|agent| is_silent(agent.kind)) && !has_rate && binding.reserve.usd.0 == 0
    };
    let limited = spec.limits.usd.map(|_| spec.seats.iter());
    let unknown = limited.into_iter().flatten().filter(|(_, binding)| is_unknown(binding));
    unknown.map(|(seat, _)| seat.to_string()).collect()
}
