//! The same brief once more, with what was made last time as prior art.

use tribunal_engine::Session;
use tribunal_kernel::Run;
use tribunal_kernel::theater::stage_of;

use crate::error::AppError;
use crate::loops::{SpecFor, opener, theater};
use crate::project::Project;
use crate::start::announce_mark;

/// A new trial of what a run made. The old one stays as it is.
pub async fn rerun(project: &Project, old: &Run) -> Result<Session, AppError> {
    let Some(settings) = stage_of(old.spec()) else {
        return Err(AppError::conflict(
            format!("run {} is a {}, which cannot be rerun", old.spec().run, old.spec().kind()),
            "`tribunal reopen` lifts its decision; `tribunal resume` continues it",
        ));
    };
    let artifact = settings.artifact.clone();
    let (mut spec, cited) =
        theater::spec(project, true, None, Some(theater::prior(project, old).await?), SpecFor::Run).await?;
    if let Some(theater) = spec.settings_of_mut::<tribunal_kernel::theater::Settings>() {
        theater.artifact = artifact;
    }
    let said = format!("run {} is kept; run {} starts from its artifact", old.spec().run, spec.run);
    project.console.say(&said);
    announce_mark(project, &spec);
    opener(spec.kind()).create(project, spec, &cited, false).await
}
