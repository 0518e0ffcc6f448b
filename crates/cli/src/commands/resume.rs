//! `tribunal resume`: go on with a run that was cut short.

use tribunal_kernel::RunId;
use tribunal_store::StoreError;
use tribunal_store::log::lock;

use super::run::{Reported, report};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::take_up;
use crate::progress::Screen;
use crate::project::Project;
use crate::trial;

pub(super) async fn resume(project: &Project, global: &Global, args: &args::Resume) -> Result<Exit, Failure> {
    let mut ids = Vec::new();
    for name in &args.runs {
        ids.push(project.find(Some(name)).await?);
    }
    if args.runs.is_empty() {
        for spec in project.specs().await?.iter().rev() {
            let run = project.read(spec.run).await?;
            if run.end().is_none_or(|end| !end.outcome.is_sticky()) {
                ids.push(spec.run);
            }
        }
    }
    let screen = Screen::new(global.verbose, global.json);
    if ids.is_empty() {
        screen.say("nothing to resume: every run is over");
    }
    let mut sessions = Vec::new();
    let mut reports = Vec::new();
    for id in ids {
        let run = project.read(id).await?;
        if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
            screen.say(&format!("{}: {} already; `tribunal reopen` lifts the lock", run.spec().subject(), end.outcome));
            reports.push(Reported::of(project, &run));
            continue;
        }
        sessions.push(take_up(project, &run).await?.ok_or_else(|| held(project, id))?);
    }
    let runs = trial::drive(project, &screen, sessions).await?;
    reports.extend(runs.iter().map(|run| Reported::of(project, run)));
    report(global, &reports);
    Ok(Reported::worst(&reports))
}

/// Somebody else drives the run: who.
fn held(project: &Project, run: RunId) -> Failure {
    let holder = lock::holder(project.layout(), run).ok().flatten();
    let holder = holder.and_then(|holder| serde_json::to_string(&holder).ok());
    StoreError::Held { run, holder: holder.unwrap_or_else(|| "an unknown process".into()) }.into()
}
