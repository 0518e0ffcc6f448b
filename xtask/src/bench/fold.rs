//! Folding: the events of a long review, in memory.

use anyhow::{Context, Result};
use std::hint::black_box;
use std::time::Instant;
use tribunal_kernel::{Entry, Run, Seq};
use tribunal_store::conformance::{events, run_id};

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const EVENTS: usize = 1_000_000;
const TIMES: usize = 7;

pub(super) fn measure(_: &Bench) -> Result<Vec<Row>> {
    let numbered = (1..).zip(events(run_id(0)).take(EVENTS));
    let entries: Vec<Entry> = numbered.map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event }).collect();
    let seconds = median_of(TIMES, || {
        let begun = Instant::now();
        let run = Run::fold(black_box(&entries))?.context("there are entries")?;
        let took = begun.elapsed();
        black_box(run);
        Ok(took.as_secs_f64())
    })?;
    Ok(vec![Row::new("fold", EVENTS as f64 / seconds, "events/s", Target::AtLeast(2e6))])
}
