//! An inspection: what the verifier says, held against what the engine saw. A word never overrules a receipt.

use serde::{Deserialize, Serialize};

use super::citation::quotations;
use super::criterion::Criterion;
use super::receipt::Receipts;
use super::settings::{MutantUse, Settings};
use super::story::StoryId;
use super::survey::Plan;
use super::test_spec::SpecCheck;
use super::verdict_file::{Transition, VerdictFile, VerdictWord};
use super::work::Incident;
use crate::Verdict;
use crate::evidence::{Evidence, EvidenceCode, EvidenceWeight};

/// A verdict as it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// With the corrections that receipts made.
    pub verdict: Verdict,
    pub word: VerdictWord,
    pub transition: Transition,
    /// What the next worker has to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The stories that were judged.
    pub scope: Vec<StoryId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
}

/// What the workplace answers for the verifier.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InspectionAnswer {
    /// What the verifier printed.
    pub printed: String,
    pub verdict: Option<String>,
    pub incidents: Vec<Incident>,
    /// What the verdict quotes and the work, its checks or their output really say.
    #[serde(default)]
    pub found: Vec<String>,
    /// Those of them that the work brought: in lines that it added, or in output that the base does not have. Missing where
    /// it added nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<Vec<String>>,
}

impl InspectionAnswer {
    /// The quotations that count for a criterion. What was there before shows nothing new.
    fn counted(&self, is_old: bool) -> &[String] {
        self.brought.as_deref().filter(|_| !is_old).unwrap_or(&self.found)
    }
}

/// Criteria that a pass does not cover: nobody judged them, or nothing was seen that could be shown.
pub(super) fn unvoted(
    file: &VerdictFile,
    criteria: &[Criterion<'_>],
    receipts: &Receipts,
    plan: &Plan,
    answer: &InspectionAnswer,
) -> Vec<String> {
    let told = |criterion: &Criterion<'_>| {
        let proof = criterion.proof(plan, receipts);
        let mut votes = file.criteria_results.iter().filter(|result| criterion.is_meant(&result.criterion)).peekable();
        let name = format!("{}: {}", criterion.name(), criterion.text);
        if votes.peek().is_none() {
            return Some(format!("{name}: it is not in `criteria_results`"));
        }
        let mut said = votes.map(|vote| vote.evidence.as_str()).filter(|said| !said.trim().is_empty()).peekable();
        if said.peek().is_none() {
            return Some(format!("{name}: its `evidence` is empty"));
        }
        let counted = answer.counted(criterion.asks_for_old(receipts));
        let is_quoted = |said: &str| quotations(said).iter().any(|quotation| counted.contains(quotation));
        let source = match answer.brought {
            Some(_) => "from a line that the work added, or from output of a check that is not there without the work",
            None => "from a file, or from the output of a check",
        };
        (proof.needs_quote() && !said.any(is_quoted))
            .then(|| format!("{name}: {}, between backticks, {source}", proof.told()))
    };
    criteria.iter().filter_map(told).collect()
}

/// Everything that keeps the claim from holding, whatever the verdict says: by receipts, and by the verdict itself.
pub(super) fn contradictions(
    settings: &Settings,
    file: &VerdictFile,
    plan: &Plan,
    checks: &[&SpecCheck],
    receipts: &Receipts,
    before: Option<&Receipts>,
) -> Vec<String> {
    let mut found = Vec::new();
    for check in checks {
        let told = |why: String| {
            let criteria = plan.spec.mapping.iter().filter(|mapped| mapped.check.as_deref() == Some(check.id.as_str()));
            let criteria: Vec<&str> = criteria.map(|mapped| mapped.criterion.as_str()).collect();
            let proves = if criteria.is_empty() { String::new() } else { format!(" ({})", criteria.join("; ")) };
            format!("`{}`: {why}{proves}", check.line)
        };
        match receipts.of(&check.id) {
            None => found.push(told("it was never run".into())),
            Some(receipt) => {
                // Evidence says the same and more.
                found.extend(receipt.failure().filter(|_| receipts.evidence.is_none()).map(told));
                let passed = receipt.tests.map(|tests| tests.passed);
                let earlier = before.and_then(|before| before.of(&check.id)?.tests).map(|tests| tests.passed);
                if let (Some(now), Some(earlier)) = (passed, earlier)
                    && now < earlier
                {
                    found.push(told(format!("{now} tests pass, and {earlier} did when it was verified last")));
                }
            }
        }
    }
    found.extend(receipts.evidence.iter().flat_map(|evidence| against(settings, evidence)));
    if file.verdict == VerdictWord::Pass {
        let unmet = file.criteria_results.iter().filter(|result| !result.met);
        found.extend(
            unmet.map(|result| format!("the verdict is pass, and it says that this is not met: {}", result.criterion)),
        );
        if file.criteria_results.is_empty() {
            found.push("the verdict is pass, and no criterion was judged".into());
        }
    }
    found
}

/// What the evidence says against a claim, whoever speaks for it.
fn against(settings: &Settings, evidence: &Evidence) -> Vec<String> {
    let is_against = |finding: &&crate::evidence::EvidenceFinding| {
        finding.weight == EvidenceWeight::Fails
            || (settings.mutants == MutantUse::Gate && finding.code == EvidenceCode::MutantsSurvived)
    };
    evidence.findings.iter().filter(is_against).map(|finding| finding.text.clone()).collect()
}
