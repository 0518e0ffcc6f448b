//! The office: whoever runs trials for the server. The server shows and asks; how a run is opened and driven is not its
//! business.

use serde_json::Value;
use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use tribunal_kernel::{Round, Run, RunId, TurnId};

use crate::api::types::{Question, Setting, Start};

/// What the office answers, when it is ready.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send + 'a>>;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
    /// What one can do.
    pub hint: Option<String>,
}

/// What kind of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such thing.
    Unknown,
    /// The request cannot be meant like this.
    Invalid,
    /// It does not fit what was asked.
    Misfit,
    /// Not now: things stand otherwise.
    Conflict,
    /// The fault is ours.
    Broken,
}

impl Refusal {
    pub fn new(kind: RefusalKind, message: impl Into<String>, hint: impl Into<Option<String>>) -> Self {
        Self { kind, message: message.into(), hint: hint.into() }
    }

    /// There is no such thing.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Unknown, message, None)
    }
}

/// What can be asked of it. Everything that changes a run goes through here.
pub trait Office: Send + Sync + 'static {
    /// The project's name, and the folder that its work is in.
    fn project(&self) -> (String, PathBuf);

    /// Starts what the project's configuration describes, or a trial of a page.
    fn start(&self, start: Start) -> Reply<'_, Vec<RunId>>;

    /// Goes on with a run that ended without a judgement.
    fn resume(&self, run: RunId) -> Reply<'_, ()>;

    /// Tries anew what a run made. The new run.
    fn rerun(&self, run: RunId, brief: Option<String>) -> Reply<'_, RunId>;

    /// Lifts the lock of a decision, and goes on.
    fn reopen(&self, run: RunId, why: String, rounds: u32) -> Reply<'_, ()>;

    /// Chooses the draft of a round.
    fn select(&self, run: RunId, round: Round) -> Reply<'_, ()>;

    /// Stops a run; what is finished is kept. Doing it twice is doing it once.
    fn interrupt(&self, run: RunId) -> Reply<'_, ()>;

    /// Tells every turn that starts from now on.
    fn steer(&self, run: RunId, text: String) -> Reply<'_, ()>;

    /// What people are asked.
    fn questions(&self, run: RunId) -> Reply<'_, Vec<Question>>;

    /// Answers for a person.
    fn answer(&self, run: RunId, turn: TurnId, answer: Value) -> Reply<'_, ()>;

    /// The seats in which people are awaited.
    fn awaited(&self, run: &Run) -> Vec<String>;

    /// Runs that wait for their turn.
    fn queued(&self) -> BTreeSet<RunId>;

    /// Every setting, with where its value comes from.
    fn settings(&self) -> Reply<'_, Vec<Setting>>;

    /// Changes a setting in the project's file.
    fn set(&self, key: String, value: Value) -> Reply<'_, ()>;
}
