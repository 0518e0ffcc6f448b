//! Claims and verdicts: kind to what is left out, strict about what is there.

use tribunal_kernel::desk::{
    ClaimFile, SignalFile, StopStatus, StoryId, Transition, VerdictFile, VerdictWord, Work, WorkAnswer,
};

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
        (
            "issues",
            format!("{least}, \"issues\": [{{}}]}}"),
            "`issues[0].description` is missing; expected what is wrong, as a text",
        ),
    ] {
        assert_eq!(VerdictFile::read(&text).unwrap_err().to_string(), expected, "{name}");
    }
}

/// As version 0.14 of the original has them: one story a claim, issues as objects, a question instead of a verdict.
#[test]
fn what_later_versions_write_is_read() {
    let claim =
        r#"{"us_id": "US-001", "claims": ["AC1: it adds", "AC2: it fails"], "execution_steps": [{"step": "plan"}]}"#;
    let claim = ClaimFile::read(claim).unwrap();
    assert_eq!(
        (claim.summary.as_str(), claim.stories_completed),
        ("AC1: it adds; AC2: it fails", vec!["US-001".into()])
    );
    assert!(ClaimFile::read(r#"{"us_id": null}"#).is_err() && ClaimFile::read(r#"{"claims": ["all"]}"#).is_err());
    let verdict = r#"{"verdict": "fail", "us_id": "US-002", "criteria_results": [], "missing_evidence": ["a run"], "issues": [
        {"criterion": "US-002 AC1", "description": "no test", "severity": "critical", "fix_hint": "add one"},
        {"id": "X1", "description": "slow"}, "plain words"],
        "reasoning": [{"check": "x"}], "recommended_state_transition": "continue"}"#;
    let verdict = VerdictFile::read(verdict).unwrap();
    assert_eq!(verdict.issues, ["[critical] US-002 AC1: no test (add one)", "X1: slow", "plain words"]);
    for (text, expected) in [
        (r#"[{"severity": "minor"}]"#, "`issues[0].description` is missing; expected what is wrong, as a text"),
        (r#"[{"description": "  "}]"#, "`issues[0].description` is missing; expected what is wrong, as a text"),
        ("[7]", "`issues[0]`: found 7; expected a text, or an object with a `description`"),
    ] {
        let text = format!(r#"{{"verdict": "fail", "recommended_state_transition": "continue", "issues": {text}}}"#);
        assert_eq!(VerdictFile::read(&text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_question_is_no_pass() {
    for (text, asked) in [
        (r#"{"verdict": "request_info", "summary": "which port?"}"#, "a question: which port?"),
        (r#"{"verdict": "request_info", "recommended_state_transition": "complete"}"#, "a question: not said"),
    ] {
        let verdict = VerdictFile::read(text).unwrap();
        assert_eq!(
            (verdict.verdict, &verdict.missing_evidence[..]),
            (VerdictWord::Fail, &[asked.to_owned()][..]),
            "{text}"
        );
    }
    assert!(VerdictFile::read(r#"{"verdict": "maybe", "recommended_state_transition": "complete"}"#).is_err());
    assert!(VerdictFile::read(r#"{"verdict": "pass"}"#).is_err(), "only a question needs no transition");
}

fn work(memory: &str, claim: Option<&str>, signal: Option<&str>) -> Work {
    let text = |text: Option<&str>| text.map(str::to_owned);
    WorkAnswer {
        memory: Some(format!("## Stop Status\n{memory}\n")),
        claim: text(claim),
        signal: text(signal),
        ..WorkAnswer::default()
    }
    .into()
}

/// The original tells its workers to write the sentinel themselves.
#[test]
fn a_worker_that_leaves_a_sentinel_wishes_to_be_blocked() {
    for (name, blocked, signal, expected, contract) in [
        (
            "with its reason",
            Some("# Blocked\nNo key for the API.\n"),
            None,
            Some(StopStatus::Blocked),
            Some("# Blocked\nNo key for the API."),
        ),
        (
            "over a claim",
            Some("no"),
            Some(r#"{"status": "verify", "us_id": "US-001"}"#),
            Some(StopStatus::Blocked),
            Some("no"),
        ),
        ("over a memory that cannot be read", Some("no"), Some("nonsense"), Some(StopStatus::Blocked), Some("no")),
        ("without a word", Some(" "), None, Some(StopStatus::Blocked), None),
        ("none", None, None, Some(StopStatus::Continue), None),
    ] {
        let answer = WorkAnswer {
            memory: Some("## Stop Status\ncontinue\n".into()),
            signal: signal.map(str::to_owned),
            blocked: blocked.map(str::to_owned),
            ..WorkAnswer::default()
        };
        let work = Work::from(answer);
        assert_eq!((work.memory.stop, work.memory.contract.as_deref()), (expected, contract), "{name}");
        assert_eq!(work.memory.error, None, "{name}");
    }
}

#[test]
fn a_signal_says_what_the_worker_wants() {
    for (name, memory, signal, expected) in [
        ("none", "continue", None, Some(StopStatus::Continue)),
        ("it counts", "continue", Some(r#"{"status": "verify", "us_id": "US-001"}"#), Some(StopStatus::Verify)),
        ("it stands for a memory", "TBD", Some(r#"{"status": "blocked"}"#), Some(StopStatus::Blocked)),
        (
            "part of a story",
            "verify",
            Some(r#"{"status": "verify_partial", "verified_acs": ["AC1"], "deferred_acs": ["AC2"]}"#),
            Some(StopStatus::Continue),
        ),
        ("part of nothing", "verify", Some(r#"{"status": "verify_partial"}"#), None),
        ("no word", "verify", Some(r#"{"status": "done"}"#), None),
        ("no status", "verify", Some("{}"), None),
        ("no JSON", "verify", Some("verify"), None),
        ("empty", "verify", Some(""), None),
    ] {
        let work = work(memory, None, signal);
        assert_eq!(work.memory.stop, expected, "{name}");
        assert_eq!(work.memory.error.is_some(), expected.is_none(), "{name}: {:?}", work.memory.error);
    }
    let verify = Some(r#"{"status": "verify", "us_id": "US-002", "summary": "done"}"#);
    let claimed =
        |work: Work| work.claim.map(|claim| claim.stories.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(claimed(work("continue", None, verify)), Some(vec!["US-002".into()]), "it is a claim, too");
    let other = Some(r#"{"us_id": "US-001"}"#);
    assert_eq!(claimed(work("continue", other, verify)), Some(vec!["US-001".into()]), "a claim of its own counts");
    let null = Some(r#"{"status": "verify", "us_id": null}"#);
    assert_eq!(claimed(work("continue", None, null)), None, "nothing is claimed by silence");
    assert_eq!(SignalFile::read(r#"{"status": "continue", "us_id": "US-001"}"#).unwrap().claim(), None);
}
