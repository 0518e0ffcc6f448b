//! The engine's own time per turn when a program is the agent: less the store, less a bare start of that program.

use anyhow::Result;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_agents::{self as agents, Agent, Environment};
use tribunal_engine::{Seated, Seating};
use tribunal_store::FileBackend;
use tribunal_testkit::script::BOUNDS;

use super::metered::Metered;
use super::sample::median;
use super::table::{Row, Target};
use super::{Bench, review};

/// Prints the prompt and then a canned answer, so that both pipes carry something.
const PROGRAM: &str = "/bin/cat";
const TURNS: u32 = 100;
const TIMES: u64 = 7;
/// About as long as the prompt of a review.
const PROMPT_BYTES: usize = 3000;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.empty()?;
    let canned = [true, false].map(|is_creator| folder.path().join(format!("canned-{is_creator}")));
    for (file, is_creator) in canned.iter().zip([true, false]) {
        fs::write(file, review::answer(is_creator, 1))?;
    }
    let seating = seating(folder.path(), &canned);
    let (store, meter) = Metered::new(FileBackend::new(folder.path()));
    let store = Arc::new(store);
    let (mut own, mut starts) = (Vec::new(), Vec::new());
    // The first run warms up. Runs and bare starts take turns, so that both see the same weather.
    for number in 0..=TIMES {
        meter.take();
        let begun = Instant::now();
        bench.runtime.block_on(review::play(store.clone(), number, TURNS, &seating))?;
        let turns = begun.elapsed().saturating_sub(meter.take());
        let bare = bare(&canned)?;
        if number > 0 {
            own.push((turns.as_secs_f64() - bare.as_secs_f64()) * 1e3 / f64::from(TURNS));
            starts.push(bare.as_secs_f64() * 1e3 / f64::from(TURNS));
        }
    }
    Ok(vec![
        Row::new("engine overhead per turn, command agent", median(own), "ms", Target::AtMost(1.0)),
        Row::beside("bare start of the same program", median(starts), "ms"),
    ])
}

fn seating(cwd: &Path, canned: &[PathBuf; 2]) -> Seating {
    let seated = review::AGENTS.iter().zip(canned).map(|(name, file)| {
        let command = agents::CommandAgent {
            name: (*name).to_owned(),
            program: PROGRAM.to_owned(),
            args: vec!["-".to_owned(), file.to_string_lossy().into_owned()],
            cwd: cwd.to_owned(),
            env: Vec::new(),
        };
        ((*name).to_owned(), Seated { agent: Agent::Process(Arc::new(command)), bounds: BOUNDS })
    });
    Seating::new(seated.collect::<BTreeMap<_, _>>(), Environment::default())
}

/// The same programs as often, started and waited for with nothing around them.
fn bare(canned: &[PathBuf; 2]) -> Result<Duration> {
    let prompt = vec![b'x'; PROMPT_BYTES];
    let begun = Instant::now();
    for turn in 0..TURNS as usize {
        let mut child = Command::new(PROGRAM)
            .arg("-")
            .arg(&canned[turn % canned.len()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(&prompt)?;
        }
        child.wait_with_output()?;
    }
    Ok(begun.elapsed())
}
