//! `tribunal judge`: a change that somebody made, tried by what can be run.

use crate::support::{Output, Project};
use std::process::Command;

const CODE: &str = "def parse_range(text):\n    a, b = text.split(\"-\")\n    return list(range(int(a), int(b)))\n";
const TESTS: &str = "import unittest\nfrom calc import parse_range\n\n\nclass Calc(unittest.TestCase):\n    def test_start(self):\n        self.assertEqual(parse_range(\"1-3\")[0], 1)\n";
const NEW_TEST: &str = "\n    def test_end(self):\n        self.assertEqual(parse_range(\"1-3\")[-1], 3)\n";
const CHECK: &str = "python3 -m unittest discover -s tests";

fn git(project: &Project, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(args);
    let done = command.current_dir(project.path(".")).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with a calculator that has an off-by-one, and a test that does not notice.
fn project() -> Project {
    let project = Project::bare();
    project.write("calc.py", CODE);
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", TESTS);
    project.write(".gitignore", ".tribunal/\n__pycache__/\n");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a calculator"]);
    project
}

fn judge(project: &Project, more: &[&str]) -> Output {
    project.tribunal(&[&["judge", "--check", CHECK, "--mutants", "2"], more].concat())
}

#[test]
fn a_fix_with_a_test_that_was_red_before_holds() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    let before = std::fs::read(project.path(".git/index")).unwrap();
    let held = judge(&project, &[]);
    assert_eq!(held.code, 0, "{}", held.all());
    assert!(held.stdout.contains("red, then green:") && held.stdout.contains("test_end"), "{}", held.all());
    assert!(held.stdout.contains("canaries: they fail and pass as they must"), "{}", held.all());
    assert!(!held.stdout.contains("survived"), "the new test notices broken lines: {}", held.all());
    assert!(held.stdout.contains("\nholds: every check holds"), "{}", held.all());
    assert_eq!(std::fs::read(project.path(".git/index")).unwrap(), before, "the user's index is theirs");
    // Judged already: nothing is run again, and the answer is the same.
    let again = judge(&project, &[]);
    assert_eq!(again.code, 0, "{}", again.all());
    assert!(again.stderr.contains("judged already"), "{}", again.all());
    let object = project.json(&["judge", "--check", CHECK, "--mutants", "2", "--json"]);
    assert_eq!((&object["status"], &object["exit"]), (&"converged".into(), &0.into()), "{object}");
    assert_eq!(object["evidence"]["commands"][0]["command"]["line"], CHECK);
    git(&project, &["commit", "-qam", "fix"]);
    let committed = judge(&project, &["main~1..main", "--again"]);
    assert_eq!(committed.code, 0, "{}", committed.all());
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn what_proves_nothing_or_lies_does_not_hold() {
    let broken = CODE.replace("return list", "return [] and list");
    let skipped = TESTS.replace("    def test_start", "    @unittest.skip(\"later\")\n    def test_start");
    let steered = "import os, atexit\natexit.register(os._exit, 0)\n";
    let rows = [
        ("a test that fails", vec![], "checks_failed"),
        ("the test is deleted", vec![("tests/test_calc.py", "")], "regressed"),
        ("the test is skipped", vec![("tests/test_calc.py", skipped.as_str())], "regressed"),
        ("a file steers the runner", vec![("sitecustomize.py", steered)], "checks_"),
    ];
    for (name, files, code) in rows {
        let project = project();
        project.write("calc.py", &broken);
        for (file, text) in files {
            project.write(file, text);
        }
        let output = judge(&project, &[]);
        assert_eq!(output.code, 1, "{name}: {}", output.all());
        assert!(
            output.stdout.contains("does not hold (blocked): ") && output.stdout.contains(code),
            "{name}: {}",
            output.all()
        );
    }
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_hint() {
    let project = project();
    for (args, told) in [
        (&["judge", "nowhere..main"][..], "nowhere"),
        (&["judge", "main..main"], "there is no change to judge"),
        (&["judge", "main"], "there is no commit"),
    ] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 2, "{args:?}: {}", output.all());
        assert!(output.stderr.contains(told) && output.stderr.contains("hint:"), "{args:?}: {}", output.all());
    }
    project.write("calc.py", "x = 1\n");
    let nothing = project.tribunal(&["judge"]);
    assert_eq!(nothing.code, 2, "{}", nothing.all());
    assert!(nothing.stderr.contains("no command that could prove the change"), "{}", nothing.all());
    let outside = Project::bare().tribunal(&["judge", "--check", "true"]);
    assert!(outside.code == 2 && outside.stderr.contains("not in a git repository"), "{}", outside.all());
}

#[test]
fn what_the_configuration_says_is_used() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    git(&project, &["commit", "-qam", "fix"]);
    project.write("data/known.txt", "3");
    project.write(".gitignore", ".tribunal/\n__pycache__/\ndata/\ntribunal.toml\n");
    let toml = "[judge]\nrange = \"main~1..main\"\nchecks = [\"python3 -m unittest discover -s tests\", \"test -e data/known.txt\"]\n\
                mutants = 0\ncheck_timeout = \"2m\"\nnetwork = true\ncarry = [\"data\"]\n";
    project.write("tribunal.toml", toml);
    let output = project.tribunal(&["judge"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.starts_with("main~1..main: "), "{}", output.all());
    assert!(
        output.stdout.contains("`test -e data/known.txt`\n  at the base: green"),
        "it was carried: {}",
        output.all()
    );
    project.write("tribunal.toml", &toml.replace("carry = [\"data\"]\n", ""));
    let without = project.tribunal(&["judge", "--again"]);
    assert_eq!(without.code, 1, "what git ignores is not there by itself: {}", without.all());
}
