//! An inspection: what the verifier says, held against what the engine saw. A word never overrules a receipt.

use serde::{Deserialize, Serialize};

use super::receipt::Receipts;
use super::story::StoryId;
use super::survey::Plan;
use super::test_spec::SpecCheck;
use super::verdict_file::{Transition, VerdictFile, VerdictWord};
use super::work::Incident;
use crate::Verdict;

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
}

/// Everything that keeps the claim from holding, whatever the verdict says: by receipts, and by the verdict itself.
pub(super) fn contradictions(
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
                found.extend(receipt.failure().map(told));
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
