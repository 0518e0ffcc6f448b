//! Exit codes, as `docs/exit-codes.md` lists them.

use std::process::ExitCode;
use tribunal_kernel::Outcome;

/// How the program ends. Ordered: of several runs the worst one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
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
    pub(crate) fn code(self) -> u8 {
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
