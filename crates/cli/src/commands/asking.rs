//! Asking whoever drives a run: only the driver may write to its log.

use std::time::Duration;
use tribunal_kernel::{Run, RunId};
use tribunal_store::inbox::{self, Request};

use crate::failure::Failure;
use crate::project::Project;

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Leaves a request and waits until the log shows that it was taken up. `hint` is for when it is not, in time.
pub(super) async fn ask(
    project: &Project,
    id: RunId,
    request: &Request,
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
