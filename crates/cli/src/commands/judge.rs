//! `tribunal judge`: does a change hold that somebody made?

use serde_json::json;
use tribunal_app::start::{OpenedRuns, StartRequest};
use tribunal_app::{AppError, Exit, drive, summary};
use tribunal_kernel::Run;
use tribunal_kernel::judge::{Settings, evidence_of, judge_of};
use tribunal_kernel::loops::RegisteredLoop as _;

use super::print_json;
use crate::args::{self, Global};
use crate::progress::Screen;

pub(super) async fn judge(global: &Global, args: &args::Judge) -> Result<Exit, AppError> {
    let mut settings = args.limits.settings();
    settings.extend(args.range.clone().map(|range| ("judge.range".to_owned(), range)));
    settings.extend(args.mutants.map(|mutants| ("judge.mutants".to_owned(), mutants.to_string())));
    if !args.checks.is_empty() {
        settings.push(("judge.checks".to_owned(), json!(args.checks).to_string()));
    }
    let request = StartRequest { r#loop: Some(Settings::KIND), again: args.again, settings, ..StartRequest::default() };
    let start = request.prepare(&global.at(), Screen::shared(global))?;
    let project = &start.project;
    let OpenedRuns { settled, sessions } = start.open().await?;
    let mut runs: Vec<Run> = settled.into_iter().flatten().filter_map(|settled| settled.run).map(|run| *run).collect();
    if !runs.is_empty() {
        project.console.say(Settings::KIND.def().settled_hint);
    }
    runs.extend(drive::drive(project, sessions).await?);
    for run in &runs {
        if global.json {
            let mut object = summary::result(project, run);
            object["evidence"] = json!(evidence_of(run));
            print_json(&object);
        } else {
            show(run);
        }
    }
    // Nothing was judged: that is no pass.
    Ok(if runs.is_empty() { Exit::NotPassed } else { Exit::of(&runs) })
}

/// What was seen, and what follows from it.
fn show(run: &Run) {
    if let Some(settings) = judge_of(run.spec()) {
        let short = |name: &str| name.chars().take(10).collect::<String>();
        println!("{}: {} against {}", settings.name, short(&settings.head), short(&settings.base));
    }
    if let Some(evidence) = evidence_of(run) {
        print!("{}", evidence.side_by_side());
    }
    match run.end() {
        Some(end) if end.outcome.is_pass() => println!("holds: {}, run {}", end.reason, run.spec().run),
        Some(end) => println!("does not hold ({}): {}, run {}", end.outcome, end.reason, run.spec().run),
        None => println!("not finished, run {}", run.spec().run),
    }
}
