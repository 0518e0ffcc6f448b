//! The six kinds of anchor.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of thing a draft is judged against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorKind {
    Invariants,
    Acceptance,
    Exemplars,
    Assertions,
    Rubric,
    Goal,
}

impl AnchorKind {
    pub const ALL: [Self; 6] =
        [Self::Invariants, Self::Acceptance, Self::Exemplars, Self::Assertions, Self::Rubric, Self::Goal];

    /// All words, in the order of [`AnchorKind::ALL`].
    pub const WORDS: &[&str] = &[
        Self::Invariants.as_str(),
        Self::Acceptance.as_str(),
        Self::Exemplars.as_str(),
        Self::Assertions.as_str(),
        Self::Rubric.as_str(),
        Self::Goal.as_str(),
    ];

    /// The word in files, flags and events.
    pub const fn as_str(self) -> &'static str {
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
}

impl fmt::Display for AnchorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
