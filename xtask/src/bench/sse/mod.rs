//! Event streams: how soon what is durable in a log is with everybody who reads it, and what that takes.
//!
//! Everything is real: the server is the binary that users get, in a process of its own; the log is written by the
//! store; readers are sockets. Readers and writer share the machine with the server, so the processor time of both
//! stands beside the figures.
//!
//! | file | noun |
//! |---|---|
//! | `writer` | who appends at an even pace, and notes when an event was durable |
//! | `reader` | who reads a stream over a socket, or does not |
//! | `stream` | the bytes of an answer as frames |
//! | `delivery` | how long frames were on their way |

mod delivery;
mod reader;
mod stream;
mod writer;

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tribunal_store::conformance::run_id;
use tribunal_store::{FileStore, Log, Store};

use super::Bench;
use super::sample::{median, median_of};
use super::served::{Served, own_processor_time};
use super::table::{Row, Target};
use delivery::Delivery;
use reader::{Asking, Reader, Stalled};

/// So many read one run.
const READERS: usize = 1000;
/// What fewer readers see: where two cores are too few for readers and server, these tell what the server does.
const FEWER: [usize; 2] = [100, 300];
const A_SECOND: u32 = 1000;
const EVENTS: u32 = 10 * A_SECOND;
const TIMES: usize = 3;
const STARTS: usize = 20;
/// After this a server that nobody asks anything is idle.
const SETTLED: Duration = Duration::from_millis(500);
/// What has not arrived by then, after the last event, is missing.
const PATIENCE: Duration = Duration::from_secs(30);

/// What one play showed.
struct Played {
    delivery: Delivery,
    /// Events a second that were appended.
    appended: f64,
    /// Memory of the server in MB: with all readers before the first event, and at the most.
    connected: f64,
    peak: f64,
    /// Cores that were busy: the server's, and those of readers and writer.
    server: f64,
    ours: f64,
    dropped: u64,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let load = load_average();
    allow_many_files();
    let tribunal = bench.tribunal()?;
    let start = || {
        let folder = bench.empty()?;
        let server = Served::start(&tribunal, folder.path())?;
        Ok(server.ready.as_secs_f64() * 1e3)
    };
    let ready = median_of(STARTS, start)?;
    let folder = bench.empty()?;
    let server = Served::start(&tribunal, folder.path())?;
    std::thread::sleep(SETTLED);
    let idle = server.memory()?.now;
    drop(server);
    let play = |readers, stalled| {
        let played = bench.runtime.block_on(play(bench, &tribunal, readers, stalled))?;
        let Delivery { p50, p99, missing, .. } = played.delivery;
        eprintln!("  {readers} readers, {stalled} stalled: p50 {p50:.1} ms, p99 {p99:.1} ms, {missing} frames missing");
        anyhow::Ok(played)
    };
    let fewer = FEWER.map(|readers| Ok((readers, play(readers, 0)?))).into_iter().collect::<Result<Vec<_>>>()?;
    let plays = |stalled| (0..TIMES).map(|_| play(READERS, stalled)).collect::<Result<Vec<_>>>();
    let plain = plays(0)?;
    let beside = plays(1)?;
    let mut rows = vec![
        Row::new("server ready after its start", ready, "ms", Target::AtMost(100.0)),
        Row::new("memory of an idle server", idle, "MB", Target::AtMost(30.0)),
    ];
    rows.extend(table(READERS, &plain));
    let (p99, p99_beside) = (of(&plain, |play| play.delivery.p99), of(&beside, |play| play.delivery.p99));
    rows.extend([
        Row::beside("p99 beside a reader that never reads, to p99 without", p99_beside / p99, "times"),
        Row::beside("  such readers that were dropped", of(&beside, |play| play.dropped as f64), "of 1"),
        Row::beside("  events appended then", of(&beside, |play| play.appended), "events/s"),
        Row::beside("  gaps and doubles of the others", of(&beside, |play| play.delivery.faults as f64), "frames"),
    ]);
    for (readers, played) in fewer {
        rows.extend(table(readers, &[played]));
    }
    rows.push(Row::beside("load of the machine before", load, ""));
    Ok(rows)
}

fn of(plays: &[Played], figure: impl Fn(&Played) -> f64) -> f64 {
    median(plays.iter().map(figure).collect())
}

fn table(readers: usize, plays: &[Played]) -> Vec<Row> {
    let of = |figure: &dyn Fn(&Played) -> f64| of(plays, figure);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let name = format!("durable event to {readers} readers, p99");
    vec![
        Row::new(name, of(&|play| play.delivery.p99), "ms", Target::AtMost(50.0)),
        Row::beside("p50", of(&|play| play.delivery.p50), "ms"),
        Row::beside("slowest", of(&|play| play.delivery.slowest), "ms"),
        Row::beside(format!("events appended, of {A_SECOND}"), of(&|play| play.appended), "events/s"),
        Row::beside("frames delivered", of(&|play| play.delivery.a_second), "frames/s"),
        Row::new("gaps and doubles", of(&|play| play.delivery.faults as f64), "frames", Target::AtMost(0.0)),
        Row::beside("readers that fell behind and came back", of(&|play| play.delivery.returns as f64), "times"),
        Row::new("frames that did not arrive", of(&|play| play.delivery.missing as f64), "frames", Target::AtMost(0.0)),
        Row::beside("memory of the server before, with its readers", of(&|play| play.connected), "MB"),
        Row::beside("memory of the server at the most", of(&|play| play.peak), "MB"),
        Row::beside(format!("server busy, of {cores} cores"), of(&|play| play.server), "cores"),
        Row::beside("readers and writer busy, of the same", of(&|play| play.ours), "cores"),
    ]
}

/// Readers, a log that grows, and what became of it.
async fn play(bench: &Bench, tribunal: &std::path::Path, readers: usize, stalled: usize) -> Result<Played> {
    let folder = bench.empty()?;
    let (store, run) = (FileStore::new(folder.path()), run_id(1));
    let mut log = store.create(run).await?;
    writer::open(&mut log, run).await?;
    let before = log.seq();
    let server = Served::start(tribunal, folder.path())?;
    let path = format!("/api/projects/{}/events?run={run}", server.project);
    let (asking, epoch) = (Asking::new(&server, &path), Instant::now());
    let mut waiting = Vec::new();
    for _ in 0..stalled {
        waiting.push(Stalled::connect(asking.clone()).await?);
    }
    let mut tasks = JoinSet::new();
    let (stop, stopped) = watch::channel(());
    let all_here = Arc::new(tokio::sync::Semaphore::new(0));
    for number in 0..readers {
        let mut reader = Reader::connect(asking.clone(), EVENTS).await.with_context(|| format!("reader {number}"))?;
        let (here, stopped) = (all_here.clone(), stopped.clone());
        tasks.spawn(async move {
            reader.until(before).await?;
            here.add_permits(1);
            reader.all(epoch, stopped).await
        });
    }
    let everybody = all_here.acquire_many(u32::try_from(readers)?);
    drop(timeout(PATIENCE, everybody).await.context("not every reader was answered")??);
    sleep(SETTLED).await;
    let connected = server.memory()?.now;
    let (busy, ours, begun) = (server.processor_time()?, own_processor_time()?, Instant::now());
    let written = tokio::spawn(writer::write(log, EVENTS, A_SECOND, epoch)).await??;
    let took = begun.elapsed();
    let patience = tokio::spawn(async move {
        sleep(PATIENCE).await;
        drop(stop);
    });
    let mut received = Vec::with_capacity(readers);
    while let Some(reader) = tasks.join_next().await {
        received.push(reader??);
    }
    patience.abort();
    let elapsed = begun.elapsed().as_secs_f64();
    let (busy, ours) = (server.processor_time()?.saturating_sub(busy), own_processor_time()?.saturating_sub(ours));
    let dropped = server.metric("tribunal_sse_dropped_total").await?;
    Ok(Played {
        delivery: Delivery::of(&written, &received),
        appended: f64::from(EVENTS) / took.as_secs_f64(),
        connected,
        peak: server.memory()?.most,
        server: busy.as_secs_f64() / elapsed,
        ours: ours.as_secs_f64() / elapsed,
        dropped,
    })
}

/// A thousand readers hold a thousand sockets.
fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    // Without it connecting says what is wrong.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// How much the machine had to do already, over a minute; 0 where nobody says.
fn load_average() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or_default()
}
