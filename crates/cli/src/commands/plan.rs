//! `tribunal run --dry-run`: seats, limits, what would be called and what it may cost.

use serde_json::json;
use std::fmt::Write as _;
use tribunal_kernel::trial::Outlook;
use tribunal_kernel::{Charter, LoopKind, Spend};

use super::print_json;
use crate::args::Global;
use crate::exit::Exit;
use crate::opening::{self, Opening};
use crate::project::Project;

pub(super) fn show(project: &Project, global: &Global, openings: &[(String, Opening)]) -> Exit {
    let mut text = String::new();
    let mut objects = Vec::new();
    for (asset, opening) in openings {
        let (what, charter, done) = match opening {
            Opening::Settled { decision, .. } => {
                let outcome = decision.outcome.map_or("decided", tribunal_kernel::Outcome::as_str);
                let _ = writeln!(text, "{asset}: {outcome} already, nobody would be called");
                objects.push(json!({ "asset": asset, "plan": "settled", "decision": decision, "calls": 0 }));
                continue;
            }
            Opening::Continue(run) => ("continue", run.charter().clone(), run.rounds().len()),
            Opening::New { charter, .. } => ("new", (**charter).clone(), 0),
        };
        let Outlook { rounds, calls } = charter.trial().outlook(u32::try_from(done).unwrap_or(u32::MAX));
        let attempts = calls * (charter.max_retries + 1);
        let cost = dearest(&charter, calls);
        let (kind, unit) = match charter.kind() {
            LoopKind::Review => ("review", "iterations"),
            LoopKind::Theater => ("theater", "rounds"),
            LoopKind::Joust => ("joust", "rounds"),
        };
        let _ = writeln!(
            text,
            "{asset}: {what} {kind}, at most {rounds} {unit}, {calls} calls ({attempts} with every retry)"
        );
        for (seat, binding) in &charter.seats {
            let command = project.config().agents.get(&binding.agent).map(|agent| agent.command.join(" "));
            let model = binding.model.as_deref().map(|model| format!(", model {model}")).unwrap_or_default();
            let command = command.filter(|command| !command.is_empty()).unwrap_or_else(|| "built in".into());
            let _ = writeln!(text, "  {seat}: {} ({command}){model}", binding.agent);
        }
        let _ = writeln!(text, "  set aside for all calls: {} tokens, {}", cost.tokens, cost.usd);
        objects.push(json!({
            "asset": asset, "plan": what, "max_iterations": rounds, "calls": calls,
            "calls_with_retries": attempts, "seats": charter.seats, "reserve": cost,
        }));
    }
    let limits = opening::limits(project);
    let turn = &project.config().limits;
    let named = |name: &str, value: Option<String>| format!("{name} {}", value.unwrap_or_else(|| "unlimited".into()));
    let _ = writeln!(
        text,
        "limits: {}, {}, {}, {}; a turn {}, silence {}, output {}",
        named("money", limits.usd.map(|usd| usd.to_string())),
        named("tokens", limits.tokens.map(|tokens| tokens.to_string())),
        named("time", limits.wall().map(tribunal_config::show_duration)),
        named("rounds", limits.rounds.map(|rounds| rounds.to_string())),
        tribunal_config::show_duration(turn.turn),
        tribunal_config::show_duration(turn.idle),
        tribunal_config::show_bytes(turn.output),
    );
    if global.json {
        print_json(&json!({ "assets": objects, "limits": limits }));
    } else {
        print!("{text}");
    }
    Exit::Pass
}

/// What would be set aside if every seat were called as often as the others.
fn dearest(charter: &Charter, calls: u32) -> Spend {
    let each = charter.seats.values().fold(Spend::default(), |sum, binding| sum.plus(binding.reserve));
    let seats = u32::try_from(charter.seats.len()).unwrap_or(u32::MAX).max(1);
    (0..calls.div_ceil(seats)).fold(Spend::default(), |sum, _| sum.plus(each))
}
