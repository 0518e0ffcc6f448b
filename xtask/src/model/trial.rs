//! One run with the model in every seat.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::server::Server;
use crate::repo::Repo;

/// How long a run may take: what the model has not done by then it will not do. One attempt that could not be used is
/// answered with another; a third one says nothing new of it.
const LIMITS: &str = "max_retries = 1\n[limits]\nwall = \"170s\"\n";
/// A run that takes longer has not ended by itself.
const PATIENCE: Duration = Duration::from_secs(6 * 60);

/// What is asked for, and a word without which no answer to it is one.
const BRIEFS: [(&str, &str); 5] = [
    ("Write one sentence that welcomes the visitors of a small bakery. It must mention bread.", "bread"),
    ("Write two sentences that say when the library is open. They must mention Monday.", "monday"),
    ("Write a short apology to a customer whose parcel is late. It must mention the parcel.", "parcel"),
    ("Write one sentence that asks neighbours to close the gate. It must mention the gate.", "gate"),
    ("Write a short notice that the water will be turned off. It must mention water.", "water"),
];

/// A loop that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Review,
    Joust,
    Theater,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Review, Kind::Joust, Kind::Theater];

/// How the model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    /// It says what it likes.
    Free,
    /// It cannot but answer in the form that it is asked for: what it says then is read, whatever it is worth.
    Held,
}

pub(super) const MANNERS: [Manner; 2] = [Manner::Held, Manner::Free];

#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    pub(super) kind: Kind,
    pub(super) manner: Manner,
    pub(super) number: usize,
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) trial: Trial,
    /// Its exit code; none if it did not end by itself.
    pub(super) exit: Option<i32>,
    pub(super) status: String,
    reason: String,
    pub(super) controls: Controls,
    /// What was handed over, where a run says that it holds.
    shipped: Option<String>,
    took: Duration,
}

/// How the model did on drafts with planted faults, by calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Controls {
    pub(super) calls: u32,
    /// The fault was found.
    pub(super) caught: u32,
    /// A readable answer, in which the fault is not.
    pub(super) missed: u32,
    /// It got wrong what is known of the draft.
    pub(super) inattentive: u32,
    /// Nothing that could be read, or no time left.
    pub(super) unread: u32,
}

impl Kind {
    pub(super) fn from_word(word: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.word() == word)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Joust => "joust",
            Self::Theater => "theater",
        }
    }

    fn toml(self) -> &'static str {
        match self {
            Self::Review => "[review]\nasset = \"text\"\nmax_iterations = 2\n",
            Self::Joust => {
                "[joust]\nname = \"text\"\njousters = [\"editor\"]\nlinters = [\"linter\"]\nmax_rounds = 1\n"
            }
            // The clock is for models that are faster; and two judges say as much of this one as four.
            Self::Theater => {
                "[theater]\nmax_rounds = 1\nper_round_timeout_ms = 900000\ntotal_timeout_ms = 1000000\n\
                 cast = [\"designer\", \"critic\", \"copy\"]\n"
            }
        }
    }

    fn seats(self) -> &'static [&'static str] {
        match self {
            Self::Review => &["creator", "reviewer"],
            Self::Joust => &["main", "editor", "linter"],
            Self::Theater => &["designer", "critic", "copy"],
        }
    }
}

impl Manner {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Held => "held",
        }
    }

    fn model(self) -> &'static str {
        match self {
            Self::Free => "smollm2",
            Self::Held => "smollm2-held",
        }
    }
}

impl Trial {
    fn brief(self) -> (&'static str, &'static str) {
        BRIEFS[self.number / MANNERS.len() % BRIEFS.len()]
    }

    pub(super) fn hold(&self, server: &Server) -> Result<Seen> {
        let folder = TempDir::new().context("cannot make a folder")?;
        self.lay_out(folder.path(), &server.url())?;
        let begun = Instant::now();
        let mut tribunal = Command::new("timeout");
        tribunal.args(["--kill-after=10", &PATIENCE.as_secs().to_string()]).arg(Repo::tribunal()?);
        tribunal.args(["run", "-o", "shipped.md"]).current_dir(folder.path());
        tribunal.env("HOME", folder.path()).env("TRIBUNAL_CHECKS_EYES", "static");
        let output = tribunal.stdin(Stdio::null()).output().context("cannot start `timeout`")?;
        let took = begun.elapsed();
        // 124 and 137 are `timeout`'s own.
        let exit = output.status.code().filter(|code| ![124, 137].contains(code));
        let mut status = Command::new(Repo::tribunal()?);
        status.args(["status", "--json"]).current_dir(folder.path()).env("HOME", folder.path());
        let status: Value = serde_json::from_slice(&status.output()?.stdout).unwrap_or_default();
        let run = &status["runs"][0];
        let word = |name: &str| run[name].as_str().unwrap_or_default().to_owned();
        let shipped = (exit == Some(0)).then(|| fs::read_to_string(folder.path().join("shipped.md"))).transpose();
        let log = folder.path().join(".tribunal/runs").join(word("run")).join("log.ndjson");
        Ok(Seen {
            trial: *self,
            exit,
            status: word("status"),
            reason: word("reason"),
            controls: Controls::read(&fs::read_to_string(log).unwrap_or_default()),
            shipped: shipped.unwrap_or_default(),
            took,
        })
    }

    fn lay_out(self, folder: &Path, url: &str) -> Result<()> {
        let Self { kind, manner, .. } = self;
        let (brief, must) = self.brief();
        let anchor = if kind == Kind::Joust { "anchor = \"anchor.toml\"\n" } else { "" };
        let seats: Vec<String> =
            kind.seats().iter().map(|seat| format!("[seats.{seat}]\nagent = \"small\"\n")).collect();
        let seats = seats.concat();
        let toml = format!(
            "[run]\nloop = \"{}\"\nbrief = \"{brief}\"\n{anchor}{LIMITS}{}{seats}[agents.small]\nkind = \"http\"\nprovider = \"local\"\n\
             base_url = \"{url}\"\nmodel = \"{}\"\nturn = \"2m\"\nidle = \"2m\"\n",
            kind.word(),
            kind.toml(),
            manner.model(),
        );
        fs::write(folder.join("tribunal.toml"), toml)?;
        let rules = format!(
            "kind = \"invariants\"\nMUST = [\"must mention {must}\", {{ kind = \"semantic\", rule = \"does what the brief asks for\" }}]\n"
        );
        fs::write(folder.join("anchor.toml"), rules)?;
        Ok(())
    }
}

impl Controls {
    /// What a log says of calls with planted faults.
    fn read(log: &str) -> Self {
        let mut controls = Self::default();
        let mut asked = Vec::new();
        for line in log.lines() {
            let event: Value = serde_json::from_str(line).unwrap_or_default();
            let data = &event["event"]["data"];
            let turn = data["turn"].as_u64();
            match event["event"]["type"].as_str() {
                Some("turn_started") if data["task"].as_str().is_some_and(|task| task.starts_with("control:")) => {
                    controls.calls += 1;
                    asked.push(turn);
                }
                Some("turn_answered") if asked.contains(&turn) => {
                    let said = &data["said"]["data"];
                    let counts = said["planted"].as_u64().zip(said["caught"].as_u64());
                    let is_caught = counts.is_some_and(|(planted, caught)| planted <= caught);
                    *(if is_caught { &mut controls.caught } else { &mut controls.missed }) += 1;
                }
                Some("turn_failed") if asked.contains(&turn) => {
                    let is_inattentive = data["error"]["kind"] == "inattentive";
                    *(if is_inattentive { &mut controls.inattentive } else { &mut controls.unread }) += 1;
                }
                _ => {}
            }
        }
        controls
    }

    #[must_use]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            caught: self.caught + other.caught,
            missed: self.missed + other.missed,
            inattentive: self.inattentive + other.inattentive,
            unread: self.unread + other.unread,
        }
    }
}

impl Seen {
    /// Whether it says of a text that it holds which does not even have the word that its brief demands.
    pub(super) fn is_garbage(&self) -> bool {
        let (_, must) = self.trial.brief();
        self.exit == Some(0) && !self.shipped.as_deref().unwrap_or_default().to_lowercase().contains(must)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trial { kind, manner, number } = self.trial;
        let exit = self.exit.map_or("none".to_owned(), |exit| exit.to_string());
        let took = self.took.as_secs_f64();
        write!(f, "{:8} {:4} {number:2} exit {exit:4} {:16} {took:6.1} s", kind.word(), manner.word(), self.status)?;
        write!(f, " {:?} {}", self.controls, self.reason)?;
        if let Some(shipped) = &self.shipped {
            write!(f, "\n    handed over: {shipped:?}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_counted_by_how_they_ended() {
        let event = |kind: &str, data: &str| format!("{{\"event\":{{\"type\":\"{kind}\",\"data\":{data}}}}}\n");
        let started =
            |turn: u32, task: &str| event("turn_started", &format!("{{\"turn\":{turn},\"task\":\"{task}\"}}"));
        let answered = |turn: u32, caught: u32| {
            let said = format!("{{\"kind\":\"controlled\",\"data\":{{\"planted\":1,\"caught\":{caught}}}}}");
            event("turn_answered", &format!("{{\"turn\":{turn},\"said\":{said}}}"))
        };
        let failed = |turn: u32, kind: &str| {
            event("turn_failed", &format!("{{\"turn\":{turn},\"error\":{{\"kind\":\"{kind}\"}}}}"))
        };
        let log = [
            started(1, "review"),
            failed(1, "inattentive"),
            started(2, "control:1/review"),
            answered(2, 1),
            started(3, "control:1/review"),
            answered(3, 0),
            started(4, "control:2/review"),
            failed(4, "inattentive"),
            started(5, "control:2/review"),
            failed(5, "misfit"),
            "not JSON\n".to_owned(),
        ];
        let expected = Controls { calls: 4, caught: 1, missed: 1, inattentive: 1, unread: 1 };
        assert_eq!(Controls::read(&log.concat()), expected);
        assert_eq!(Controls::read(""), Controls::default());
    }

    #[test]
    fn a_text_without_what_the_brief_demands_is_garbage() {
        let seen = |exit, shipped: Option<&str>| Seen {
            trial: Trial { kind: Kind::Review, manner: Manner::Held, number: 0 },
            exit,
            status: String::new(),
            reason: String::new(),
            controls: Controls::default(),
            shipped: shipped.map(str::to_owned),
            took: Duration::ZERO,
        };
        assert!(seen(Some(0), Some("The whole text of the candidate.")).is_garbage());
        assert!(seen(Some(0), None).is_garbage(), "nothing at all is no better");
        assert!(!seen(Some(0), Some("Fresh Bread, and a warm welcome.")).is_garbage());
        assert!(!seen(Some(1), Some("Whatever.")).is_garbage(), "nobody says that it holds");
        assert!(!seen(None, None).is_garbage());
    }
}
