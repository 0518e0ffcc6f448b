//! What models say, added to what was decided without them.

use tribunal_anchors::{LintResult, MergeError, Opinion};

use crate::{anchor, check, shown};

fn opinion(provider: &str, answer: &str) -> Opinion {
    Opinion { provider: provider.to_owned(), answer: serde_json::from_str(answer).unwrap() }
}

const DRAFT: &str = "We ship\non Friday, promised.\n";

fn asked() -> LintResult {
    let anchor =
        anchor("kind = 'invariants'\nMUST = ['is fair']\nSHOULD = ['is warm']\nMUST_NOT = ['promises a date']");
    check(&anchor, DRAFT)
}

/// Violations, then SHOULDs, then notes.
fn told(result: &LintResult) -> String {
    let should = result.should_violations.iter().map(|one| format!("should: {}", one.message));
    let notes = result.notes.iter().map(|note| format!("note: {note}"));
    let lines: Vec<String> =
        std::iter::once(shown(result)).chain(should).chain(notes).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn objections_count_only_with_evidence() {
    for (name, answer, want) in [
        ("nothing", r"{}", ""),
        (
            "a quote over a line end",
            r#"{"violations": [{"rule": "promises a date", "quote": "ship on Friday", "why": "a day is named"}]}"#,
            "1:4-2:10 a day is named [ship\non Friday]",
        ),
        (
            "the level in front",
            r#"{"violations": [{"rule": "MUST NOT: promises a date", "quote": "Friday", "why": "a day"}]}"#,
            "2:4-2:10 a day [Friday]",
        ),
        (
            "a quote that is not there",
            r#"{"violations": [{"rule": "promises a date", "quote": "on Monday", "why": "a day"}]}"#,
            "note: a: `promises a date`: the quote is not in the draft, so the objection does not count: “on Monday”",
        ),
        (
            "what must not be there can be quoted",
            r#"{"violations": [{"rule": "promises a date", "why": "a day"}]}"#,
            "note: a: `promises a date`: no quote, so the objection does not count",
        ),
        (
            "what is missing cannot be quoted",
            r#"{"violations": [{"rule": "is fair", "quote": "", "why": "one side"}]}"#,
            "one side",
        ),
        ("a SHOULD stays one", r#"{"violations": ["is warm"]}"#, "should: a objects"),
        (
            "a rule that was not asked",
            r#"{"violations": [{"rule": "is short", "quote": "We", "why": "long"}]}"#,
            "note: a: `is short` was not asked, so the objection does not count",
        ),
    ] {
        let merged = asked().merge(DRAFT, &[opinion("a", answer)], 1).unwrap();
        assert_eq!(told(&merged), want, "{name}");
        assert!(merged.pending.is_empty(), "{name}");
        assert_eq!(merged.scores.len(), 3, "{name}: every rule has its score");
    }
}

#[test]
fn a_quorum_of_two_needs_two_providers() {
    let objects = r#"{"violations": [{"rule": "is fair", "quote": "We ship", "why": "one side"}]}"#;
    for (name, opinions, want) in [
        ("both", [("a", objects), ("b", objects)], Ok("1:1-1:8 one side [We ship]\n1:1-1:8 one side [We ship]")),
        ("one", [("a", objects), ("b", "{}")], Ok("note: `is fair`: 1 of 2 providers object, not enough")),
        ("one provider twice", [("a", objects), ("a", objects)], Err(MergeError::TooFew { providers: 1, quorum: 2 })),
    ] {
        let opinions = opinions.map(|(provider, answer)| opinion(provider, answer));
        let merged = asked().merge(DRAFT, &opinions, 2).map(|result| told(&result));
        assert_eq!(merged.as_deref(), want.as_ref().map(|text| *text), "{name}");
    }
}
