//! Many runs at once: what they take of the memory, all of them in flight together.

use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tribunal_agents::{Answer, Native, TurnRequest};
use tribunal_store::FileBackend;
use tribunal_testkit::script::{Scripted, seat_all};

use super::sample::median;
use super::table::{Row, Target};
use super::{Bench, output_of, review};

/// The option by which the measuring process starts the measured one: a peak belongs to a whole process.
pub(super) const CHILD: &str = "--crowd-child";
/// Every run holds two files open, and many systems allow a process 1,024 until it asks for more.
const RAISE_LIMIT: &str = "ulimit -n \"$(ulimit -Hn)\" && exec \"$0\" \"$@\"";
const RUNS: u64 = 1000;
const TURNS: u32 = 6;
const TIMES: usize = 3;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let (mut peaks, mut rates) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let folder = bench.empty()?;
        let mut child = Command::new("/bin/sh");
        child.args(["-c", RAISE_LIMIT]).arg(std::env::current_exe()?);
        child.arg("bench").arg(CHILD).arg(folder.path());
        let output = output_of(child).context("the crowd")?;
        let (peak, rate) = output.trim().split_once(' ').with_context(|| format!("the crowd said {output:?}"))?;
        peaks.push(peak.parse::<f64>()? / 1e3);
        rates.push(rate.parse()?);
    }
    Ok(vec![
        Row::new("peak memory of 1,000 runs at once", median(peaks), "MB", Target::AtMost(300.0)),
        Row::beside("their turns, with the disk", median(rates), "turns/s"),
    ])
}

/// The measured process: prints its peak in kB and its turns a second.
pub(super) fn child(folder: PathBuf) -> Result<ExitCode> {
    let store = Arc::new(FileBackend::new(folder));
    let everybody = Arc::new(Barrier::new(usize::try_from(RUNS)?));
    let agent: Arc<dyn Native> = Arc::new(Scripted(move |request: TurnRequest| {
        let everybody = everybody.clone();
        async move {
            // Nobody answers before every run has a turn in flight.
            if request.turn.0 == 1 {
                everybody.wait().await;
            }
            let text = review::answer(request.seat == *"creator", request.turn.0);
            Ok(Answer { text, ..Answer::default() })
        }
    }));
    let seating = seat_all(&review::AGENTS, &agent);
    let begun = Instant::now();
    Runtime::new()?.block_on(async {
        let mut runs = JoinSet::new();
        for number in 0..RUNS {
            let (store, seating) = (store.clone(), seating.clone());
            runs.spawn(async move { review::play(store, number, TURNS, &seating).await });
        }
        while let Some(ended) = runs.join_next().await {
            ended??;
        }
        anyhow::Ok(())
    })?;
    let rate = (RUNS * u64::from(TURNS)) as f64 / begun.elapsed().as_secs_f64();
    println!("{} {rate:.0}", peak_kb()?);
    Ok(ExitCode::SUCCESS)
}

/// The most memory that this process had at any time (Linux).
fn peak_kb() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM in /proc/self/status")?;
    Ok(peak.trim().trim_end_matches(" kB").parse()?)
}
