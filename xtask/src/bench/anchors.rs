//! Checking a text against an anchor: 10 MB of Markdown under 200 patterns.

use anyhow::Result;
use std::hint::black_box;
use std::time::Instant;
use tribunal_anchors::{lint, sample};
use tribunal_checks::Inspector;

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const BYTES: usize = 10 << 20;
const RULES: usize = 200;
const TIMES: usize = 5;

pub(super) fn measure(_: &Bench) -> Result<Vec<Row>> {
    let (draft, anchor) = (sample::markdown(BYTES), sample::rules(RULES));
    let milliseconds = median_of(TIMES, || {
        let begun = Instant::now();
        black_box(lint(&anchor, black_box(&draft), None, &|_| true, &Inspector));
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    })?;
    Ok(vec![Row::new("check, 10 MB under 200 patterns", milliseconds, "ms", Target::AtMost(1000.0))])
}
