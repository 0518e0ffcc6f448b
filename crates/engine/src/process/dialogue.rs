//! A child that is talked with.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::command::{Bounds, ProcessCommand};
use super::ended::ProcessEnd;
use super::error::SpawnError;
use super::pipe::{Incoming, Outgoing, pipe};
use super::supervise::run_fed;

/// How long a child may take to end by itself when the conversation is over and its stdin is closed. Many never do.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long a conversation may take to find out that the child has gone.
const SETTLING: Duration = Duration::from_secs(1);

/// Runs one turn like [`super::run`], while `talk` reads what the child prints and writes what it reads. The turn ends
/// with the conversation or with the child, whichever comes first; a child that stays is told to end as in any other
/// case. What was said is `None` if the conversation could not be ended.
pub async fn converse<F: Future>(
    command: ProcessCommand,
    bounds: &Bounds,
    cancel: &CancellationToken,
    talk: impl FnOnce(Incoming, Outgoing) -> F,
) -> Result<(ProcessEnd, Option<F::Output>), SpawnError> {
    let (printed, incoming) = pipe();
    let (outgoing, feed) = pipe();
    let enough = cancel.child_token();
    let mut talk = pin!(talk(incoming, outgoing));
    // `printed` is moved into the run, so that the child's end is the end of what can be read.
    let run = async {
        let printed = printed;
        run_fed(command, Some(feed), bounds, &enough, |bytes| printed.push(bytes)).await
    };
    let mut run = pin!(run);
    let said = tokio::select! {
        ended = &mut run => {
            let said = timeout(SETTLING, &mut talk).await.ok();
            return ended.map(|ended| (ended, said));
        }
        said = &mut talk => said,
    };
    // The future is done and has dropped its pipes: stdin is closed.
    let ended = tokio::select! {
        ended = &mut run => ended?,
        () = sleep(FAREWELL) => {
            enough.cancel();
            run.await?
        }
    };
    Ok((ended, Some(said)))
}
