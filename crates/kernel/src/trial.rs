//! The interface between the kernel and a loop.
//!
//! A loop is a small pure module: it looks at the run and names the next step, and it reads an answer in the words
//! of what was asked. Everything else — retries with feedback, budgets, timeouts, persistence, streaming — is written
//! once, in [`crate::run`] and in the engine.

use crate::answer::Misfit;
use crate::prompt::Prompt;
use crate::{Decision, Digest, Outcome, Round, Run, Said, SeatName, Turn};

/// The shape of a trial.
pub trait Trial {
    /// What the run works on, in a word: an asset's name, a slug, a file.
    fn subject(&self) -> &str;

    /// What the run needs next. Called again after every event; must not depend on anything but `run`.
    fn next(&self, run: &Run) -> Step;

    /// What the seat is told. Called once for each attempt, when the call is about to be made.
    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt;

    /// What an answer means. The error is fed back to the seat when the turn is tried again.
    fn read(&self, run: &Run, turn: &Turn, answer: &str) -> Result<Reading, Misfit>;

    /// The blobs that the loop's settings cite.
    fn cites(&self) -> Vec<Digest> {
        Vec::new()
    }

    /// How many rounds there had been before the run was opened: it counts on from there.
    fn rounds_before(&self) -> u32 {
        0
    }

    /// A decision that was already there when the run was opened.
    fn inherited(&self) -> Option<&Decision> {
        None
    }
}

/// What a loop wants.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// A new round begins.
    Open(Round),
    /// These turns are needed before anything else can be said. They may run at once; those that have
    /// been answered or are in flight may be named again.
    Ask(Vec<Ask>),
    /// The round is judged.
    Close { round: Round, decision: Decision },
    /// The trial is over.
    End { outcome: Outcome, reason: String },
}

/// A call that a loop needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub round: Round,
    pub seat: SeatName,
    /// Together with round and seat it names the call; retries of it are counted under this name.
    pub task: &'static str,
}

/// An answer that was understood, and the texts it brought, which are stored before it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub said: Said,
    pub blobs: Vec<String>,
}
