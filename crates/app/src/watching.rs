//! Waiting for a run that another process drives.

use std::time::Duration;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Run, RunId, Seq};
use tribunal_store::StoreError;

use crate::error::AppError;
use crate::people::People;
use crate::project::Project;
use crate::signals::Signals;
use crate::{drive, resume};

/// How often it is looked for news.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Shows how a run goes on that another process drives, until it is over. If that process leaves it unfinished, we go on
/// with it: whoever called us wants it done.
pub async fn to_the_end(project: &Project, id: RunId) -> Result<Run, AppError> {
    let holder = project.store.leases().holder(id).await?;
    let who = holder.map_or_else(|| "another process".to_owned(), |it| format!("`{}` (process {})", it.what, it.pid));
    project.console.say(&format!("run {id} is driven by {who}; watching it"));
    let mut signals = Signals::new()?;
    let watched = tokio::select! {
        watched = watch(project, id) => watched?,
        // It is not ours to stop.
        _ = signals.next() => return Err(AppError::interrupted()),
    };
    match watched {
        Watched::Over(run) => Ok(*run),
        Watched::Left(session) => {
            project.console.say(&format!("run {id} was left unfinished; continuing it"));
            let mut runs = Box::pin(drive::drive(project, vec![*session])).await?;
            runs.pop().ok_or_else(|| AppError::environment("a bug: a run was opened and not driven", None))
        }
    }
}

enum Watched {
    Over(Box<Run>),
    Left(Box<Session>),
}

async fn watch(project: &Project, id: RunId) -> Result<Watched, AppError> {
    let mut follower = project.store.logs().follow(id, Seq(0)).await?;
    let mut shown: Option<(Run, Box<dyn crate::RunProgress>)> = None;
    loop {
        // In this order: what was written before its driver left is seen.
        let is_driven = project.is_driven(id).await?;
        for entry in follower.next(usize::MAX).await? {
            match &mut shown {
                Some((run, progress)) => {
                    run.apply(&entry).map_err(DriveError::from)?;
                    progress.entry(run, &entry);
                }
                none => {
                    let run = Run::open(&entry).map_err(DriveError::from)?;
                    let progress = project.console.progress(run.spec(), &People::of(project.config()));
                    *none = Some((run, progress));
                }
            }
        }
        if let Some((run, _)) = &shown
            && !is_driven
        {
            if run.end().is_some() {
                return Ok(Watched::Over(Box::new(run.clone())));
            }
            // Unless somebody was faster.
            if let Some(session) = resume::take_up(project, run).await? {
                return Ok(Watched::Left(Box::new(session)));
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Opens a run to go on with it, unless another process drives it.
pub(crate) async fn open_free(project: &Project, id: RunId) -> Result<Option<Session>, AppError> {
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        Ok(session) => Ok(Some(session)),
        Err(DriveError::Store(StoreError::Held { .. })) => Ok(None),
        // It was made a moment ago and its maker has not come to its first event.
        Err(DriveError::Empty(_)) if project.is_driven(id).await? => Ok(None),
        Err(error) => Err(error.into()),
    }
}
