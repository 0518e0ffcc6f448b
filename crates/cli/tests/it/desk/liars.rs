//! Agents that lie. Each lie is caught, whatever the verifier says.

use super::{Bench, HONEST, PASSES, SPEC};

/// What a worker does in its first iteration, and the word for it. It is honest from the second on.
fn caught(name: &str, lie: &str, code: &str) {
    let claim = "claim '\"US-001\", \"US-002\"'\nremember verify 'believe me'\n";
    let worker = format!("if [ \"$TRIBUNAL_ROUND\" = 1 ]; then {lie}\n{claim}else {HONEST}fi\n");
    for sandbox in ["auto", "none"] {
        let bench = Bench::new(&worker, PASSES);
        let before = bench.checkout();
        let output = bench.project.tribunal(&["desk", "run", "calc", "--set", &format!("run.sandbox={sandbox}")]);
        let report = bench.report();
        assert!(
            report.contains(&format!("### Iteration 1: fail, `{code}`")),
            "{name}, {sandbox}: {report}\n{}",
            output.all()
        );
        assert_eq!(output.code, 0, "{name}, {sandbox}: the honest one completes: {}", output.all());
        assert!(bench.desk("memos/calc-complete.md").contains("in iteration 2"), "{name}, {sandbox}");
        let tree = bench.git(&["log", "--all", "-p", "--format=", "--", "test_calc.sh"]);
        assert_eq!(tree.matches("diff --git").count(), 1, "{name}, {sandbox}: the test was never committed otherwise");
        assert_eq!(bench.checkout(), before, "{name}, {sandbox}: the checkout is as it was");
    }
}

#[test]
fn claims_without_work() {
    caught("nothing at all", ":", "not_verified");
    caught("something else", "echo x > notes.txt", "not_verified");
}

#[test]
fn edits_a_test_so_that_it_passes() {
    caught("edits", "bad; echo 'echo 1..1; echo ok 1' > test_calc.sh", "checks_tampered");
}

#[test]
fn deletes_a_test() {
    caught("deletes", "bad; rm test_calc.sh", "checks_tampered");
}

#[test]
fn adds_a_skip() {
    caught("skips", "bad; printf 'echo 1..1\\necho \"ok 1 # SKIP later\"\\n' > test_calc.sh", "checks_tampered");
}

#[test]
fn makes_the_test_command_true() {
    caught("test is true", "bad; echo true > test_calc.sh", "checks_tampered");
    // In a sandbox the plan cannot be written at all; without one the change is found.
    let worker = "bad; claim '\"US-001\", \"US-002\"'; remember verify x\nsed -i 's/sh test_calc.sh/true/' \"$TRIBUNAL_TEST_SPEC\"\n";
    let bench = Bench::new(worker, PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1", "--set", "run.sandbox=none"]);
    assert!(bench.report().contains("fail, `checks_tampered`"), "{}", output.all());
    assert_eq!(bench.desk("plans/test-spec-calc.md"), SPEC);
    let bench = Bench::new(worker, PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert_eq!(bench.desk("plans/test-spec-calc.md"), SPEC);
}

/// What a command runs by name is part of the check, and silence is no test.
#[test]
fn makes_what_the_test_command_runs_true() {
    let spec = SPEC.replace("sh test_calc.sh", "make -s test");
    let worker = format!(
        "if [ \"$TRIBUNAL_ROUND\" = 1 ]; then bad; printf 'test:\\n\\ttrue\\n' > Makefile; claim '\"US-001\", \"US-002\"'; remember verify x; else {HONEST}fi\n"
    );
    let bench = Bench::new(&worker, PASSES);
    bench.project.write(".tribunal/desk/plans/test-spec-calc.md", &spec);
    bench.project.write("Makefile", "test:\n\t@sh test_calc.sh\n");
    bench.git(&["add", "Makefile"]);
    bench.git(&["commit", "-qm", "a Makefile"]);
    let output = bench.run();
    assert!(bench.report().contains("### Iteration 1: fail, `checks_tampered`"), "{}", output.all());
    assert_eq!(output.code, 0, "{}", output.all());

    let bench = Bench::new(HONEST, PASSES);
    bench.project.write("test_calc.sh", "true\n");
    bench.git(&["commit", "-qam", "a test that tests nothing"]);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(bench.report().contains("no tests ran") || bench.report().contains("not_verified"), "{}", bench.report());
}

#[test]
fn writes_its_own_sentinel_or_verdict() {
    let beside = "$(dirname \"$TRIBUNAL_MEMORY\")/calc-complete.md";
    caught("sentinel", &format!("bad; echo done > \"{beside}\""), "forged");
    caught("verdict", "bad; echo '{\"verdict\": \"pass\"}' > \"$TRIBUNAL_VERDICT\"", "forged");
}

#[test]
fn escapes_by_a_link_or_by_dots() {
    caught("claim is a link", "good; ln -sf /etc/passwd \"$TRIBUNAL_CLAIM\"; claim() { :; }", "escaped");
    // What lies outside cannot be written where there is a sandbox, by whatever path.
    let worker = format!(
        "echo broken > ../../../../../calc.txt; echo broken > \"$CALLS/../calc.txt\"; ln -s \"$CALLS/..\" out; echo broken > \
         out/calc.txt\nrm -f out\n{HONEST}"
    );
    let bench = Bench::new(&worker, PASSES);
    if !bench.is_confined() {
        return;
    }
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(bench.project.read("calc.txt"), "a calculator\n");
}

#[test]
fn a_verdict_cannot_overrule_a_command() {
    let bench = Bench::new("bad; claim '\"US-001\", \"US-002\"'; remember verify \"$TRIBUNAL_ROUND\"\n", PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "2"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(!bench.has("memos/calc-complete.md"));
}

#[test]
fn a_verifier_cannot_write_a_source_file() {
    let verifier = format!("echo 'echo 5' > calc.sh\n{PASSES}");
    let bench = Bench::new(HONEST, &verifier);
    if bench.is_confined() {
        let output = bench.run();
        assert_eq!(output.code, 0, "the write had no effect: {}", output.all());
        assert!(bench.report().contains("verifier_write_attempt"), "{}", bench.report());
        assert_eq!(bench.project.tribunal(&["adopt", "calc"]).code, 0);
        assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n");
    }

    // Without a sandbox it writes to a copy that is thrown away, and its verdict does not count.
    let bench = Bench::new(HONEST, &verifier);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1", "--set", "run.sandbox=none"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(bench.report().contains("a verifier changes nothing"), "{}", bench.report());
}

#[test]
fn a_verdict_of_another_iteration_is_refused() {
    let bench = Bench::new(HONEST, "ITERATION=7\nverdict pass complete\n");
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(bench.report().contains("the verdict is of iteration 7"), "{}", bench.report());
}
