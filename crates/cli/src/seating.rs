//! Configured agents made ready.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tribunal_agents::house::House;
use tribunal_agents::{Agent, Command, Environment, Native};
use tribunal_config::{AgentKind, Config};
use tribunal_engine::process::Bounds;
use tribunal_engine::{Rules, Seated, Seating};
use tribunal_kernel::{Binding, SeatName, Spend, Usd};

use crate::failure::Failure;

/// What is kept of an agent's stderr.
const STDERR_TAIL: usize = 8 * 1024;

/// Everybody who can take a turn: those in the configuration, and those who are built in. `root` is the folder of
/// tribunal.toml, `workspace` the one that the work belongs to.
pub(crate) fn seating(config: &Config, root: &Path, workspace: &Path) -> Seating {
    let bounds_of = |name: &str| {
        let limits = config.turn_limits(name);
        Bounds {
            idle: limits.idle,
            total: limits.turn,
            grace: config.limits.grace,
            stdout: limits.output,
            stderr_tail: STDERR_TAIL,
        }
    };
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let environment = Environment::new(variables);
    let mut agents = BTreeMap::new();
    let house: Arc<dyn Native> = Arc::new(House::new(workspace));
    let house = |name: &str| Seated { agent: Agent::Native(house.clone()), bounds: bounds_of(name) };
    agents.insert(House::NAME.to_owned(), house(House::NAME));
    let rules: Arc<dyn Native> = Arc::new(Rules::new(workspace, &environment, config.limits.grace));
    agents.insert(Rules::NAME.to_owned(), Seated { agent: Agent::Native(rules), bounds: bounds_of(Rules::NAME) });
    for (name, agent) in &config.agents {
        if agent.kind == AgentKind::House {
            agents.insert(name.clone(), house(name));
        }
        let (AgentKind::Command, [program, args @ ..]) = (agent.kind, agent.command.as_slice()) else { continue };
        let bounds = bounds_of(name);
        let command = Command {
            name: name.clone(),
            program: located(program, root),
            args: args.to_vec(),
            cwd: agent.cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd)),
            env: agent.env.clone(),
        };
        agents.insert(name.clone(), Seated { agent: Agent::Process(Arc::new(command)), bounds });
    }
    Seating::new(agents, environment)
}

/// A seat that the house takes.
pub(crate) fn house() -> Binding {
    Binding { agent: House::NAME.into(), model: None, reserve: Spend::default() }
}

/// The seat that decides what needs no opinion.
pub(crate) fn rules() -> Binding {
    Binding { agent: Rules::NAME.into(), model: None, reserve: Spend::default() }
}

/// Whether the configuration has nothing to say about this agent.
pub(crate) fn is_built_in(binding: &Binding) -> bool {
    binding.agent == House::NAME || binding.agent == Rules::NAME
}

/// Who sits where. Refuses a seat that nobody can take, before anything is paid.
pub(crate) fn bindings(config: &Config, seats: &[&str]) -> Result<BTreeMap<SeatName, Binding>, Failure> {
    let mut bindings = BTreeMap::new();
    for seat in seats {
        let Some((name, agent)) = config.agent_in(seat) else {
            return Err(Failure::usage(
                format!("nobody sits in the seat `{seat}`"),
                format!("add `[seats.{seat}]` with `agent = \"NAME\"` and an `[agents.NAME]` to tribunal.toml"),
            ));
        };
        if !matches!(agent.kind, AgentKind::Command | AgentKind::House) {
            return Err(Failure::usage(
                format!("agent `{name}` is of kind `{}`, which this version cannot start", agent.kind),
                "use `kind = \"command\"` with a program that reads the prompt on stdin and answers on stdout, or `kind = \"house\"`",
            ));
        }
        let reserve = Spend {
            tokens: agent.reserve_tokens.unwrap_or_default(),
            usd: Usd(agent.reserve_usd.map(tribunal_config::Usd::micros).unwrap_or_default()),
        };
        let model = config.model_in(seat).map(str::to_owned);
        bindings.insert(SeatName::new(*seat), Binding { agent: name.to_owned(), model, reserve });
    }
    Ok(bindings)
}

/// A relative program belongs to the folder of the configuration, wherever we are called from.
fn located(program: &str, root: &Path) -> String {
    if program.contains('/') { root.join(program).to_string_lossy().into_owned() } else { program.to_owned() }
}
