//! The worked cases, with agents that are programs.

use super::{Bench, HONEST, PASSES};
use std::fs;

const TWO_STEPS: &str = "if [ \"$TRIBUNAL_ROUND\" = 1 ]; then bad; remember continue 'Do US-002'; else good\n\
                         claim '\"US-001\", \"US-002\"'; remember verify nothing; fi\n";

#[test]
fn two_stories_in_two_iterations_complete() {
    let bench = Bench::new(TWO_STEPS, PASSES);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(
        (bench.calls("worker"), bench.calls("verifier")),
        (lines(&["1 sonnet", "2 sonnet"]), lines(&["2 opus"]))
    );
    assert!(bench.desk("memos/calc-complete.md").contains("US-002 in iteration 2"));
    let status: serde_json::Value = serde_json::from_str(&bench.desk("logs/calc/status.json")).unwrap();
    assert_eq!((status["phase"].as_str(), status["iteration"].as_u64()), (Some("complete"), Some(2)));
    assert!(bench.desk("logs/calc/iter-002.worker-prompt.md").contains("Do US-002"), "the contract of the memory");
    let evidence: serde_json::Value = serde_json::from_str(&bench.desk("logs/calc/iter-002.evidence.json")).unwrap();
    let receipt = &evidence["receipts"][0];
    assert_eq!((receipt["exit"].as_i64(), receipt["kept"].as_bool()), (Some(0), Some(true)), "{evidence}");
    // Everything that the check printed can be read.
    let printed = bench.project.read(&format!(".tribunal/blobs/{}", receipt["output"].as_str().unwrap()));
    assert!(!printed.is_empty() && printed.ends_with(receipt["tail"].as_str().unwrap()), "{printed}");
    // The user's checkout is as it was until somebody says so.
    assert!(!bench.project.path("calc.sh").exists());
    let log = bench.git(&["log", "--all", "--format=%s %b"]);
    assert!(log.contains("US-001, US-002 claimed") && log.contains("Receipt: test-1 passed sha256:"), "{log}");
    let adopted = bench.project.tribunal(&["adopt", "calc"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n");
    // Once more: nobody is called.
    let again = bench.run();
    assert_eq!((again.code, bench.calls("worker").len()), (0, 2), "{}", again.all());
    let intact = bench.project.tribunal(&["verify"]);
    assert_eq!(intact.code, 0, "{}", intact.all());
}

#[test]
fn a_pass_against_a_failing_command_is_a_fail() {
    let worker = format!(
        "if [ \"$TRIBUNAL_ROUND\" = 1 ]; then bad; claim '\"US-001\", \"US-002\"'; remember verify x; else {HONEST}fi\n"
    );
    let bench = Bench::new(&worker, PASSES);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("it said pass, but `sh test_calc.sh` is red: exit code 1"), "{}", output.all());
    let second = bench.desk("logs/calc/iter-002.worker-prompt.md");
    assert!(second.contains("what failed last time") && second.contains("sh test_calc.sh"), "{second}");
    assert_eq!(bench.calls("worker"), lines(&["1 sonnet", "2 opus"]), "one level up after a failure");
}

#[test]
fn a_pass_for_one_of_two_stories_is_not_complete() {
    let worker = "good; echo \"$TRIBUNAL_ROUND\" > step\nif [ \"$TRIBUNAL_ROUND\" = 1 ]; then claim '\"US-001\"'; else claim \
                  '\"US-002\"'; fi\nremember verify \"step $TRIBUNAL_ROUND\"\n";
    let bench = Bench::new(worker, PASSES);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("pass: 1 of 2 stories are verified"), "{}", output.all());
    assert!(bench.report().contains("### Iteration 2: pass for US-001, US-002"), "{}", bench.report());
}

#[test]
fn nothing_new_three_times_is_blocked() {
    let same = "printf '## Stop Status\\ncontinue\\n' > \"$TRIBUNAL_MEMORY\"; echo same > \"$TRIBUNAL_CONTEXT\"\n";
    let bench = Bench::new(same, PASSES);
    let output = bench.run();
    assert_eq!((output.code, bench.calls("worker").len()), (1, 4), "{}", output.all());
    let blocked = bench.desk("memos/calc-blocked.md");
    assert!(blocked.contains("reason: stale_context\nrecoverable: true\naction: "), "{blocked}");
    assert_eq!(bench.run().code, 1, "a sentinel stands");
    assert_eq!(bench.calls("worker").len(), 4);
    let cleaned = bench.project.tribunal(&["desk", "clean", "calc"]);
    assert_eq!(cleaned.code, 0, "{}", cleaned.all());
    assert!(!bench.has("memos/calc-blocked.md") && bench.has("plans/prd-calc.md") && bench.has("logs/calc/report.md"));
}

#[test]
fn the_same_error_twice_is_tried_once_more_one_model_up() {
    let dies = "echo \"cannot open /tmp/x.$$ at line $TRIBUNAL_ROUND\" >&2; exit 3\n";
    let bench = Bench::new(dies, PASSES);
    bench.project.write(
        ".tribunal/desk/memos/calc-memory.md",
        "## Stop Status\ncontinue\n\n## Next Iteration Contract\nFix the typo\n",
    );
    let output = bench.run();
    assert_eq!(output.code, 1, "{}", output.all());
    assert_eq!(bench.calls("worker"), lines(&["1 haiku", "2 haiku", "3 sonnet"]));
    assert!(bench.desk("memos/calc-blocked.md").contains("reason: repeated_error"));
}

#[test]
fn a_sentinel_at_the_start_is_respected() {
    for (name, code) in [("complete", 0), ("blocked", 1)] {
        let bench = Bench::new(HONEST, PASSES);
        bench.project.write(&format!(".tribunal/desk/memos/calc-{name}.md"), "by hand\n");
        let output = bench.run();
        assert_eq!((output.code, bench.calls("worker").len()), (code, 0), "{name}: {}", output.all());
    }
}

#[test]
fn a_worker_or_verifier_that_is_blocked_says_so_and_a_person_is_called() {
    let bench = Bench::new("remember blocked 'Which database?'\n", PASSES);
    assert_eq!(bench.run().code, 1);
    assert!(bench.desk("memos/calc-blocked.md").contains("reason: worker_blocked"));
    assert!(bench.desk("memos/calc-blocked.md").contains("Which database?"));
    let bench = Bench::new(HONEST, "verdict blocked blocked\n");
    assert_eq!(bench.run().code, 1);
    assert!(bench.desk("memos/calc-blocked.md").contains("reason: verifier_blocked"));
}

#[test]
fn the_iterations_are_limited_and_more_can_be_allowed() {
    let worker =
        format!("if [ \"$TRIBUNAL_ROUND\" -lt 4 ]; then remember continue \"step $TRIBUNAL_ROUND\"; else {HONEST}fi\n");
    let bench = Bench::new(&worker, PASSES);
    let first = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "2"]);
    assert_eq!(first.code, 3, "{}", first.all());
    assert!(!bench.has("memos/calc-blocked.md") && !bench.has("memos/calc-complete.md"), "a limit is no sentinel");
    let status: serde_json::Value = serde_json::from_str(&bench.desk("logs/calc/status.json")).unwrap();
    assert_eq!(status["phase"], "timeout");
    let more = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "6"]);
    assert_eq!((more.code, bench.calls("worker").len()), (0, 4), "{}", more.all());
}

#[test]
fn a_plan_that_is_edited_on_the_way_counts_from_then_on() {
    // The worker cannot reach the plan; a person can, here through a second door.
    let bench = Bench::new(HONEST, PASSES);
    let plan = bench.project.path(".tribunal/desk/plans/prd-calc.md");
    let verifier = format!(
        "if [ \"$TRIBUNAL_ROUND\" = 1 ]; then touch $CALLS/judging; while [ ! -e $CALLS/edited ]; do sleep 0.05; done; verdict \
         pass continue; else {PASSES}fi\n"
    );
    bench.project.agent("verifier.sh", &bench.project.read("verifier.sh").replace(PASSES, &verifier));
    let running = bench.project.command(&["desk", "run", "calc"]).spawn().unwrap();
    while !bench.project.path("calls/judging").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    fs::write(&plan, super::PRD.replace("it divides", "it divides exactly")).unwrap();
    bench.project.write("calls/edited", "");
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bench.calls("verifier").len(), 2, "US-002 is another promise now");
    assert!(bench.report().contains("was edited 1 times"), "{}", bench.report());
}

#[test]
fn a_change_in_the_third_iteration_resets_the_count() {
    let worker = "case \"$TRIBUNAL_ROUND\" in 1|2|3) n=1 ;; *) n=$TRIBUNAL_ROUND ;; esac\nprintf '## Stop Status\\ncontinue\\n' > \
                  \"$TRIBUNAL_MEMORY\"; echo $n > \"$TRIBUNAL_CONTEXT\"\n";
    let bench = Bench::new(worker, PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "6"]);
    assert_eq!((output.code, bench.calls("worker").len()), (3, 6), "{}", output.all());
}

#[test]
fn the_work_of_a_failed_iteration_can_be_taken_back() {
    let worker = format!(
        "if [ \"$TRIBUNAL_ROUND\" = 1 ]; then bad; echo x > junk.txt; claim '\"US-001\", \"US-002\"'; remember verify x; else {HONEST}fi\n"
    );
    for (roll_back, expected) in [("true", false), ("false", true)] {
        let bench = Bench::new(&worker, PASSES);
        let output = bench.project.tribunal(&["desk", "run", "calc", "--set", &format!("desk.roll_back={roll_back}")]);
        assert_eq!(output.code, 0, "{}", output.all());
        assert_eq!(bench.project.tribunal(&["adopt", "calc"]).code, 0);
        assert_eq!(bench.project.path("junk.txt").exists(), expected, "roll_back = {roll_back}");
    }
}

#[test]
fn commands_that_help_have_their_say() {
    let bench = Bench::new(TWO_STEPS, PASSES);
    assert_eq!(bench.project.tribunal(&["desk", "status"]).code, 2, "nothing has run");
    assert_eq!(bench.run().code, 0);
    let status = bench.project.tribunal(&["desk", "status", "calc"]);
    assert!(status.stdout.contains("✓ US-001 Add") && status.stdout.contains("2  pass"), "{}", status.all());
    let logs = bench.project.tribunal(&["desk", "logs", "calc", "1"]);
    assert!(logs.stdout.contains("You are the worker."), "{}", logs.all());
    assert_eq!(bench.project.tribunal(&["desk", "logs", "calc", "9"]).code, 2);
    let doctor = bench.project.tribunal(&["agents", "doctor"]);
    assert!(doctor.stdout.contains("sandbox: ") && doctor.stdout.contains("worker (command): can be started"));
    let asked = bench.project.tribunal(&["ask", "worker", "Is it good?"]);
    assert_eq!((asked.code, bench.calls("worker").len()), (2, 2), "nobody works outside of its place: {}", asked.all());
    let adopt = bench.project.tribunal(&["adopt", "nothing"]);
    assert_eq!(adopt.code, 2, "{}", adopt.all());
}

#[test]
fn a_plan_is_made_from_answers_and_from_a_wish() {
    let bench = Bench::new(HONEST, PASSES);
    let asked = bench.project.tribunal(&["desk", "brainstorm", "a small calculator"]);
    assert_eq!(asked.code, 0, "{}", asked.all());
    assert!(asked.stdout.contains("slug = \"small-calculator\""), "nobody to ask: {}", asked.all());
    bench.project.write("plan.toml", &asked.stdout);
    let written = bench.project.tribunal(&["desk", "brainstorm", "--answers", "plan.toml"]);
    assert_eq!(written.code, 0, "{}", written.all());
    assert!(bench.has("plans/prd-small-calculator.md"));
    let planned = bench.project.tribunal(&["desk", "run", "small-calculator", "--dry-run"]);
    assert_eq!(planned.code, 0, "the files that are written can be run: {}", planned.all());
    bench.project.write("plan.toml", "slug = \"x\"\nobjective = \"y\"\nstories = []\ncommands = []\n");
    let refused = bench.project.tribunal(&["desk", "brainstorm", "--answers", "plan.toml"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    let init = bench.project.tribunal(&["desk", "init", "other", "do something else"]);
    assert_eq!(init.code, 0, "{}", init.all());
    assert_eq!(bench.project.tribunal(&["desk", "run", "other", "--dry-run"]).code, 0);
    assert_eq!(bench.project.tribunal(&["desk", "init", "../x"]).code, 2);
    let outside = bench.project.path("outside").display().to_string();
    for root in [outside.as_str(), "../x", "a/../b", "."] {
        for command in ["init", "run", "logs", "clean"] {
            let refused = bench.project.tribunal(&["desk", command, "calc", "--root", root]);
            assert_eq!(refused.code, 2, "{command} {root:?}: {}", refused.all());
            assert!(refused.stderr.contains("hint: use a folder inside the project"), "{}", refused.all());
        }
    }
    assert!(!bench.project.path("outside").exists(), "nothing was written");
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn only_a_tree_whose_work_is_in_the_checkout_is_cleaned_away() {
    let bench = Bench::new(HONEST, PASSES);
    assert_eq!(bench.run().code, 0);
    let clean = || bench.project.json(&["clean", "--older-than", "1ms", "--yes", "--json"]);
    let none = clean();
    assert_eq!((&none["kept"][0]["code"], &none["trees"]), (&"work".into(), &serde_json::json!([])), "{none:#}");
    assert!(!bench.project.list(".tribunal/trees").is_empty());
    let adopted = bench.project.tribunal(&["adopt"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    let all = clean();
    assert_eq!(all["kept"][0]["code"], "newest", "{all:#}");
    let tree = &all["trees"][0];
    assert!(
        tree["name"].as_str().unwrap().starts_with("tribunal/calc-") && tree["bytes"].as_u64() > Some(0),
        "{all:#}"
    );
    assert_eq!(bench.project.list(".tribunal/trees"), Vec::<String>::new());
    assert_eq!(bench.project.tribunal(&["verify"]).code, 0);
}
