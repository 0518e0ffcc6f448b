//! Who appends at an even pace, and notes when an event was durable.

use anyhow::{Context, Result};
use std::time::{Duration, Instant};
use tribunal_kernel::{Event, RunId, Time};
use tribunal_store::LogWriter;
use tribunal_store::conformance::events;

/// Every run begins like this.
pub(super) async fn open(log: &mut Box<dyn LogWriter>, run: RunId) -> Result<()> {
    let opened = events(run).next().context("a run has a first event")?;
    log.append(log.seq(), vec![opened]).await?;
    Ok(())
}

/// Appends `count` events, `a_second` of them in a second. What is late is appended together with what is due, as
/// the engine does it. Gives when each was durable, in nanoseconds since `epoch`.
///
/// Every event's text says when its append began.
pub(super) async fn write(mut log: Box<dyn LogWriter>, count: u32, a_second: u32, epoch: Instant) -> Result<Vec<u64>> {
    let begun = Instant::now();
    let mut durable = Vec::with_capacity(count as usize);
    while durable.len() < count as usize {
        let passed = begun.elapsed();
        let due = usize::try_from(passed.as_micros() * u128::from(a_second) / 1_000_000)? + 1;
        let due = due.min(count as usize) - durable.len();
        if due == 0 {
            tokio::time::sleep_until(next(begun, durable.len(), a_second).into()).await;
            continue;
        }
        let moment = nanos(epoch);
        let event = || Event::DirectiveGiven { by: "bench".into(), text: moment.to_string() };
        let time = tribunal_store::conformance::BEGINNING.0 + 1 + moment / 1_000_000;
        log.append(log.seq(), (0..due).map(|_| (Time(time), event())).collect()).await?;
        durable.resize(durable.len() + due, nanos(epoch));
    }
    Ok(durable)
}

/// When event `number` is due, the first of them being 0.
fn next(begun: Instant, number: usize, a_second: u32) -> Instant {
    begun + Duration::from_secs_f64(number as f64 / f64::from(a_second))
}

pub(super) fn nanos(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
