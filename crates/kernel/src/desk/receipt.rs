//! Receipts: what the engine saw when it ran the checks itself. A claim is held against these, not against words.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::counts::TestCounts;
use crate::Digest;
use crate::evidence::{Evidence, RunState};

/// One check that was run, or was to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The check's id in the test spec.
    pub check: String,
    pub purpose: String,
    /// The command as the spec has it.
    pub line: String,
    /// What was started for it.
    pub argv: Vec<String>,
    #[serde(default)]
    pub exit: Option<i32>,
    pub ended: CheckEnd,
    pub elapsed_ms: u64,
    /// Of the whole output as text: bytes that are no UTF-8 are replaced.
    pub output: Digest,
    /// Whether the whole output lies in the store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// The output's end, for people and for the verifier.
    #[serde(default)]
    pub tail: String,
    #[serde(default)]
    pub tests: Option<TestCounts>,
    /// What the run is worth, by all that was seen of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
    /// The commit or tree that it ran in.
    pub tree: String,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckEnd {
    Exited,
    TimedOut,
    Killed,
    NotStarted,
}

/// All that was seen of one claim.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Receipts {
    pub receipts: Vec<Receipt>,
    #[serde(default)]
    pub commit: Option<String>,
    pub tree: String,
    /// The files that the spec names, as they were when the checks ran; those that were not there have no digest.
    #[serde(default)]
    pub files: BTreeMap<String, Option<Digest>>,
    /// What differs from the base, as text: it lies in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Digest>,
    /// What the criteria name and the base does not have anywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_names: Vec<String>,
    /// Everything that was seen of the commands, on every tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<Evidence>>,
}

/// Receipts as they come from the desk: with what the checks printed, each as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckAnswer {
    #[serde(flatten)]
    pub receipts: Receipts,
    #[serde(default)]
    pub printed: Vec<String>,
}

impl Receipts {
    /// The outputs that lie in the store.
    pub fn cites(&self) -> impl Iterator<Item = Digest> {
        self.receipts.iter().filter(|receipt| receipt.kept).map(|receipt| receipt.output).chain(self.diff)
    }
}

impl Receipt {
    /// Whether the check proves what it is for.
    pub fn has_passed(&self) -> bool {
        self.failure().is_none()
    }

    /// Why it does not.
    pub fn failure(&self) -> Option<String> {
        if let Some(state) = &self.state {
            return match state {
                RunState::Green => None,
                RunState::Red(why) => Some(why.clone()),
                RunState::Unreliable(why) => Some(format!("cannot be believed: {why}")),
            };
        }
        let tests = self.tests.and_then(|tests| tests.failure());
        match (self.ended, self.exit) {
            (CheckEnd::NotStarted, _) => Some("could not be started".into()),
            (CheckEnd::TimedOut, _) => {
                Some(format!("timed out after {}.{:01} s", self.elapsed_ms / 1000, self.elapsed_ms % 1000 / 100))
            }
            (CheckEnd::Killed, _) => Some("was killed".into()),
            (CheckEnd::Exited, Some(0)) => tests,
            (CheckEnd::Exited, Some(code)) => Some(match tests {
                Some(tests) => format!("exit code {code}: {tests}"),
                None => format!("exit code {code}"),
            }),
            (CheckEnd::Exited, None) => Some("ended without an exit code".into()),
        }
    }
}

impl Receipts {
    /// The receipt of a check. Without one it never ran.
    pub fn of(&self, check: &str) -> Option<&Receipt> {
        self.receipts.iter().find(|receipt| receipt.check == check)
    }
}
