//! `tribunal rerun`: the same brief once more, with what was made last time as prior art.

use tribunal_app::{AppError, Exit, Project, drive, rerun};

use super::run::{Reported, report};
use crate::args::{self, Global};

/// The command's flags as configuration keys.
pub(super) fn settings(args: &args::Rerun) -> Vec<(String, String)> {
    let mut settings = args.limits.settings();
    settings.extend(args.brief.clone().map(|brief| ("run.brief".to_owned(), brief)));
    settings
}

pub(super) async fn rerun(project: &Project, global: &Global, args: &args::Rerun) -> Result<Exit, AppError> {
    let old = project.read(project.find(args.run.as_deref()).await?).await?;
    let session = rerun::rerun(project, &old).await?;
    let runs = drive::drive(project, vec![session]).await?;
    let mut results: Vec<Reported> = runs.iter().map(|run| Reported::of(project, run)).collect();
    Reported::seal(project, &mut results).await?;
    report(global, &results);
    Ok(Reported::worst(&results))
}
