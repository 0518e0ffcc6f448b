//! What test runners say at the end.

use tribunal_kernel::desk::{TestCounts, looks_like_tests, tests_run};

fn counted(output: &str) -> Option<(u64, u64, u64)> {
    tests_run(output).map(|TestCounts { passed, failed, skipped }| (passed, failed, skipped))
}

#[test]
fn every_runner_is_understood() {
    for (name, output, expected) in [
        (
            "pytest",
            "tests/test_calc.py ...s                [100%]\n\n========= 3 passed, 1 skipped in 0.05s =========\n",
            (3, 0, 1),
        ),
        (
            "pytest, failing",
            "FAILED test_a.py::test_b - assert 1 == 2\n==== 1 failed, 2 passed, 3 warnings, 1 error in 61.20s (0:01:01) ====\n",
            (2, 2, 0),
        ),
        ("pytest, quiet", "....                                     [100%]\n4 passed in 0.01s\n", (4, 0, 0)),
        ("pytest, nothing", "collected 0 items\n\n======= no tests ran in 0.00s =======\n", (0, 0, 0)),
        ("pytest, all deselected", "===== 5 deselected in 0.02s =====\n", (0, 0, 0)),
        ("pytest, expected to fail", "1 passed, 2 xfailed, 1 xpassed in 0.10s\n", (2, 0, 2)),
        (
            "pytest, in colour",
            "\u{1b}[32m=== \u{1b}[32m\u{1b}[1m3 passed\u{1b}[0m\u{1b}[32m in 0.05s\u{1b}[0m\u{1b}[32m ===\u{1b}[0m\n",
            (3, 0, 0),
        ),
        (
            "unittest",
            ".....\n----------------------------------------------------------------------\nRan 5 tests in 0.001s\n\nOK\n",
            (5, 0, 0),
        ),
        ("unittest, skipping", "Ran 5 tests in 0.001s\n\nOK (skipped=5)\n", (0, 0, 5)),
        (
            "unittest, failing",
            "Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1, expected failures=1)\n",
            (1, 1, 2),
        ),
        ("unittest, errors", "Ran 3 tests in 1.204s\n\nFAILED (failures=1, errors=1)\n", (1, 2, 0)),
        (
            "unittest, nothing",
            "----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
            (0, 0, 0),
        ),
        ("cargo", CARGO, (4, 0, 1)),
        (
            "cargo, failing",
            "\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nassertion failed\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            (1, 1, 0),
        ),
        (
            "cargo, all filtered out",
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s\n",
            (0, 0, 0),
        ),
        (
            "cargo, beginning cut off",
            "test b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            (2, 0, 0),
        ),
        (
            "nextest",
            "        PASS [   0.004s] (630/630) a b\n────────────\n     Summary [   0.421s] 630 tests run: 630 passed (2 slow, 1 flaky), 2 skipped\n",
            (630, 0, 2),
        ),
        (
            "nextest, failing",
            "     Summary [   0.421s] 5/12 tests run: 3 passed, 1 failed, 1 timed out, 7 skipped\n        FAIL [   0.004s] a b\nerror: test run failed\n",
            (3, 2, 7),
        ),
        (
            "nextest, nothing",
            "     Summary [   0.000s] 0 tests run: 0 passed, 5 skipped\nerror: no tests to run\n",
            (0, 0, 5),
        ),
        ("go -v", GO_VERBOSE, (2, 1, 1)),
        (
            "go",
            "?   \texample.com/cmd\t[no test files]\nok  \texample.com/calc\t0.012s\nok  \texample.com/io\t(cached)\tcoverage: 80.0% of statements\n",
            (2, 0, 0),
        ),
        (
            "go, failing",
            "--- FAIL: TestAdd (0.00s)\n    calc_test.go:8: want 3\nFAIL\nFAIL\texample.com/calc\t0.012s\nok  \texample.com/io\t0.001s\nFAIL\n",
            (1, 1, 0),
        ),
        (
            "go, nothing",
            "testing: warning: no tests to run\nPASS\nok  \texample.com/calc\t0.001s [no tests to run]\n",
            (0, 0, 0),
        ),
        ("go, no files", "?   \texample.com/cmd\t[no test files]\n", (0, 0, 0)),
        (
            "go, does not build",
            "# example.com/calc\n./calc.go:3:1: syntax error\nFAIL\texample.com/calc [build failed]\nFAIL\n",
            (0, 1, 0),
        ),
        ("node, tap", NODE_TAP, (1, 1, 2)),
        (
            "node, spec",
            "✔ adds (2.15ms)\n﹣ skips (0.28ms) # SKIP\nℹ tests 4\nℹ suites 0\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 171.12\n",
            (3, 0, 1),
        ),
        (
            "vitest",
            " ✓ src/a.test.ts (4 tests | 1 skipped) 5ms\n\n Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n   Start at  10:30:00\n   Duration  312ms\n",
            (3, 0, 1),
        ),
        (
            "vitest, failing",
            " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed | 2 todo (6)\n",
            (3, 1, 2),
        ),
        ("vitest, nothing", "No test files found, exiting with code 0\n", (0, 0, 0)),
        ("vitest, an empty file", " Test Files  1 failed (1)\n      Tests  no tests\n", (0, 0, 0)),
        (
            "jest",
            "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 3 passed, 4 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n",
            (3, 0, 1),
        ),
        ("jest, failing", "Tests:       1 failed, 1 todo, 3 passed, 5 total\n", (3, 1, 1)),
        ("jest, nothing", "No tests found, exiting with code 0\n", (0, 0, 0)),
        (
            "junit",
            "<?xml version=\"1.0\"?>\n<testsuites tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\"><testsuite name=\"a\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\"><testcase/></testsuite></testsuites>\n",
            (2, 1, 1),
        ),
        (
            "junit, counts in the suites",
            "<testsuites><testsuite name='a > b' tests='2' skipped='1'/><testsuite tests='3' errors='1'><testsuite tests='3' errors='1'></testsuite></testsuite></testsuites>",
            (3, 1, 1),
        ),
        (
            "junit, half of the counts above",
            "<testsuites tests=\"2\"><testsuite tests=\"2\" skipped=\"2\"></testsuite></testsuites>",
            (0, 0, 2),
        ),
        (
            "junit, printed by a test",
            "<testsuite tests=\"0\"><system-out><![CDATA[<testsuites tests=\"99\">]]></system-out></testsuite>",
            (0, 0, 0),
        ),
        (
            "junit, several reports",
            "<testsuite tests=\"2\"></testsuite>\n<testsuite tests=\"3\" failures=\"1\"></testsuite>\n",
            (4, 1, 0),
        ),
        ("mocha", "  calc\n    ✔ adds\n\n\n  3 passing (12ms)\n  1 pending\n  2 failing\n\n  1) calc\n", (3, 2, 1)),
        ("mocha, nothing", "\n\n  0 passing (1ms)\n\n", (0, 0, 0)),
        (
            "tap",
            "1..4\nok 1 adds\nnot ok 2 subtracts\n# (in test file a.bats, line 3)\nok 3 later # SKIP not here\nnot ok 4 - soon # TODO\n",
            (1, 1, 2),
        ),
        ("tap, plan at the end", "TAP version 13\nok 1 - a\n    ok 1 - nested\nok 2 - b\n1..2\n", (2, 0, 0)),
        ("tap, cut short", "1..3\nok 1\n", (1, 2, 0)),
        ("tap, nothing", "1..0 # SKIP no database\n", (0, 0, 0)),
        ("tape", "TAP version 13\nok 1 adds\n\n1..1\n# tests 1\n# pass  1\n\n# ok\n", (1, 0, 0)),
    ] {
        assert_eq!(counted(output), Some(expected), "{name}");
    }
}

const CARGO: &str = "\
   Compiling calc v0.1.0
     Running unittests src/lib.rs (target/debug/deps/calc-1b2c)

running 4 tests
test a ... ok
test b ... ignored
test c ... ok
test d ... ok

test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it.rs (target/debug/deps/it-3d4e)

running 1 test
test e ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests calc

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

const GO_VERBOSE: &str = "\
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestDivide
=== RUN   TestDivide/by_zero
    calc_test.go:20: want an error
=== RUN   TestDivide/by_one
--- FAIL: TestDivide (0.00s)
    --- FAIL: TestDivide/by_zero (0.00s)
    --- PASS: TestDivide/by_one (0.00s)
=== RUN   TestSlow
    calc_test.go:30: not now
--- SKIP: TestSlow (0.00s)
FAIL
FAIL\texample.com/calc\t0.004s
FAIL
";

const NODE_TAP: &str = "\
TAP version 13
# Subtest: adds
ok 1 - adds
# Subtest: skips
ok 2 - skips # SKIP
# Subtest: breaks
not ok 3 - breaks
# Subtest: later
ok 4 - later # TODO
1..4
# tests 4
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 1
# duration_ms 277.402072
";

#[test]
fn a_program_that_plays_the_runner_is_not_believed() {
    for (name, output, expected) in [
        ("the last closing line counts", "=== 99 passed in 0.01s ===\n=== no tests ran in 0.00s ===\n", (0, 0, 0)),
        ("whichever runner it plays", "Ran 99 tests in 0.1s\n\nOK\n1 failed in 0.01s\n", (0, 1, 0)),
        (
            "a result that nobody announced",
            "\nrunning 1 test\ntest result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\ntest a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
            (0, 1, 0),
        ),
        ("the last block", "# tests 99\n# pass 99\n# fail 0\n# tests 0\n# pass 0\n# fail 0\n", (0, 0, 0)),
        ("packages are not tests", "--- PASS: Fake (0.00s)\n?   \tp\t[no test files]\n", (0, 0, 0)),
    ] {
        assert_eq!(counted(output), Some(expected), "{name}");
    }
}

#[test]
fn other_output_is_of_no_known_runner() {
    for output in [
        "",
        "Compiling calc v0.1.0\nFinished dev in 3.2s",
        "built in 3.2s",
        "3 files passed the check in 2 folders",
        "All checks passed!",
        "ok",
        "ok then, 3 passed",
        "# tests are fun",
        "1..2..3",
        "Tests: see below",
        "Ran 5 tests in 0.1s\nand then it crashed",
    ] {
        assert_eq!(counted(output), None, "{output}");
    }
}

#[test]
fn nothing_run_is_a_failure() {
    let failure = |passed, failed, skipped| TestCounts { passed, failed, skipped }.failure();
    assert_eq!(failure(3, 0, 1), None);
    assert_eq!(failure(0, 0, 0).as_deref(), Some("no tests ran"));
    assert_eq!(failure(0, 0, 1).as_deref(), Some("the only test was skipped"));
    assert_eq!(failure(0, 0, 3).as_deref(), Some("all 3 tests were skipped"));
    assert_eq!(failure(2, 1, 0).as_deref(), Some("1 of 3 tests failed"));
}

#[test]
fn commands_that_run_tests_are_known() {
    for line in [
        "pytest -q",
        "python3 -m pytest test_calc.py -v",
        "python -m unittest",
        "cargo test",
        "cargo nextest run",
        "RUST_BACKTRACE=1 cargo +nightly test",
        "go test ./...",
        "node --test",
        "npx vitest run",
        "npm test",
        "npm run test:unit",
        "cd web && pnpm test",
        "timeout 60 jest",
        "uv run pytest",
        "make check",
        "./gradlew test",
        "./node_modules/.bin/mocha",
        "mvn -q verify",
    ] {
        assert!(looks_like_tests(line, "criterion"), "{line}");
    }
    for line in [
        "cargo build",
        "cargo check",
        "test -f calc.py",
        "ruff check .",
        "pip install pytest",
        "npm run build",
        "echo pytest",
        "grep -r test .",
        "make",
        "go vet ./...",
        "npm ci",
        "cat tests/a.py",
    ] {
        assert!(!looks_like_tests(line, "Build"), "{line}");
    }
    for (purpose, expected) in [("Test", true), ("Unit tests", true), ("Latest", false), ("Lint", false)] {
        assert_eq!(looks_like_tests("./check.sh", purpose), expected, "{purpose}");
    }
}
