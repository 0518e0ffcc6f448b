//! What creator and reviewer must return.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ballot::BallotLine;
use crate::finding::Complaint;
use crate::{Format, Severity};

/// The creator's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CreatorAnswer {
    /// Whether you consider the candidate finished.
    pub done: bool,
    pub candidate: CandidateAnswer,
}

/// A candidate, as the creator gives it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CandidateAnswer {
    /// The whole text of the candidate.
    pub content: String,
    #[serde(default)]
    pub format: Format,
    /// Kept when it is a new UUID. Nobody is asked for one.
    #[serde(default, rename = "candidate_id")]
    #[schemars(skip)]
    pub id: Option<String>,
}

/// The reviewer's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReviewerAnswer {
    pub verdict: ReviewWord,
    /// The verdict in one or two sentences.
    #[serde(default)]
    pub summary: Option<String>,
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// Where the anchor has items that need an opinion.
    #[serde(default)]
    #[schemars(skip)]
    pub ballot: Vec<BallotLine>,
}

/// The reviewer's answer where the anchor has items that need an opinion.
#[derive(Debug, Clone, JsonSchema)]
pub(super) struct BallotedReview {
    #[serde(flatten)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    review: ReviewerAnswer,
    /// One line for each of the items that you vote on.
    #[expect(dead_code, reason = "only its schema is asked for")]
    ballot: Vec<BallotLine>,
}

/// The reviewer's words for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewWord {
    Ok,
    ChangesRequested,
    NeedsHuman,
}

/// One issue.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Issue {
    #[serde(default)]
    pub severity: IssueSeverity,
    pub message: String,
    /// A short, stable name for this kind of issue.
    #[serde(default)]
    pub code: Option<String>,
    /// The part of the candidate it is about.
    #[serde(default)]
    pub field: Option<String>,
}

/// How much an issue weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueSeverity {
    #[default]
    Error,
    Warning,
}

impl ReviewWord {
    /// The word itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ChangesRequested => "changes_requested",
            Self::NeedsHuman => "needs_human",
        }
    }
}

impl From<Issue> for Complaint {
    fn from(issue: Issue) -> Self {
        let severity = match issue.severity {
            IssueSeverity::Error => Severity::MustFix,
            IssueSeverity::Warning => Severity::Should,
        };
        Self { severity, text: issue.message, code: issue.code, target: issue.field, contested: false }
    }
}
