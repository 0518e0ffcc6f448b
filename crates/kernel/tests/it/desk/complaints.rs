//! The same error twice is the same text.

use tribunal_kernel::desk::{MAX_HEADLINE, headline, normalise};

#[test]
fn what_differs_between_two_runs_is_taken_out() {
    for (name, one, other, expected) in [
        (
            "python trace",
            "  File \"/work/a/calc.py\", line 12, in divide\nValueError: b must not be 0",
            "  File \"/home/x/calc.py\", line 14, in divide\nValueError: b must not be 0",
            "File \"calc.py\", line #, in divide\nValueError: b must not be 0",
        ),
        (
            "pytest",
            "tests/test_calc.py:12: AssertionError",
            "./tests/test_calc.py:9: AssertionError",
            "test_calc.py:#: AssertionError",
        ),
        (
            "rust panic",
            "thread 'main' (48121) panicked at src/lib.rs:5:9:\nassertion failed",
            "thread 'main' (99) panicked at /x/src/lib.rs:7:1:\nassertion failed",
            "thread 'main' (#) panicked at lib.rs:#:#:\nassertion failed",
        ),
        ("rustc gutter", "12 |     let x = 1;", "113 |  let x = 1;", "# | let x = 1;"),
        (
            "typescript",
            "src/a.ts(12,5): error TS2304: Cannot find",
            "src/a.ts(3,44): error TS2304: Cannot find",
            "a.ts(#,#): error TS2304: Cannot find",
        ),
        ("address", "<Calc object at 0x7f3a2b1c>", "<Calc object at 0x55d0aa98ff10>", "<Calc object at <address>>"),
        ("duration", "1 failed in 0.05s", "1 failed in 12.4s", "1 failed in <time>"),
        ("duration in words", "took 3 seconds", "took 14 seconds", "took <time>"),
        ("long duration", "after 1m23s", "after 59ms", "after <time>"),
        ("timestamp", "2025-01-15T10:30:00Z ERROR x", "2026-11-02T01:02:03.456+02:00 ERROR x", "<time> ERROR x"),
        ("clock", "[10:30:00] broken", "[23:59:59.123] broken", "[<time>] broken"),
        ("uuid", "run 6f9619ff-8b86-d011-b42d-00cf4fc964ff", "run 0e984725-c51c-4bf4-9960-e1c80e27aba0", "run <id>"),
        ("commit", "at 82f0d41f0b74ee53", "at 97b3732a01", "at <hash>"),
        ("percentage", "coverage 85% is too low", "coverage 84.5% is too low", "coverage <n>% is too low"),
        (
            "temporary file",
            "open('/tmp/pytest-1/x0/out.json')",
            "open('/tmp/pytest-22/x1/out.json')",
            "open('out.json')",
        ),
        ("temporary folder", "no folder /tmp/tmpab12cd", "no folder /var/folders/q/tmpzz", "no folder <tmp>"),
        ("colours", "\u{1b}[31mred\u{1b}[0m", "red", "red"),
        ("port", "connect to localhost:38211", "connect to localhost:40000", "connect to localhost:#"),
        ("blanks", "a   b\n\n\n  c\r\n", "a b\nc", "a b\nc"),
    ] {
        assert_eq!(normalise(one), expected, "{name}");
        assert_eq!(normalise(other), expected, "{name}");
    }
}

#[test]
fn what_is_said_stays() {
    for text in [
        "assert 3 == 4",
        "expected 2 and/or 3, got add(2, 3)",
        "US-001 AC1: not met",
        "exit code 127",
        "error[E0308]: mismatched types",
        "deadline exceeded 3/4",
    ] {
        assert_eq!(normalise(text), text);
    }
    assert_ne!(normalise("assert 3 == 4"), normalise("assert 3 == 5"));
}

#[test]
fn normalising_twice_changes_nothing() {
    let text = "File \"/a/b.py\", line 3\n12 | x\nat 0x7f3a2b1c in 0.05s 85% 2025-01-15 /tmp/x";
    assert_eq!(normalise(&normalise(text)), normalise(text));
}

#[test]
fn a_headline_is_what_broke() {
    for (name, output, expected) in [
        (
            "pytest",
            "collected 2 items\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:3: AssertionError\n=== 1 failed in 0.1s ===",
            "E       assert 1 == 2\ntest_a.py:3: AssertionError",
        ),
        (
            "trace",
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: b must not be 0\n",
            "ValueError: b must not be 0",
        ),
        (
            "rustc",
            "   Compiling a v0.1.0\nerror[E0308]: mismatched types\n --> src/lib.rs:1:1\nerror: could not compile `a`",
            "error[E0308]: mismatched types\nerror: could not compile `a`",
        ),
        ("shell", "sh: 1: frobnicate: not found", "sh: 1: frobnicate: not found"),
        ("go", "--- FAIL: TestA (0.00s)\n    a_test.go:5: want 1\nFAIL\n", "--- FAIL: TestA (0.00s)\nFAIL"),
        ("no failures are no news", "12 passed, 0 failed\nsomething failed later", "something failed later"),
        ("nothing telling", "one\ntwo\n\n---\n", "two"),
        ("nothing", "\n\n", ""),
    ] {
        assert_eq!(headline(output), expected, "{name}");
    }
    let long = headline(&format!("error: {}", "ä".repeat(1000)));
    assert_eq!(long.chars().count(), MAX_HEADLINE);
}
