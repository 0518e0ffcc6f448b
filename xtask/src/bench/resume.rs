//! Resuming: a log of a million events is opened, verified and folded.

use anyhow::Result;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tribunal_engine::{Session, SystemClock};
use tribunal_kernel::RunId;
use tribunal_store::conformance::{events, run_id};
use tribunal_store::{Backend, FileBackend};

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const EVENTS: usize = 1_000_000;
const BATCH: usize = 10_000;
const TIMES: usize = 5;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.empty()?;
    let store = Arc::new(FileBackend::new(folder.path()));
    let run = run_id(0);
    bench.runtime.block_on(write(&store, run))?;

    let log = store.layout().log(run);
    let bytes = log.metadata()?.len();
    let alone = median_of(TIMES, || bytes_of(&log))?;
    let parsed = median_of(TIMES, || {
        let begun = Instant::now();
        let entries = bench.runtime.block_on(store.logs().read(run))?;
        let took = begun.elapsed();
        drop(entries);
        Ok(took.as_secs_f64())
    })?;
    let seconds = median_of(TIMES, || {
        let begun = Instant::now();
        let session = bench.runtime.block_on(Session::open(store.clone(), Arc::new(SystemClock), run))?;
        let took = begun.elapsed();
        drop(session);
        Ok(took.as_secs_f64())
    })?;
    Ok(vec![
        Row::new("resume of 1,000,000 events", seconds, "s", Target::AtMost(1.0)),
        Row::beside("verifying and parsing it", parsed, "s"),
        Row::beside(format!("reading its {} MB alone", bytes / 1_000_000), alone, "s"),
    ])
}

async fn write(store: &FileBackend, run: RunId) -> Result<()> {
    let mut log = store.logs().create(run).await?;
    let mut events = events(run).take(EVENTS);
    loop {
        let batch: Vec<_> = events.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        log.append(log.seq(), batch).await?;
    }
}

fn bytes_of(path: &Path) -> Result<f64> {
    let begun = Instant::now();
    let (mut file, mut piece) = (File::open(path)?, vec![0; 1 << 20]);
    while file.read(&mut piece)? > 0 {}
    Ok(begun.elapsed().as_secs_f64())
}
