//! `tribunal resume`: go on with a run that was cut short.

use tribunal_app::{AppError, Exit, Project, drive, resume};
use tribunal_engine::Session;
use tribunal_kernel::Run;

use super::run::{Reported, report};
use crate::args::{self, Global};

pub(super) async fn resume(project: &Project, global: &Global, args: &args::Resume) -> Result<Exit, AppError> {
    let (sessions, mut reports) =
        if args.runs.is_empty() { all(project).await? } else { named(project, &args.runs).await? };
    let runs = drive::drive(project, sessions).await?;
    reports.extend(Reported::all(project, &runs).await);
    report(global, &reports);
    Ok(Reported::worst(&reports))
}

/// The runs that were named: what cannot go on is refused before anybody is called.
async fn named(project: &Project, names: &[String]) -> Result<(Vec<Session>, Vec<Reported>), AppError> {
    let (mut sessions, mut reports) = (Vec::new(), Vec::new());
    for name in names {
        let run = project.read(project.find(Some(name)).await?).await?;
        if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
            let subject = run.spec().subject();
            project.console.say(&format!("{subject}: {} already; `tribunal reopen` lifts the decision", end.outcome));
            reports.push(Reported::ended(project, &run).await);
            continue;
        }
        sessions.push(resume::take_over(project, &run).await?);
    }
    Ok((sessions, reports))
}

/// Everything that is unfinished. What cannot go on is said, and keeps nobody else from it.
async fn all(project: &Project) -> Result<(Vec<Session>, Vec<Reported>), AppError> {
    let (runs, unreadable) = resume::unfinished(project).await?;
    if runs.is_empty() && unreadable.is_empty() {
        project.console.say("nothing to resume: every run has ended");
    }
    let mut reports: Vec<Reported> =
        unreadable.iter().map(|it| Reported::unreadable(&format!("run {}", it.run), &it.why)).collect();
    let mut sessions = Vec::new();
    for run in &runs {
        match resume::take_up(project, run).await {
            Ok(Some(session)) => sessions.push(session),
            Ok(None) => reports.push(elsewhere(project, run).await),
            Err(why) => reports.push(Reported::unresumed(run, &why)),
        }
    }
    Ok((sessions, reports))
}

/// A run that another process drives goes on there.
async fn elsewhere(project: &Project, run: &Run) -> Reported {
    let (subject, id) = (run.spec().subject(), run.spec().run);
    project.console.say(&format!("{subject}: another process drives run {id}; `tribunal watch {id}` shows it"));
    Reported::driven(project, run).await
}
