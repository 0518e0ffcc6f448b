//! One run with one command line in every seat.

use anyhow::{Context, Result};
use std::fmt;
use std::process::Output;
use std::time::{Duration, Instant};
use tribunal_stub::{Purpose, Script, Stub, StubCall};

use super::candidate::Candidate;
use super::clis::Clis;
use super::scratch::Scratch;

/// A run that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(180);
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
        let seats = SEATS.map(|seat| format!("[seats.{seat}]\nagent = \"it\"\n")).concat();
        let word = self.kind.word;
        let toml = format!("[run]\nloop = \"{word}\"\nbrief = \"Say hello.\"\n[review]\nasset = \"greeting\"\n{seats}");
        let scratch = Scratch::new(self.candidate, stub.url(), None, &toml)?;
        let begun = Instant::now();
        let output = scratch.tribunal(clis, PATIENCE)?.arg("run").output().context("cannot start `timeout`")?;
        let took = begun.elapsed();
        let is_ours = |call: &StubCall| call.purpose == Purpose::Answer && call.wire == Some(self.candidate.wire());
        let calls = stub.calls().iter().filter(|record| is_ours(&record.call)).count();
        Ok(Seen { trial: self, output, calls, took })
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
        write!(f, "{:16} {:8} {word:6} {calls:3} calls {:6.1} s", candidate.word(), kind.word, took.as_secs_f64())?;
        if !self.is_well() {
            write!(f, ": {}, at least {} calls expected", output.status, kind.calls)?;
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                write!(f, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
