//! The page: what it weighs, and how quick it is, in node and in Chromium.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::process::Command;

use super::table::{Row, Target};
use super::{Bench, output_of};
use crate::{chromium, node, web};

/// How `npm run size` ends the lines that we want.
const STAGE: &str = "to see a running stage";
const SETTLED: &str = "with what the stage fetches next";
const WHOLE: &str = "the whole page";
/// A picture, at sixty a second.
const PICTURE: f64 = 1000.0 / 60.0;

/// What `web/bench/index.mjs` prints; milliseconds.
#[derive(Debug, Deserialize)]
struct Measured {
    reducer: Spread,
    browser: Option<InBrowser>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InBrowser {
    version: String,
    /// Bytes.
    transcript: f64,
    first_lane: Spread,
    frames: Spread,
    work: Spread,
}

#[derive(Debug, Deserialize)]
struct Spread {
    p50: f64,
    p99: f64,
    most: f64,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.repo.root().join(web::FOLDER);
    if let Err(missing) = node::ready(&folder)? {
        bail!("{missing}");
    }
    let mut rows = weight(&output_of(web::npm(&bench.repo, &["run", "--silent", "size"]))?)?;
    let mut script = Command::new("node");
    script.arg("bench/index.mjs").current_dir(&folder).env_remove(chromium::VARIABLE);
    match chromium::find()? {
        Ok(path) => drop(script.env(chromium::VARIABLE, path)),
        Err(missing) => eprintln!("web: nothing is measured in a browser, {missing}"),
    }
    let Measured { reducer, browser } = serde_json::from_str(&output_of(script)?).context("bench/index.mjs")?;
    rows.extend([
        Row::new("reducer, p99 of 10,000 frames", reducer.p99, "ms", Target::AtMost(2.0)),
        Row::beside("p50", reducer.p50, "ms"),
        Row::beside("slowest", reducer.most, "ms"),
    ]);
    if let Some(InBrowser { version, transcript, first_lane, frames, work }) = browser {
        rows.extend([
            Row::new("first frame to first lane, slowest of 20", first_lane.most, "ms", Target::AtMost(200.0)),
            Row::beside(format!("median, Chromium {version}"), first_lane.p50, "ms"),
            Row::new("scrubbing: a step drawn, p99", work.p99, "ms", Target::AtMost(PICTURE)),
            Row::beside("median", work.p50, "ms"),
            Row::beside("slowest", work.most, "ms"),
            Row::beside("from picture to picture, median", frames.p50, "ms"),
            Row::beside("from picture to picture, p99", frames.p99, "ms"),
            Row::beside("of a transcript of", transcript / 1024.0, "KiB"),
        ]);
    }
    Ok(rows)
}

/// What `npm run size` says.
fn weight(printed: &str) -> Result<Vec<Row>> {
    let kib = |what: &str| -> Result<f64> {
        let line = printed.lines().find(|line| line.contains(what));
        let bytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(bytes.with_context(|| format!("`npm run size` does not say what it takes {what}"))? / 1024.0)
    };
    Ok(vec![
        Row::new("page: to see a running stage, gzipped", kib(STAGE)?, "KiB", Target::AtMost(18.0)),
        Row::beside("with what the stage fetches next", kib(SETTLED)?, "KiB"),
        Row::beside("everything, in six languages", kib(WHOLE)?, "KiB"),
    ])
}
