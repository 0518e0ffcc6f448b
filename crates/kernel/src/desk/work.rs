//! What a worker left behind: a commit, a memory, and perhaps a claim.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::claim::ClaimFile;
use super::memory::StopStatus;
use super::signal::SignalFile;
use super::story::StoryId;
use super::survey::{Plan, Recalled};
use crate::Digest;

/// One bounded action, as it was found when the worker had gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub commit: String,
    pub tree: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
    pub memory: Recalled,
    pub context: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claimed>,
    /// Why the claim cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_error: Option<String>,
    /// Files that the test spec names, as they are in the commit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Option<Digest>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub path: String,
    /// `added`, `modified`, `deleted`, `retyped`.
    pub kind: String,
}

/// What a worker says it has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    pub stories: Vec<StoryId>,
    /// What is claimed and is no story's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// Something that an agent must not do, and did or tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// As a word for programs: `wrote_sentinel`, `wrote_verdict`, `plans_changed`, `escaped`, `link_outside`,
    /// `verifier_write_attempt`.
    pub code: String,
    pub detail: String,
}

impl Incident {
    /// A link that leads out of the work. It was left out, so nobody follows it, and it is no reason to take the rest back.
    pub const LINK: &str = "link_outside";

    pub(super) fn is_link(&self) -> bool {
        self.code == Self::LINK
    }
}

/// What the workplace answers for the worker.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WorkAnswer {
    /// What the worker printed.
    pub printed: String,
    pub memory: Option<String>,
    pub context: Option<String>,
    pub claim: Option<String>,
    /// The signal of workers of the original; see [`SignalFile`].
    #[serde(default)]
    pub signal: Option<String>,
    /// The sentinel that workers of the original write when they are blocked: what they wish for, and the leader's to grant.
    #[serde(default)]
    pub blocked: Option<String>,
    pub commit: String,
    pub tree: String,
    pub changed: Vec<Changed>,
    pub files: BTreeMap<String, Option<Digest>>,
    pub incidents: Vec<Incident>,
}

impl From<WorkAnswer> for Work {
    fn from(answer: WorkAnswer) -> Self {
        let mut memory = Recalled::read(answer.memory.as_deref());
        let signal = answer.signal.as_deref().map(SignalFile::read);
        match &signal {
            Some(Ok(signal)) => {
                (memory.stop, memory.error) = (Some(signal.stop), None);
                let rest =
                    (!signal.deferred.is_empty()).then(|| format!("What is left: {}", signal.deferred.join(", ")));
                memory.contract = memory.contract.or(rest);
            }
            Some(Err(error)) => (memory.stop, memory.error) = (None, Some(format!("the iteration signal: {error}"))),
            None => {}
        }
        // Whoever says both that it is done and that it cannot go on cannot go on.
        if let Some(why) = &answer.blocked {
            (memory.stop, memory.error) = (Some(StopStatus::Blocked), None);
            memory.contract = Some(why.trim()).filter(|why| !why.is_empty()).map(str::to_owned).or(memory.contract);
        }
        let signalled = signal.and_then(Result::ok).and_then(|signal| signal.claim()).map(|claim| claim.to_string());
        let (claim, claim_error) = match answer.claim.or(signalled).as_deref().map(ClaimFile::read) {
            Some(Ok(claim)) => (Some(Claimed::from(&claim)), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        Self {
            memory,
            context: super::campaign::context_digest(&answer.context.unwrap_or_default()),
            commit: answer.commit,
            tree: answer.tree,
            changed: answer.changed,
            claim,
            claim_error,
            files: answer.files,
            incidents: answer.incidents,
        }
    }
}

impl Work {
    /// The same with every story of the plan in place of `ALL`.
    pub(super) fn of_plan(mut self, plan: Option<&Plan>) -> Self {
        if let (Some(claim), Some(plan)) = (&mut self.claim, plan)
            && claim.unknown.iter().any(|name| is_all(name))
        {
            claim.unknown.retain(|name| !is_all(name));
            claim.stories = plan.stories.iter().map(|story| story.id.clone()).collect();
        }
        self
    }
}

fn is_all(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("all")
}

impl From<&ClaimFile> for Claimed {
    fn from(claim: &ClaimFile) -> Self {
        let mut stories = Vec::new();
        let mut unknown = Vec::new();
        for named in claim.stories() {
            match named {
                Ok(story) if !stories.contains(&story) => stories.push(story),
                Ok(_) => {}
                Err(name) => unknown.push(name.to_owned()),
            }
        }
        Self { summary: claim.summary.clone(), stories, unknown }
    }
}
