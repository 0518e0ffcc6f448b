//! What judges say, added to what was decided without them.

use tribunal_anchors::{Judged, LintResult};

use crate::{anchor, check, shown};

const DRAFT: &str = "We ship\non Friday, promised.\n";

fn asked() -> LintResult {
    let anchor =
        anchor("kind = 'invariants'\nMUST = ['is fair']\nSHOULD = ['is warm']\nMUST_NOT = ['promises a date']");
    check(&anchor, DRAFT)
}

#[test]
fn what_judges_decide_is_decided_and_nothing_else() {
    let mut result = asked();
    assert!(result.valid && !result.is_passed(), "nobody has judged it");
    assert!(!result.judged("is short", Judged::Holds), "nobody asked for that");
    assert!(result.judged("is fair", Judged::Holds));
    assert!(result.judged("is warm", Judged::Broken { why: "cold", quote: None, draft: DRAFT }));
    assert!(!result.is_passed(), "one is left");
    assert!(result.judged("promises a date", Judged::Undecided { why: "two say so, two do not" }));
    assert_eq!((result.pending.len(), result.is_passed()), (1, false), "undecided is never a pass");
    assert_eq!(result.notes, ["`promises a date` is undecided: two say so, two do not"]);

    let mut broken = result.clone();
    let quote = Some("ship on Friday");
    assert!(broken.judged("promises a date", Judged::Broken { why: "a day is named", quote, draft: DRAFT }));
    assert_eq!(shown(&broken), "1:4-2:10 a day is named [ship\non Friday]");
    assert!(!broken.is_passed());

    assert!(result.judged("promises a date", Judged::Holds));
    assert!(result.is_passed(), "a SHOULD is a warning");
    assert_eq!((result.scores.len(), result.should_violations.len()), (3, 1));
}

#[test]
fn what_nobody_decided_does_not_pass() {
    let alike = anchor("kind = 'exemplars'\npositive = ['We ship on Friday']");
    assert!(!check(&alike, DRAFT).is_passed(), "likeness alone is no rule");
    let rubric = anchor("kind = 'rubric'\n[[dims]]\nname = 'clarity'");
    assert!(!check(&rubric, DRAFT).is_passed());
}

#[test]
fn rules_of_one_name_are_decided_one_by_one() {
    let twice = anchor("kind = 'invariants'\nMUST = ['is bold']\nMUST_NOT = ['is bold']");
    let mut result = check(&twice, DRAFT);
    assert!(result.judged("is bold", Judged::Holds));
    assert!(!result.is_passed(), "what was said of one is not said of the other");
    assert!(result.judged("is bold (2)", Judged::Holds) && result.is_passed());
}
