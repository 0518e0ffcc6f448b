//! Exit codes, as `docs/exit-codes.md` lists them: one table over outcomes, one over kinds of errors.

use std::process::ExitCode;
use tribunal_kernel::{Outcome, Run};

use crate::error::ErrorKind;
use crate::parked;

/// How the program ends. Ordered: of several runs the worst one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Shipped, converged, passed.
    Pass,
    /// Ended without passing.
    NotPassed,
    /// A limit was reached.
    Limit,
    /// An agent or the environment failed.
    Failed,
    /// Wrong usage or configuration.
    Usage,
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::NotPassed => 1,
            Self::Usage => 2,
            Self::Limit => 3,
            Self::Failed => 4,
            Self::Interrupted => 130,
        }
    }
}

impl Exit {
    /// The exit code of several runs: the worst one counts. One that waits for a person has not passed; one that was left
    /// while it waits for a provider has come to a limit.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Self {
        let exits = runs.into_iter().map(|run| match run.end() {
            Some(end) => Self::from(end.outcome),
            None if parked::is_parked(run) => Self::Limit,
            None => Self::NotPassed,
        });
        exits.max().unwrap_or(Self::Pass)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Invalid
            | ErrorKind::Config
            | ErrorKind::NotFound
            | ErrorKind::Forbidden
            | ErrorKind::TooLarge
            | ErrorKind::Misfit
            | ErrorKind::Conflict
            | ErrorKind::Busy => Self::Usage,
            ErrorKind::Stale => Self::NotPassed,
            ErrorKind::Interrupted => Self::Interrupted,
            ErrorKind::Held | ErrorKind::Environment => Self::Failed,
        }
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Converged | Outcome::Shipped | Outcome::Legacy => Self::Pass,
            Outcome::BelowThreshold | Outcome::NeedsHuman | Outcome::Blocked | Outcome::Degraded => Self::NotPassed,
            Outcome::TimedOut | Outcome::OverBudget => Self::Limit,
            Outcome::Failed => Self::Failed,
            Outcome::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
