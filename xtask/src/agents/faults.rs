//! What becomes of a run when its agent, or the way to its model, is broken.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tribunal_stub::{Script, Stub, StubFault, StubReply};

use super::candidate::Candidate;
use super::clis::Clis;
use super::scratch::Scratch;

/// How long a run may take, and how long after that it may still be there.
const LIMITS: &str = "[limits]\nidle = \"12s\"\nturn = \"16s\"\nwall = \"20s\"\ngrace = \"1s\"\n";
const PATIENCE: Duration = Duration::from_secs(20 + 12);
/// What is started in the place of the program.
const STAND_IN: &str = "./stand-in.sh";
/// Runs at the same time: most of them wait.
const AT_ONCE: usize = 4;

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    Unauthorized,
    RateLimited,
    ServerError,
    Hang,
    Cut,
    Garbage,
    /// Somebody ends the program.
    Term,
    /// The program, or the server, is not there.
    Missing,
    /// The program does not know how we call it.
    Old,
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct Seen {
    candidate: Candidate,
    trouble: Trouble,
    exit: Option<i32>,
    outcome: String,
    message: String,
    hint: String,
    took: Duration,
    /// Processes that were left behind.
    left: Vec<String>,
}

impl Trouble {
    pub(super) const ALL: [Self; 9] = [
        Self::Unauthorized,
        Self::RateLimited,
        Self::ServerError,
        Self::Hang,
        Self::Cut,
        Self::Garbage,
        Self::Term,
        Self::Missing,
        Self::Old,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Unauthorized => "401",
            Self::RateLimited => "429",
            Self::ServerError => "500",
            Self::Hang => "hang",
            Self::Cut => "cut stream",
            Self::Garbage => "garbage",
            Self::Term => "TERM",
            Self::Missing => "missing",
            Self::Old => "old version",
        }
    }

    /// What the model server does.
    fn script(self) -> Script {
        let fault = match self {
            Self::Unauthorized => StubFault::Unauthorized,
            Self::RateLimited => StubFault::RateLimited { retry_after_ms: 1000 },
            Self::ServerError => StubFault::ServerError,
            Self::Cut => {
                return Script::always(
                    StubReply::text("Half of an answer. ".repeat(40)).with_fault(StubFault::Cut { bytes: None }),
                );
            }
            Self::Garbage => StubFault::NotJson,
            Self::Hang | Self::Term | Self::Missing | Self::Old => StubFault::Hang,
        };
        Script::always(StubReply::fault(fault))
    }

    /// Whether there is such a thing for this agent.
    fn concerns(self, candidate: Candidate) -> bool {
        candidate.program().is_some() || !matches!(self, Self::Term | Self::Old)
    }

    /// What stands in the program's place, if anything.
    fn stand_in(self, program: &str) -> Option<String> {
        match self {
            Self::Term => Some(format!("#!/bin/sh\nexec timeout --preserve-status --signal=TERM 4 {program} \"$@\"\n")),
            Self::Old => Some("#!/bin/sh\necho \"error: unknown option '$1'\" >&2\nexit 1\n".into()),
            Self::Missing => Some(String::new()),
            _ => None,
        }
    }
}

/// Every agent with every trouble. All of them, in this order.
pub(super) fn table(clis: &Clis, candidates: &[Candidate]) -> Result<Vec<Seen>> {
    let pairs: Vec<(Candidate, Trouble)> = candidates
        .iter()
        .flat_map(|candidate| Trouble::ALL.map(|trouble| (*candidate, trouble)))
        .filter(|(candidate, trouble)| trouble.concerns(*candidate))
        .collect();
    let (next, seen) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((candidate, trouble)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = hold(clis, *candidate, *trouble);
                    seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(one);
                }
            });
        }
    });
    let seen = seen.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut seen = seen.into_iter().collect::<Result<Vec<Seen>>>()?;
    seen.sort_by_key(|one| pairs.iter().position(|pair| *pair == (one.candidate, one.trouble)));
    Ok(seen)
}

fn hold(clis: &Clis, candidate: Candidate, trouble: Trouble) -> Result<Seen> {
    let stub = Stub::start(trouble.script()).context("the stub cannot listen")?;
    let url = stub.url();
    let address = url.trim_start_matches("http://").to_owned();
    if trouble == Trouble::Missing && candidate.program().is_none() {
        // Nobody listens there any more.
        stub.stop();
    }
    let stand_in = candidate.program().and_then(|program| trouble.stand_in(program));
    let seats = ["creator", "reviewer"].map(|seat| format!("[seats.{seat}]\nagent = \"it\"\n")).concat();
    let toml = format!(
        "[run]\nloop = \"review\"\nbrief = \"Say hello.\"\nmax_retries = 0\nwhen_parked = \"leave\"\n[review]\nasset = \"greeting\"\n{seats}{LIMITS}"
    );
    let scratch = Scratch::new(candidate, url, stand_in.as_ref().map(|_| STAND_IN), &toml)?;
    // What is missing has a name, and nothing behind it.
    if let Some(script) = stand_in.filter(|script| !script.is_empty()) {
        let path = scratch.path("project").join(STAND_IN);
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    let begun = Instant::now();
    let output =
        scratch.tribunal(clis, PATIENCE)?.args(["run", "--json"]).output().context("cannot start `timeout`")?;
    let took = begun.elapsed();
    let left = left_behind(&scratch.path(""));
    let (outcome, message, hint) = told(&scratch, clis, &output)?;
    // Names that are different each time say nothing.
    let [place, host] = [scratch.path("").display().to_string(), address];
    let [message, hint] = [message, hint].map(|text| text.replace(&place, "/").replace(&host, "HOST"));
    Ok(Seen { candidate, trouble, exit: output.status.code(), outcome, message, hint, took, left })
}

/// How the run ended, and what was said of its last turn; or why there was no run.
fn told(scratch: &Scratch, clis: &Clis, output: &std::process::Output) -> Result<(String, String, String)> {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        bail!("no report: {stderr}");
    };
    if let Some(error) = report.get("error") {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok(("refused".into(), text("message"), text("hint")));
    }
    let outcome = report["runs"][0]["status"].as_str().unwrap_or("?").to_owned();
    let log = scratch.tribunal(clis, PATIENCE)?.args(["log", "--json"]).output().context("cannot read the log")?;
    let events = String::from_utf8_lossy(&log.stdout).into_owned();
    let failed = events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|entry| find(&entry, "turn_failed").or_else(|| find(&entry, "turn_parked")))
        .next_back()
        .unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if failed.get("until").is_some() {
        return Ok((outcome, text(&failed["why"]), "it goes on by itself".to_owned()));
    }
    Ok((outcome, text(&failed["error"]["message"]), text(&failed["error"]["hint"])))
}

/// The data of an event of this name, wherever the entry holds it.
fn find(entry: &Value, name: &str) -> Option<Value> {
    let event = if entry["type"] == name { entry } else { &entry["event"] };
    (event["type"] == name).then(|| event["data"].clone())
}

/// Processes that were started there.
fn left_behind(folder: &Path) -> Vec<String> {
    let marker = folder.display().to_string();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ours = processes.flatten().filter(|entry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&marker)
    });
    ours.map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").chars().take(80).collect()
    })
    .collect()
}

/// The page of the documentation.
pub(super) fn page(seen: &[Seen]) -> String {
    let rows: Vec<String> = seen.iter().map(Seen::row).collect();
    format!(
        "# When an agent breaks\n\nWhat became of a review without retries in which everything that can break was broken: made by `cargo \
         xtask agents --table` with the\nreal command lines, which also checks that none of these runs passed, hung beyond its limits or \
         left a process behind.\nThe limits were 12 s of silence, 16 s for a turn and 20 s for the run.\n\n| agent | trouble | outcome | message | \
         hint |\n|---|---|---|---|---|\n{}",
        rows.join("\n")
    )
}

impl Seen {
    /// Whether the trouble was noticed, named and survived: never a pass, in time, nothing left.
    pub(super) fn is_well(&self) -> bool {
        // Who is told to wait waits, whatever the vendor's way to say so: not even a limit of the run ends that so soon.
        let is_refused = match self.trouble {
            Trouble::RateLimited => self.exit == Some(3) && self.outcome == "parked",
            _ => matches!(self.exit, Some(2..=4)),
        };
        is_refused && !self.message.is_empty() && self.left.is_empty() && self.took < PATIENCE
    }

    /// A row of the table in the documentation.
    pub(super) fn row(&self) -> String {
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let Self { candidate, trouble, outcome, message, hint, .. } = self;
        format!("| {} | {} | {outcome} | {} | {} |", candidate.word(), trouble.word(), cell(message), cell(hint))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { candidate, trouble, exit, outcome, message, took, left, .. } = self;
        let word = if self.is_well() { "ok" } else { "FAILED" };
        let exit = exit.map_or_else(|| "no exit code".into(), |exit| format!("exit {exit}"));
        write!(
            f,
            "{:16} {:12} {word:6} {outcome:9} {exit} {:5.1} s: {message}",
            candidate.word(),
            trouble.word(),
            took.as_secs_f64()
        )?;
        for process in left {
            write!(f, "\n    left behind: {process}")?;
        }
        Ok(())
    }
}
