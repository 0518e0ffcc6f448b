//! `tribunal agents`: who can be asked here, and what holds them.

use serde_json::{Value, json};
use tribunal_config::AgentKind;
use tribunal_engine::sandbox::{Mechanism, Ward};

use super::print_json;
use crate::args::{AgentsCommand, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

pub(super) async fn agents(project: &Project, global: &Global, command: &AgentsCommand) -> Result<Exit, Failure> {
    match command {
        AgentsCommand::List => Ok(list(project, global)),
        AgentsCommand::Doctor => doctor(project, global).await,
    }
}

fn list(project: &Project, global: &Global) -> Exit {
    let config = project.config();
    let agents: Vec<Value> = config
        .agents
        .iter()
        .map(|(name, agent)| {
            let seats: Vec<&String> =
                config.seats.iter().filter(|(_, seat)| seat.agent == *name).map(|(seat, _)| seat).collect();
            json!({ "agent": name, "kind": agent.kind, "model": agent.model, "command": agent.command, "seats": seats })
        })
        .collect();
    if global.json {
        print_json(&json!({ "agents": agents }));
        return Exit::Pass;
    }
    for agent in &agents {
        let text = |key: &str| agent[key].as_str().unwrap_or_default().to_owned();
        let seats: Vec<&str> = agent["seats"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let seats = if seats.is_empty() { "no seat".to_owned() } else { seats.join(", ") };
        println!("{:12} {:8} {:12} {seats}", text("agent"), text("kind"), text("model"));
    }
    Exit::Pass
}

/// What is there, what can be started, and what the sandbox keeps from happening.
async fn doctor(project: &Project, global: &Global) -> Result<Exit, Failure> {
    let sandbox = project.sandbox().await?;
    let mechanism = match sandbox.mechanism() {
        Mechanism::Bubblewrap { landlock: true } => "bubblewrap, with Landlock inside",
        Mechanism::Bubblewrap { landlock: false } => "bubblewrap",
        Mechanism::Landlock => "Landlock",
        Mechanism::Copy => "none: copies that are thrown away, and digests",
    };
    let covers: Vec<String> = sandbox.covers().iter().map(ToString::to_string).collect();
    let holes: Vec<&str> = sandbox.holes().into_iter().map(Ward::as_hole).collect();
    let mut agents = Vec::new();
    for (name, agent) in &project.config().agents {
        let problem = match (agent.kind, agent.command.first()) {
            (AgentKind::Command, Some(program)) => missing(project, program),
            (AgentKind::Command, None) => Some("it has no command".to_owned()),
            (AgentKind::House, _) => None,
            (kind, _) => Some(format!("this version cannot start agents of kind `{kind}`")),
        };
        agents.push((name, agent.kind, problem));
    }
    let is_well = agents.iter().all(|(_, _, problem)| problem.is_none());
    if global.json {
        let agents: Vec<Value> = agents
            .iter()
            .map(|(name, kind, problem)| json!({ "agent": name, "kind": kind, "problem": problem }))
            .collect();
        print_json(&json!({
            "agents": agents,
            "sandbox": { "mechanism": mechanism, "covers": covers, "holes": holes, "notes": sandbox.notes() },
        }));
    } else {
        for (name, kind, problem) in &agents {
            println!("{name} ({kind}): {}", problem.as_deref().unwrap_or("can be started"));
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
    }
    Ok(if is_well { Exit::Pass } else { Exit::Failed })
}

/// Why a program cannot be started, if it cannot.
fn missing(project: &Project, program: &str) -> Option<String> {
    if program.contains('/') {
        let path = project.root().join(program);
        return (!path.is_file()).then(|| format!("there is no {}", path.display()));
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    (!is_there).then(|| format!("`{program}` is not on the PATH"))
}
