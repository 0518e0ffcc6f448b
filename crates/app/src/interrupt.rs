//! Stopping a run, wherever it is driven.

use std::time::Duration;
use tribunal_engine::projection::NoView;
use tribunal_engine::{DriveError, Seating, Session};
use tribunal_kernel::{Event, Run, RunId};
use tribunal_store::StoreError;
use tribunal_store::backend::RunRequest;

use crate::error::AppError;
use crate::pool::RunPool;
use crate::project::Project;
use crate::tell::noted;

/// How long whoever drives the run may take: ending its agents takes their grace time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run that was to be stopped.
#[derive(Debug)]
pub struct Stopped {
    pub run: Run,
    /// Whether it was over before.
    pub was_over: bool,
}

/// Stops a run and waits until it has stopped. Doing it twice is doing it once.
pub async fn interrupt(
    project: &Project,
    pool: Option<&RunPool>,
    run: Option<&str>,
    by: &str,
) -> Result<Stopped, AppError> {
    let id = project.find(run).await?;
    let was_over = project.read(id).await?.end().is_some();
    if !was_over {
        stop(project, pool, id, by).await?;
    }
    Ok(Stopped { run: project.read(id).await?, was_over })
}

/// Asks for a stop and does not wait for it: whoever drives the run may have agents to end.
pub async fn request_interrupt(project: &Project, pool: &RunPool, id: RunId, by: &str) -> Result<(), AppError> {
    if pool.interrupt(id, by) || project.read(id).await?.end().is_some() {
        return Ok(());
    }
    if project.is_driven(id).await? {
        return Ok(project.store.requests().put(id, RunRequest::Interrupt { by: by.to_owned() }).await?);
    }
    stop(project, None, id, by).await
}

/// Stops a run that is not over, whoever drives it.
async fn stop(project: &Project, pool: Option<&RunPool>, id: RunId, by: &str) -> Result<(), AppError> {
    let hint = "check the process that `tribunal resume` names as its holder";
    let is_done = |run: &Run| run.end().is_some();
    if pool.is_some_and(|pool| pool.interrupt(id, by)) {
        return noted(project, id, PATIENCE, hint, is_done).await;
    }
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        // Nobody drives it: we close it ourselves.
        Ok(mut session) => {
            if !session.run().is_interrupted() {
                session.record(Event::InterruptRequested { by: by.to_owned() }, &[]).await?;
            }
            session.drive(&Seating::default(), &mut NoView).await?;
            // Whoever drove it may have been killed while somebody spoke.
            Ok(project.store.live().end(id).await?)
        }
        Err(DriveError::Store(StoreError::Held { .. })) => {
            project.store.requests().put(id, RunRequest::Interrupt { by: by.to_owned() }).await?;
            noted(project, id, PATIENCE, hint, is_done).await
        }
        Err(error) => Err(error.into()),
    }
}
