//! `tribunal resume`: go on with a run that was cut short.

use tribunal_app::{AppError, Exit, Project, drive, resume};

use super::run::{Reported, report};
use crate::args::{self, Global};

pub(super) async fn resume(project: &Project, global: &Global, args: &args::Resume) -> Result<Exit, AppError> {
    let mut ids = Vec::new();
    for name in &args.runs {
        ids.push(project.find(Some(name)).await?);
    }
    if args.runs.is_empty() {
        ids = resume::unfinished(project).await?;
    }
    if ids.is_empty() {
        project.console.say("nothing to resume: every run has ended");
    }
    let mut sessions = Vec::new();
    let mut reports = Vec::new();
    for id in ids {
        let run = project.read(id).await?;
        if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
            let subject = run.spec().subject();
            project.console.say(&format!("{subject}: {} already; `tribunal reopen` lifts the decision", end.outcome));
            reports.push(Reported::of(project, &run));
            continue;
        }
        sessions.push(resume::take_over(project, &run).await?);
    }
    let runs = drive::drive(project, sessions).await?;
    reports.extend(runs.iter().map(|run| Reported::of(project, run)));
    Reported::seal(project, &mut reports).await?;
    report(global, &reports);
    Ok(Reported::worst(&reports))
}
