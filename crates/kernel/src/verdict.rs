//! Verdicts: a seat's judgement of a draft.

use serde::{Deserialize, Serialize};

use crate::ballot::Vote;
use crate::{DraftId, Finding, Score, Severity};

/// The four things a judgement can be. What did not parse or did not answer is an `Error`, never a `Pass`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    Pass,
    Fail,
    Abstain,
    Error,
}

/// What a seat says of a draft, as it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub draft: DraftId,
    pub judgement: Judgement,
    /// The loop's own word for the judgement, as it counts (`ok`, `changes_requested`, …).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub word: String,
    /// Where the loop scores; nothing if the seat gave none that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dims: Vec<Dim>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What was put to the vote, one for every item. Logs from before there were ballots have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// Why it does not count as the seat gave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
}

/// The score of one dimension of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dim {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// A rule that changed a verdict after the seat had given it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The word that the seat used.
    pub given: String,
    /// The rule, as a word for programs.
    pub rule: String,
    /// The rule, for people.
    pub why: String,
}

impl Verdict {
    /// A judgement of a draft, and nothing more.
    pub fn new(draft: DraftId, judgement: Judgement) -> Self {
        Self {
            draft,
            judgement,
            word: String::new(),
            score: None,
            dims: Vec::new(),
            summary: None,
            findings: Vec::new(),
            votes: Vec::new(),
            corrections: Vec::new(),
        }
    }

    /// Findings that must be fixed before the draft can pass. What is contested is recorded, and not obeyed.
    pub fn must_fixes(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::MustFix && !finding.contested)
    }
}
