//! One run with one command line in every seat.

use anyhow::{Context, Result};
use std::process::Output;
use std::time::{Duration, Instant};
use std::{fmt, fs};
use tribunal_stub::{Purpose, Script, Stub, StubCall};

use super::candidate::Candidate;
use super::clis::Clis;
use super::scratch::Scratch;
use super::tokens::Tokens;

/// A run that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(900);
const SEATS: [&str; 9] = ["creator", "reviewer", "designer", "critic", "brand", "a11y", "copy", "main", "skeptic"];

/// What is tried, and how often a model is asked: the stub is content in the second round.
pub(super) const LOOPS: [Loop; 3] =
    [Loop { word: "review", calls: 4 }, Loop { word: "joust", calls: 4 }, Loop { word: "theater", calls: 10 }];

/// Here an image is attached to the brief, and every call has to bring it to the model.
const SEEN_IN: &str = "review";
/// A square of one colour, 64 pixels wide.
const IMAGE: &[u8] = include_bytes!("../../../testdata/agents/shot.png");
/// How the stub shows an image in a prompt.
const MEDIA: &str = "[media ";

/// A joust with one jouster and a rule that a program checks.
const JOUST: &str = "[joust]\nname = \"greeting\"\njousters = [\"skeptic\"]\nlinters = [\"skeptic\"]\nmax_rounds = 2\n";
/// How fast the machine is says nothing about an agent.
const THEATER: &str = "[theater]\nper_round_timeout_ms = 800000\ntotal_timeout_ms = 850000\n";
const ANCHOR: &str =
    "kind = \"invariants\"\nMUST = [\"must mention hello\", { kind = \"semantic\", rule = \"greets\" }]\n";

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
    /// In so many of them the model got an image.
    shown: usize,
    took: Duration,
    tokens: Tokens,
}

impl Trial {
    pub(super) fn hold(self, clis: &Clis) -> Result<Seen> {
        let stub = Stub::start(Script::tribunal()).context("the stub cannot listen")?;
        let seats = SEATS.map(|seat| format!("[seats.{seat}]\nagent = \"it\"\n")).concat();
        let word = self.kind.word;
        let toml = format!(
            "[run]\nloop = \"{word}\"\nbrief = \"Say hello.\"\nanchor = \"anchor.toml\"\n[review]\nasset = \"greeting\"\n{JOUST}{THEATER}{seats}"
        );
        let toml =
            if word == SEEN_IN { toml.replace("[review]", "attachments = [\"shot.png\"]\n[review]") } else { toml };
        let toml = if word == "joust" { toml } else { toml.replace("anchor = \"anchor.toml\"\n", "") };
        let scratch = Scratch::new(self.candidate.named(), stub.url(), None, &toml)?;
        fs::write(scratch.path("project/anchor.toml"), ANCHOR)?;
        fs::write(scratch.path("project/shot.png"), IMAGE)?;
        let begun = Instant::now();
        let output = scratch.tribunal(clis, PATIENCE)?.arg("run").output().context("cannot start `timeout`")?;
        let took = begun.elapsed();
        let is_ours = |call: &StubCall| call.purpose == Purpose::Answer && call.wire == Some(self.candidate.wire());
        let all = stub.calls();
        let ours: Vec<&StubCall> = all.iter().map(|record| &record.call).filter(|call| is_ours(call)).collect();
        let calls = ours.len();
        let shown = ours.iter().filter(|call| call.prompt.contains(MEDIA)).count();
        let mut status = scratch.tribunal(clis, PATIENCE)?;
        let status = status
            .args(["status", "--json", if word == "theater" { "artifact" } else { "greeting" }])
            .output()
            .context("cannot start `timeout`")?;
        let tokens = Tokens::new(&stub.totals(), &status.stdout);
        Ok(Seen { trial: self, output, calls, shown, took, tokens })
    }
}

impl Seen {
    /// Whether it ended well, by asking the model, and knows what that took.
    pub(super) fn is_well(&self) -> bool {
        let wanted = if self.trial.kind.word == SEEN_IN { self.trial.kind.calls } else { 0 };
        let is_asked = self.trial.kind.calls <= self.calls && wanted <= self.shown;
        self.output.status.success() && is_asked && self.tokens.is_well()
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trial: Trial { candidate, kind }, output, calls, shown, took, .. } = self;
        let word = if self.is_well() { "ok" } else { "FAILED" };
        write!(f, "{:16} {:8} {word:6} {calls:3} calls {:6.1} s", candidate.word(), kind.word, took.as_secs_f64())?;
        write!(f, " {}", self.tokens)?;
        if *shown > 0 {
            write!(f, ", an image in {shown}")?;
        }
        if !self.is_well() {
            write!(f, ": {}, at least {} calls expected", output.status, kind.calls)?;
            if kind.word == SEEN_IN {
                write!(f, ", each of them with the image")?;
            }
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                write!(f, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
