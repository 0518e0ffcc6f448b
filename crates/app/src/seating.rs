//! Configured agents made ready.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tribunal_agents::house::House;
use tribunal_agents::http::Provider;
use tribunal_agents::{Acp, Agent, AgentError, Cli, CommandAgent, Environment, Http, Native, Vendor};
use tribunal_config::{self as config, AgentKind, Config, Tools};
use tribunal_engine::desk::{DeskFolder, DeskOptions, DeskSeat, VerifierPlace, WorkerPlace};
use tribunal_engine::evidence::EvidenceSeat;
use tribunal_engine::process::Bounds;
use tribunal_engine::workplace::Workplace;
use tribunal_engine::{Human, Replay, Rules, Seated, Seating};
use tribunal_kernel::desk::{self, VERIFIER, WORKER, desk_of};
use tribunal_kernel::judge::{self, judge_of};
use tribunal_kernel::spec::FallbackAgent;
use tribunal_kernel::theater::PANEL;
use tribunal_kernel::{Binding, LoopKind, Run, RunId, RunSpec, SeatName, Spend, Usd};
use tribunal_store::backend::{AccountId, ScratchFolder};
use tribunal_store::desk::DeskFiles;

use crate::check_place::{apart, carried, carried_as, check_home, checkouts, closed_to_agents};
use crate::error::AppError;
use crate::measuring::house_settings;
use crate::programs;
use crate::project::Project;

/// For what has bounds of its own.
const FOR_EVER: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// A person has their own patience, which counts from when they were asked, whoever asks.
const A_LIFETIME: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// What is kept of an agent's stderr.
const STDERR_TAIL: usize = 8 * 1024;

/// Everybody who can take a turn of a run, and where they take it.
pub async fn seating_of(project: &Project, spec: &RunSpec, account: Option<&AccountId>) -> Result<Seating, AppError> {
    let project = &if judge_of(spec).is_some() { starting_apart(project, spec)? } else { project.clone() };
    let shared = account.map(|account| (AccountId::VARIABLE.to_owned(), account.to_string()));
    let house = House::new(project.folder_of(spec)).with(house_settings(project)?);
    let mut seating = seating_with(project, &project.folder_of(spec), environment(shared), house);
    for name in spec.seats.values().map(|binding| &binding.agent) {
        if let Some(agent) = project.config().agents.get(name).filter(|agent| agent.kind == AgentKind::Replay) {
            let run = recorded(project, agent, Some(spec.run)).await?;
            let replay: Arc<dyn Native> = Arc::new(Replay::new(name, project.store.clone(), &run));
            let bounds = bounds_of(project.config(), name);
            seating = seating.with_agent(name, Seated { agent: Agent::Native(replay), bounds });
        }
    }
    if let Some(settings) = judge_of(spec) {
        return Ok(seating.with_agent(EvidenceSeat::NAME, evidence_seat(project, spec, settings)));
    }
    let Some(settings) = desk_of(spec) else { return Ok(seating) };
    let folder = desk_folder(project, spec, settings).await?;
    let native: Arc<dyn Native> = Arc::new(DeskSeat(folder.clone()));
    // A check has its own patience; all of them together have as long as they need.
    let bounds = Bounds { total: FOR_EVER, ..bounds_of(project.config(), DeskSeat::NAME) };
    let worker: Arc<dyn Workplace> = Arc::new(WorkerPlace(folder.clone()));
    let verifier: Arc<dyn Workplace> = Arc::new(VerifierPlace(folder));
    let places = [(SeatName::new(WORKER), worker), (SeatName::new(VERIFIER), verifier)].into();
    Ok(seating.with_agent(DeskSeat::NAME, Seated { agent: Agent::Native(native), bounds }).with_workplaces(places))
}

/// The same with command lines that start where the change has no file: they read what lies there, and run what it says.
fn starting_apart(project: &Project, spec: &RunSpec) -> Result<Project, AppError> {
    let cannot = |error| AppError::environment(format!("cannot make a folder for verifiers: {error}"), None);
    let (mut config, apart) = (project.config().clone(), apart(spec.run).map_err(cannot)?);
    for agent in config.agents.values_mut() {
        if agent.cwd.is_none() && Vendor::from_word(agent.kind.as_str()).is_some() {
            agent.cwd = Some(apart.clone());
        }
    }
    Ok(project.with(config))
}

/// The run whose answers a replay gives. Named by its id alone: an asset's newest run may be the one that asks.
pub async fn recorded(project: &Project, agent: &config::AgentConfig, own: Option<RunId>) -> Result<Run, AppError> {
    let name = agent.run.as_deref().unwrap_or_default().to_lowercase();
    let runs = project.store.logs().runs().await?.into_iter();
    let named: Vec<RunId> = runs.filter(|run| Some(*run) != own && run.to_string().contains(&name)).collect();
    let hint = "set `agents.NAME.run` to a run id or a unique part of it; `tribunal status` lists the runs";
    match named.as_slice() {
        [run] => project.read(*run).await,
        [] => Err(AppError::misconfigured(format!("there is no run `{name}` to replay"), hint)),
        several => Err(AppError::misconfigured(format!("`{name}` matches {} runs to replay", several.len()), hint)),
    }
}

/// Who tries a change. Each run of a command has its own patience; all of them together have a bound of theirs.
fn evidence_seat(project: &Project, spec: &RunSpec, settings: &judge::Settings) -> Seated {
    let config = project.config();
    let (workspace, environment) = (project.folder_of(spec), environment(None));
    let seat: Arc<dyn Native> = Arc::new(EvidenceSeat {
        carry: carried_as(&workspace, &settings.carry),
        home: check_home(&workspace, &environment, &settings.setup),
        project: workspace,
        folder: checkouts(spec.run),
        environment,
        sandbox: project.sandbox.clone(),
        grace: config.limits.grace,
        network: settings.network,
    });
    let bounds = Bounds { idle: FOR_EVER, total: FOR_EVER, ..bounds_of(config, EvidenceSeat::NAME) };
    Seated { agent: Agent::Native(seat), bounds }
}

/// Files, trees and sandbox of a campaign.
pub async fn desk_folder(
    project: &Project,
    spec: &RunSpec,
    settings: &desk::Settings,
) -> Result<Arc<DeskFolder>, AppError> {
    let run = spec.run;
    let config = &project.config().desk;
    let files = DeskFiles::new(project.folder_of(spec), &settings.root, &settings.slug);
    let home = project.store.scratch().path(&ScratchFolder::Trees(run));
    let short = run.to_string();
    let branch = format!("tribunal/{}-{}", settings.slug, &short[short.len().saturating_sub(8)..]);
    let (workspace, environment) = (project.folder_of(spec), environment(None));
    let options = DeskOptions {
        writable: writable(project, spec),
        checks_network: config.checks_network,
        verifier_network: config.verifier_network,
        closed: closed_to_agents(project, &workspace, run),
        carry: carried(&workspace, &config.carry, &config.setup),
        check_home: check_home(&workspace, &environment, &config.setup),
        checkouts: checkouts(run),
        check_timeout: config.check_timeout,
        grace: project.config().limits.grace,
    };
    let sandbox = project.sandbox().await?.clone();
    let folder = DeskFolder::open(files, &home, &branch, sandbox, environment, options, project.store.clone());
    folder.await.map_err(|error| AppError::environment(error.to_string(), Some(error.hint())))
}

/// What agents of a desk may write besides their place: what is configured, and the state of the command lines that sit
/// there. A folder of theirs that is missing is made as they would make it: in a sandbox they cannot.
fn writable(project: &Project, spec: &RunSpec) -> Vec<PathBuf> {
    let configured = project.config().desk.writable.iter().map(|path| expanded(path, project.root()));
    let mut paths: Vec<PathBuf> = configured.collect();
    for (name, agent) in spec.callable().filter_map(|(name, _)| project.config().agents.get_key_value(name)) {
        let Some(cli) = command_line(project, name, agent) else { continue };
        for home in cli.homes(|name| std::env::var(name).ok()) {
            if !home.is_file && std::fs::create_dir_all(&home.path).is_err() {
                project.console.note(&format!("{} cannot be made: `{name}` may not work", home.path.display()));
            }
            paths.push(home.path);
        }
    }
    paths
}

/// `~/x` is in the user's home, other relative paths are in the folder of the configuration.
fn expanded(path: &str, root: &Path) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(inner), Some(home)) => PathBuf::from(home).join(inner),
        _ => root.join(path),
    }
}

/// Our own variables, and one more.
fn environment(more: Option<(String, String)>) -> Environment {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Environment::new(variables.chain(more))
}

fn bounds_of(config: &Config, name: &str) -> Bounds {
    let limits = config.turn_limits(name);
    Bounds {
        idle: limits.idle,
        total: limits.turn,
        grace: config.limits.grace,
        stdout: limits.output,
        stderr_tail: STDERR_TAIL,
    }
}

/// Everybody who can take a turn: those in the configuration, and those who are built in.
pub fn seating(project: &Project) -> Seating {
    // Nobody outside of a run asks the house.
    seating_with(project, &project.workspace(), environment(None), House::new(project.workspace()))
}

fn seating_with(project: &Project, workspace: &Path, environment: Environment, house: House) -> Seating {
    let (config, root) = (project.config(), project.root());
    let bounds_of = |name: &str| bounds_of(config, name);
    let mut agents = BTreeMap::new();
    let house: Arc<dyn Native> = Arc::new(house);
    let house = |name: &str| Seated { agent: Agent::Native(house.clone()), bounds: bounds_of(name) };
    agents.insert(House::NAME.to_owned(), house(House::NAME));
    let rules: Arc<dyn Native> =
        Arc::new(Rules::new(workspace, &environment, config.limits.grace, project.sandbox.clone()));
    agents.insert(Rules::NAME.to_owned(), Seated { agent: Agent::Native(rules), bounds: bounds_of(Rules::NAME) });
    for (name, agent) in &config.agents {
        if agent.kind == AgentKind::House {
            agents.insert(name.clone(), house(name));
        }
        let bounds = bounds_of(name);
        if agent.kind == AgentKind::Http {
            let http = Arc::new(http(config, name, agent, environment.clone(), workspace));
            agents.insert(name.clone(), Seated { agent: Agent::Native(http), bounds });
            continue;
        }
        if agent.kind == AgentKind::Human {
            let human = Human { name: name.clone(), store: project.store.clone(), patience: agent.turn };
            let bounds = Bounds { total: A_LIFETIME, ..bounds };
            agents.insert(name.clone(), Seated { agent: Agent::Native(Arc::new(human)), bounds });
            continue;
        }
        if let Some(cli) = command_line(project, name, agent) {
            lay_out(project, &cli);
            agents.insert(name.clone(), Seated { agent: Agent::Process(Arc::new(cli)), bounds });
            continue;
        }
        let [program, args @ ..] = agent.command.as_slice() else { continue };
        if agent.kind == AgentKind::Acp {
            let acp = Acp {
                name: name.clone(),
                program: located(program, root),
                args: args.to_vec(),
                cwd: cwd_of(agent, root),
                env: agent.env.clone(),
            };
            agents.insert(name.clone(), Seated { agent: Agent::Dialogue(Arc::new(acp)), bounds });
            continue;
        }
        if agent.kind != AgentKind::Command {
            continue;
        }
        let command = CommandAgent {
            name: name.clone(),
            program: located(program, root),
            args: args.to_vec(),
            cwd: cwd_of(agent, root),
            env: agent.env.clone(),
        };
        agents.insert(name.clone(), Seated { agent: Agent::Process(Arc::new(command)), bounds });
    }
    Seating::new(agents, environment).with_sandbox(project.sandbox.clone())
}

/// The command line that an agent is, if it is one that we know.
pub fn command_line(project: &Project, name: &str, agent: &config::AgentConfig) -> Option<Cli> {
    let mut command = agent.command.clone();
    if let Some(program) = command.first_mut() {
        *program = located(program, project.root());
    }
    Some(Cli {
        vendor: Vendor::from_word(agent.kind.as_str())?,
        name: name.to_owned(),
        command,
        cwd: cwd_of(agent, project.root()),
        env: agent.env.clone(),
        base_url: agent.base_url.clone(),
        api_key: agent.api_key.as_ref().map(|key| key.name().to_owned()),
        state: project.store.scratch().path(&ScratchFolder::Agent(name.to_owned())),
    })
}

/// Whose interface an agent speaks. Without a provider it is a compatible one, at its `base_url`.
pub(crate) fn provider(agent: &config::AgentConfig) -> Provider {
    Provider::from_word(agent.provider.as_deref().unwrap_or("compatible"))
}

/// The model behind HTTP that an agent is.
fn http(config: &Config, name: &str, agent: &config::AgentConfig, environment: Environment, workspace: &Path) -> Http {
    let limits = config.turn_limits(name);
    let mut http = Http::new(name, provider(agent), environment);
    http.base_url.clone_from(&agent.base_url);
    http.api_key = agent.api_key.as_ref().map(|key| key.name().to_owned());
    http.idle = limits.idle;
    http.output = limits.output;
    http.library = (agent.tools == Some(Tools::Read)).then(|| workspace.to_owned());
    http
}

/// Why a model behind HTTP cannot be asked, if that can be seen from here.
pub fn unasked(config: &Config, name: &str, agent: &config::AgentConfig, model: Option<&str>) -> Option<AgentError> {
    // Whether files can be read is not looked at here.
    http(config, name, agent, environment(None), Path::new("")).check(model).err()
}

/// Writes the files that a command line must find. What is missing it will complain about itself.
fn lay_out(project: &Project, cli: &Cli) {
    for (path, text) in cli.files() {
        if let Err(error) = tribunal_store::atomic::write(&path, text.as_bytes()) {
            project.console.note(&error.to_string());
        }
    }
}

fn cwd_of(agent: &config::AgentConfig, root: &Path) -> PathBuf {
    agent.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd))
}

/// A seat that the house takes.
pub fn house() -> Binding {
    Binding { agent: House::NAME.into(), ..Binding::default() }
}

/// The seat that decides what needs no opinion.
pub fn rules() -> Binding {
    Binding { agent: Rules::NAME.into(), ..Binding::default() }
}

/// Whether the configuration has nothing to say about this agent.
pub fn is_built_in(binding: &Binding) -> bool {
    [House::NAME, Rules::NAME, DeskSeat::NAME, EvidenceSeat::NAME].contains(&binding.agent.as_str())
}

/// Who sits where. Refuses a seat that nobody can take, before anything is paid.
pub fn bindings(config: &Config, seats: &[&str]) -> Result<BTreeMap<SeatName, Binding>, AppError> {
    let mut bindings = BTreeMap::new();
    for seat in seats {
        let Some((name, agent)) = config.agent_in(seat) else {
            return Err(AppError::misconfigured(
                format!("no agent in the seat `{seat}`"),
                format!("add `[seats.{seat}]` with `agent = \"NAME\"` and an `[agents.NAME]` to tribunal.toml"),
            ));
        };
        let own = config.seats.get(*seat);
        let model = own.and_then(|own| own.model.as_deref());
        let effort = own.and_then(|own| own.effort);
        bindings.insert(SeatName::new(*seat), binding(config, seat, (name, agent), model, effort)?);
    }
    Ok(bindings)
}

/// Who sits where, as far as anybody does: whether they could be asked is not looked at.
pub fn seated(config: &Config, seats: &[&str]) -> BTreeMap<SeatName, Binding> {
    let binding = |seat: &&str| {
        let own = config.seats.get(*seat);
        let (model, effort) = (own.and_then(|own| own.model.as_deref()), own.and_then(|own| own.effort));
        Some((SeatName::new(*seat), unchecked(config.agent_in(seat)?, model, effort)))
    };
    seats.iter().filter_map(binding).collect()
}

/// Whether everybody who sits in a run can still be asked; refused before anything is paid.
pub fn check(project: &Project, spec: &RunSpec) -> Result<(), AppError> {
    let config = project.config();
    for (seat, binding) in spec.seats.iter().filter(|(_, binding)| !is_built_in(binding)) {
        let Some(agent) = config.agents.get(&binding.agent) else {
            return Err(AppError::misconfigured(
                format!("unknown agent `{}` in the seat `{seat}`", binding.agent),
                format!("define it in tribunal.toml: `[agents.{}]`", binding.agent),
            ));
        };
        fits(spec.kind(), seat.as_str(), &binding.agent, agent)?;
        startable(config, &binding.agent, agent, binding.model.as_deref())?;
    }
    Ok(())
}

/// Seats another agent, with the model that is its own: a model of the seat was meant for whoever sat there.
pub fn bind(config: &Config, seat: &str, name: &str) -> Result<Binding, AppError> {
    let Some(agent) = config.agents.get(name) else {
        let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        return Err(AppError::misconfigured(
            format!("unknown agent `{name}` for the seat `{seat}`"),
            format!("define it in tribunal.toml: `[agents.{name}]`; known agents: {}", known.join(", ")),
        ));
    };
    binding(config, seat, (name, agent), None, None)
}

/// Refuses a seat that an agent cannot take: files are worked on by programs in a place of their own, and a whole panel
/// speaks in one breath.
fn fits(kind: LoopKind, seat: &str, name: &str, agent: &config::AgentConfig) -> Result<(), AppError> {
    let on_files = !kind.def().works_on_files.is_empty();
    let hint = match (agent.kind, seat) {
        (AgentKind::Human | AgentKind::Replay, WORKER | VERIFIER) if on_files => {
            "only agents that can edit files can sit at a desk; people steer it (`tribunal steer`) and merge its work (`tribunal adopt`)"
        }
        (AgentKind::Http, WORKER | VERIFIER) if on_files => {
            "an HTTP model cannot edit files: use a program that can, such as `kind = \"claude\"`"
        }
        (AgentKind::Human, PANEL) => "set `theater.panel = \"seats\"` to give every role its own seat",
        _ => return Ok(()),
    };
    Err(AppError::misconfigured(
        format!("agent `{name}` of kind `{}` cannot sit in the seat `{seat}`", agent.kind),
        hint,
    ))
}

/// An agent in a seat, with what the seat says of model and effort.
fn binding(
    config: &Config,
    seat: &str,
    (name, agent): (&str, &config::AgentConfig),
    model: Option<&str>,
    effort: Option<config::Effort>,
) -> Result<Binding, AppError> {
    fits(config.run.r#loop, seat, name, agent)?;
    startable(config, name, agent, model.or(agent.model.as_deref()))?;
    Ok(Binding { fallback: fallback(config, seat, (name, agent))?, ..unchecked((name, agent), model, effort) })
}

/// Who takes turns over from an agent while its provider takes no requests.
fn fallback(
    config: &Config,
    seat: &str,
    (name, agent): (&str, &config::AgentConfig),
) -> Result<Option<FallbackAgent>, AppError> {
    let Some(other) = &agent.fallback else { return Ok(None) };
    let Some(found) = config.agents.get(other).filter(|_| other != name) else {
        let known: Vec<&str> = config.agents.keys().map(String::as_str).filter(|known| *known != name).collect();
        return Err(AppError::misconfigured(
            format!("`agents.{name}.fallback`: no other agent `{other}`"),
            format!("define it in tribunal.toml: `[agents.{other}]`; known agents: {}", known.join(", ")),
        ));
    };
    if found.kind == AgentKind::Human {
        return Err(AppError::misconfigured(
            format!(
                "`agents.{name}.fallback`: `{other}` is a person, and a person cannot be asked in the place of a program"
            ),
            "name an agent that answers by itself; or leave it out, and the turn waits",
        ));
    }
    fits(config.run.r#loop, seat, other, found)?;
    startable(config, other, found, found.model.as_deref())?;
    let binding = unchecked((other, found), None, None);
    let Binding { agent, model, effort, reserve, .. } = binding;
    Ok(Some(FallbackAgent { agent, model, effort, reserve }))
}

pub(crate) fn unchecked(
    (name, agent): (&str, &config::AgentConfig),
    model: Option<&str>,
    effort: Option<config::Effort>,
) -> Binding {
    Binding {
        agent: name.to_owned(),
        model: model.or(agent.model.as_deref()).map(str::to_owned),
        effort: effort.or(agent.effort).map(|effort| effort.as_str().to_owned()),
        persona: None,
        reserve: Spend {
            tokens: agent.reserve_tokens.unwrap_or_default(),
            usd: Usd(agent.reserve_usd.map(config::UsdAmount::micros).unwrap_or_default()),
        },
        fallback: None,
    }
}

/// Refuses an agent that cannot be started, as far as that can be seen from here.
fn startable(config: &Config, name: &str, agent: &config::AgentConfig, model: Option<&str>) -> Result<(), AppError> {
    if agent.kind == AgentKind::Http {
        return match unasked(config, name, agent, model) {
            Some(error) => Err(AppError::misconfigured(error.to_string(), error.hint().unwrap_or_default())),
            None => Ok(()),
        };
    }
    let Some(vendor) = Vendor::from_word(agent.kind.as_str()) else {
        if agent.kind == AgentKind::Replay && agent.run.is_none() {
            return Err(AppError::misconfigured(
                format!("agent `{name}`: the run to replay is not set"),
                format!("set `run = \"ID\"` under `[agents.{name}]`; `tribunal status` lists the runs"),
            ));
        }
        return Ok(());
    };
    if agent.command.is_empty() && programs::find(vendor.program()).is_none() {
        return Err(AppError::misconfigured(
            format!("agent `{name}`: no program `{vendor}` on PATH"),
            format!("`{}`, or set the program: `command = [\"…\"]` under `[agents.{name}]`", vendor.installation()),
        ));
    }
    match &agent.api_key {
        Some(key) if std::env::var_os(key.name()).is_none_or(|value| value.is_empty()) => Err(AppError::misconfigured(
            format!("agent `{name}`: the environment variable `{key}` with its API key is not set"),
            format!("set it, or use another variable: `agents.{name}.api_key`"),
        )),
        _ => Ok(()),
    }
}

/// A relative program belongs to the folder of the configuration, wherever we are called from.
fn located(program: &str, root: &Path) -> String {
    if program.contains('/') { root.join(program).to_string_lossy().into_owned() } else { program.to_owned() }
}
