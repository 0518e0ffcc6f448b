//! How runs end.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The seats agree.
    Converged,
    /// The work passed the gate and was handed over.
    Shipped,
    BelowThreshold,
    NeedsHuman,
    Blocked,
    TimedOut,
    OverBudget,
    Interrupted,
    Degraded,
    Failed,
    /// Handed over without a trial, as the settings ask for.
    Legacy,
}

impl Outcome {
    /// A sticky outcome is a judgement of the work: only a person reopens it. The others say that the
    /// trial could not go on, and `resume` continues it.
    pub fn is_sticky(self) -> bool {
        match self {
            Self::Converged
            | Self::Shipped
            | Self::BelowThreshold
            | Self::NeedsHuman
            | Self::Blocked
            | Self::Degraded
            | Self::Legacy => true,
            Self::TimedOut | Self::OverBudget | Self::Interrupted | Self::Failed => false,
        }
    }

    /// The work holds, or nobody asked whether it does.
    pub fn is_pass(self) -> bool {
        matches!(self, Self::Converged | Self::Shipped | Self::Legacy)
    }

    /// The word for it, as in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Shipped => "shipped",
            Self::BelowThreshold => "below_threshold",
            Self::NeedsHuman => "needs_human",
            Self::Blocked => "blocked",
            Self::TimedOut => "timed_out",
            Self::OverBudget => "over_budget",
            Self::Interrupted => "interrupted",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
            Self::Legacy => "legacy",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
