//! The desk: the worked cases of the loop, each told as a transcript.

use crate::support::Play;
use insta::assert_snapshot;
use serde_json::json;
use tribunal_kernel::desk::{Campaign, DESK, Settings, VERIFIER, WORKER, advice};
use tribunal_kernel::{Binding, Digest, Event, Limits, Outcome, Round, RunId, RunSpec, SeatName};
use uuid::Uuid;

const PRD: &str = "# PRD\n\n### US-001: Add\n- add returns the sum\n\n### US-002: Divide\n- divide refuses zero\n";
const SPEC: &str = "## Verification Commands\n### Test\n```sh\nsh test_calc.sh\n```\n";

fn spec() -> RunSpec {
    let bind = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    let ladder: Vec<String> = ["haiku", "sonnet", "opus"].map(str::to_owned).into();
    let settings = Settings { ladder: ladder.clone(), verifier_ladder: ladder, ..Settings::new("calc") };
    RunSpec {
        seats: [WORKER, VERIFIER, DESK].map(|seat| (SeatName::new(seat), bind(seat))).into(),
        limits: Limits { rounds: Some(10), ..Limits::default() },
        max_retries: 1,
        ..RunSpec::new(RunId(Uuid::from_u128(11)), "/work".into(), Digest::of("Describe the episode."), settings)
    }
}

fn memory(stop: &str, contract: &str) -> String {
    format!("## Stop Status\n{stop}\n\n## Next Iteration Contract\n{contract}\n")
}

/// How the files stand: short for what the desk's own seat finds.
fn survey(note: &str) -> String {
    let sentinel = (note == "complete").then(|| json!({ "kind": "complete", "text": "done" }));
    let prd = if note == "edited" { PRD.replace("the sum", "the exact sum") } else { PRD.to_owned() };
    json!({
        "prd": prd, "test_spec": SPEC, "memory": memory("continue", "Fix the typo in calc.sh"), "context": "nothing yet",
        "worker_prompt": "You are a worker.", "verifier_prompt": "You are a verifier.", "sentinel": sentinel,
        "commit": "base", "files": { "test_calc.sh": Digest::of("test") }, "notes": [],
    })
    .to_string()
}

/// What a worker leaves: `continue`, `verify US-001`, or a stop status that is none; `tag` makes it different.
fn work(stop: &str, tag: &str) -> String {
    let (stop, stories) = stop.split_once(' ').unwrap_or((stop, ""));
    let stories: Vec<&str> = stories.split(',').filter(|story| !story.is_empty()).collect();
    let claim = (stop == "verify").then(|| json!({ "summary": "done", "stories_completed": stories }).to_string());
    let changed = if tag == "idle" { json!([]) } else { json!([{ "path": "calc.sh", "kind": "modified" }]) };
    let test = if tag == "tampers" { Digest::of("true") } else { Digest::of("test") };
    let forged = json!([{ "code": "wrote_sentinel", "detail": "memos/calc-complete.md" }]);
    json!({
        "printed": "", "memory": memory(stop, "Do US-002"), "context": tag, "claim": claim,
        "commit": format!("commit-{tag}"), "tree": "tree", "changed": changed, "files": { "test_calc.sh": test },
        "incidents": if tag == "forges" { forged } else { json!([]) },
    })
    .to_string()
}

/// The same with other content.
fn work_of(tree: &str) -> String {
    work("verify US-001", tree).replace("\"tree\":\"tree\"", &format!("\"tree\":\"{tree}\""))
}

fn checks(exit: i32, passed: u32) -> String {
    let receipt = json!({
        "check": "test-1", "purpose": "Test", "line": "sh test_calc.sh", "argv": ["sh"], "exit": exit, "ended": "exited",
        "elapsed_ms": 5, "output": Digest::of("out"), "tail": "", "tree": "tree",
        "tests": { "passed": passed, "failed": 0, "skipped": 0 },
    });
    json!({ "receipts": [receipt], "commit": "c", "tree": "tree", "files": {} }).to_string()
}

fn verdict(word: &str, transition: &str, issue: &str) -> String {
    let issues: Vec<&str> = Some(issue).filter(|issue| !issue.is_empty()).into_iter().collect();
    let met = |criterion: &str| json!({ "criterion": criterion, "met": word == "pass", "evidence": "`ok 1 - adds`" });
    let file = json!({
        "verdict": word, "summary": "looked at it", "criteria_results": [met("US-001 AC1"), met("divide refuses zero")],
        "issues": issues, "recommended_state_transition": transition, "next_iteration_contract": "Fix the typo",
    });
    json!({ "printed": "", "verdict": file.to_string(), "incidents": [], "found": ["ok 1 - adds"] }).to_string()
}

fn play(answers: &[String]) -> Play {
    let mut play = Play::new(spec());
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    play
}

fn reason(play: &Play) -> String {
    let run = play.run();
    let end = run.end().unwrap_or_else(|| panic!("it goes on: {}", play.transcript()));
    format!("{}: {}", end.outcome, end.reason)
}

/// One story a step, and a verification at the end.
pub(crate) fn two_iterations() -> Play {
    play(&[
        survey(""),
        work("continue", "one"),
        survey(""),
        work("verify US-001,US-002", "two"),
        checks(0, 8),
        verdict("pass", "complete", ""),
    ])
}

#[test]
fn two_stories_in_two_iterations_complete_after_the_verification() {
    let play = two_iterations();
    assert_snapshot!(play.transcript(), @r"
    desk of calc
    iteration 1
      desk attempt 1
      worker attempt 1 on haiku (a single clear change)
        continue, 1 files changed
      go on
    iteration 2
      desk attempt 1
      worker attempt 1 on haiku (a single clear change)
        verify, 1 files changed
      desk attempt 1
        test-1 passed
      verifier attempt 1 on sonnet (standard verification)
        pass for US-001, US-002
      converged: complete: every story is verified
    converged: complete: every story is verified
    ");
}

#[test]
fn a_failing_command_makes_a_pass_a_fail_and_the_contradiction_is_an_issue() {
    let play = play(&[survey(""), work("verify US-001,US-002", "one"), checks(1, 8), verdict("pass", "complete", "")]);
    let told = play.transcript();
    assert!(told.contains("pass for US-001, US-002; but `sh test_calc.sh`: exit code 1"), "{told}");
    let run = play.run();
    assert!(run.findings().iter().any(|life| life.finding.text.contains("exit code 1")));
    assert!(Campaign::of(&run).verified().is_empty());
    assert_eq!(run.rounds()[0].closed.as_ref().unwrap().1.outcome, None, "it goes on");
}

/// Forth and back between two ways that were both refused.
#[test]
fn who_brings_back_what_was_refused_goes_in_circles() {
    let refused =
        |tree: &str, issue: &str| [survey(""), work_of(tree), checks(0, 8), verdict("fail", "continue", issue)];
    let [a, b] = ["it must not round", "it must round"].map(str::to_owned);
    let forth = [refused("one", &a), refused("two", &b)].concat();
    assert!(play(&forth).run().end().is_none(), "two ways are no circle");
    let back = [forth.clone(), refused("one", "it must not round, again").to_vec()].concat();
    let back = play(&back);
    let expected = "blocked: going_in_circles: iteration 3 brings back the work of iteration 1, which was refused, after \
                    iteration 2 had tried another";
    assert_eq!(reason(&back), expected);
    assert!(advice("going_in_circles").recoverable);
    let report = tribunal_kernel::desk::report(&back.run());
    assert!(report.contains("## Going in circles") && report.contains("- it must not round\n"), "{report}");
    assert!(report.contains("- it must round\n"), "{report}");
    // What holds the second time holds; what is tried twice in a row, or has changed, is no circle.
    let held =
        [forth.clone(), vec![survey(""), work_of("one"), checks(0, 8), verdict("pass", "continue", "")]].concat();
    assert!(play(&held).run().end().is_none());
    for other in ["two", "three"] {
        let on = [forth.clone(), refused(other, "another thing").to_vec()].concat();
        assert!(play(&on).run().end().is_none(), "{other}");
    }
}

#[test]
fn a_pass_for_one_of_two_stories_is_not_complete() {
    let mut answers = vec![survey(""), work("verify US-001", "one"), checks(0, 3), verdict("pass", "complete", "")];
    let half = play(&answers);
    assert_eq!(Campaign::of(&half.run()).verified().len(), 1);
    assert!(half.run().end().is_none());
    // The last story is judged together with those before it: the final pass.
    answers.extend([survey(""), work("verify US-002", "two"), checks(0, 5), verdict("pass", "complete", "")]);
    let whole = play(&answers);
    assert!(whole.transcript().contains("pass for US-001, US-002"), "{}", whole.transcript());
    assert_eq!(reason(&whole), "converged: complete: every story is verified");
}

#[test]
fn fewer_tests_than_were_verified_are_no_pass() {
    let answers = [
        survey(""),
        work("verify US-001", "one"),
        checks(0, 5),
        verdict("pass", "continue", ""),
        survey(""),
        work("verify US-002", "two"),
        checks(0, 2),
        verdict("pass", "complete", ""),
    ];
    let play = play(&answers);
    assert!(play.transcript().contains("2 tests pass, and 5 did"), "{}", play.transcript());
    assert!(play.run().end().is_none());
}

#[test]
fn nothing_new_three_times_is_stale_and_a_change_in_the_third_resets_the_count() {
    // Memory does not count, nor do the numbers and times in the context.
    let idle = |n: u32| {
        work("continue", "idle")
            .replace("Do US-002", &format!("Do US-002, {n}"))
            .replace("\"context\":\"idle\"", &format!("\"context\":\"idle in iteration {n} at 2026-01-0{n} 12:0{n}\""))
    };
    let same: Vec<String> = (1..=4).flat_map(|n| [survey(""), idle(n)]).collect();
    // The first one differs from what was there before the run.
    assert!(reason(&play(&same)).starts_with("blocked: stale_context:"), "{}", play(&same).transcript());
    assert!(play(&same[..6]).run().end().is_none());
    let mut changing = same.clone();
    changing[5] = work("continue", "new");
    assert!(play(&changing).run().end().is_none(), "{}", play(&changing).transcript());
}

#[test]
fn the_same_error_twice_is_tried_once_more_one_model_up() {
    let dies = |note: &str| format!("!error at line {note}: no such module");
    let answers = [survey(""), dies("10"), survey(""), dies("20"), survey(""), dies("30")];
    let play = play(&answers);
    assert_snapshot!(play.transcript(), @r"
    desk of calc
    iteration 1
      desk attempt 1
      worker attempt 1 on haiku (a single clear change)
        failed: error at line 10: no such module
      go on
    iteration 2
      desk attempt 1
      worker attempt 1 on haiku (a single clear change)
        failed: error at line 20: no such module
      go on
    iteration 3
      desk attempt 1
      worker attempt 1 on sonnet (the same error came twice: one level up)
        failed: error at line 30: no such module
      blocked: repeated_error: three times in a row: error at line 30: no such module
    blocked: repeated_error: three times in a row: error at line 30: no such module
    ");
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Blocked);
    assert!(advice("repeated_error").recoverable);
}

#[test]
fn what_failed_before_a_resume_is_not_forgotten() {
    let mut play = play(&[survey(""), "!it broke".into(), survey("")]);
    play.record(Event::InterruptRequested { by: "ada".into() });
    play.play(&[]);
    play.record(Event::RunResumed { limits: Limits { rounds: Some(10), ..Limits::default() } });
    play.play(&["!it broke", &survey("")]);
    let run = play.run();
    assert_eq!(Campaign::of(&run).same_error(), 2, "{}", play.transcript());
}

#[test]
fn six_failures_in_a_row_are_enough() {
    let answers: Vec<String> = (1..=6)
        .flat_map(|n| {
            let words = ["red", "green", "blue", "black", "white", "pink"];
            let issue = format!("the {} test fails", words[n - 1]);
            [survey(""), work("verify US-001", &format!("try {n}")), checks(0, 3), verdict("fail", "continue", &issue)]
        })
        .collect();
    let play = play(&answers);
    assert!(reason(&play).starts_with("blocked: repeated_failure:"), "{}", play.transcript());
    assert!(play.transcript().contains("worker attempt 1 on opus"), "a failure takes it up: {}", play.transcript());
}

#[test]
fn the_iterations_are_limited_and_that_is_no_judgement() {
    let answers: Vec<String> = (1..=10).flat_map(|n| [survey(""), work("continue", &format!("step {n}"))]).collect();
    assert_eq!(reason(&play(&answers)), "timed_out: the limit of 10 rounds is reached");
}

#[test]
fn a_sentinel_ends_it_and_nobody_is_called() {
    let play = play(&[survey("complete")]);
    assert_eq!(reason(&play), "converged: complete: somebody left a sentinel");
    assert_eq!(play.run().turns().len(), 1);
}

/// An iteration against the rules, which is taken back.
pub(crate) fn taken_back(tag: &str) -> Play {
    play(&[survey(""), work("verify US-001,US-002", tag), "{}".into(), survey("")])
}

#[test]
fn what_is_not_the_workers_to_do_is_taken_back_and_fails() {
    for (tag, code) in [("tampers", "checks_tampered"), ("forges", "forged")] {
        let play = taken_back(tag);
        let run = play.run();
        let told = run.rounds()[0].closed.as_ref().unwrap().1.reason.clone().unwrap();
        assert!(told.starts_with(&format!("fail: {code}:")), "{told}");
        assert!(run.turns().iter().all(|turn| turn.seat != *VERIFIER), "nobody judges it");
        assert_eq!(Campaign::of(&run).commit_before(Round(2)), Some("base"), "the next worker starts from before");
    }
}

#[test]
fn a_claim_needs_a_story() {
    for (name, stop, tag, code) in [
        ("no such story", "verify US-009", "one", "no_claim"),
        ("no story", "verify", "one", "no_claim"),
        ("no status", "maybe", "one", "no_stop_status"),
    ] {
        let play = play(&[survey(""), work(stop, tag), survey("")]);
        let told = play.run().rounds()[0].closed.as_ref().unwrap().1.reason.clone().unwrap();
        assert!(told.starts_with(&format!("fail: {code}:")), "{name}: {told}");
        let next = play.prompts.last().unwrap();
        assert!(next.contains("what failed last time"), "{name}: the next worker is told");
    }
}

/// What was right from the beginning is verified like any other work.
#[test]
fn no_change_is_demanded() {
    let play = play(&[survey(""), work("verify US-001,US-002", "idle"), checks(0, 8), verdict("pass", "complete", "")]);
    assert_eq!(reason(&play), "converged: complete: every story is verified");
}

/// A pass counts when every criterion was judged, and something was seen for each.
#[test]
fn a_pass_that_leaves_something_out_is_sent_back() {
    let whole = verdict("pass", "complete", "");
    for (name, answer, told) in [
        ("one left out", whole.replace("divide refuses zero", "x"), "US-002 AC1: divide refuses zero: it is not in"),
        ("nothing judged", whole.replace("US-001 AC1", "x").replace("divide refuses zero", "y"), "US-001 AC1"),
        ("no evidence", whole.replace("`ok 1 - adds`", ""), "its `evidence` is empty"),
        ("no quotation", whole.replace("`ok 1 - adds`", "looks good"), "no command proves it: quote what you saw"),
        ("a false quotation", whole.replace("`ok 1 - adds`", "`ok 2 - divides`"), "quote what you saw"),
    ] {
        assert_ne!(answer, whole, "{name}");
        let before = [survey(""), work("verify US-001,US-002", "one"), checks(0, 8)];
        let sent_back = play(&[&before[..], &[answer.clone(), answer]].concat());
        let transcript = sent_back.transcript();
        assert!(
            transcript.contains("not every criterion is judged") && transcript.contains(told),
            "{name}: {transcript}"
        );
        assert!(Campaign::of(&sent_back.run()).verified().is_empty(), "{name}");
    }
}

#[test]
fn a_verdict_of_another_iteration_is_not_this_ones() {
    let old = json!({ "verdict": "pass", "iteration": 7, "recommended_state_transition": "complete" });
    let old = json!({ "printed": "", "verdict": old.to_string(), "incidents": [] }).to_string();
    let play = play(&[survey(""), work("verify US-001", "one"), checks(0, 3), old.clone(), old]);
    let told = play.transcript();
    assert!(told.contains("failed: the verdict is of iteration 7, and iteration 1 is judged"), "{told}");
    assert!(Campaign::of(&play.run()).verified().is_empty());
}

#[test]
fn a_story_whose_text_changes_is_a_new_promise() {
    let answers =
        [survey(""), work("verify US-001", "one"), checks(0, 3), verdict("pass", "continue", ""), survey("edited")];
    let run = play(&answers).run();
    assert!(Campaign::of(&run).verified().is_empty(), "US-001 has to be verified again");
}

#[test]
fn cut_anywhere_the_desk_goes_on_as_if_it_had_not_been() {
    let answers = [
        survey(""),
        work("verify US-001", "one"),
        checks(1, 3),
        verdict("fail", "continue", "red"),
        survey(""),
        work("verify US-001,US-002", "two"),
        checks(0, 8),
        verdict("pass", "complete", ""),
    ];
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let mut whole = Play::new(spec());
    whole.play(&answers);
    assert_eq!(whole.run().end().unwrap().outcome, Outcome::Converged, "{}", whole.transcript());
    for cut in 1..=whole.entries.len() {
        let mut again = Play::new(spec());
        again.texts = whole.texts.clone();
        again.entries = whole.entries[..cut].to_vec();
        let is_answer = |event: &Event| matches!(event.name(), "turn_answered" | "turn_failed");
        let used = again.entries.iter().filter(|entry| is_answer(&entry.event)).count();
        again.play(&answers[used..]);
        assert_eq!(again.entries, whole.entries, "cut after {cut}");
    }
}
