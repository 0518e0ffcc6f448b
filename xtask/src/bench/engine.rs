//! The engine's own time per turn: a whole run, less the time that it waited for its store.

use anyhow::Result;
use std::sync::Arc;
use std::time::Instant;
use tribunal_store::FileBackend;
use tribunal_testkit::script::seat_all;

use super::metered::Metered;
use super::sample::median;
use super::table::{Row, Target};
use super::{Bench, review};

const TURNS: u32 = 200;
const TIMES: u64 = 5;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.empty()?;
    let (store, meter) = Metered::new(FileBackend::new(folder.path()));
    let store = Arc::new(store);
    let seating = seat_all(&review::AGENTS, &review::instant());
    let (mut own, mut waited) = (Vec::new(), Vec::new());
    // The first run warms up.
    for number in 0..=TIMES {
        meter.take();
        let begun = Instant::now();
        bench.runtime.block_on(review::play(store.clone(), number, TURNS, &seating))?;
        let (took, stored) = (begun.elapsed(), meter.take());
        if number > 0 {
            own.push(took.saturating_sub(stored).as_secs_f64() * 1e3 / f64::from(TURNS));
            waited.push(stored.as_secs_f64() * 1e3 / f64::from(TURNS));
        }
    }
    Ok(vec![
        Row::new("engine overhead per turn, instant agent", median(own), "ms", Target::AtMost(1.0)),
        Row::beside("waiting for the disk", median(waited), "ms"),
    ])
}
