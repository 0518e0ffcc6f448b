//! A survey: how the desk's files stand when an iteration begins.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::memory::{Memory, StopStatus};
use super::prd::Prd;
use super::story::{Story, StoryId};
use super::test_spec::{CRITERION, Noted, SpecError, TestSpec};
use crate::Digest;
use crate::evidence::MayChange;

/// The files as they are found. What moves the loop is read; the rest is known by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    /// The run is over by what somebody wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinel: Option<Sentinel>,
    /// The contract, where it is not the one of the survey before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
    /// Why the contract cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub prd: Digest,
    pub test_spec: Digest,
    pub worker_prompt: Digest,
    pub verifier_prompt: Digest,
    pub memory: Recalled,
    pub context: Digest,
    /// The commit that the work stands at.
    pub commit: String,
    /// Files that the test spec names, as the work found them: they are not the worker's to change.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Option<Digest>>,
    /// What a person should know about the place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What has to be done, and how it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    pub stories: Vec<Story>,
    pub spec: TestSpec,
}

/// A memory, as far as the loop acts upon it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    pub digest: Digest,
    /// Nothing, if it cannot be acted upon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// Why it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A file that ends the loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentinel {
    pub kind: SentinelKind,
    pub text: String,
}

/// What a sentinel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentinelKind {
    Complete,
    Blocked,
}

/// What the desk's own seat answers when it looks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SurveyAnswer {
    pub prd: Option<String>,
    pub test_spec: Option<String>,
    pub memory: Option<String>,
    pub context: Option<String>,
    pub worker_prompt: Option<String>,
    pub verifier_prompt: Option<String>,
    pub sentinel: Option<Sentinel>,
    pub commit: String,
    pub files: BTreeMap<String, Option<Digest>>,
    pub notes: Vec<String>,
}

impl Plan {
    /// The contract in these two texts, or why there is none.
    pub fn read(prd: &str, test_spec: &str) -> Result<Self, String> {
        let Prd { objective, stories } =
            Prd::read(prd).map_err(|error| format!("the PRD: {error} ({})", error.hint()))?;
        let spec = TestSpec::read(test_spec).map_err(|error| format!("the test spec: {error} ({})", error.hint()))?;
        let unproved = spec.placeholders.iter().chain(&spec.passed_over).find(|noted| noted.purpose == CRITERION);
        if let Some(Noted { line, text, .. }) = unproved {
            let error = SpecError::Unproved { line: *line, criterion: text.clone() };
            return Err(format!("the test spec: {error} ({})", error.hint()));
        }
        if spec.commands.is_empty() {
            return Err("the test spec: every command is still to be filled in (write the commands that prove the \
                        work below `## Verification Commands`)"
                .into());
        }
        Ok(Self { objective, stories, spec })
    }

    /// Everything that some story allows to be changed.
    pub fn may_change(&self) -> MayChange {
        MayChange(self.stories.iter().flat_map(|story| story.may_change.iter().cloned()).collect())
    }

    /// The story of this name.
    pub fn story(&self, id: &StoryId) -> Option<&Story> {
        self.stories.iter().find(|story| story.id == *id)
    }
}

impl Recalled {
    /// What a memory says; one that is not there, or not to be understood, says nothing.
    pub fn read(text: Option<&str>) -> Self {
        let digest = Digest::of(text.unwrap_or_default());
        match text.map(Memory::read) {
            Some(Ok(memory)) => {
                let contract = memory.next_contract.filter(|contract| !contract.trim().is_empty());
                Self { digest, stop: Some(memory.stop), contract, error: None }
            }
            Some(Err(error)) => Self { digest, stop: None, contract: None, error: Some(error.to_string()) },
            None => Self { digest, stop: None, contract: None, error: Some("there is no memory file".into()) },
        }
    }
}
