//! One run with one command line in every seat.

use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tribunal_stub::{Call, Purpose, Script, Stub};

use super::candidate::{Candidate, KEY};
use super::clis::Clis;
use crate::repo::Repo;

/// A run that takes longer has failed.
const PATIENCE_SECONDS: u64 = 180;
/// Codex does not like a home in `/tmp`.
const SCRATCH: &str = "/var/tmp";
const SEATS: [&str; 7] = ["creator", "reviewer", "designer", "critic", "brand", "a11y", "copy"];

/// What is tried, and how often a model is asked: the stub is content in the second round.
pub(super) const LOOPS: [Loop; 2] = [Loop { word: "review", calls: 4 }, Loop { word: "theater", calls: 10 }];

#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    word: &'static str,
    calls: usize,
}

#[derive(Debug)]
pub(super) struct Trial {
    pub(super) candidate: Candidate,
    pub(super) kind: Loop,
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct Seen {
    trial: Trial,
    output: Output,
    calls: usize,
    took: Duration,
}

impl Trial {
    pub(super) fn hold(self, clis: &Clis) -> Result<Seen> {
        let stub = Stub::start(Script::tribunal()).context("the stub cannot listen")?;
        let folder = if Path::new(SCRATCH).is_dir() { TempDir::new_in(SCRATCH) } else { TempDir::new() };
        let folder = folder.context("cannot make a folder")?;
        let [project, home, tmp] = ["project", "home", "tmp"].map(|name| folder.path().join(name));
        for path in [&project, &home, &tmp] {
            fs::create_dir(path)?;
        }
        fs::write(project.join("tribunal.toml"), self.toml(&stub))?;
        for (name, text) in self.candidate.files() {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&home))?;
            fs::write(path, text)?;
        }
        let begun = Instant::now();
        let output = Command::new("timeout")
            .args(["--kill-after=10", &PATIENCE_SECONDS.to_string()])
            .arg(Repo::tribunal()?)
            .arg("run")
            .current_dir(&project)
            .env_clear()
            .env("PATH", clis.path()?)
            .env("HOME", home)
            .env("TMPDIR", tmp)
            .env("LANG", "C.UTF-8")
            .env(KEY, "sk-stub")
            .envs(self.candidate.variables(&stub.url()))
            .stdin(Stdio::null())
            .output()
            .context("cannot start `timeout`")?;
        let took = begun.elapsed();
        let is_ours = |call: &Call| call.purpose == Purpose::Answer && call.wire == Some(self.candidate.wire());
        let calls = stub.calls().iter().filter(|record| is_ours(&record.call)).count();
        Ok(Seen { trial: self, output, calls, took })
    }

    fn toml(&self, stub: &Stub) -> String {
        let seats = SEATS.map(|seat| format!("[seats.{seat}]\nagent = \"it\"\n")).concat();
        format!(
            "[run]\nloop = \"{}\"\nbrief = \"Say hello.\"\n[review]\nasset = \"greeting\"\n[agents.it]\n{}{seats}",
            self.kind.word,
            self.candidate.toml(&stub.url()),
        )
    }
}

impl Seen {
    /// Whether it ended well, and by asking the model.
    pub(super) fn is_well(&self) -> bool {
        self.output.status.success() && self.trial.kind.calls <= self.calls
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trial: Trial { candidate, kind }, output, calls, took } = self;
        let word = if self.is_well() { "ok" } else { "FAILED" };
        write!(f, "{:12} {:8} {word:6} {calls:3} calls {:6.1} s", candidate.word(), kind.word, took.as_secs_f64())?;
        if !self.is_well() {
            write!(f, ": {}, at least {} calls expected", output.status, kind.calls)?;
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                write!(f, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
