//! What a judge must return.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{BallotItem, VoteWord};

/// A judge's votes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct BallotAnswer {
    /// One line for each of the items that you vote on.
    pub ballot: Vec<BallotLine>,
    /// Anything else that should be known.
    // Nothing rests on it, so a vote does not fail for the form of it.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub note: Option<serde_json::Value>,
}

/// A vote on one item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct BallotLine {
    /// The item: `R1`, `R2`, …
    pub id: String,
    pub says: VoteWord,
    /// Words of the draft, copied exactly: those that show that it is met, or those that break it.
    #[serde(default)]
    pub quote: Option<String>,
    /// It is broken because something is not there.
    #[serde(default)]
    pub absent: bool,
    #[serde(default)]
    pub why: Option<String>,
}

impl BallotLine {
    /// Whether it is about this item. Models write `r1`, and `R1:` where that stood.
    pub(super) fn is_about(&self, item: &BallotItem) -> bool {
        self.id.trim().trim_end_matches([':', '.']).eq_ignore_ascii_case(&item.id)
    }
}
