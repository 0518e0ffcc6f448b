//! What the seats of a joust must return.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

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
}

/// The score of one dimension.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Scored {
    pub name: String,
    /// One of 0, 1, 2, 3, 5, 8, 13.
    pub score: f64,
    #[serde(default)]
    pub rationale: String,
}

/// The trail in few words.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CompactionAnswer {
    /// What is settled and need not be discussed again, one sentence each.
    pub resolved_decisions: Vec<String>,
}
