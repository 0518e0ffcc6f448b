//! `tribunal agents list`: the agents of tribunal.toml, and where they sit.

use serde_json::{Value, json};
use tribunal_agents::Vendor;
use tribunal_app::grading::{graded_seat, standing};
use tribunal_app::{AppError, Exit, Project};
use tribunal_engine::Clock as _;

use crate::args::Global;
use crate::commands::print_json;

pub(super) async fn list(project: &Project, global: &Global) -> Result<Exit, AppError> {
    let config = project.config();
    let grades = project.store.grades().read().await?;
    let now = project.clock.now();
    let agents: Vec<Value> = config
        .agents
        .iter()
        .map(|(name, agent)| {
            let seats: Vec<&String> =
                config.seats.iter().filter(|(_, seat)| seat.agent == *name).map(|(seat, _)| seat).collect();
            let known = Vendor::from_word(agent.kind.as_str());
            let record = grades.of(name, graded_seat(config, name).model.as_deref());
            json!({
                "agent": name, "kind": agent.kind, "provider": agent.provider, "model": agent.model,
                "command": agent.command, "seats": seats,
                "status": known.map(|vendor| vendor.status().as_str()), "tried_with": known.and_then(Vendor::tried_with),
                "grade": standing(record, now), "mark": record.and_then(|record| record.mark_at(now)),
            })
        })
        .collect();
    if global.json {
        print_json(&json!({ "agents": agents }));
        return Ok(Exit::Pass);
    }
    for agent in &agents {
        let text = |key: &str| agent[key].as_str().unwrap_or_default().to_owned();
        let seats: Vec<&str> = agent["seats"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let seats = if seats.is_empty() { "no seat".to_owned() } else { seats.join(", ") };
        // Of what is not a command line that we know, nobody can say it.
        let status = agent["status"].as_str().map(|status| format!(", {status} adapter")).unwrap_or_default();
        println!("{:12} {:8} {:12} {seats}  [{}{status}]", text("agent"), text("kind"), text("model"), text("grade"));
    }
    Ok(Exit::Pass)
}
