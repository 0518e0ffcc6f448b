//! `tribunal plan`, and `tribunal run --dry-run`: seats, limits, what would be called and what it may cost.

use serde_json::json;
use std::fmt::Write as _;
use tribunal_app::allowance;
use tribunal_app::error::AppError;
use tribunal_app::exit::Exit;
use tribunal_app::loops::Opening;
use tribunal_app::plan::{self, Estimate, SeatEstimate};
use tribunal_app::project::Project;
use tribunal_app::stale;
use tribunal_kernel::loops::{LoopDef, RoundLimit};

use super::print_json;
use crate::args::Global;

pub(super) async fn show(project: &Project, global: &Global, openings: &[(String, Opening)]) -> Result<Exit, AppError> {
    let mut text = String::new();
    let mut objects = Vec::new();
    for (asset, opening) in openings {
        let (what, spec, texts, done) = match opening {
            Opening::Settled { decision, changes, .. } if !changes.is_empty() => {
                let told = stale::told(changes);
                let _ = writeln!(text, "{asset}: stale, no agent would be called without `--again`; changed: {told}");
                let changed: Vec<&str> = changes.iter().map(|change| change.input.as_str()).collect();
                objects.push(
                    json!({ "asset": asset, "plan": "stale", "changed": changed, "decision": decision, "calls": 0 }),
                );
                continue;
            }
            Opening::Settled { decision, .. } => {
                let outcome = decision.outcome.map_or("decided", tribunal_kernel::Outcome::as_str);
                let _ = writeln!(text, "{asset}: {outcome} already, no agent would be called");
                objects.push(json!({ "asset": asset, "plan": "settled", "decision": decision, "calls": 0 }));
                continue;
            }
            Opening::Unreadable(why) => {
                let _ = writeln!(text, "{asset}: cannot be read: {}", why.message());
                objects.push(json!({ "asset": asset, "plan": "unreadable", "unreadable": why.message() }));
                continue;
            }
            Opening::Continue(run) => ("continue", run.spec(), &[][..], run.rounds().len()),
            Opening::New { spec, cited } => ("new", &**spec, cited.as_slice(), 0),
        };
        let outlook = spec.outlook(u32::try_from(done).unwrap_or(u32::MAX));
        let (rounds, calls) = (outlook.rounds, outlook.total());
        let attempts = calls.saturating_mul(spec.max_retries + 1);
        let LoopDef { name: kind, round, round_limit, plan_note: each, .. } = spec.kind().def();
        let unit = round.many();
        let rounds = match round_limit {
            RoundLimit::Settings => rounds,
            // How many it takes nobody knows: it is priced by the round.
            RoundLimit::Run { .. } => spec.limits.rounds.unwrap_or(rounds),
        };
        let _ = writeln!(
            text,
            "{asset}: {what} {kind}, at most {rounds} {unit}, {calls} calls{each} ({attempts} with every retry)"
        );
        let estimate = Estimate::of(project, spec, texts, u32::try_from(done).unwrap_or(u32::MAX)).await;
        for share in &estimate.shares {
            let _ = writeln!(text, "  {}", share.told(project));
        }
        let _ = writeln!(text, "  {}, without retries", estimate.told());
        let notes = plan::notes(project, spec).await?;
        for note in &notes {
            let _ = writeln!(text, "  {note}");
        }
        objects.push(json!({
            "asset": asset, "plan": what, "max_iterations": rounds, "calls": calls, "calls_with_retries": attempts,
            "seats": estimate.shares.iter().map(SeatEstimate::object).collect::<Vec<_>>(), "estimate": estimate.object(),
            "notes": notes,
        }));
    }
    let limits = allowance::limits(project).await?;
    let turn = &project.config().limits;
    let named = |name: &str, value: Option<String>| format!("{name} {}", value.unwrap_or_else(|| "unlimited".into()));
    let _ = writeln!(
        text,
        "limits: {}, {}, {}, {}{}; a turn {}, silence {}, output {}",
        named("money", limits.usd.map(|usd| usd.to_string())),
        named("tokens", limits.tokens.map(|tokens| tokens.to_string())),
        named("time", limits.wall().map(tribunal_config::show_duration)),
        named("rounds", limits.rounds.map(|rounds| rounds.to_string())),
        limits.stop_when_left.map(|left| format!(", stops at {left} faults left")).unwrap_or_default(),
        tribunal_config::show_duration(turn.turn),
        tribunal_config::show_duration(turn.idle),
        tribunal_config::show_bytes(turn.output),
    );
    let as_of = project.price_tables().first().map_or("", |table| table.as_of.as_str());
    let _ = writeln!(text, "prices as of {as_of}; tokens are estimated from the length of the texts");
    if global.json {
        print_json(&json!({ "assets": objects, "limits": limits, "prices_as_of": as_of }));
    } else {
        print!("{text}");
    }
    Ok(Exit::Pass)
}
