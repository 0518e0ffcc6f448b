//! Reviews: what the reviewer said of a candidate.

use serde::Serialize;
use tribunal_kernel::review::REVIEWER;
use tribunal_kernel::{Finding, FindingId, Round, Run, SeatName, Severity, Time};

use super::iteration::Judged;
use super::paths;
use super::provenance::{Provenance, sitter};

/// A review, as files hold it.
#[derive(Debug, Serialize)]
pub(super) struct Review<'a> {
    iteration: Round,
    verdict: &'a str,
    issues: Vec<Issue<'a>>,
    reviewer: Option<String>,
    created_at: Time,
    summary: Option<&'a str>,
    provenance: Vec<Provenance<'a>>,
}

#[derive(Debug, Serialize)]
struct Issue<'a> {
    #[serde(rename = "issue_id")]
    id: FindingId,
    severity: &'static str,
    message: &'a str,
    code: Option<&'a str>,
    field: Option<&'a str>,
}

impl<'a> Review<'a> {
    /// The review of iteration `round`.
    pub(super) fn given(run: &'a Run, round: Round, judged: &Judged<'a>) -> Self {
        let verdict = judged.verdict;
        Self {
            iteration: round,
            verdict: &verdict.word,
            issues: verdict.findings.iter().map(Issue::from).collect(),
            reviewer: reviewer(run),
            created_at: judged.at,
            summary: verdict.summary.as_deref(),
            provenance: Provenance::of(run, judged.turn, Some(verdict)),
        }
    }
}

/// The reviewer's name as files use it. A tool that looks for a review's file makes its name from this one.
pub(super) fn reviewer(run: &Run) -> Option<String> {
    let (agent, _) = sitter(run, &SeatName::new(REVIEWER));
    agent.map(paths::safe).filter(|name| !name.is_empty())
}

impl<'a> From<&'a Finding> for Issue<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            id: finding.id,
            severity: match finding.severity {
                Severity::MustFix => "error",
                Severity::Should | Severity::Note => "warning",
            },
            message: &finding.text,
            code: finding.code.as_deref(),
            field: finding.target.as_deref(),
        }
    }
}
