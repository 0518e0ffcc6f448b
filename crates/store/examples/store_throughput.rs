//! Measures the file store: `cargo run --release -p tribunal-store --example throughput [folder]`.
//!
//! Numbers depend on the disk: give a folder on the one that matters.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tribunal_kernel::{Run, Seq};
use tribunal_store::conformance::{events, run_id};
use tribunal_store::{Backend, FileBackend};

const BATCH: usize = 3;
const FOR: Duration = Duration::from_secs(3);
const MILLION: usize = 1_000_000;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| std::env::temp_dir().into_os_string());
    println!("{:<44} {:>20} {:>12}", "measure", "value", "target");
    for (runs, target) in [(1, ""), (10, ""), (100, ">= 20,000"), (1000, "")] {
        let root = tempfile::tempdir_in(&folder)?;
        let (rate, slowest) = append(root.path(), runs).await?;
        row(&format!("durable events/s, {runs} runs, batches of {BATCH}"), &format!("{rate:.0}"), target);
        row("  slowest append", &format!("{:.1} ms", slowest.as_secs_f64() * 1e3), "");
    }
    let root = tempfile::tempdir_in(&folder)?;
    read(root.path()).await
}

/// Events per second over all runs, and the longest wait.
async fn append(root: &Path, runs: u64) -> Result<(f64, Duration)> {
    let store = FileBackend::new(root);
    let mut logs = VecDeque::new();
    for number in 0..runs {
        logs.push_back(store.logs().create(run_id(number)).await?);
    }
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for (number, mut log) in (0..).zip(logs) {
        tasks.spawn(async move {
            let (mut events, mut slowest) = (events(run_id(number)), Duration::ZERO);
            while begin.elapsed() < FOR {
                let batch = events.by_ref().take(BATCH).collect();
                let began = Instant::now();
                log.append(log.seq(), batch).await?;
                slowest = slowest.max(began.elapsed());
            }
            Ok::<_, tribunal_store::StoreError>((log.seq().0, slowest))
        });
    }
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while let Some(done) = tasks.join_next().await {
        let (events, wait) = done??;
        count += events;
        slowest = slowest.max(wait);
    }
    Ok((count as f64 / begin.elapsed().as_secs_f64(), slowest))
}

async fn read(root: &Path) -> Result<()> {
    let store = FileBackend::new(root);
    let run = run_id(0);
    let mut log = store.logs().create(run).await?;
    let all: Vec<_> = events(run).take(MILLION).collect();
    for batch in all.chunks(10_000) {
        log.append(log.seq(), batch.to_vec()).await?;
    }
    drop((log, all));
    let path = store.layout().log(run);
    let bytes = path.metadata()?.len();
    row("1 M events: size", &format!("{} MB", bytes / 1_000_000), "");
    row("  bytes a line", &(bytes / MILLION as u64).to_string(), "");

    let watch = Stopwatch::start();
    let mut file = BufReader::with_capacity(1 << 20, File::open(&path)?);
    let mut piece = vec![0; 1 << 20];
    while file.read(&mut piece)? > 0 {}
    row("  bytes alone", &watch.read(), "");

    for _ in 0..3 {
        let watch = Stopwatch::start();
        let entries = store.logs().read(run).await?;
        row("  read: verify and parse", &watch.read(), "< 1 s");
        assert_eq!(entries.last().map(|entry| entry.seq), Some(Seq(MILLION as u64)));
        let watch = Stopwatch::start();
        let folded = Run::fold(&entries)?.expect("not empty");
        row("  fold", &watch.read(), "");
        drop((folded, entries));
    }
    let watch = Stopwatch::start();
    let opened = store.open(run).await?;
    row("  open for writing", &watch.read(), "< 1 s");
    assert_eq!(opened.log.seq(), Seq(MILLION as u64));
    Ok(())
}

/// Wall time, and the processor time of all threads: on a busy machine only the second one means something.
struct Stopwatch {
    began: Instant,
    cpu: Duration,
}

impl Stopwatch {
    fn start() -> Self {
        Self { began: Instant::now(), cpu: cpu() }
    }

    fn read(&self) -> String {
        format!("{:.2} s ({:.2} cpu)", self.began.elapsed().as_secs_f64(), cpu().saturating_sub(self.cpu).as_secs_f64())
    }
}

/// User and system time of this process, which Linux counts in hundredths of a second.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    Duration::from_millis(10 * fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>())
}

fn row(measure: &str, value: &str, target: &str) {
    println!("{measure:<44} {value:>20} {target:>12}");
}
