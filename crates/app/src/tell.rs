//! Telling a run something, wherever it is driven: only the driver may write to its log.

use std::time::Duration;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Run, RunId};
use tribunal_store::StoreError;
use tribunal_store::backend::RunRequest;

use crate::error::AppError;
use crate::pool::RunPool;
use crate::project::Project;

/// How long whoever drives the run may take to note something down.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Tells a run: at once if it is driven here, through its inbox if another process drives it, and in its log if nobody
/// does. Comes back when the log shows it.
pub(crate) async fn tell(
    project: &Project,
    pool: Option<&RunPool>,
    id: RunId,
    request: RunRequest,
    is_done: impl Fn(&Run) -> bool,
) -> Result<(), AppError> {
    if let Some(control) = pool.and_then(|pool| pool.control(id)) {
        control.tell(request);
        // Nothing of it is on the disk yet: who is not answered cannot rely on it.
        let hint = "check the run, and repeat the request if it is missing";
        return noted(project, id, PATIENCE, hint, is_done).await;
    }
    let hint = "the request is saved and will be handled when the run is resumed";
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        Ok(mut session) => Ok(session.record(request.event(), &[]).await?),
        Err(DriveError::Store(StoreError::Held { .. })) => {
            project.store.requests().put(id, request).await?;
            noted(project, id, PATIENCE, hint, is_done).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Waits until the log shows that something was taken up. `hint` is for when it is not, in time.
pub(crate) async fn noted(
    project: &Project,
    id: RunId,
    patience: Duration,
    hint: &str,
    is_done: impl Fn(&Run) -> bool,
) -> Result<(), AppError> {
    let begun = tokio::time::Instant::now();
    while !is_done(&project.read(id).await?) {
        if begun.elapsed() > patience {
            return Err(AppError::environment(
                format!("run {id} did not handle the request within {} s", patience.as_secs()),
                hint.to_owned(),
            ));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}
