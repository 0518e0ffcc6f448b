//! Telling a run something, wherever it is driven: only the driver may write to its log.

use std::time::Duration;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Event, Run, RunId};
use tribunal_store::StoreError;
use tribunal_store::backend::RunRequest;
use tribunal_store::inbox;

use crate::failure::Failure;
use crate::project::Project;

/// How long whoever drives the run may take to note something down.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Notes `event` down if nobody drives the run, and leaves `request` for whoever does.
pub(super) async fn tell(
    project: &Project,
    id: RunId,
    event: Event,
    request: RunRequest,
    is_done: impl Fn(&Run) -> bool,
) -> Result<(), Failure> {
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        Ok(mut session) => Ok(session.record(event, &[]).await?),
        Err(DriveError::Store(StoreError::Held { .. })) => {
            let hint = "it is in the run's inbox and will be taken up when the run is driven again";
            ask(project, id, &request, PATIENCE, hint, is_done).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Leaves a request and waits until the log shows that it was taken up. `hint` is for when it is not, in time.
pub(super) async fn ask(
    project: &Project,
    id: RunId,
    request: &RunRequest,
    patience: Duration,
    hint: &str,
    is_done: impl Fn(&Run) -> bool,
) -> Result<(), Failure> {
    inbox::send(project.layout(), id, request)?;
    let begun = tokio::time::Instant::now();
    while !is_done(&project.read(id).await?) {
        if begun.elapsed() > patience {
            return Err(Failure::environment(
                format!("run {id} has not taken it up within {} s", patience.as_secs()),
                Some(hint.to_owned()),
            ));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}
