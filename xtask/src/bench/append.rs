//! Durable appends: how many events a second are on the disk for good.

use anyhow::Result;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tribunal_store::conformance::{events, run_id};
use tribunal_store::{Backend, FileBackend};

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

/// What a turn appends at a time: its answer, the decision, the next call.
const BATCH: usize = 3;
/// The length of such a batch in the log.
const BATCH_BYTES: usize = 1500;
const FOR: Duration = Duration::from_secs(2);
const TIMES: usize = 3;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let bare = median_of(TIMES, || bare(bench))?;
    let one = median_of(TIMES, || appends(bench, 1))?;
    let many = median_of(TIMES, || appends(bench, 100))?;
    Ok(vec![
        Row::new("durable appends, 100 runs", many, "events/s", Target::AtLeast(20_000.0)),
        Row::beside("1 run: one wait for the disk per batch", one, "events/s"),
        Row::beside("a bare write and fsync per batch", bare, "events/s"),
    ])
}

/// Events per second over all runs.
fn appends(bench: &Bench, runs: u64) -> Result<f64> {
    let folder = bench.empty()?;
    let store = FileBackend::new(folder.path());
    bench.runtime.block_on(async {
        let mut logs = Vec::new();
        for number in 0..runs {
            logs.push(store.logs().create(run_id(number)).await?);
        }
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        for (number, mut log) in (0..).zip(logs) {
            tasks.spawn(async move {
                let mut events = events(run_id(number));
                while begun.elapsed() < FOR {
                    let batch = events.by_ref().take(BATCH).collect();
                    log.append(log.seq(), batch).await?;
                }
                anyhow::Ok(log.seq().0)
            });
        }
        let mut count = 0;
        while let Some(done) = tasks.join_next().await {
            count += done??;
        }
        Ok(count as f64 / begun.elapsed().as_secs_f64())
    })
}

/// What the disk itself gives to one writer.
fn bare(bench: &Bench) -> Result<f64> {
    let folder = bench.empty()?;
    let mut file = OpenOptions::new().append(true).create_new(true).open(folder.path().join("log"))?;
    let batch = vec![b'x'; BATCH_BYTES];
    let (begun, mut count) = (Instant::now(), 0_u64);
    while begun.elapsed() < FOR {
        file.write_all(&batch)?;
        file.sync_data()?;
        count += BATCH as u64;
    }
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}
