//! Decisions, as the protocol holds them.

use serde::{Deserialize, Serialize};
use std::path::Path;
use tribunal_kernel::decision::DecisionField;
use tribunal_kernel::{Decision, Outcome, Round};

use super::WorkspaceError;

/// A decision in a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Shape {
    outcome: Word,
    #[serde(default)]
    final_iteration: Option<Round>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    locked_fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Converged,
    NeedsHuman,
    InProgress,
}

impl Shape {
    /// What the file at `path` decided. A lock that is not known is refused: to drop it would lift it.
    pub(super) fn read(self, path: &Path) -> Result<Decision, WorkspaceError> {
        let locked = self.locked_fields.iter().map(|name| {
            let known = DecisionField::ALL.into_iter().find(|field| word(*field) == name);
            known.ok_or_else(|| WorkspaceError::damaged(path, format!("`{name}` cannot be one of the locked_fields")))
        });
        Ok(Decision {
            locked: locked.collect::<Result<_, _>>()?,
            outcome: match self.outcome {
                Word::Converged => Some(Outcome::Converged),
                Word::NeedsHuman => Some(Outcome::NeedsHuman),
                Word::InProgress => None,
            },
            final_round: self.final_iteration,
            reason: self.reason,
        })
    }
}

impl From<&Decision> for Shape {
    fn from(decision: &Decision) -> Self {
        let mut locked_fields: Vec<String> = decision.locked.iter().map(|field| word(*field).to_owned()).collect();
        locked_fields.sort_unstable();
        Self {
            outcome: match decision.outcome {
                Some(Outcome::Converged) => Word::Converged,
                Some(Outcome::NeedsHuman) => Word::NeedsHuman,
                // A review decides nothing else; how a run ended is not a decision about the work.
                Some(_) | None => Word::InProgress,
            },
            final_iteration: decision.final_round,
            reason: decision.reason.clone(),
            locked_fields,
        }
    }
}

fn word(field: DecisionField) -> &'static str {
    match field {
        DecisionField::FinalRound => "final_iteration",
        DecisionField::Outcome => "outcome",
        DecisionField::Reason => "reason",
    }
}
