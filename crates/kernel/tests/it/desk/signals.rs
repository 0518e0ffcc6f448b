//! Claims and verdicts: kind to what is left out, strict about what is there.

use tribunal_kernel::desk::{ClaimFile, StoryId, Transition, VerdictFile, VerdictWord};

const CLAIM: &str = r#"{
  "iteration": 3,
  "claimed_at_utc": "2025-01-15T10:30:00Z",
  "summary": "both stories are done",
  "stories_completed": ["US-001", "us-2: tests", "everything"],
  "evidence": { "test_output": "8 passed in 0.05s", "files_created": ["calc.py", "test_calc.py"] }
}"#;

const VERDICT: &str = r#"{
  "verdict": "pass",
  "verified_at_utc": "2025-01-15T10:35:00Z",
  "summary": "seen with my own eyes",
  "criteria_results": [{ "criterion": "US-001 AC1: calc.py exists", "met": true, "evidence": "test -f calc.py: exit 0" }],
  "missing_evidence": [],
  "issues": [],
  "recommended_state_transition": "complete",
  "next_iteration_contract": "",
  "evidence_paths": ["test_calc.py::test_divide_by_zero"]
}"#;

#[test]
fn the_originals_claim_is_read() {
    let claim = ClaimFile::read(CLAIM).unwrap();
    assert_eq!(claim.iteration, Some(3));
    assert_eq!(claim.evidence["files_created"][1], "test_calc.py");
    let stories: Vec<Result<StoryId, &str>> = claim.stories().collect();
    let id = |text| Ok(StoryId::of(text).unwrap());
    assert_eq!(stories, [id("US-001"), id("US-002"), Err("everything")]);
    assert_eq!(ClaimFile::read(&format!("\u{feff}```json\n{CLAIM}\n```\n")), Ok(claim));
}

#[test]
fn a_claim_needs_its_stories_and_nothing_else() {
    let claim = ClaimFile::read(r#"{"stories_completed": ["US-001"], "summary": null, "mood": "good"}"#).unwrap();
    assert_eq!((claim.iteration, claim.summary.as_str(), claim.evidence.len()), (None, "", 0));
    for (text, expected) in [
        ("", "the file is empty"),
        ("[]", "`the file`: expected an object, found a list"),
        ("{}", "`stories_completed` is missing; expected a list such as [\"US-001\"]"),
        (r#"{"stories_completed": "US-001"}"#, "`stories_completed`: found \"US-001\"; expected a list"),
        (
            r#"{"stories_completed": [1]}"#,
            "`stories_completed[0]`: found 1; expected a story's name such as \"US-001\"",
        ),
        (r#"{"stories_completed": [], "iteration": "3"}"#, "`iteration`: found \"3\"; expected a whole number"),
        (r#"{"stories_completed": [], "iteration": -1}"#, "`iteration`: found -1; expected a whole number"),
        (r#"{"stories_completed": [], "evidence": "yes"}"#, "`evidence`: found \"yes\"; expected an object"),
    ] {
        assert_eq!(ClaimFile::read(text).unwrap_err().to_string(), expected, "{text}");
    }
    assert!(ClaimFile::read("{\"a\":").unwrap_err().to_string().starts_with("the file is not JSON: "));
}

#[test]
fn the_originals_verdict_is_read() {
    let verdict = VerdictFile::read(VERDICT).unwrap();
    assert_eq!((verdict.verdict, verdict.recommended_state_transition), (VerdictWord::Pass, Transition::Complete));
    assert!(verdict.criteria_results[0].met);
    assert_eq!(verdict.iteration, None);
    let written = serde_json::to_string(&verdict).unwrap();
    assert_eq!(VerdictFile::read(&written), Ok(verdict));
}

#[test]
fn a_verdict_needs_two_words_and_names_what_is_wrong() {
    let least = r#"{"verdict": "fail", "recommended_state_transition": "continue", "iteration": 4"#;
    let verdict = VerdictFile::read(&format!("{least}}}")).unwrap();
    assert_eq!((verdict.verdict, verdict.iteration, verdict.issues.len()), (VerdictWord::Fail, Some(4), 0));
    for (name, text, expected) in [
        ("no verdict", "{}".to_owned(), "`verdict` is missing; expected one of `pass`, `fail`, `blocked`"),
        (
            "the template",
            VERDICT.replace("\"pass\"", "\"pass|fail|blocked\""),
            "`verdict`: found \"pass|fail|blocked\"; expected one of `pass`, `fail`, `blocked`",
        ),
        (
            "capitals",
            VERDICT.replace("\"pass\"", "\"PASS\""),
            "`verdict`: found \"PASS\"; expected one of `pass`, `fail`, `blocked`",
        ),
        (
            "transition",
            VERDICT.replace("\"complete\"", "\"done\""),
            "`recommended_state_transition`: found \"done\"; expected one of `complete`, `continue`, `blocked`",
        ),
        ("met", VERDICT.replace("true", "\"yes\""), "`criteria_results[0].met`: found \"yes\"; expected true or false"),
        (
            "criterion",
            format!("{least}, \"criteria_results\": [{{\"met\": true}}]}}"),
            "`criteria_results[0].criterion` is missing; expected the criterion's text",
        ),
        (
            "a criterion that is none",
            format!("{least}, \"criteria_results\": [\"all\"]}}"),
            "`criteria_results[0]`: expected an object, found a text",
        ),
        ("issues", format!("{least}, \"issues\": [{{}}]}}"), "`issues[0]`: found an object; expected a text"),
    ] {
        assert_eq!(VerdictFile::read(&text).unwrap_err().to_string(), expected, "{name}");
    }
}
