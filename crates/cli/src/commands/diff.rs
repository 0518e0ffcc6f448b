//! `tribunal diff`: what changed between drafts.

use serde_json::{Value, json};
use tribunal_app::diff::{self, DimChange, DraftDiff};
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::Score;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn diff(project: &Project, global: &Global, args: &args::Diff) -> Result<Exit, AppError> {
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    if let Some(round) = args.round {
        let steps = diff::within(project, &run, round).await?;
        if global.json {
            let steps: Vec<Value> = steps.iter().map(DraftDiff::object).collect();
            print_json(&json!({ "run": run.spec().run, "round": round, "steps": steps }));
        } else if steps.is_empty() {
            eprintln!("round {round} has no draft that replaced another one");
        } else {
            steps.iter().for_each(show);
        }
        return Ok(Exit::Pass);
    }
    let changed = diff::rounds(project, &run, args.rounds).await?;
    if global.json {
        let mut object = changed.object();
        object["run"] = json!(run.spec().run);
        print_json(&object);
    } else {
        show(&changed);
    }
    Ok(Exit::Pass)
}

/// The changes of scores stand before the patch, where programs that read patches pass over them.
fn show(diff: &DraftDiff) {
    let given = |score: Option<Score>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
    for DimChange { dim, was, is } in &diff.dims {
        println!("{dim}: {} → {}", given(*was), given(*is));
    }
    if diff.unified.is_empty() {
        eprintln!("the drafts of {} and {} are the same", diff.from, diff.to);
    } else {
        print!("{}", diff.unified);
    }
}
