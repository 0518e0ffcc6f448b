//! `tribunal run --dry-run`: seats, limits, what would be called and what it may cost.

use serde_json::json;
use std::fmt::Write as _;
use tribunal_kernel::review::Settings;
use tribunal_kernel::{Charter, LoopSettings, Spend};

use super::print_json;
use crate::args::Global;
use crate::exit::Exit;
use crate::opening::{self, Opening};
use crate::project::Project;

pub(super) fn show(project: &Project, global: &Global, openings: &[(&str, Opening)]) -> Exit {
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
        let LoopSettings::Review { review: settings } = &charter.settings;
        let calls = most_calls(settings, done);
        let attempts = calls * (charter.max_retries + 1);
        let cost = dearest(&charter, calls);
        let _ = writeln!(
            text,
            "{asset}: {what} review, at most {} iterations, {calls} calls ({attempts} with every retry)",
            settings.max_iterations
        );
        for (seat, binding) in &charter.seats {
            let command = project.config().agents.get(&binding.agent).map(|agent| agent.command.join(" "));
            let model = binding.model.as_deref().map(|model| format!(", model {model}")).unwrap_or_default();
            let _ = writeln!(text, "  {seat}: {} ({}){model}", binding.agent, command.unwrap_or_default());
        }
        let _ = writeln!(text, "  set aside for all calls: {} tokens, {}", cost.tokens, cost.usd);
        objects.push(json!({
            "asset": asset, "plan": what, "max_iterations": settings.max_iterations, "calls": calls,
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

/// Calls without a retry: one of the creator and one of the reviewer an iteration.
fn most_calls(settings: &Settings, done: usize) -> u32 {
    let first = settings.first_round().0.saturating_sub(1);
    let left = settings.max_iterations.saturating_sub(first).saturating_sub(u32::try_from(done).unwrap_or(u32::MAX));
    left * 2
}

fn dearest(charter: &Charter, calls: u32) -> Spend {
    let each = charter.seats.values().fold(Spend::default(), |sum, binding| sum.plus(binding.reserve));
    (0..calls / 2).fold(Spend::default(), |sum, _| sum.plus(each))
}
