//! A line for what a person on call wants to know.
//!
//! Lines have names, numbers and words from short lists. What agents are told and what they write is in the log, and
//! not in here.

use serde::Serialize;
use std::fmt;
use tribunal_kernel::theater::{self, TheaterEvent};
use tribunal_kernel::{Entry, Event, Outcome, Round, Run, RunId, Score, Spend, Time};

use super::labels;
use super::money::dollars;

/// A line about a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JournalLine {
    pub time: Time,
    pub level: JournalLevel,
    pub run: RunId,
    pub r#loop: &'static str,
    /// The agent that answers for it.
    pub adapter: String,
    #[serde(flatten)]
    pub journal: Journal,
}

/// How loudly it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalLevel {
    Info,
    Warn,
    Error,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Journal {
    RunStarted {
        /// The name of what it works on.
        subject: String,
    },
    RoundClosed {
        round: Round,
        seconds: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        composite: Option<Score>,
        #[serde(skip_serializing_if = "Option::is_none")]
        must_fix: Option<u32>,
        /// `continue`, or how the run will end.
        decision: &'static str,
    },
    /// Something was handed over, or the seats agree.
    RunShipped {
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        round: Option<Round>,
        #[serde(skip_serializing_if = "Option::is_none")]
        composite: Option<Score>,
        #[serde(flatten)]
        toll: Toll,
    },
    /// The trial was given up for a plain pass.
    Degraded { reason: String },
    /// Something in an answer was put up with.
    ParserRecover { kind: String, position: u64 },
    /// The collector takes no spans.
    SpansDropped { dropped: u64, why: String },
    /// It failed, or ended with nothing to hand over.
    RunFailed {
        status: &'static str,
        cause: &'static str,
        #[serde(flatten)]
        toll: Toll,
    },
}

/// What a run took, since it was opened or last resumed; turns, tokens and money since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Toll {
    pub seconds: f64,
    pub turns: usize,
    pub tokens: u64,
    pub usd: f64,
}

/// What is to be said of an entry that became durable; `run` is the run after it, or any later state of it in the same
/// session.
pub fn lines(run: &Run, entry: &Entry) -> Vec<JournalLine> {
    let mut lines = Vec::new();
    let mut say = |level, journal| lines.push(JournalLine::new(run, entry, level, journal));
    for shown in theater::events(run, entry) {
        match shown {
            TheaterEvent::Degraded { reason, .. } => say(JournalLevel::Warn, Journal::Degraded { reason }),
            TheaterEvent::ParserWarning { kind, position, .. } => {
                say(JournalLevel::Warn, Journal::ParserRecover { kind, position });
            }
            _ => {}
        }
    }
    match &entry.event {
        Event::RunOpened { spec } => {
            say(JournalLevel::Info, Journal::RunStarted { subject: spec.subject().to_owned() });
        }
        Event::RoundClosed { round, decision, tally } => {
            let closed = Journal::RoundClosed {
                round: *round,
                seconds: labels::round_time(run, *round, entry.time).as_secs_f64(),
                composite: tally.as_ref().map(|tally| tally.composite),
                must_fix: tally.as_ref().map(|tally| tally.must_fix),
                decision: labels::decision(run, decision),
            };
            say(JournalLevel::Info, closed);
        }
        Event::RunClosed { outcome, ship, .. } => {
            let (status, toll) = (labels::status(run, *outcome), Toll::of(run, entry));
            if *outcome == Outcome::Failed || (ship.is_none() && !outcome.is_pass()) {
                let level = if *outcome == Outcome::Failed { JournalLevel::Error } else { JournalLevel::Warn };
                say(level, Journal::RunFailed { status, cause: labels::cause(run, *outcome), toll });
            }
            if ship.is_some() || outcome.is_pass() {
                let (round, composite) = match ship {
                    Some(ship) => (Some(ship.round), ship.composite),
                    None => (None, None),
                };
                say(JournalLevel::Info, Journal::RunShipped { status, round, composite, toll });
            }
        }
        _ => {}
    }
    lines
}

impl JournalLine {
    pub(super) fn new(run: &Run, entry: &Entry, level: JournalLevel, journal: Journal) -> Self {
        Self {
            time: entry.time,
            level,
            journal,
            run: run.spec().run,
            r#loop: run.spec().kind().as_str(),
            adapter: labels::answerable(run, &entry.event).to_owned(),
        }
    }

    /// For programs: one object.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("names, numbers and words can always be written")
    }
}

impl Toll {
    fn of(run: &Run, end: &Entry) -> Self {
        let Spend { tokens, usd } = run.budget().spent;
        let seconds = end.time.since(run.clock_from()).as_secs_f64();
        Self { seconds, turns: run.turns().len(), tokens, usd: dollars(usd) }
    }
}

/// For people: one line.
impl fmt::Display for JournalLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            JournalLevel::Info => "info ",
            JournalLevel::Warn => "warn ",
            JournalLevel::Error => "error",
        };
        write!(f, "{} {level} {} ({}, {}) {}", self.time, self.run, self.r#loop, self.adapter, self.journal)
    }
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunStarted { subject } => write!(f, "started on {subject}"),
            Self::RoundClosed { round, seconds, composite, must_fix, decision } => {
                write!(f, "round {round} closed after {seconds:.1} s")?;
                if let (Some(composite), Some(must_fix)) = (composite, must_fix) {
                    write!(f, ", composite {composite}, must-fix {must_fix}")?;
                }
                write!(f, ": {decision}")
            }
            Self::RunShipped { status, round, composite, toll } => {
                write!(f, "{status}")?;
                if let Some(round) = round {
                    write!(f, ", round {round}")?;
                }
                if let Some(composite) = composite {
                    write!(f, " with {composite}")?;
                }
                write!(f, " ({toll})")
            }
            Self::Degraded { reason } => write!(f, "degraded: {reason}; a single pass without a panel"),
            Self::ParserRecover { kind, position } => write!(f, "put up with {kind} at byte {position}"),
            Self::SpansDropped { dropped, why } => write!(f, "spans dropped: {dropped}; {why}"),
            Self::RunFailed { status, cause, toll } if status == cause => write!(f, "{status} ({toll})"),
            Self::RunFailed { status, cause, toll } => write!(f, "{status}: {cause} ({toll})"),
        }
    }
}

impl fmt::Display for Toll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, turns, tokens, usd } = self;
        write!(f, "{seconds:.1} s, turns {turns}, tokens {tokens}, ${usd:.4}")
    }
}
