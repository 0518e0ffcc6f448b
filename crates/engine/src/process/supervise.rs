//! Start, talk, end, clean up.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::process::Child;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::KILL_LIMIT;
use super::awake::AwakeWatch;
use super::command::{Bounds, ProcessCommand};
use super::ended::{ChildExit, How, ProcessEnd};
use super::error::SpawnError;
use super::pipe::Incoming;
use super::roster;
use super::streams::{Beat, Streams};
use super::survivors::{self, Survivors, Swept};

/// A script that was written a moment ago may still be open for writing in a child that another thread is just
/// spawning; that passes as soon as the child has called `exec`.
const BUSY_ATTEMPTS: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// For bounds that are meant to be endless.
const FAR_AWAY: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Runs one turn to its end, whatever end that is; see [`super`] for what then holds.
///
/// `on_stdout` is given the output piece by piece as it arrives, also what a child that was told to end still has to
/// say, but never more than `bounds.stdout` bytes.
pub async fn run(
    command: ProcessCommand,
    bounds: &Bounds,
    cancel: &CancellationToken,
    on_stdout: impl FnMut(&[u8]),
) -> Result<ProcessEnd, SpawnError> {
    run_fed(command, None, bounds, cancel, on_stdout).await
}

/// The same, with input that is not all known beforehand.
pub(super) async fn run_fed(
    command: ProcessCommand,
    feed: Option<Incoming>,
    bounds: &Bounds,
    cancel: &CancellationToken,
    mut on_stdout: impl FnMut(&[u8]),
) -> Result<ProcessEnd, SpawnError> {
    if cancel.is_cancelled() {
        return Ok(ProcessEnd {
            how: How::Cancelled,
            exit: None,
            stderr_tail: String::new(),
            stdout_bytes: 0,
            elapsed: Duration::ZERO,
            leftovers: 0,
            escaped: 0,
        });
    }
    let begun = Instant::now();
    let (mut turn, mut streams) = Turn::start(command, feed, bounds).await?;
    let mut how = turn.attend(&mut streams, begun, bounds, cancel, &mut on_stdout).await;
    let mut deadline = None;
    if how != How::Exited {
        deadline = Some(turn.stop(&mut streams, bounds.grace, &mut on_stdout).await);
    }
    let elapsed = begun.elapsed();
    if streams.drain(&mut on_stdout) == Beat::Overflow && how == How::Exited {
        how = How::TooMuchOutput;
    }
    let exit = turn.exit;
    let swept = turn.clean_up(deadline.unwrap_or_else(|| after(Instant::now(), bounds.grace))).await;
    let (stdout_bytes, stderr_tail) = streams.finish();
    let Swept { leftovers, escaped } = swept;
    Ok(ProcessEnd { how, exit, stderr_tail, stdout_bytes, elapsed, leftovers, escaped })
}

/// A point in time that exists, however long the wait.
pub(crate) fn after(start: Instant, wait: Duration) -> Instant {
    start.checked_add(wait.min(FAR_AWAY)).unwrap_or(start)
}

/// A started turn. Dropped before it is over, it still cleans up, in a thread of its own.
#[derive(Debug)]
struct Turn {
    /// The main process, until it is reaped.
    child: Option<Child>,
    exit: Option<ChildExit>,
    /// Nothing once everything is over.
    survivors: Option<Survivors>,
}

impl Turn {
    async fn start(
        mut command: ProcessCommand,
        feed: Option<Incoming>,
        bounds: &Bounds,
    ) -> Result<(Self, Streams), SpawnError> {
        survivors::adopt_orphans();
        let mark: Arc<[u8]> = command.mark().into();
        let mut prepared = command.prepare()?;
        let mut attempts = 0;
        let (mut child, ticket, entry) = loop {
            attempts += 1;
            match roster::spawn(&mut prepared, Some(Arc::clone(&mark))) {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && attempts < BUSY_ATTEMPTS => {
                    sleep(BUSY_PAUSE).await;
                }
                Err(error) => {
                    let error = command.explain(error);
                    if matches!(error, SpawnError::Other { .. }) {
                        // tokio can fail after the fork, when no descriptor is left for its books: then the child runs.
                        survivors::end_marked(mark.to_vec(), Duration::ZERO).await;
                    }
                    return Err(error);
                }
                Ok(spawned) => break spawned,
            }
        };
        let streams = Streams::new(&mut child, command.stdin, feed, bounds);
        let survivors = Some(Survivors::of_turn(ticket, entry));
        Ok((Self { child: Some(child), exit: None, survivors }, streams))
    }

    /// Lets the turn run until it exits or one of the bounds is reached.
    async fn attend(
        &mut self,
        streams: &mut Streams,
        begun: Instant,
        bounds: &Bounds,
        cancel: &CancellationToken,
        sink: &mut impl FnMut(&[u8]),
    ) -> How {
        let Some(child) = &mut self.child else { return How::Exited };
        let mut end = after(begun, bounds.total);
        let mut heard = begun;
        let mut watch = AwakeWatch::new();
        let status = loop {
            let due = end.min(after(heard, bounds.idle));
            tokio::select! {
                status = child.wait() => break status,
                beat = streams.next(sink) => match beat {
                    Beat::Output => heard = Instant::now(),
                    Beat::Overflow => return How::TooMuchOutput,
                },
                () = cancel.cancelled() => return How::Cancelled,
                missed = watch.until(due) => {
                    if !missed.is_zero() {
                        // We were stopped, and it went on: what it said meanwhile, and how it ended, is looked at first.
                        (heard, end) = (after(heard, missed), after(end, missed));
                        continue;
                    }
                    let now = Instant::now();
                    if now < due {
                        continue;
                    }
                    // One that has ended was not too slow, whoever notices first.
                    if let Ok(Some(status)) = child.try_wait() {
                        break Ok(status);
                    }
                    return if end <= now { How::Overtime } else { How::Silent };
                }
            }
        };
        self.main_gone(status);
        How::Exited
    }

    /// TERM, and KILL after `grace`. Gives the time at which whatever is left will be sent KILL, too.
    async fn stop(&mut self, streams: &mut Streams, grace: Duration, sink: &mut impl FnMut(&[u8])) -> Instant {
        if let Some(survivors) = &mut self.survivors {
            survivors.terminate().await;
        }
        let deadline = after(Instant::now(), grace);
        if !self.exits_before(deadline, streams, sink).await {
            if let Some(survivors) = &mut self.survivors {
                survivors.kill();
            }
            self.exits_before(Instant::now() + KILL_LIMIT, streams, sink).await;
        }
        deadline
    }

    /// Keeps reading meanwhile: a child that cannot get rid of its last words could not end.
    async fn exits_before(&mut self, when: Instant, streams: &mut Streams, sink: &mut impl FnMut(&[u8])) -> bool {
        let Some(child) = &mut self.child else { return true };
        let alarm = sleep_until(when);
        tokio::pin!(alarm);
        let status = loop {
            tokio::select! {
                status = child.wait() => break status,
                _ = streams.next(sink) => {}
                () = &mut alarm => return false,
            }
        };
        self.main_gone(status);
        true
    }

    fn main_gone(&mut self, status: io::Result<ExitStatus>) {
        self.child = None;
        self.exit = status.ok().and_then(ChildExit::of);
        if let Some(survivors) = &self.survivors {
            survivors.main_gone();
        }
    }

    async fn clean_up(mut self, deadline: Instant) -> Swept {
        let Some(survivors) = &mut self.survivors else { return Swept::default() };
        if self.child.is_none() && survivors::nobody_left() {
            self.survivors = None;
            return Swept::default();
        }
        let mut swept = survivors.end(deadline).await;
        if self.child.is_some() {
            swept.escaped += 1; // and is left to `drop`, which waits for it some more
        } else {
            self.survivors = None;
        }
        swept
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut survivors) = self.survivors.take() else { return };
        let child = self.child.take();
        if child.is_some() {
            survivors.kill();
        }
        // Not a task: a future is dropped when its runtime ends, too, and then no task would run.
        let _ = thread::Builder::new().name("tribunal-sweep".to_owned()).spawn(move || {
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() {
                runtime.block_on(sweep_unattended(child, survivors));
            }
        });
    }
}

async fn sweep_unattended(child: Option<Child>, mut survivors: Survivors) {
    if let Some(mut child) = child {
        let limit = Instant::now() + KILL_LIMIT;
        while let Ok(None) = child.try_wait() {
            if limit <= Instant::now() {
                survivors.main_stays();
                return;
            }
            sleep(BUSY_PAUSE).await;
        }
        survivors.main_gone();
    }
    survivors.end(Instant::now()).await;
}
