//! What came of looking at a proof.

use serde::Serialize;

/// What is proven, what is only claimed, what was waived, and why it is not proven, if it is not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProofFound {
    /// Nothing is missing and nothing contradicts.
    pub proven: bool,
    /// The run and how it ended, as far as the proof can be read.
    pub about: Option<String>,
    /// What was checked, and holds.
    pub shown: Vec<String>,
    /// What stands on the word of whoever signed it.
    pub claimed: Vec<String>,
    /// What does not hold the gate because a person says so.
    pub waived: Vec<String>,
    /// Why it is not proven.
    pub problems: Vec<String>,
}

/// `1 event`, `2 events`.
pub(super) fn counted(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl ProofFound {
    /// Whether everything that has to be shown was shown is known at the end.
    pub(super) fn concluded(mut self) -> Self {
        self.proven = self.problems.is_empty();
        self
    }

    pub(super) fn problem(&mut self, what: impl Into<String>) {
        self.problems.push(what.into());
    }
}
