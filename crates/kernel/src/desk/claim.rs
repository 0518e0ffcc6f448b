//! A worker's claim that something is done. It says what to check, and proves nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fields::{Fields, FileError};
use super::story::StoryId;

/// What a worker says it has done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimFile {
    /// The iteration that the claim is made in.
    #[serde(default)]
    pub iteration: Option<u32>,
    #[serde(default)]
    pub claimed_at_utc: Option<String>,
    #[serde(default)]
    pub summary: String,
    /// Such as `US-001`.
    pub stories_completed: Vec<String>,
    /// Whatever the worker wants to show.
    #[serde(default)]
    pub evidence: Map<String, Value>,
}

impl ClaimFile {
    /// Reads a claim file. Whether the stories exist is for the caller to say, who knows the PRD.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let mut fields = Fields::of(text)?;
        // Later versions of the original name one story a claim, or all of them at once.
        let one: Option<String> = fields.optional("us_id", "a story's name such as \"US-001\", or \"ALL\"")?;
        if one.is_none() {
            fields.require("stories_completed", "a list such as [\"US-001\"]")?;
        }
        let claims = fields.texts("claims")?;
        let named = fields.list("stories_completed", "a story's name such as \"US-001\"")?;
        let summary: Option<String> = fields.optional("summary", "a text")?;
        Ok(Self {
            iteration: fields.optional("iteration", "a whole number")?,
            claimed_at_utc: fields.optional("claimed_at_utc", "a text")?,
            summary: summary.unwrap_or_else(|| claims.join("; ")),
            stories_completed: if named.is_empty() { one.into_iter().collect() } else { named },
            evidence: fields.optional("evidence", "an object")?.unwrap_or_default(),
        })
    }

    /// The stories that are claimed; what is no story's name comes back as it is.
    pub fn stories(&self) -> impl Iterator<Item = Result<StoryId, &str>> {
        self.stories_completed.iter().map(|name| StoryId::of(name).ok_or(name.as_str()))
    }
}
