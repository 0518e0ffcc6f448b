//! Many short runs through one `tribunal serve`, one after the other, with readers coming and going: what it holds of
//! runs that have ended, and whether it slows down. Both must stay flat.
//!
//! | file | noun |
//! |---|---|
//! | `project` | a scratch project with two kinds of short runs |
//! | `readers` | readers of event streams that come and go |

mod project;
mod readers;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Bench;
use super::served::{Holds, Served};
use super::table::{Row, Target};

/// So many runs are started, if nothing is said.
pub(super) const RUNS: usize = 2000;
/// So many of them at a time.
const AT_ONCE: usize = 4;
/// How often it is looked at, besides the beginning.
const PARTS: usize = 10;
/// So many read the stream of all runs, and for so long at a time.
const READERS: u64 = 4;
const STAY: Duration = Duration::from_millis(700);
/// How often somebody looks at the list of runs.
const LIST_EVERY: Duration = Duration::from_secs(1);
/// A run is started again this often where the server asks us to wait.
const TRIES: usize = 100;
const TRY_AGAIN: Duration = Duration::from_millis(100);
/// After this no run is started any more: a machine that is too slow gives fewer figures, but gives them.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Processor time stands beside the pace: where others use the machine, too, it is the steadier of the two.
const HEAD: &str = "   runs   runs/min  ms CPU/run     MB  MB at most  descriptors  threads";

/// A look at the server.
struct Look {
    runs: usize,
    at: Instant,
    busy: Duration,
    holds: Holds,
}

impl Look {
    fn at(server: &Served, runs: usize) -> Result<Self> {
        Ok(Self { runs, at: Instant::now(), busy: server.processor_time()?, holds: server.holds()? })
    }
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let tribunal = bench.tribunal()?;
    let folder = bench.empty()?;
    project::write(folder.path())?;
    let server = Arc::new(Served::start(&tribunal, folder.path())?);
    let looks = bench.runtime.block_on(soak(&server, bench.runs))?;
    rows(&looks)
}

async fn soak(server: &Arc<Served>, runs: usize) -> Result<Vec<Look>> {
    eprintln!("{HEAD}");
    let begun = Instant::now();
    let mut looks = vec![Look::at(server, 0)?];
    tell(&looks);
    // Dropping the set ends whoever is in it.
    let mut around = JoinSet::new();
    for number in 0..READERS {
        around.spawn(come_and_go(server.clone(), STAY * u32::try_from(number + 1)?));
    }
    around.spawn(look_at_list(server.clone()));
    let (next, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut starters = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (server, next, ended) = (server.clone(), next.clone(), ended.clone());
        starters.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= runs || begun.elapsed() > LONGEST {
                    return anyhow::Ok(());
                }
                let run = start(&server, number).await?;
                readers::until_over(&server, &run).await?;
                ended.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let part = runs.div_ceil(PARTS).max(1);
    loop {
        let done = tokio::select! {
            starter = starters.join_next() => match starter {
                Some(starter) => { starter??; continue }
                None => true,
            },
            gone = around.join_next() => {
                gone.context("nobody reads")???;
                bail!("a reader went for good");
            }
            () = sleep(TRY_AGAIN) => false,
        };
        let now = ended.load(Ordering::Relaxed);
        let last = looks.last().map_or(0, |look| look.runs);
        if now >= last + part || (done && now > last) {
            looks.push(Look::at(server, now)?);
            tell(&looks);
        }
        if done {
            return Ok(looks);
        }
    }
}

/// Starts a run, as soon as the server lets us.
async fn start(server: &Served, number: usize) -> Result<String> {
    let wish = project::start(number);
    for _ in 0..TRIES {
        let (status, body) = server.post("/runs", &wish).await?;
        match status {
            202 => {
                let answer: Value = serde_json::from_str(&body)?;
                return Ok(answer["runs"][0].as_str().with_context(|| format!("no run in {body}"))?.to_owned());
            }
            429 | 503 => sleep(TRY_AGAIN).await,
            _ => bail!("run {number} was not started: {status} {body}"),
        }
    }
    bail!("run {number} was not started, although it was tried {TRIES} times")
}

/// Reads the stream of all runs again and again; every second time as somebody who was not there before.
async fn come_and_go(server: Arc<Served>, stay: Duration) -> Result<()> {
    let mut place = None;
    loop {
        place = readers::all_runs(&server, place, stay).await?;
        readers::all_runs(&server, None, stay / 2).await?;
    }
}

/// Looks at the newest runs and at the metrics, as a page and a collector do.
async fn look_at_list(server: Arc<Served>) -> Result<()> {
    loop {
        let (status, body) = server.get("/runs").await?;
        if status != 200 {
            bail!("the list of runs: {status} {body}");
        }
        server.metric("tribunal_sse_dropped_total").await?;
        sleep(LIST_EVERY).await;
    }
}

fn tell(looks: &[Look]) {
    let Some(Look { runs, holds: Holds { memory, descriptors, threads }, .. }) = looks.last() else { return };
    let pace = match looks {
        [.., before, last] => format!("{:>10.0} {:>11.1}", pace(before, last), busy(before, last)),
        _ => " ".repeat(22),
    };
    eprintln!("{runs:>7} {pace} {:>6.1} {:>11.1} {descriptors:>12} {threads:>8}", memory.now, memory.most);
}

/// Runs a minute.
fn pace(from: &Look, to: &Look) -> f64 {
    let minutes = to.at.duration_since(from.at).as_secs_f64() / 60.0;
    if minutes > 0.0 { (to.runs - from.runs) as f64 / minutes } else { 0.0 }
}

/// Milliseconds of processor time a run.
fn busy(from: &Look, to: &Look) -> f64 {
    let runs = (to.runs - from.runs).max(1);
    to.busy.saturating_sub(from.busy).as_secs_f64() * 1e3 / runs as f64
}

/// What grew from the first tenth, when everything was in use once, to the end. The pace of the first tenth tells nothing:
/// a server lets so many writes through at once, and only so many a second after that.
fn rows(looks: &[Look]) -> Result<Vec<Row>> {
    let [_, early, second, .., before, end] = looks else { bail!("there were too few runs to compare any") };
    let (Holds { memory: first, .. }, Holds { memory: last, .. }) = (early.holds, end.holds);
    let left = (last.now - first.now) * 1e3 / (end.runs - early.runs) as f64;
    let faster = pace(before, end) / pace(early, second);
    let busier = busy(before, end) / busy(early, second);
    let at = |what: &str, look: &Look| format!("{what} after {} runs", look.runs);
    Ok(vec![
        Row::new("memory that 1,000 ended runs leave in a server", left, "MB", Target::AtMost(10.0)),
        Row::beside(at("memory", early), first.now, "MB"),
        Row::beside(at("memory", end), last.now, "MB"),
        Row::beside("memory at the most", last.most, "MB"),
        Row::beside(at("descriptors", early), early.holds.descriptors as f64, ""),
        Row::beside(at("descriptors", end), end.holds.descriptors as f64, ""),
        Row::beside(at("threads", early), early.holds.threads as f64, ""),
        Row::beside(at("threads", end), end.holds.threads as f64, ""),
        Row::new("pace of the last tenth, to that of the second", faster, "times", Target::AtLeast(0.9)),
        Row::beside("pace of the second tenth", pace(early, second), "runs/min"),
        Row::beside("pace of the last tenth", pace(before, end), "runs/min"),
        Row::new("processor time of a run in the last tenth, to the second", busier, "times", Target::AtMost(1.2)),
        Row::beside("processor time of a run in the second tenth", busy(early, second), "ms"),
        Row::beside("processor time of a run in the last tenth", busy(before, end), "ms"),
    ])
}
