//! Going on with runs that were cut short.

use std::sync::Arc;
use std::time::Duration;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Run, RunId};
use tribunal_store::StoreError;
use tribunal_store::index::{RunFilter, RunStatus};

use crate::allowance;
use crate::error::AppError;
use crate::found_settings;
use crate::pool::RunPool;
use crate::project::{Project, RunSurvey, UnreadableRun};
use crate::seating;
use crate::service::App;
use crate::views;

/// How long whoever drove a run to its end may take to leave it.
const LEAVING: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often a server looks for runs that were left while they waited for providers.
const PARKED_EVERY: Duration = Duration::from_secs(10);

/// Every run that could go on, oldest first, and those that nobody can read.
pub async fn unfinished(project: &Project) -> Result<(Vec<Run>, Vec<UnreadableRun>), AppError> {
    let RunSurvey { specs, mut unreadable } = project.survey().await?;
    let mut runs = Vec::new();
    for spec in specs.iter().rev() {
        match project.read(spec.run).await {
            Ok(run) if run.end().is_none_or(|end| !end.outcome.is_sticky()) => runs.push(run),
            Ok(_) => {}
            Err(why) => unreadable.push(UnreadableRun { run: spec.run, why }),
        }
    }
    Ok((runs, unreadable))
}

/// A run that is not decided, open for writing under today's limits. Nothing, if somebody else drives it.
pub async fn take_up(project: &Project, run: &Run) -> Result<Option<Session>, AppError> {
    let project = &found_settings::of_run(project, run.spec()).await?;
    seating::check(&project.for_run(run.spec()), run.spec())?;
    match Session::open(project.store.clone(), project.clock.clone(), run.spec().run).await {
        Ok(mut session) => {
            session.resume(Some(allowance::limits_of(project, run.spec()).await?)).await?;
            Ok(Some(session))
        }
        Err(DriveError::Store(StoreError::Held { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The same, where somebody else must not drive it.
pub async fn take_over(project: &Project, run: &Run) -> Result<Session, AppError> {
    match take_up(project, run).await? {
        Some(session) => Ok(session),
        None => Err(held(project, run.spec().run).await),
    }
}

/// Drives a run on in the background, unless somebody does.
pub async fn go_on(project: &Project, pool: &RunPool, id: RunId) -> Result<(), AppError> {
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(AppError::conflict(format!("it is decided: {}", end.outcome), "reopen it first"));
    }
    match take_up(project, &run).await? {
        Some(session) => pool.take(project, vec![session]).await.map(drop),
        None => Ok(()), // whoever drives it goes on
    }
}

/// Goes on with every run that is not over and that nobody drives: whoever drove it was killed, or was a server before
/// us. A panel that spoke in one stream cannot go on; it is closed with what it had completed.
pub async fn go_on_with_all(project: &Project, pool: &RunPool) -> Result<(), AppError> {
    views::finish_left(project).await;
    for spec in project.specs().await?.iter().rev() {
        let taken = async {
            let run = project.read(spec.run).await?;
            if run.end().is_some() {
                return Ok(());
            }
            match take_up(project, &run).await? {
                Some(session) => pool.take(project, vec![session]).await.map(drop),
                None => Ok(()),
            }
        };
        // One that cannot go on must not keep the others waiting.
        if let Err(error) = taken.await {
            let error: AppError = error;
            project.console.say(&format!("run {}: {}", spec.run, error.message()));
        }
    }
    Ok(())
}

/// Takes up runs that somebody left while they waited for providers, as long as the server goes on.
pub async fn go_on_with_parked(app: Arc<App>) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(PARKED_EVERY).await;
        // A configuration that cannot be read now can be read later, and so can lists.
        let Ok(project) = app.load() else { continue };
        let filter = RunFilter { status: Some(RunStatus::Running), limit: u32::MAX, ..RunFilter::default() };
        for row in project.store.lists().runs(filter).await.unwrap_or_default() {
            let is_left = async {
                let is_free = !project.is_driven(row.run).await?;
                // Its time may be over already: then all the more.
                Ok::<_, AppError>(is_free && project.read(row.run).await?.is_left_waiting())
            };
            if is_left.await.unwrap_or(false)
                && let Err(error) = go_on(&project, app.pool(), row.run).await
            {
                project.console.say(&format!("run {}: {}", row.run, error.message()));
            }
        }
    }
}

/// A run that is over, open for writing. Whoever drove it to its end may still be putting its files away, so it is
/// waited for, a little.
pub(crate) async fn open_ended(project: &Project, id: RunId) -> Result<Session, AppError> {
    let begun = tokio::time::Instant::now();
    loop {
        match Session::open(project.store.clone(), project.clock.clone(), id).await {
            Err(DriveError::Store(StoreError::Held { .. }))
                if begun.elapsed() < LEAVING && project.read(id).await?.end().is_some() =>
            {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            opened => return Ok(opened?),
        }
    }
}

/// Somebody else drives the run: who.
async fn held(project: &Project, run: RunId) -> AppError {
    let holder = project.store.leases().holder(run).await.ok().flatten();
    let holder = holder.and_then(|holder| serde_json::to_string(&holder).ok());
    StoreError::Held { run, holder: holder.unwrap_or_else(|| "an unknown process".into()) }.into()
}
