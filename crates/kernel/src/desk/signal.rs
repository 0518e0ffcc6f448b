//! The signal of an iteration: what workers of the original, since its version 0.13, say besides their memory.
//!
//! Their prompt calls the memory the leader's own and the signal mandatory, so where there is one it is what the worker
//! wants next. It is as little a proof as a claim is.

use serde_json::{Value, json};

use super::fields::{Fields, FileError};
use super::memory::StopStatus;

/// What a worker says of its iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignalFile {
    pub stop: StopStatus,
    /// The story that is done, or `ALL`.
    pub story: Option<String>,
    pub summary: String,
    /// What is left of a story of which a part is done.
    pub deferred: Vec<String>,
}

const STATUS: &str = "one of `continue`, `verify`, `verify_partial`, `blocked`";

impl SignalFile {
    /// Reads a signal. Part of a story is no story: `verify_partial` goes on with the rest, and must say what is done.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let mut fields = Fields::of(text)?;
        let word: String = fields.required("status", STATUS)?;
        let done: Vec<String> = fields.list("verified_acs", "the name of a criterion")?;
        let stop = match word.trim().to_ascii_lowercase().as_str() {
            "continue" => StopStatus::Continue,
            "verify" => StopStatus::Verify,
            "blocked" => StopStatus::Blocked,
            "verify_partial" if !done.is_empty() => StopStatus::Continue,
            "verify_partial" => {
                let expected = "the criteria that are done";
                return Err(FileError::Missing { field: "verified_acs".into(), expected });
            }
            _ => {
                let why = format!("found {word:?}");
                return Err(FileError::Unfit { field: "status".into(), why, expected: STATUS });
            }
        };
        Ok(Self {
            stop,
            story: fields.optional("us_id", "a story's name such as \"US-001\"")?,
            summary: fields.optional("summary", "a text")?.unwrap_or_default(),
            deferred: fields.list("deferred_acs", "the name of a criterion")?,
        })
    }

    /// The claim that it comes to where there is no other.
    pub fn claim(&self) -> Option<Value> {
        let story = self.story.as_ref().filter(|_| self.stop == StopStatus::Verify)?;
        Some(json!({ "summary": self.summary, "stories_completed": [story] }))
    }
}
