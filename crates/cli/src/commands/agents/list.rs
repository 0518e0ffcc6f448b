//! `tribunal agents list`: the agents of tribunal.toml, and where they sit.

use serde_json::{Value, json};

use crate::args::Global;
use crate::commands::print_json;
use crate::exit::Exit;
use crate::project::Project;

pub(super) fn list(project: &Project, global: &Global) -> Exit {
    let config = project.config();
    let agents: Vec<Value> = config
        .agents
        .iter()
        .map(|(name, agent)| {
            let seats: Vec<&String> =
                config.seats.iter().filter(|(_, seat)| seat.agent == *name).map(|(seat, _)| seat).collect();
            json!({ "agent": name, "kind": agent.kind, "provider": agent.provider, "model": agent.model, "command": agent.command, "seats": seats })
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
