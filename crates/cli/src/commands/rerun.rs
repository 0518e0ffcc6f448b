//! `tribunal rerun`: the same brief once more, with what was made last time as prior art.

use tribunal_engine::Session;
use tribunal_kernel::Run;
use tribunal_kernel::theater::stage_of;

use super::run::{Reported, raise_banner, report};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::{self, theater};
use crate::progress::Screen;
use crate::project::Project;
use crate::trial;

/// The command's flags as configuration keys.
pub(super) fn settings(args: &args::Rerun) -> Vec<(String, String)> {
    let mut settings = args.limits.settings();
    settings.extend(args.brief.clone().map(|brief| ("run.brief".to_owned(), brief)));
    settings
}

pub(super) async fn rerun(project: &Project, global: &Global, args: &args::Rerun) -> Result<Exit, Failure> {
    let old = project.read(project.find(args.run.as_deref()).await?).await?;
    let screen = Screen::new(global.verbose, global.json);
    let session = open(project, &screen, &old).await?;
    let runs = trial::drive(project, &screen, vec![session]).await?;
    let results: Vec<Reported> = runs.iter().map(|run| Reported::of(project, run)).collect();
    report(global, &results);
    Ok(Reported::worst(&results))
}

/// A new trial of what a run made. The old one stays as it is.
pub(crate) async fn open(project: &Project, screen: &Screen, old: &Run) -> Result<Session, Failure> {
    let Some(settings) = stage_of(old.spec()) else {
        return Err(Failure::usage(
            format!("run {} is a {}, which goes on instead", old.spec().run, old.spec().kind()),
            "`tribunal reopen` lifts its decision; `tribunal resume` continues it",
        ));
    };
    let artifact = settings.artifact.clone();
    let (mut spec, texts) = theater::spec(project, true, None, Some(theater::prior(project, old)?))?;
    if let tribunal_kernel::LoopSettings::Theater { theater } = &mut spec.settings {
        theater.artifact = artifact;
    }
    screen.say(&format!("run {} is kept; what it made is prior art for run {}", old.spec().run, spec.run));
    raise_banner(screen, &spec);
    opening::create(project, spec, &texts).await
}
