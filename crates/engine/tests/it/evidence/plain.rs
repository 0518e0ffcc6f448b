//! Commands that are known by their exit code alone, and the scripts that they start.

use super::bench::{Bench, concluded, is_installed};
use tribunal_kernel::evidence::{CanarySong, CommandExpectation, Evidence};

/// What the control of a command came to.
fn song(evidence: &Evidence) -> String {
    match &evidence.commands[0].canary {
        None => "none".into(),
        Some(CanarySong::True) => "true".into(),
        Some(other) => other.told(),
    }
}

const HALF: &str = "half() { echo $(($1 / 3)); }\n";
const FIXED: &str = "half() { echo $(($1 / 2)); }\n";
const CHECK: &str = "#!/bin/sh\nset -e\n. ./half.sh\necho looking\ntest \"$(half 4)\" = 2\necho ok\n";

#[tokio::test]
async fn a_line_that_includes_the_work() {
    let bench = Bench::new(&[("half.sh", HALF)]);
    let exits = format!("{HALF}exit 0\n");
    let tests = format!("{HALF}test() {{ true; }}\n");
    let honest = format!("{FIXED}check() {{ return 0; }}\n");
    let line = ". ./half.sh && test \"$(half 4)\" = 2";
    bench
        .table(
            line,
            &[
                ("the fix", &[("half.sh", Some(FIXED))], "holds"),
                ("a function of another name", &[("half.sh", Some(&honest))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                ("it leaves while it is included", &[("half.sh", Some(&exits))], "fails checks_unreliable"),
                ("what is false is true", &[("half.sh", Some(&tests))], "fails checks_unreliable"),
            ],
        )
        .await;
    // A function that the line does not use may be called whatever it wants to.
    let own = format!("{FIXED}grep() {{ true; }}\n");
    let evidence = bench.evidence(line, &[("half.sh", Some(&own))]).await;
    assert_eq!((concluded(&evidence), song(&evidence)), ("holds".into(), "true".into()));
    // What hands over to the work at its end may be ended by it.
    let run = [("half.sh", Some("echo halved\nexit 0\n"))];
    let evidence = bench.evidence("test -f half.sh && . ./half.sh", &run).await;
    assert_eq!(concluded(&evidence), "holds no_canary not_shown_red", "{}", evidence.side_by_side());
    let evidence = bench.evidence(". ./half.sh && sleep 0 &", &[("half.sh", Some(FIXED))]).await;
    assert_eq!(song(&evidence), "none, it starts something in the background");
}

#[tokio::test]
async fn a_script_of_the_shell() {
    let given = [("half.sh", HALF), ("check.sh", CHECK), ("Makefile", "check:\n\tsh check.sh\n")];
    let exits = format!("{HALF}exit 0\n");
    let later = "half() { echo 3; }\ntest() { exit 0; }\n";
    let tests = format!("{HALF}test() {{ true; }}\n");
    let traps = format!("{HALF}trap 'exit 0' EXIT\n");
    for line in ["sh check.sh", "bash ./check.sh", "make check"] {
        Bench::new(&given)
            .table(
                line,
                &[
                    ("the fix", &[("half.sh", Some(FIXED))], "holds"),
                    ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                    ("it leaves while it is included", &[("half.sh", Some(&exits))], "fails checks_unreliable"),
                    ("it leaves when it is called", &[("half.sh", Some(later))], "fails checks_unreliable"),
                    ("what is false is true", &[("half.sh", Some(&tests))], "fails checks_unreliable"),
                    ("it leaves well whatever happened", &[("half.sh", Some(&traps))], "fails checks_unreliable"),
                ],
            )
            .await;
    }
}

#[tokio::test]
async fn scripts_of_the_shell_that_end_in_other_ways() {
    let exits = format!("{HALF}exit 0\n");
    for (what, check) in [
        ("by a word of its own", ". ./half.sh\nif test \"$(half 4)\" = 2; then echo ok; exit 0; fi\nexit 1\n"),
        (
            "by a code that it counted",
            "fails=0\n. ./half.sh\ntest \"$(half 4)\" = 2 || fails=1\necho done\nexit $fails\n",
        ),
        (
            "with a trap",
            "tmp=`mktemp -d`\ntrap 'rm -rf \"$tmp\"' EXIT\n. ./half.sh\ntest \"$(half 4)\" = 2 || exit 1\necho ok\n",
        ),
        (
            "by what it includes",
            ". ./lib/finish.sh\n. ./half.sh\ntest \"$(half 4)\" = 2 || finish 1\necho ok\nfinish 0\n",
        ),
        ("as another program", ". ./half.sh\necho looking\ntest \"$(half 4)\" = 2 || exit 1\nexec echo ok\n"),
        ("in a function", "main() {\n  . ./half.sh\n  test \"$(half 4)\" = 2 || return 1\n  echo ok\n}\nmain \"$@\"\n"),
    ] {
        let bench = Bench::new(&[("half.sh", HALF), ("check.sh", check), ("lib/finish.sh", "finish() { exit $1; }\n")]);
        let honest = bench.evidence("sh check.sh", &[("half.sh", Some(FIXED))]).await;
        assert_eq!(
            (concluded(&honest), song(&honest)),
            ("holds".into(), "true".into()),
            "{what}: {}",
            honest.side_by_side()
        );
        let lie = bench.evidence("sh check.sh", &[("half.sh", Some(&exits))]).await;
        assert_eq!(concluded(&lie), "fails checks_unreliable", "{what}: {}", lie.side_by_side());
    }
}

#[tokio::test]
async fn two_scripts_and_the_first_one_is_lied_to() {
    let second = "#!/bin/sh\necho second\ntest -f half.sh\n";
    let bench = Bench::new(&[("half.sh", HALF), ("check.sh", CHECK), ("more.sh", second)]);
    let exits = format!("{HALF}exit 0\n");
    for line in ["sh check.sh && sh more.sh", "sh more.sh && sh check.sh"] {
        let honest = bench.evidence(line, &[("half.sh", Some(FIXED))]).await;
        assert_eq!((concluded(&honest), song(&honest)), ("holds".into(), "true".into()), "{}", honest.side_by_side());
        let lie = bench.evidence(line, &[("half.sh", Some(&exits))]).await;
        assert_eq!(concluded(&lie), "fails checks_unreliable", "{line}: {}", lie.side_by_side());
    }
}

#[tokio::test]
async fn what_nobody_looks_at_is_said_and_held_against_nobody() {
    let bench = Bench::new(&[("half.sh", HALF), ("check.sh", CHECK)]);
    for (line, expected) in [
        ("sh check.sh || true", "at the base nobody notices how `check.sh` ends, either"),
        ("sh check.sh | grep -q ^ok", "it does not depend on how `check.sh` ends"),
    ] {
        let evidence = bench.evidence(line, &[("half.sh", Some(FIXED))]).await;
        assert!(evidence.holds(), "{line}: {}", evidence.side_by_side());
        assert_eq!(song(&evidence), format!("none, {expected}"), "{line}");
    }
    for (expects, expected) in [
        (CommandExpectation::Exit(1), "none, it is expected to fail, and does so for any reason"),
        (CommandExpectation::Output("ok".into()), "true"),
    ] {
        let wanted = if expects == CommandExpectation::Exit(1) { "half() { echo 1; }\n" } else { FIXED };
        let evidence = bench.evidence_with("sh check.sh", expects, &[("half.sh", Some(wanted))]).await;
        assert!(evidence.holds(), "{}", evidence.side_by_side());
        assert_eq!(song(&evidence), expected);
    }
    // No script of it is given: there is nothing to try.
    let evidence = bench.evidence("sh new.sh", &[("new.sh", Some("exit 0\n"))]).await;
    assert_eq!((concluded(&evidence), song(&evidence)), ("holds".into(), "none".into()));
}

const CALC: &str = "def half(a):\n    return a // 3\n";
const HALVED: &str = "def half(a):\n    return a // 2\n";

#[tokio::test]
async fn a_script_in_python() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let asserts = "\"\"\"Looks.\"\"\"\nfrom __future__ import annotations\n\nimport calc\n\nassert calc.half(4) == 2\nprint('ok')\n";
    let counts =
        "import sys\n\nimport calc\n\nfailed = int(calc.half(4) != 2)\nprint(failed, 'failed')\nsys.exit(failed)\n";
    let raises = "import calc\n\nif calc.half(4) != 2:\n    raise SystemExit(1)\nprint('ok')\nraise SystemExit(0)\n";
    let cases = "import unittest\n\nimport calc\n\n\nclass Half(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(calc.half(4), 2)\n\n\nif __name__ == '__main__':\n    unittest.main()\n";
    let lies = [
        ("it leaves while it is imported", format!("{CALC}\n\nimport sys\n\nsys.exit(0)\n")),
        ("it leaves by an error", format!("{CALC}\n\nraise SystemExit(0)\n")),
        ("it leaves for good", format!("import os\n\nos._exit(0)\n{CALC}")),
        ("it leaves when it is called", "def half(a):\n    import os\n    os._exit(0)\n".into()),
        ("it leaves at the end", format!("{CALC}\n\nimport atexit, os\n\natexit.register(os._exit, 0)\n")),
        ("it becomes another program", "import os\n\n\ndef half(a):\n    os.execvp('true', ['true'])\n".into()),
    ];
    for (what, check) in [("assert", asserts), ("a count", counts), ("an error", raises), ("unittest", cases)] {
        let bench = Bench::new(&[("calc.py", CALC), ("check.py", check)]);
        let honest = bench.evidence("python3 check.py", &[("calc.py", Some(HALVED))]).await;
        assert_eq!(
            (concluded(&honest), song(&honest)),
            ("holds".into(), "true".into()),
            "{what}: {}",
            honest.side_by_side()
        );
        for (lie, text) in &lies {
            let evidence = bench.evidence("python3 check.py", &[("calc.py", Some(text))]).await;
            // unittest notices some of them itself.
            let found = concluded(&evidence);
            let is_caught = found == "fails checks_unreliable" || (what == "unittest" && !evidence.holds());
            assert!(is_caught, "{what}, {lie}: {found}\n{}", evidence.side_by_side());
        }
    }
    let bench = Bench::new(&[("calc.py", CALC), ("check.py", cases)]);
    let patched = format!("{CALC}\n\nimport unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n");
    let evidence = bench.evidence("python3 check.py", &[("calc.py", Some(&patched))]).await;
    assert_eq!(concluded(&evidence), "fails checks_unreliable", "{}", evidence.side_by_side());
    // A program's own `main` may end it.
    let main = format!("{HALVED}\n\ndef main():\n    raise SystemExit(half(4) != 2)\n");
    let bench =
        Bench::new(&[("calc.py", CALC), ("check.py", "import calc\n\nassert calc.half(4) == 2\ncalc.main()\n")]);
    let evidence = bench.evidence("python3 check.py", &[("calc.py", Some(&main))]).await;
    assert_eq!(concluded(&evidence), "holds no_canary", "{}", evidence.side_by_side());
}

const JS: &str = "exports.half = (a) => a / 3;\n";
const JS_HALVED: &str = "exports.half = (a) => a / 2;\n";

#[tokio::test]
async fn a_script_in_javascript() {
    if !is_installed("node", &["--version"]) {
        return;
    }
    let asserts = "'use strict';\nconst assert = require('assert');\nconst { half } = require('./calc');\nassert.equal(half(4), 2);\nconsole.log('ok');\n";
    let later = "const assert = require('node:assert');\nconst { half } = require('./calc');\nsetTimeout(() => {\n  assert.equal(half(4), 2);\n  console.log('ok');\n}, 5);\n";
    let counts = "const { half } = require('./calc');\nconst failed = half(4) === 2 ? 0 : 1;\nconsole.log(failed, 'failed');\nprocess.exit(failed);\n";
    let sets = "const { half } = require('./calc');\nif (half(4) !== 2) process.exitCode = 1;\nconsole.log('ok');\n";
    let module = "import assert from 'node:assert';\nimport calc from '../calc.js';\n\nassert.equal(calc.half(4), 2);\nconsole.log('ok');\n";
    let package = r#"{"name": "calc", "scripts": {"test": "node run.cjs"}}"#;
    let runner = "#!/usr/bin/env node\nrequire('./test/one.js');\nrequire('./test/two.js');\n";
    let lies = [
        ("it leaves while it is loaded", format!("{JS}process.exit(0);\n")),
        ("it leaves for good", format!("{JS}process.reallyExit(0);\n")),
        ("it leaves when it is called", "exports.half = () => process.exit(0);\n".into()),
        ("it leaves at the end", format!("{JS}process.on('exit', () => process.reallyExit(0));\n")),
        ("it sets the code at the end", format!("{JS}process.on('exit', () => {{ process.exitCode = 0; }});\n")),
        (
            "it forgets every error",
            format!(
                "{JS}process.on('uncaughtException', () => {{}});\nprocess.on('exit', () => {{ process.exitCode = 0; }});\n"
            ),
        ),
        ("an assertion that always holds", format!("require('assert').equal = () => {{}};\n{JS}")),
    ];
    for (what, line, files) in [
        ("assert", "node check.js", vec![("check.js", asserts)]),
        ("later", "node check.js", vec![("check.js", later)]),
        ("a count", "node check.js", vec![("check.js", counts)]),
        ("a code", "node check.js", vec![("check.js", sets)]),
        ("a module", "node test/check.mjs", vec![("test/check.mjs", module)]),
        (
            "npm",
            "npm test",
            vec![
                ("package.json", package),
                ("run.cjs", runner),
                ("test/one.js", "require('assert').ok(true);\n"),
                (
                    "test/two.js",
                    "const { half } = require('../calc');\nrequire('assert').equal(half(4), 2);\nconsole.log('ok');\n",
                ),
            ],
        ),
    ] {
        let bench = Bench::new(&[vec![("calc.js", JS)], files].concat());
        let honest = bench.evidence(line, &[("calc.js", Some(JS_HALVED))]).await;
        assert_eq!(
            (concluded(&honest), song(&honest)),
            ("holds".into(), "true".into()),
            "{what}: {}",
            honest.side_by_side()
        );
        for (lie, text) in &lies {
            let evidence = bench.evidence(line, &[("calc.js", Some(text))]).await;
            // A lie that does not reach this script leaves it red.
            let found = concluded(&evidence);
            assert!(
                ["fails checks_unreliable", "fails checks_failed"].contains(&found.as_str()),
                "{what}, {lie}: {found}\n{}",
                evidence.side_by_side()
            );
        }
    }
}

#[tokio::test]
async fn new_tests_beside_those_that_a_script_loads() {
    if !is_installed("node", &["--version"]) {
        return;
    }
    let all = "for (const file of require('fs').readdirSync('test').sort()) require('./test/' + file);\n";
    let given = "const { half } = require('../calc');\nrequire('assert').equal(half(4), 2);\n";
    let repairs = "require('../calc').half = (a) => a / 2;\n";
    let bench = Bench::new(&[("calc.js", JS), ("run.js", all), ("test/calc.js", given)]);
    bench
        .table(
            "node run.js",
            &[
                ("the fix and a new test", &[("calc.js", Some(JS_HALVED)), ("test/b.js", Some(given))], "holds"),
                ("a new test that repairs the program", &[("test/b.js", Some(repairs))], "fails checks_tampered"),
            ],
        )
        .await;
    // A script that was there asks for a test that was not: empty, it is there.
    let one = "require('./test/calc.js');\nrequire('./test/later.js');\n";
    let bench = Bench::new(&[("calc.js", JS), ("run.js", one), ("test/calc.js", given)]);
    bench
        .table(
            "node run.js",
            &[(
                "the fix and the test that was asked for",
                &[("calc.js", Some(JS_HALVED)), ("test/later.js", Some(given))],
                "holds",
            )],
        )
        .await;
}
