//! `tribunal agents conformance`: how well agents keep to the protocol of the panel.

use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_app::conformance::{self, ConformanceRequest, GradedAgent};
use tribunal_app::{AppError, Exit, Project};
use tribunal_engine::Clock as _;
use tribunal_kernel::Time;

use crate::args::{Conformance, Global};
use crate::commands::print_json;
use crate::progress::Screen;

pub(super) async fn conformance(project: &Project, global: &Global, args: &Conformance) -> Result<Exit, AppError> {
    if let Some(name) = &args.clear {
        let was_marked = conformance::clear(project, name).await?;
        if global.json {
            print_json(&json!({ "agent": name, "cleared": was_marked }));
        } else {
            println!("{name}: {}", if was_marked { "mark cleared" } else { "not marked" });
        }
        return Ok(Exit::Pass);
    }
    if args.table {
        print!("{}", conformance::table(project).await?);
        return Ok(Exit::Pass);
    }
    let request = ConformanceRequest {
        names: &args.names,
        template: args.template.as_deref(),
        cycles: args.cycles,
        trials: Arc::new(Screen::new(global.verbose, true)),
    };
    let graded = conformance::grade(project, &request).await?;
    let exit = graded.iter().map(|graded| graded.exit).max().unwrap_or(Exit::Pass);
    let now = project.clock.now();
    if global.json {
        let agents: Vec<Value> = graded.iter().map(|graded| graded.object(now)).collect();
        print_json(&json!({ "agents": agents, "exit": exit.code() }));
    } else {
        for graded in &graded {
            print(graded, now);
        }
    }
    Ok(exit)
}

fn print(graded: &GradedAgent, now: Time) {
    let model = graded.seat.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
    let name = format!("{}{model}", graded.seat.agent);
    for cycle in &graded.cycles {
        let word = if cycle.passes() { "passes" } else { "below the bars" };
        println!("{name}: {word}: {}", cycle.count());
        for played in cycle.played.iter().filter(|played| !played.is_clean()) {
            println!("  {}: {played}", played.template);
        }
    }
    if let Some(mark) = graded.record.as_ref().and_then(|record| record.mark_at(now)) {
        println!("{mark}");
    }
    if let Some(why) = &graded.cut_short {
        println!("{name}: {why}");
    }
    if graded.record.is_none() && !graded.cycles.is_empty() {
        eprintln!("note: only a cycle with every template counts; this result is not saved");
    }
}
