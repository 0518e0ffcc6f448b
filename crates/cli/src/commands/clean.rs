//! `tribunal clean`: room that is made free.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use tribunal_app::clean::{CleanPlan, CleanRequest, Cleaned, KeptBecause, OldRun, OldTree};
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::RunId;

use super::print_json;
use crate::args::{self, Global};
use crate::size::size;

pub(super) async fn clean(project: &Project, global: &Global, args: &args::Clean) -> Result<Exit, AppError> {
    let plan = CleanRequest { older_than: args.older_than }.plan(project).await?;
    if plan.is_empty() {
        if global.json {
            print_json(&object(&Cleaned { kept: plan.kept, ..Cleaned::default() }, false));
        } else {
            println!("nothing to remove");
            kept(&plan.kept);
        }
        return Ok(Exit::Pass);
    }
    if !global.json {
        list(&plan);
        kept(&plan.kept);
    }
    if args.plan_only || !(args.yes || asked(global)?) {
        if global.json {
            print_json(&object(&planned(plan), false));
        } else {
            eprintln!("hint: nothing was removed; `tribunal clean --yes` removes it");
        }
        return Ok(Exit::Pass);
    }
    let cleaned = plan.carry_out(project).await?;
    if global.json {
        print_json(&object(&cleaned, true));
    } else {
        println!("freed {}: {}", size(cleaned.bytes()), counted(&cleaned));
    }
    Ok(Exit::Pass)
}

/// What would be made free, in the form of what was.
fn planned(plan: CleanPlan) -> Cleaned {
    let CleanPlan { runs, trees, blob_count, blob_bytes, kept } = plan;
    let mut cleaned = Cleaned { runs, trees, kept, ..Cleaned::default() };
    (cleaned.blobs.count, cleaned.blobs.bytes) = (blob_count, blob_bytes);
    cleaned
}

fn list(plan: &CleanPlan) {
    for OldRun { run, subject, bytes } in &plan.runs {
        println!("{:>10}  run {run}  {subject}", size(*bytes));
    }
    for OldTree { name, bytes, .. } in &plan.trees {
        println!("{:>10}  work tree {name}", size(*bytes));
    }
    if plan.blob_count > 0 {
        println!("{:>10}  {} that no run cites", size(plan.blob_bytes), many(plan.blob_count, "blob"));
    }
    println!("{:>10}  in all", size(plan.bytes()));
}

/// What stays, by its reason.
fn kept(kept: &BTreeMap<RunId, KeptBecause>) {
    let mut reasons: BTreeMap<&KeptBecause, u64> = BTreeMap::new();
    for why in kept.values() {
        *reasons.entry(why).or_default() += 1;
    }
    for (why, count) in reasons {
        eprintln!("note: {} kept: {why}", many(count, "run"));
    }
}

fn counted(cleaned: &Cleaned) -> String {
    let (runs, trees) = (cleaned.runs.len() as u64, cleaned.trees.len() as u64);
    let all = [(runs, "run"), (trees, "work tree"), (cleaned.blobs.count, "blob")];
    let told: Vec<String> =
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| many(count, what)).collect();
    if told.is_empty() { "somebody else was faster".to_owned() } else { told.join(", ") }
}

/// `1 run`, `2 runs`.
fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// For programs: what was removed, or would be.
fn object(cleaned: &Cleaned, removed: bool) -> Value {
    let runs = cleaned.runs.iter().map(|old| json!({ "run": old.run, "subject": old.subject, "bytes": old.bytes }));
    let trees = cleaned.trees.iter().map(|tree| json!({ "run": tree.run, "name": tree.name, "bytes": tree.bytes }));
    let kept = cleaned.kept.iter().map(|(run, why)| json!({ "run": run, "code": why.code(), "why": why.to_string() }));
    json!({
        "removed": removed,
        "bytes": cleaned.bytes(),
        "runs": runs.collect::<Vec<_>>(),
        "trees": trees.collect::<Vec<_>>(),
        "blobs": { "count": cleaned.blobs.count, "bytes": cleaned.blobs.bytes },
        "kept": kept.collect::<Vec<_>>(),
    })
}

/// Whether a person who was asked agrees. Nobody can be asked without a terminal.
fn asked(global: &Global) -> Result<bool, AppError> {
    if global.json || !io::stdin().is_terminal() {
        return Ok(false);
    }
    eprint!("remove this? [y/N] ");
    let cannot = |error: io::Error| AppError::environment(format!("cannot ask: {error}"), Some("use `--yes`".into()));
    io::stderr().flush().map_err(cannot)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(cannot)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
