//! The verifier's verdict, as it writes it. The engine holds it against the receipts before it counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{Fields, FileError};

/// What a verifier says of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictFile {
    pub verdict: VerdictWord,
    /// The iteration that is judged; one of another iteration was left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    #[serde(default)]
    pub verified_at_utc: Option<String>,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub criteria_results: Vec<CriterionResult>,
    /// What would have to be shown and is not.
    #[serde(default)]
    pub missing_evidence: Vec<String>,
    #[serde(default)]
    pub issues: Vec<String>,
    pub recommended_state_transition: Transition,
    /// What the next worker has to do.
    #[serde(default)]
    pub next_iteration_contract: Option<String>,
    #[serde(default)]
    pub evidence_paths: Vec<String>,
}

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    Pass,
    Fail,
    Blocked,
}

/// What the verifier would have the loop do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    Complete,
    Continue,
    Blocked,
}

/// What the verifier says of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionResult {
    /// As it stands in the PRD, such as `US-001 AC1: calc.py exists`.
    pub criterion: String,
    pub met: bool,
    /// What was seen, not what was said.
    #[serde(default)]
    pub evidence: String,
}

impl VerdictFile {
    /// Reads a verdict file. Whether it belongs to this iteration is for the caller to say.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let mut fields = Fields::of(text)?;
        let criteria = fields.objects("criteria_results")?.into_iter().map(CriterionResult::read);
        let criteria_results = criteria.collect::<Result<_, _>>()?;
        let summary: String = fields.optional("summary", "a text")?.unwrap_or_default();
        let mut missing_evidence = fields.texts("missing_evidence")?;
        // Who cannot tell has not seen it pass: its question goes to the next worker.
        let is_question = fields.replace("verdict", "request_info", "fail");
        if is_question {
            fields.replace_missing("recommended_state_transition", "continue");
            missing_evidence.push(format!("a question: {}", if summary.is_empty() { "not said" } else { &summary }));
        }
        Ok(Self {
            verdict: fields.required("verdict", "one of `pass`, `fail`, `blocked`")?,
            iteration: fields.optional("iteration", "a whole number")?,
            verified_at_utc: fields.optional("verified_at_utc", "a text")?,
            summary,
            criteria_results,
            missing_evidence,
            issues: fields.texts("issues")?,
            recommended_state_transition: fields
                .required("recommended_state_transition", "one of `complete`, `continue`, `blocked`")?,
            next_iteration_contract: fields.optional("next_iteration_contract", "a text")?,
            evidence_paths: fields.list("evidence_paths", "a text")?,
        })
    }
}

impl CriterionResult {
    fn read(mut fields: Fields) -> Result<Self, FileError> {
        Ok(Self {
            criterion: fields.required("criterion", "the criterion's text")?,
            met: fields.required("met", "true or false")?,
            evidence: fields.optional("evidence", "a text")?.unwrap_or_default(),
        })
    }
}
