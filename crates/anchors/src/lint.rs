//! An anchor against a draft: everything that needs no model.

use crate::{
    anchor::{Anchor, Exemplars},
    check::{Answer, Around, check},
    draft::Draft,
    exemplar::{NEAR_TIE, likeness},
    page::PageInspector,
    result::{LintResult, Pending, RequirementLevel, Violation},
    rule::{Rule, Test},
    score::CriterionScore,
};

/// The deterministic pass. `files` says whether a path relative to the draft is there, and `pages` reads HTML and
/// Markdown for the rules about them.
///
/// The same arguments give the same result, byte for byte.
pub fn lint(
    anchor: &Anchor,
    draft: &str,
    previous: Option<&str>,
    files: &dyn Fn(&str) -> bool,
    pages: &dyn PageInspector,
) -> LintResult {
    let around = Around { files, pages };
    match anchor {
        Anchor::Goal(goal) => {
            let mut result = items(anchor, draft, around);
            if goal.measure.is_some() {
                let (id, rule) = (Some("measure".to_owned()), "what is measured reaches its target".to_owned());
                let rule = Rule { test: Test::Semantic, id, rule };
                result.pending.push(Pending { level: RequirementLevel::Must, rule });
            }
            result
        }
        Anchor::Invariants(_) | Anchor::Assertions(_) => items(anchor, draft, around),
        Anchor::Acceptance(_) => acceptance(anchor, draft, previous, around),
        Anchor::Exemplars(anchor) => exemplars(anchor, draft, previous),
        Anchor::Rubric(_) => {
            let note = "a rubric is scored, not linted: nothing here was decided".to_owned();
            LintResult { notes: vec![note], ..LintResult::new() }
        }
    }
}

fn items(anchor: &Anchor, draft: &str, around: Around<'_>) -> LintResult {
    let items = anchor.items();
    let rules: Vec<&Rule> = items.iter().map(|(_, rule)| rule).collect();
    let mut result = LintResult::new();
    for ((level, rule), answer) in items.iter().zip(check(&rules, &Draft::new(draft), around)) {
        take(&mut result, *level, rule, answer);
    }
    result
}

fn take(result: &mut LintResult, level: RequirementLevel, rule: &Rule, answer: Answer) {
    match answer {
        Some(faults) => {
            let named = faults.into_iter().map(|fault| Violation { rule: rule.name().to_owned(), ..fault });
            result.decided(level, rule.name(), named.collect());
        }
        None => result.pending.push(Pending { level, rule: rule.clone() }),
    }
}

/// What was covered stays covered.
fn acceptance(anchor: &Anchor, draft: &str, previous: Option<&str>, around: Around<'_>) -> LintResult {
    let now = items(anchor, draft, around);
    match previous {
        Some(previous) => now.keep(&items(anchor, previous, around).covered()),
        None => now,
    }
}

const CLOSER: &str = "closer to the positive exemplars than the draft before";
const AWAY: &str = "closer to the positive exemplars than to any negative one";

fn exemplars(anchor: &Exemplars, draft: &str, previous: Option<&str>) -> LintResult {
    let now = likeness(anchor, draft);
    let mut result = LintResult::new();
    if let Some(previous) = previous {
        let before = likeness(anchor, previous);
        let values = format!("likeness {} after {}", share(now.positive), share(before.positive));
        // The same text is as close as it was, and nobody has to be asked.
        let band = if draft == previous { None } else { Some(NEAR_TIE) };
        compare(&mut result, CLOSER, (now.positive, before.positive), band, &values);
    }
    if !anchor.negative.is_empty() {
        let values =
            format!("likeness {} to the positives, {} to a negative", share(now.positive), share(now.negative));
        compare(&mut result, AWAY, (now.positive, now.negative), Some(NEAR_TIE), &values);
    }
    // Where it stands counts for the aggregate even when nothing is compared.
    let score = u32::try_from(now.positive / 1000).unwrap_or(1000);
    result.scores.push(CriterionScore { name: "likeness".to_owned(), score, max: 1000, weight: 1, floor: None });
    result
}

fn compare(result: &mut LintResult, rule: &str, (ours, theirs): (u64, u64), band: Option<u64>, values: &str) {
    if band.is_some_and(|band| ours.abs_diff(theirs) <= band) {
        result.near_tie = true;
        result.notes.push(format!("{rule}: too close to call ({values})"));
        let rule = Rule { test: Test::Semantic, id: None, rule: rule.to_owned() };
        result.pending.push(Pending { level: RequirementLevel::Must, rule });
        return;
    }
    let fault = Violation { rule: rule.to_owned(), message: format!("not {rule}: {values}"), span: None };
    result.decided(RequirementLevel::Must, rule, if ours < theirs { vec![fault] } else { Vec::new() });
}

fn share(millionths: u64) -> String {
    format!("0.{:03}", (millionths / 1000).min(999))
}
