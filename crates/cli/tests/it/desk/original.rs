//! What other programs leave and expect: campaigns that the original ran, and folders of its version 0.14.

use super::{Bench, HONEST, PASSES};
use std::fs;

/// As the original leaves a campaign that is over.
const STATUS: &str = r#"{"slug": "calc", "iteration": 2, "max_iter": 100, "phase": "complete", "worker_model": "sonnet",
  "verifier_model": "opus", "last_result": "pass", "verified_us": ["US-001", "US-002"], "updated_at_utc": "2025-01-15T10:30:00Z"}"#;
const VERDICT: &str = r#"{"verdict": "pass", "summary": "all of it seen"}"#;

fn left(bench: &Bench, files: &[(&str, &str)]) {
    for (name, text) in files {
        bench.project.write(&format!(".tribunal/desk/{name}"), text);
    }
}

#[test]
fn a_campaign_of_another_program_has_a_status_and_logs() {
    let bench = Bench::new(HONEST, PASSES);
    let none = bench.project.tribunal(&["desk", "status", "calc"]);
    assert_eq!(none.code, 2, "a plan alone is no campaign that ran: {}", none.all());
    left(
        &bench,
        &[
            ("logs/calc/status.json", STATUS),
            ("logs/calc/iter-001.worker-prompt.md", "do it\n"),
            ("logs/calc/iter-002.worker-prompt.md", "do the rest\n"),
            ("logs/calc/iter-002.result.md", "## Result Status\npass\n"),
            ("memos/calc-complete.md", "done\n"),
            ("memos/calc-verify-verdict.json", VERDICT),
        ],
    );
    for args in [&["desk", "status", "calc"][..], &["desk", "status"]] {
        let status = bench.project.tribunal(args);
        insta::allow_duplicates! {
            insta::assert_snapshot!(status.all(), @r"
            exit: 0
            stdout:
            calc — complete
              run by another program: there is no run of it here
              iteration 2 of 100
              verified: US-001, US-002
              last result: pass
              worker: sonnet
              verifier: opus
              updated: 2025-01-15T10:30:00Z
              verdict: pass. all of it seen
            stderr:
            hint: `tribunal desk clean calc` removes the sentinel, so that it can run again
            ");
        }
    }
    let status = bench.project.json(&["desk", "status", "calc", "--json"]);
    assert_eq!(status["left"][0]["status"]["iteration"], 2, "{status:#}");
    let logs = bench.project.tribunal(&["desk", "logs", "calc"]);
    assert!(logs.stdout.contains("do the rest") && logs.stdout.contains("## Result Status"), "{}", logs.all());
    let first = bench.project.tribunal(&["desk", "logs", "calc", "1"]);
    assert!(first.stdout.contains("do it") && !first.stdout.contains("do the rest"), "{}", first.all());
    assert_eq!(bench.project.tribunal(&["desk", "logs", "calc", "3"]).code, 2);
    // A sentinel without a run of ours: what removes it is said.
    let run = bench.run();
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("tribunal desk clean") && !run.all().contains("reopen"), "{}", run.all());
    assert!(bench.calls("worker").is_empty());
    assert_eq!(bench.project.tribunal(&["desk", "clean", "calc"]).code, 0);
    assert_eq!(bench.run().code, 0);
    assert_eq!(bench.calls("worker").len(), 1);
}

#[test]
fn what_cannot_be_read_is_no_status() {
    for (name, text) in [("empty", ""), ("no JSON", "{"), ("a list", "[]")] {
        let bench = Bench::new(HONEST, PASSES);
        left(&bench, &[("logs/calc/status.json", text)]);
        let status = bench.project.tribunal(&["desk", "status", "calc"]);
        assert_eq!(status.code, 2, "{name}: {}", status.all());
    }
}

#[test]
fn the_verdict_is_there_for_people_and_the_claim_is_gone() {
    let bench = Bench::new(HONEST, PASSES);
    assert_eq!(bench.run().code, 0);
    assert!(bench.desk("memos/calc-verify-verdict.json").contains("\"summary\": \"looked\""));
    assert!(!bench.has("memos/calc-done-claim.json"), "nothing is claimed any more");
    let logs = bench.project.tribunal(&["desk", "logs", "calc", "1"]);
    assert!(logs.stdout.contains("iter-001.verdict.json") && logs.stdout.contains("looked"), "{}", logs.all());
}

#[test]
fn finished_work_is_removed_once_it_is_adopted_and_not_before() {
    let branches = |bench: &Bench| bench.git(&["branch", "--list", "tribunal/*"]).lines().count();
    let bench = Bench::new(HONEST, PASSES);
    assert_eq!(bench.run().code, 0);
    let kept = bench.project.tribunal(&["desk", "clean", "calc"]);
    assert_eq!((kept.code, branches(&bench)), (0, 1), "{}", kept.all());
    assert!(kept.stderr.contains("is kept: its work is not in your checkout"), "{}", kept.all());
    assert_eq!(bench.project.tribunal(&["adopt", "calc"]).code, 0);
    let removed = bench.project.tribunal(&["desk", "clean", "calc"]);
    assert_eq!((removed.code, branches(&bench)), (0, 0), "{}", removed.all());
    assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n", "what is adopted stays");
    assert_eq!(bench.project.list(".tribunal/trees").len(), 0, "{}", removed.all());

    let given_up = Bench::new(HONEST, PASSES);
    assert_eq!(given_up.run().code, 0);
    let discarded = given_up.project.tribunal(&["desk", "clean", "calc", "--discard"]);
    assert_eq!((discarded.code, branches(&given_up)), (0, 0), "{}", discarded.all());
}

/// A folder of version 0.14, as its own prompts lay it out: absolute paths, a signal, one story a claim.
fn laid_out(worker: &str, verifier: &str) -> Bench {
    let bench = Bench::new(worker, verifier);
    fs::remove_dir_all(bench.project.path(".tribunal/desk")).unwrap();
    bench.lay_out(".rlp-desk");
    let desk = fs::canonicalize(bench.project.path(".rlp-desk")).unwrap();
    let prompt = format!(
        "Read {desk}/memos/calc-memory.md.\n- **After writing tests, update test-spec Criteria Mapping with actual paths**\n\
         - Path: {desk}/memos/calc-iter-signal.json\n",
        desk = desk.display()
    );
    bench.project.write(".rlp-desk/prompts/calc.worker.prompt.md", &prompt);
    bench
}

const SIGNAL: &str = r#"good
printf '{"us_id": "ALL", "claims": ["AC1: it adds"], "execution_steps": []}' > .rlp-desk/memos/calc-done-claim.json
printf '{"iteration": 1, "status": "verify", "us_id": "ALL", "summary": "done"}' > .rlp-desk/memos/calc-iter-signal.json
"#;

#[test]
fn a_folder_of_the_later_original_runs_unchanged() {
    let verifier = r#"[ "$TRIBUNAL_ROUND" = 1 ] && {
      printf '{"verdict": "request_info", "us_id": "ALL", "summary": "which port?"}' > "$TRIBUNAL_VERDICT"; exit; }
    printf '{"verdict": "pass", "us_id": "ALL", "criteria_results": [{"criterion": "it adds", "met": true, "evidence": "calc.sh:1"}, {"criterion": "it divides", "met": true, "evidence": "calc.sh:1"}],
      "issues": [{"id": "X", "severity": "minor", "description": "terse"}], "reasoning": [], "recommended_state_transition": "complete"}' > "$TRIBUNAL_VERDICT"
"#;
    let bench = laid_out(SIGNAL, verifier);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(bench.calls("worker").len(), 2, "a question is no pass: {}", output.all());
    let prompt = bench.project.read(".rlp-desk/logs/calc/iter-001.worker-prompt.md");
    assert!(prompt.contains("Read .rlp-desk/memos/calc-memory.md"), "{prompt}");
    let again = bench.project.read(".rlp-desk/logs/calc/iter-002.worker-prompt.md");
    assert!(again.contains("which port?"), "{again}");
}

/// What the worker signals is there for the verifier, whose prompt tells it to read that.
#[test]
fn the_verifier_finds_the_signal() {
    let bench = laid_out(SIGNAL, &format!("cp .rlp-desk/memos/calc-iter-signal.json \"$CALLS/signal\"\n{PASSES}"));
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(bench.project.read("calls/signal").contains("\"us_id\": \"ALL\""));
}

/// Its prompt tells a worker that cannot go on to write the sentinel itself: that is a wish, and the leader grants it.
#[test]
fn a_worker_that_says_it_is_blocked_is_blocked_and_one_that_says_complete_is_not() {
    let said = "# Blocked\n\nReason: there is no key for the API\n";
    let worker = format!("printf '%s' '{said}' > .rlp-desk/memos/calc-blocked.md\n");
    for sandbox in ["auto", "none"] {
        let bench = laid_out(&worker, PASSES);
        let output = bench.project.tribunal(&["desk", "run", "calc", "--set", &format!("run.sandbox={sandbox}")]);
        assert_eq!((output.code, bench.calls("worker").len()), (1, 1), "{}", output.all());
        assert!(output.all().contains("worker_blocked"), "{}", output.all());
        let sentinel = bench.project.read(".rlp-desk/memos/calc-blocked.md");
        assert!(sentinel.contains("there is no key for the API") && sentinel != said, "the leader's own: {sentinel}");
    }
    let bench = laid_out("echo done > .rlp-desk/memos/calc-complete.md\n", PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(bench.project.read(".rlp-desk/logs/calc/report.md").contains("fail, `forged`"));
}

#[test]
fn a_test_spec_that_the_prompt_asks_for_is_a_proposal_and_other_plans_are_not() {
    let spec = "echo '| US-002 AC1 | automated | `true` |' >> .rlp-desk/plans/test-spec-calc.md\n";
    let bench = laid_out(&format!("{spec}{SIGNAL}"), PASSES);
    let before = bench.project.read(".rlp-desk/plans/test-spec-calc.md");
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(bench.project.read(".rlp-desk/plans/test-spec-calc.md"), before, "the one that counts stays");
    let logs = bench.project.tribunal(&["desk", "logs", "calc", "1"]);
    assert!(logs.stdout.contains("iter-001.proposed-test-spec.md"), "{}", logs.all());

    let prd = "echo '- and nothing else' >> .rlp-desk/plans/prd-calc.md\n";
    let bench = laid_out(&format!("{prd}{SIGNAL}"), PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    let report = bench.project.read(".rlp-desk/logs/calc/report.md");
    assert!(report.contains("checks_tampered"), "{report}");
}
