//! The same result every time, and an end to everything.

use tribunal_anchors::{LintResult, lint, sample};
use tribunal_checks::Inspector;

use crate::{anchor, check, must};

#[test]
fn a_hundred_lints_are_one() {
    let text = include_str!("../../../../testdata/anchors/valid/invariants.toml");
    let anchor = anchor(text);
    let draft = "# Plan\n\nTODO: ask Acme. [gone](gone.md)\n\n## Summary\n\n## Risks\n\nTODO\n";
    let first = serde_json::to_string(&check(&anchor, draft)).unwrap();
    assert_eq!(serde_json::from_str::<LintResult>(&first).unwrap(), check(&anchor, draft), "the log reads it back");
    for _ in 0..100 {
        assert_eq!(serde_json::to_string(&check(&anchor, draft)).unwrap(), first);
    }
    insta::assert_snapshot!(crate::shown(&check(&anchor, draft)), @r"
    `rollback plan` is nowhere in it
    nothing matches `^Owner: \S+`
    nothing matches `\w`
    3:17-3:32 `gone.md` leads nowhere: there is no file `gone.md`: correct the path or add the file [[gone](gone.md)]
    3:11-3:15 matches `(?i)\bAcme\b` [Acme]
    3:1-3:5 matches `\bTODO\b` [TODO]
    9:1-9:5 matches `\bTODO\b` [TODO]
    ");
}

#[test]
fn two_hundred_patterns_over_a_large_draft() {
    let draft = sample::markdown(1 << 20);
    let result = lint(&sample::rules(200), &draft, None, &|_path| true, &Inspector);
    assert_eq!(result.scores.len(), 200);
    assert!(result.valid, "{}", crate::shown(&result));
    let spoilt = format!("{draft}a forbidden phrase 0 and Widget1 and widget11x and ÜWIDGET21\n");
    insta::assert_snapshot!(crate::shown(&lint(&sample::rules(200), &spoilt, None, &|_path| true, &Inspector)), @r"
    46696:3-46696:21 matches `forbidden phrase 0` [forbidden phrase 0]
    46696:26-46696:33 matches `(?i)\bwidget1\b` [Widget1]
    ");
}

#[test]
fn an_expression_that_would_take_too_long_is_a_violation() {
    let mut state = 1_u32;
    let letters = (0..4 << 20).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    });
    let draft: String = letters.collect();
    let result = check(&must("{ kind = 'pattern', pattern = '(?:a|b)*a(?:a|b){300}c', must_match = false }"), &draft);
    insta::assert_snapshot!(crate::shown(&result), @"the pattern `(?:a|b)*a(?:a|b){300}c` takes too long on a draft of 4194304 bytes");
}

#[test]
fn one_very_long_line_is_no_trouble() {
    let draft = "word TODO ö ".repeat(100_000);
    let result = check(&must("{ kind = 'pattern', pattern = 'TODO', must_match = false }"), &draft);
    let last = result.violations.last().unwrap();
    assert_eq!(last.span.as_ref().unwrap().column, 9 * 12 + 6);
    assert_eq!(last.message, "matches `TODO`, and there are more");
}
