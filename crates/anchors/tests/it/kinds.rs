//! Every kind of anchor: when a draft is valid.

use tribunal_anchors::{RequirementLevel, lint};
use tribunal_checks::Inspector;

use crate::{anchor, check, shown};

const NO_FILES: &dyn Fn(&str) -> bool = &|_path| false;

#[test]
fn every_kind_of_anchor() {
    let terse = "'It broke. We fixed it. It works. That is all.'";
    let florid = "'Consider, if you will, the unhurried lamp: a thing of brass (and of vanity), which answers; it always answers!'";
    let exemplars = format!("kind = 'exemplars'\npositive = [{terse}]\nnegative = [{florid}]");
    for (name, toml, previous, draft, want) in [
        ("invariants hold", "kind = 'invariants'\nMUST = ['contains \"a\"']", None, "a", ""),
        (
            "invariants broken",
            "kind = 'invariants'\nMUST_NOT = ['contain \"a\"']",
            None,
            "a",
            "1:1-1:2 `a` is in it [a]",
        ),
        (
            "assertions broken",
            "kind = 'assertions'\nchecks = [{ description = 'short', predicate = { kind = 'predicate', predicate = 'word_count', max = 1 } }]",
            None,
            "a b",
            "2 words, expected at most 1",
        ),
        (
            "an item that was never covered is open",
            "kind = 'acceptance'\nitems = [{ question = 'Who?', done_when = 'named', rule = 'must have a heading Users' }]",
            Some("nothing"),
            "nothing",
            "",
        ),
        (
            "an item that was covered stays covered",
            "kind = 'acceptance'\nitems = [{ question = 'Who?', done_when = 'named', rule = 'must have a heading Users' }]",
            Some("# Users"),
            "nothing",
            "was covered before: no heading `Users`",
        ),
        (
            "goal",
            "kind = 'goal'\nnorth_star = 'x'\nconstraints = ['contains \"a\"']",
            None,
            "b",
            "`a` is nowhere in it",
        ),
        ("rubric", "kind = 'rubric'\ndims = [{ name = 'a' }]", None, "b", ""),
        (
            "exemplars, closer",
            &exemplars,
            Some("We are thrilled, truly; and, moreover: delighted!"),
            "It broke. We know why. It works.",
            "",
        ),
    ] {
        let result = lint(&anchor(toml), draft, previous, NO_FILES, &Inspector);
        assert_eq!(shown(&result), want, "{name}");
        assert_eq!(result.valid, want.is_empty(), "{name}");
    }
    let away = lint(
        &anchor(&exemplars),
        "Behold, then, the lamp: a thing of brass, which answers; it always answers!",
        None,
        NO_FILES,
        &Inspector,
    );
    insta::assert_snapshot!(shown(&away), @"not closer to the positive exemplars than to any negative one: likeness 0.257 to the positives, 0.699 to a negative");
}

#[test]
fn coverage_is_complete_only_at_the_end() {
    let anchor = anchor(
        "kind = 'acceptance'\nitems = [\n{ question = 'Who?', done_when = 'named', rule = 'must have a heading Users' },\n\
         { question = 'Why?', done_when = 'a reason is given' }]",
    );
    let result = check(&anchor, "nothing yet");
    assert!(result.valid);
    assert_eq!(result.open.len(), 1);
    assert_eq!(result.pending[0].rule.rule, "Why? Done when: a reason is given");
    assert_eq!(result.pending[0].level, RequirementLevel::Item);
    assert_eq!(shown(&result.closing()), "no heading `Users`");
    assert_eq!(check(&anchor, "# Users").covered(), ["Who?"]);
}

#[test]
fn a_near_tie_is_for_a_model() {
    let anchor = anchor("kind = 'exemplars'\npositive = ['It broke. We fixed it. It works. That is all.']");
    let before = "It broke on Monday. We fixed it. It works now. That is all there is.";
    let after = "It broke on Sunday. We fixed it. It works now. That is all there is.";
    let tie = lint(&anchor, after, Some(before), NO_FILES, &Inspector);
    assert!(tie.near_tie && tie.valid);
    assert_eq!(tie.pending[0].rule.rule, "closer to the positive exemplars than the draft before");

    let same = lint(&anchor, before, Some(before), NO_FILES, &Inspector);
    assert!(same.valid && !same.near_tie, "the same text is as close as it was");
}
