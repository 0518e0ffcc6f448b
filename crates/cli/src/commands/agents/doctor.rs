//! `tribunal agents doctor`: who can be asked here, and what holds them.

use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tribunal_agents::{AgentError, Cli};
use tribunal_config::AgentKind;
use tribunal_engine::process::{self, Bounds, Command, How};
use tribunal_engine::sandbox::{Mechanism, Ward};

use crate::args::Global;
use crate::commands::print_json;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::programs;
use crate::project::Project;
use crate::seating::{command_line, recorded, unasked};

/// How long a program has to say its version.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is read of it.
const MOST: u64 = 64 * 1024;

/// What is there, what can be started, and what the sandbox keeps from happening.
pub(super) async fn doctor(project: &Project, global: &Global) -> Result<Exit, Failure> {
    let sandbox = project.sandbox().await?;
    let mechanism = match sandbox.mechanism() {
        Mechanism::Bubblewrap { landlock: true } => "bubblewrap, with Landlock inside",
        Mechanism::Bubblewrap { landlock: false } => "bubblewrap",
        Mechanism::Landlock => "Landlock",
        Mechanism::Copy => "none: copies that are thrown away, and digests",
    };
    let covers: Vec<String> = sandbox.covers().iter().map(ToString::to_string).collect();
    let holes: Vec<&str> = sandbox.holes().into_iter().map(Ward::as_hole).collect();
    let turns = if sandbox.can_enclose() {
        "command lines and ACP agents in a pid namespace, which leaves nothing behind"
    } else {
        "ended with everything that carries their mark; a daemon that clears its environment may outlive a killed Tribunal"
    };
    let mut agents = Vec::new();
    for (name, agent) in &project.config().agents {
        let cli = command_line(project, name, agent);
        let seen = match &cli {
            Some(cli) => match missing(project, cli.program()) {
                Some(problem) => Err(format!("{problem}: {}", cli.vendor.installation())),
                None => version(cli).await,
            },
            None => Ok(String::new()),
        };
        let problem = match (agent.kind, agent.command.first()) {
            _ if cli.is_some() => seen.as_ref().err().cloned(),
            (AgentKind::Acp | AgentKind::Command, Some(program)) => missing(project, program),
            (AgentKind::Acp | AgentKind::Command, None) => Some("it has no command".to_owned()),
            (AgentKind::House | AgentKind::Human, _) => None,
            (AgentKind::Http, _) => unasked(project.config(), name, agent, model_of(project, name)).map(explained),
            (AgentKind::Replay, _) => recorded(project, agent, None).await.err().map(|failure| failure.message()),
            (kind, _) => Some(format!("this version cannot start agents of kind `{kind}`")),
        };
        agents.push((name, agent.kind, problem, seen.unwrap_or_default()));
    }
    let is_well = agents.iter().all(|(_, _, problem, _)| problem.is_none());
    if global.json {
        let agents: Vec<Value> = agents
            .iter()
            .map(|(name, kind, problem, version)| {
                let version = (!version.is_empty()).then_some(version);
                json!({ "agent": name, "kind": kind, "problem": problem, "version": version })
            })
            .collect();
        print_json(&json!({
            "agents": agents,
            "sandbox": { "mechanism": mechanism, "covers": covers, "holes": holes, "notes": sandbox.notes() },
            "turns": turns,
        }));
    } else {
        for (name, kind, problem, version) in &agents {
            let version = if version.is_empty() { String::new() } else { format!(", version {version}") };
            let well = if *kind == AgentKind::Http { "can be asked" } else { "can be started" };
            println!("{name} ({kind}): {}{version}", problem.as_deref().unwrap_or(well));
        }
        println!("sandbox: {mechanism}");
        for what in &covers {
            println!("  holds: {what}");
        }
        for what in &holes {
            println!("  does not hold: {what}");
        }
        for note in sandbox.notes() {
            println!("  note: {note}");
        }
        println!("turns outside of a desk: {turns}");
    }
    Ok(if is_well { Exit::Pass } else { Exit::Failed })
}

/// The model that an agent is asked for: its own, or that of a seat where it has none.
fn model_of<'p>(project: &'p Project, name: &str) -> Option<&'p str> {
    let config = project.config();
    let mut seats = config.seats.iter().filter(|(_, seat)| seat.agent == name);
    let own = config.agents.get(name)?.model.as_deref();
    own.or_else(|| seats.find_map(|(seat, _)| config.model_in(seat)))
}

/// A problem without the agent's name, which stands before it already, and with its hint.
fn explained(error: AgentError) -> String {
    match error {
        AgentError::Unavailable { reason, hint: Some(hint), .. } => format!("{reason}: {hint}"),
        other => other.to_string(),
    }
}

/// The version that a command line says it has, or why it says none.
async fn version(cli: &Cli) -> Result<String, String> {
    let mut args: Vec<_> = cli.command.iter().skip(1).map(Into::into).collect();
    args.push("--version".into());
    let env = ["HOME", "LANG", "PATH", "TMPDIR"].into_iter();
    let command = Command {
        program: cli.program().into(),
        args,
        env: env.filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect(),
        cwd: Some(cli.cwd.clone()),
        stdin: Vec::new(),
    };
    let bounds =
        Bounds { idle: PATIENCE, total: PATIENCE, grace: Duration::from_secs(1), stdout: MOST, stderr_tail: 400 };
    let mut printed = Vec::new();
    let never = CancellationToken::new();
    let ended = process::run(command, &bounds, &never, |bytes| printed.extend_from_slice(bytes)).await;
    let ended = ended.map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&printed);
    let line = printed.lines().map(str::trim).find(|line| !line.is_empty());
    match (ended.how, ended.exit, line) {
        (How::Exited, Some(process::Exit::Code(0)), Some(line)) => Ok(line.chars().take(60).collect()),
        _ => Err(format!("`{} --version` says nothing", cli.program())),
    }
}

/// Why a program cannot be started, if it cannot.
fn missing(project: &Project, program: &str) -> Option<String> {
    if program.contains('/') {
        let path = project.root().join(program);
        return (!path.is_file()).then(|| format!("there is no {}", path.display()));
    }
    programs::find(program).is_none().then(|| format!("`{program}` is not on the PATH"))
}
