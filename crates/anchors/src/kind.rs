//! The six kinds of anchor.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of thing a draft is judged against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Invariants,
    Acceptance,
    Exemplars,
    Assertions,
    Rubric,
    Goal,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Invariants, Self::Acceptance, Self::Exemplars, Self::Assertions, Self::Rubric, Self::Goal];

    /// The word in files, flags and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invariants => "invariants",
            Self::Acceptance => "acceptance",
            Self::Exemplars => "exemplars",
            Self::Assertions => "assertions",
            Self::Rubric => "rubric",
            Self::Goal => "goal",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    pub(crate) fn words() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.as_str()).collect()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
