//! Whatever comes in, something comes out.

use proptest::prelude::*;
use tribunal_anchors::{Anchor, Judged, Rule, Syntax, choose, lint, report};
use tribunal_checks::Inspector;

use crate::anchor;

/// Texts made of the pieces that readers stumble over.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# ",
        "## Risks\n",
        "===\n",
        "---\n",
        "```\n",
        "~~~",
        "\n",
        "\r\n",
        " ",
        "ö",
        "🦀",
        "<h1>",
        "</h1",
        "<h2 ",
        ">",
        "<",
        "</",
        "<!--",
        "-->",
        "<script>",
        "</scr",
        "\"",
        "'",
        "[a](b)",
        "[x](#risks)",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "1",
        "-1.5e9",
        "null",
        "\\",
        "\\u00e9",
        "kind",
        "=",
        "word",
        "must contain the phrase ",
        "“",
        "”",
        "\u{feff}",
        "\0",
        "&amp;",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read_or_refused(text in noise()) {
        for syntax in [Syntax::Toml, Syntax::Json] {
            if let Err(errors) = Anchor::read(&text, syntax) {
                prop_assert!(!errors.is_empty());
                prop_assert!(errors.iter().all(|error| error.line >= 1 && error.column >= 1));
            }
        }
        let rule = Rule::from_text(&text);
        prop_assert_eq!(rule.rule, text.trim());
        choose(&text);
    }

    #[test]
    fn every_draft_is_judged(draft in noise(), previous in noise(), quote in noise()) {
        let rules = [
            include_str!("../../../../testdata/anchors/valid/invariants.toml"),
            include_str!("../../../../testdata/anchors/valid/acceptance.toml"),
            include_str!("../../../../testdata/anchors/valid/exemplars.toml"),
            include_str!("../../../../testdata/anchors/valid/assertions.toml"),
            include_str!("../../../../testdata/anchors/valid/goal.toml"),
        ];
        for text in rules {
            let result = lint(&anchor(text), &draft, Some(&previous), &|_path| false, &Inspector);
            prop_assert_eq!(result.valid, result.violations.is_empty());
            let mut merged = result;
            for pending in merged.pending.clone() {
                merged.judged(pending.rule.name(), Judged::Broken { why: "", quote: Some(&quote), draft: &draft });
            }
            let checked = [report::FileReport::of(&(previous.clone(), merged.closing()))];
            prop_assert!(serde_json::from_str::<serde_json::Value>(&report::sarif(&checked, &[])).is_ok());
            crate::reports::strict::elements(&report::junit(&checked));
        }
    }
}
