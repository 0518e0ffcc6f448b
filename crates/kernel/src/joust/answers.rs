//! What the seats of a joust must return.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use tribunal_anchors::{Color, Scale, snap};

use crate::ballot::BallotLine;
use crate::mutation::Summon;

/// The first answer of the main seat.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct BootstrapAnswer {
    /// The whole first draft.
    pub draft: String,
    /// What drafts are judged against, as described above. Leave it out if one is given.
    #[serde(default)]
    pub anchor: Option<Value>,
    /// Why this anchor.
    #[serde(default)]
    pub why: Option<String>,
}

/// A rewrite.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MutationAnswer {
    /// The whole draft, rewritten.
    pub draft: String,
    /// What was wrong with the draft before, in a few sentences.
    #[serde(default)]
    pub critique: Option<String>,
    /// A specialist who should look at it, if one is needed.
    #[serde(default)]
    pub summon: Option<Summon>,
    /// Why a SHOULD rule is not met, by rule.
    #[serde(default)]
    pub justifications: BTreeMap<String, String>,
}

/// A scorer's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ScoreAnswer {
    pub scores: Vec<Scored>,
    /// Where it has to be seen whether the scorer looks.
    #[serde(default)]
    #[schemars(skip)]
    pub ballot: Vec<BallotLine>,
}

/// A scorer's answer where it has to be seen whether it looks.
#[derive(Debug, Clone, JsonSchema)]
pub(super) struct BallotedScores {
    #[serde(flatten)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    scores: ScoreAnswer,
    /// One line for each of the items that you vote on.
    #[expect(dead_code, reason = "only its schema is asked for")]
    ballot: Vec<BallotLine>,
}

/// The score of one dimension.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Scored {
    pub name: String,
    pub score: GivenPoints,
    #[serde(default)]
    pub rationale: String,
}

/// One of 0, 1, 2, 3, 5, 8, 13; where a colour is asked for, 0 for red, 1 for yellow, 2 for green.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GivenPoints(#[schemars(with = "f64")] Value);

impl GivenPoints {
    /// The points on a scale; nothing, if it is not on it. A colour may be given by its name.
    pub(super) fn on(&self, scale: Scale) -> Option<u32> {
        let number = match &self.0 {
            Value::Number(number) => number.as_f64(),
            Value::String(word) => word.trim().parse().ok(),
            _ => None,
        };
        match (scale, number) {
            (Scale::Points, number) => number.map(snap),
            (Scale::Color, Some(number)) => (0..=2).find(|points| (f64::from(*points) - number).abs() < 1e-9),
            (Scale::Color, None) => Color::from_word(self.0.as_str()?).map(Color::points),
        }
    }
}

/// The trail in few words.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CompactionAnswer {
    /// What is settled and need not be discussed again, one sentence each.
    pub resolved_decisions: Vec<String>,
}
