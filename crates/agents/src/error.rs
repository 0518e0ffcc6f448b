//! Why a turn brought no answer.

use std::time::Duration;
use tribunal_kernel::turn::{TurnError, TurnErrorKind};

use crate::{ProcessExit, Resumption};

/// Why a turn brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    #[error("agent `{agent}`: {reason}")]
    Unavailable { agent: String, reason: String, hint: Option<String> },
    #[error("agent `{agent}` {}{}", ended(*exit), last_words(stderr_tail))]
    Died { agent: String, exit: ProcessExit, stderr_tail: String },
    #[error("agent `{agent}` printed nothing")]
    Empty { agent: String },
    #[error("agent `{agent}` was refused: {why}")]
    Refused { agent: String, why: String, hint: String },
    #[error("agent `{agent}` had no answer from its model{}: {why}", status.map(|status| format!(" (status {status})")).unwrap_or_default())]
    Provider { agent: String, status: Option<u16>, why: String },
    /// Its provider takes no requests for now; until when, if it says so.
    #[error("agent `{agent}` has to wait for its provider: {why}")]
    Limited { agent: String, why: String, when: Option<Resumption> },
    #[error("agent `{agent}` reached its output limit: the answer was cut off ({why})")]
    CutOff { agent: String, why: String },
    #[error("agent `{agent}` reached what its turn may cost: {why}")]
    OverBudget { agent: String, why: String },
    #[error("agent `{agent}` ended without a result")]
    Unfinished { agent: String },
    #[error("agent `{agent}` ended without a result and printed {lines} lines that are not events")]
    Garbled { agent: String, lines: usize },
    #[error("agent `{agent}` was silent for {} s", idle.as_secs_f64())]
    Silent { agent: String, idle: Duration },
    #[error("agent `{agent}` took longer than {} s", total.as_secs_f64())]
    Overtime { agent: String, total: Duration },
    #[error("agent `{agent}` printed more than {limit} bytes")]
    TooMuchOutput { agent: String, limit: u64 },
    #[error("the turn was cancelled")]
    Cancelled,
}

impl AgentError {
    /// Whether a model may have worked for it, so that somebody has to pay.
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Refused { .. } | Self::Limited { .. } => false,
            Self::Provider { status, .. } => status.is_none(),
            Self::Died { .. }
            | Self::Empty { .. }
            | Self::CutOff { .. }
            | Self::OverBudget { .. }
            | Self::Unfinished { .. }
            | Self::Garbled { .. }
            | Self::Silent { .. }
            | Self::Overtime { .. }
            | Self::TooMuchOutput { .. }
            | Self::Cancelled => true,
        }
    }

    /// What the user can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unavailable { hint, .. } => hint.clone(),
            Self::Refused { hint, .. } => Some(hint.clone()),
            Self::Limited { .. } => {
                Some("wait until the provider accepts requests again, or put another agent in the seat".into())
            }
            Self::Provider { agent, .. } => {
                Some(format!("try again; if it keeps failing, check `agents.{agent}.base_url` and the network"))
            }
            Self::CutOff { agent, .. } => {
                Some(format!("ask for less, or use a model with a longer output for `agents.{agent}`"))
            }
            Self::OverBudget { .. } => Some("raise the limit: `tribunal resume --usd 5`, or `limits.usd`".into()),
            Self::Unfinished { agent } | Self::Garbled { agent, .. } => {
                Some(format!("`tribunal agents doctor` shows the version of `{agent}`; it may not be supported"))
            }
            Self::Died { agent, stderr_tail, .. } if is_unknown_call(stderr_tail) => Some(format!(
                "it does not understand its arguments: `tribunal agents doctor` shows the version of `{agent}`, which may be too old"
            )),
            Self::Died { agent, .. } | Self::Empty { agent } => {
                Some(format!("run the command of `agents.{agent}` by hand, with the prompt on its standard input"))
            }
            Self::Silent { agent, .. } => Some(format!("set `agents.{agent}.idle` if it needs longer pauses")),
            Self::Overtime { agent, .. } => Some(format!("set `agents.{agent}.turn` if it needs more time")),
            Self::TooMuchOutput { agent, .. } => Some(format!("set `agents.{agent}.output` if it needs more")),
            Self::Cancelled => None,
        }
    }
}

impl From<AgentError> for TurnError {
    fn from(error: AgentError) -> Self {
        let kind = match &error {
            // Asking again would not help.
            AgentError::Unavailable { .. } | AgentError::Refused { .. } => TurnErrorKind::Unavailable,
            AgentError::Died { .. }
            | AgentError::Provider { .. }
            | AgentError::Limited { .. }
            | AgentError::Unfinished { .. } => TurnErrorKind::Died,
            // The next prompt tells what was wrong.
            AgentError::Empty { .. } | AgentError::Garbled { .. } | AgentError::CutOff { .. } => TurnErrorKind::Misfit,
            AgentError::OverBudget { .. } => TurnErrorKind::OverBudget,
            AgentError::Silent { .. } => TurnErrorKind::Silent,
            AgentError::Overtime { .. } => TurnErrorKind::Overtime,
            AgentError::TooMuchOutput { .. } => TurnErrorKind::TooMuchOutput,
            AgentError::Cancelled => TurnErrorKind::Cancelled,
        };
        Self { kind, message: error.to_string(), hint: error.hint() }
    }
}

/// Whether a program complains about its arguments.
fn is_unknown_call(stderr_tail: &str) -> bool {
    const COMPLAINTS: [&str; 6] = [
        "unknown option",
        "unknown argument",
        "unknown command",
        "unexpected argument",
        "unrecognized",
        "unknown flag",
    ];
    let said = stderr_tail.to_lowercase();
    COMPLAINTS.iter().any(|complaint| said.contains(complaint))
}

fn ended(exit: ProcessExit) -> String {
    match exit {
        ProcessExit::Code(code) => format!("exited with code {code}"),
        ProcessExit::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

/// The end of what it printed to stderr: enough to see the cause, not enough to flood the screen.
fn last_words(stderr_tail: &str) -> String {
    const MAX_LINES: usize = 3;
    const MAX_CHARS: usize = 400;
    let lines: Vec<&str> = stderr_tail.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let tail = lines[lines.len().saturating_sub(MAX_LINES)..].join(" / ");
    let skipped = tail.chars().count().saturating_sub(MAX_CHARS);
    format!(": {}", tail.chars().skip(skipped).collect::<String>())
}
