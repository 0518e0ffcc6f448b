//! How cost grows: the same command over twice as much, again and again. What takes twice as long each time is linear.
//!
//! Processor time of the command is what is compared, because waiting says more about the machine than about us.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tribunal_kernel::{Decision, Event, Outcome, Round, RunId, review};
use tribunal_store::conformance::{BRIEF, events, run_id, texts};
use tribunal_store::{Backend, FileBackend};

use super::Bench;
use super::served::Served;
use super::table::{Row, Target};

/// Doubling sizes, from the smallest on: so many.
const STEPS: u32 = 4;
/// Twice as much may take so many times as long: n log n, and what a busy machine adds.
const MOST: f64 = 2.6;
/// Events of one round in [`events`].
const ROUND: usize = 6;

/// What grows, from which size on, how a project of a size is made, and which commands are measured over it.
struct Growth {
    what: &'static str,
    smallest: usize,
    make: fn(&Bench, &Path, usize) -> Result<()>,
    commands: &'static [&'static [&'static str]],
}

/// So often, and so far apart, a new server is asked for its runs.
const LOOKS: u32 = 600;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// A server that starts, lists the runs, and shows the newest.
const SERVE: &[&str] = &["serve"];

const GROWTHS: &[Growth] = &[
    Growth {
        what: "runs",
        smallest: 100,
        make: runs,
        commands: &[&["run"], &["resume"], &["status"], &["verify"], &["reindex"], SERVE],
    },
    Growth {
        what: "events",
        smallest: 1_500,
        make: events_of_one,
        commands: &[&["run"], &["resume", "a0"], &["status", "a0"], &["log"], &["verify"], &["reindex"], SERVE],
    },
    Growth { what: "rounds", smallest: 10, make: rounds, commands: &[&["run"]] },
    Growth { what: "findings", smallest: 1_000, make: findings, commands: &[&["run"]] },
    Growth { what: "bytes", smallest: 500_000, make: bytes, commands: &[&["run"]] },
];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let tribunal = bench.tribunal()?;
    let mut rows = Vec::new();
    for growth in GROWTHS {
        let mut taken: Vec<Vec<f64>> = vec![Vec::new(); growth.commands.len()];
        for step in 0..STEPS {
            let size = growth.smallest << step;
            let made = bench.empty()?;
            (growth.make)(bench, made.path(), size)?;
            for (command, taken) in growth.commands.iter().zip(&mut taken) {
                // A folder of its own: the one before may have changed what is there.
                let folder = bench.empty()?;
                copy(made.path(), folder.path())?;
                let seconds = if *command == SERVE {
                    bench.runtime.block_on(served(&tribunal, folder.path()))
                } else {
                    processor_time(&tribunal, folder.path(), command)
                };
                let seconds = seconds.with_context(|| format!("{command:?} over {size} {}", growth.what))?;
                eprintln!("  {} over {size} {}: {seconds:.2} s", command.join(" "), growth.what);
                taken.push(seconds);
            }
        }
        for (command, taken) in growth.commands.iter().zip(&taken) {
            rows.extend(told(growth, command, taken));
        }
    }
    Ok(rows)
}

/// The last doubling beside its limit, and what the sizes took.
fn told(growth: &Growth, command: &[&str], taken: &[f64]) -> Vec<Row> {
    let ratio = match taken {
        [.., before, last] => last / before.max(f64::MIN_POSITIVE),
        _ => 0.0,
    };
    let name = format!("`{}`, twice as many {}", command.join(" "), growth.what);
    let mut rows = vec![Row::new(name, ratio, "x", Target::AtMost(MOST))];
    for (step, seconds) in (0_u32..).zip(taken) {
        rows.push(Row::beside(format!("{} {}", growth.smallest << step, growth.what), seconds * 1e3, "ms"));
    }
    rows
}

/// A project that is made slowly, since everything in it is durable, is copied quickly.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&place)?;
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// What a server takes of the processor until it has shown the list and a run.
async fn served(tribunal: &Path, folder: &Path) -> Result<f64> {
    let server = Served::start(tribunal, folder)?;
    let mut looks = 0..LOOKS;
    // A new server lists what it finds as it finds it.
    let run = loop {
        let (_, list) = server.get("/runs").await?;
        let list: Value = serde_json::from_str(&list).context("the list of runs is no JSON")?;
        if let Some(run) = list["runs"][0]["run"].as_str() {
            break run.to_owned();
        }
        looks.next().context("the list has no run")?;
        tokio::time::sleep(BETWEEN_LOOKS).await;
    };
    let (status, _) = server.get(&format!("/runs/{run}")).await?;
    if status != 200 {
        bail!("the server answered {status}");
    }
    Ok(server.processor_time()?.as_secs_f64())
}

/// What a command takes of the processor, with all that it starts.
fn processor_time(tribunal: &Path, folder: &Path, command: &[&str]) -> Result<f64> {
    let before = of_children()?;
    let mut child = Command::new(tribunal);
    child.args(command).current_dir(folder).env("TRIBUNAL_CHECKS_EYES", "static");
    let status = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !matches!(status.code(), Some(0 | 1)) {
        bail!("ended with {status}");
    }
    Ok(of_children()? - before)
}

/// The processor time of all children that have ended, in seconds.
fn of_children() -> Result<f64> {
    /// What the kernel counts in, on every Linux that there is.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").context("this measure needs /proc")?;
    // The name, in brackets, may hold anything; `cutime` and `cstime` are the 16th and 17th field of all.
    let (_, fields) = stat.rsplit_once(") ").context("/proc/self/stat has another form")?;
    let ticks = fields.split(' ').skip(13).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_A_SECOND)
}

/// The configuration of a review, and its agents.
fn configure(folder: &Path, assets: &[String], iterations: usize, creator: &str, reviewer: &str) -> Result<()> {
    let toml = format!(
        "[run]\nloop = \"review\"\nbrief = \"{BRIEF}\"\n[review]\nassets = {assets:?}\nmax_iterations = {iterations}\n\
         stop_in_circles = false\n[agents.writer]\nkind = \"command\"\ncommand = [\"sh\", \"creator.sh\"]\n\
         [agents.critic]\nkind = \"command\"\ncommand = [\"sh\", \"reviewer.sh\"]\n[seats.creator]\nagent = \"writer\"\n\
         [seats.reviewer]\nagent = \"critic\"\n"
    );
    fs::write(folder.join("tribunal.toml"), toml)?;
    fs::write(folder.join("creator.sh"), format!("cat > /dev/null\n{creator}\n"))?;
    Ok(fs::write(folder.join("reviewer.sh"), format!("cat > /dev/null\n{reviewer}\n"))?)
}

/// What a creator says that is done at once.
const DONE: &str = r#"printf '{"done": true, "candidate": {"content": "A", "format": "plain"}}'"#;

/// Writes the log of a review of so many rounds that converged, and what it cites.
fn write(bench: &Bench, folder: &Path, number: usize, rounds: usize) -> Result<()> {
    let store = FileBackend::new(folder);
    let run = run_id(number as u64);
    bench.runtime.block_on(async {
        for text in texts(u32::try_from(rounds)?) {
            store.blobs().put(text.as_bytes()).await?;
        }
        let mut log = store.logs().create(run).await?;
        let batch = log_of(run, &format!("a{number}"), rounds);
        log.append(log.seq(), batch).await?;
        Ok(())
    })
}

fn log_of(run: RunId, asset: &str, rounds: usize) -> Vec<(tribunal_kernel::Time, Event)> {
    let reason = "reviewer_ok_and_creator_done";
    let mut log: Vec<_> = events(run).take(1 + rounds * ROUND).collect();
    if let Some((_, Event::RunOpened { spec })) = log.first_mut() {
        spec.workspace = ".".into();
        if let Some(settings) = spec.settings_of_mut::<review::Settings>() {
            asset.clone_into(&mut settings.asset);
        }
    }
    if let Some((_, Event::RoundClosed { decision, .. })) = log.last_mut() {
        let last = Round(u32::try_from(rounds).unwrap_or(u32::MAX));
        *decision = Decision::terminal(Outcome::Converged, last, reason.to_owned());
    }
    let closed = Event::RunClosed { outcome: Outcome::Converged, reason: reason.to_owned(), ship: None };
    let at = log.last().map(|(time, _)| *time).unwrap_or_default();
    log.push((at, closed));
    log
}

fn runs(bench: &Bench, folder: &Path, size: usize) -> Result<()> {
    let assets: Vec<String> = (0..size).map(|number| format!("a{number}")).collect();
    configure(folder, &assets, 1, DONE, r#"printf '{"verdict": "ok"}'"#)?;
    (0..size).try_for_each(|number| write(bench, folder, number, 1))
}

fn events_of_one(bench: &Bench, folder: &Path, size: usize) -> Result<()> {
    configure(folder, &["a0".to_owned()], 1, DONE, r#"printf '{"verdict": "ok"}'"#)?;
    write(bench, folder, 0, size / ROUND)
}

/// A review that does not agree before so many rounds are over, by agents that take no time.
fn rounds(_: &Bench, folder: &Path, size: usize) -> Result<()> {
    let creator = r#"printf '{"done": true, "candidate": {"content": "A %s", "format": "plain"}}' "$TRIBUNAL_ROUND""#;
    let reviewer = r#"printf '{"verdict": "changes_requested", "issues": [{"message": "more %s", "code": "c%s"}]}' "$TRIBUNAL_ROUND" "$TRIBUNAL_ROUND""#;
    configure(folder, &["a0".to_owned()], size, creator, reviewer)
}

/// A review of one round in which so many things are found.
fn findings(_: &Bench, folder: &Path, size: usize) -> Result<()> {
    let issue = |number: usize| format!(r#"{{"message": "say more about line {number}", "code": "c{number}"}}"#);
    let issues: Vec<String> = (0..size).map(issue).collect();
    let verdict = format!(r#"{{"verdict": "changes_requested", "issues": [{}]}}"#, issues.join(","));
    fs::write(folder.join("verdict.json"), verdict)?;
    configure(folder, &["a0".to_owned()], 1, DONE, "cat verdict.json")
}

/// A review of a draft of so many bytes.
fn bytes(_: &Bench, folder: &Path, size: usize) -> Result<()> {
    let text = "A sentence of the draft. ".repeat(size / 25);
    let draft = format!(r#"{{"done": true, "candidate": {{"content": "{text}", "format": "plain"}}}}"#);
    fs::write(folder.join("draft.json"), draft)?;
    configure(folder, &["a0".to_owned()], 1, "cat draft.json", r#"printf '{"verdict": "ok"}'"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_made_folds_to_a_run_that_converged() {
        let log = log_of(run_id(3), "a3", 5);
        let entries = (1..).zip(log).map(|(seq, (time, event))| tribunal_kernel::Entry {
            seq: tribunal_kernel::Seq(seq),
            time,
            event,
        });
        let run = tribunal_kernel::Run::fold(entries).unwrap().unwrap();
        assert_eq!(run.end().map(|end| end.outcome), Some(Outcome::Converged));
        assert_eq!((run.spec().subject(), run.rounds().len()), ("a3", 5));
    }

    #[test]
    fn a_doubling_is_told_beside_its_limit() {
        let rows = told(&GROWTHS[0], &["run"], &[0.1, 0.2, 0.4]);
        let text = super::super::table::text(&rows);
        assert!(text.contains("`run`, twice as many runs") && text.contains("2 x"), "{text}");
    }
}
