//! Red and green, sabotage, what is allowed, and what is expected of plain commands.

use std::collections::BTreeMap;

use tribunal_kernel::evidence::{CommandExpectation, MutantEnd, RedSeen, TreeRole};

use super::bench::{Bench, concluded, is_installed};

const CALC: &str = "def add(a, b):\n    return a + b\n";
const MORE: &str = "def add(a, b):\n    return a + b\n\n\ndef is_even(a):\n    return a % 2 == 0\n";
const TESTS: &str = "import unittest\n\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n";
const GOOD: &str = "import unittest\n\nfrom calc import is_even\n\n\nclass Even(unittest.TestCase):\n    def test_even(self):\n        self.assertTrue(is_even(2))\n        self.assertFalse(is_even(3))\n        self.assertTrue(is_even(6))\n";
const HOLLOW: &str =
    "import unittest\n\n\nclass Even(unittest.TestCase):\n    def test_even(self):\n        self.assertTrue(True)\n";
const LINE: &str = "python3 -m unittest discover -s tests";

fn bench() -> Bench {
    let mut bench = Bench::new(&[("calc.py", CALC), ("tests/test_calc.py", TESTS)]);
    bench.env.push(("PYTHONPATH".into(), ".".into()));
    bench
}

#[tokio::test]
async fn a_new_test_is_seen_red_without_the_work_and_a_hollow_one_is_not() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let evidence = bench().evidence(LINE, &[("calc.py", Some(MORE)), ("tests/test_even.py", Some(GOOD))]).await;
    assert_eq!(concluded(&evidence), "holds", "{}", evidence.side_by_side());
    let red_green = evidence.commands[0].red_green.clone().unwrap();
    assert_eq!(red_green.red, RedSeen::WithoutTheWork);
    assert_eq!(red_green.tests, ["test_even.Even::test_even"]);

    let evidence = bench().evidence(LINE, &[("calc.py", Some(MORE)), ("tests/test_even.py", Some(HOLLOW))]).await;
    assert_eq!(concluded(&evidence), "holds not_shown_red", "{}", evidence.side_by_side());
    let red_green = evidence.commands[0].red_green.clone().unwrap();
    assert_eq!(red_green.never_red, ["test_even.Even::test_even"]);
}

#[tokio::test]
async fn sabotage_is_noticed_by_tests_that_test_and_survives_hollow_ones() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let mut bench = bench();
    bench.mutants = 6;
    for (tests, is_noticed) in [(GOOD, true), (HOLLOW, false)] {
        let evidence = bench.evidence(LINE, &[("calc.py", Some(MORE)), ("tests/test_even.py", Some(tests))]).await;
        let mut ends: BTreeMap<bool, usize> = BTreeMap::new();
        for seen in &evidence.mutants {
            assert_eq!(seen.mutant.path, "calc.py");
            *ends.entry(seen.end == MutantEnd::Noticed).or_default() += 1;
        }
        let expected = if is_noticed { vec![true] } else { vec![false] };
        assert_eq!(ends.into_keys().collect::<Vec<_>>(), expected, "{}", evidence.side_by_side());
        assert!(!evidence.mutants.is_empty());
    }
}

#[tokio::test]
async fn a_story_may_allow_tests_to_change() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let mut bench = bench();
    let other = (CALC.replace("a + b", "a + b + 1"), TESTS.replace("3)", "4)"));
    let change = [("calc.py", Some(other.0.as_str())), ("tests/test_calc.py", Some(other.1.as_str()))];
    let evidence = bench.evidence(LINE, &change).await;
    assert_eq!(concluded(&evidence), "fails checks_tampered regressed tests_changed");
    bench.may_change.push("tests/…".into());
    let evidence = bench.evidence(LINE, &change).await;
    assert_eq!(concluded(&evidence), "holds", "{}", evidence.side_by_side());
    // Under another name the test of before is gone, and tests of ours are tried all the same.
    let renamed = TESTS.replace("test_add", "test_sum");
    let evidence = bench.evidence(LINE, &[("tests/test_calc.py", Some(&renamed))]).await;
    assert_eq!(concluded(&evidence), "holds regressed not_shown_red", "{}", evidence.side_by_side());
    assert!(evidence.commands[0].canary.is_some());
}

#[tokio::test]
async fn a_plain_command_is_known_by_its_end_on_both_sides() {
    let bench = Bench::new(&[("value", "1\n")]);
    let evidence = bench.evidence("grep -q 2 value", &[("value", Some("2\n"))]).await;
    assert_eq!(concluded(&evidence), "holds");
    assert!(!evidence.commands[0].on(TreeRole::Base).unwrap().is_green());
    assert!(evidence.commands[0].plain.is_some() && evidence.commands[0].canary.is_none());
    let evidence = bench.evidence("test -f value", &[("value", Some("2\n"))]).await;
    assert_eq!(concluded(&evidence), "holds not_shown_red");
    let error = CommandExpectation::Error("ValueError".into());
    let line = "cat value; grep -q 1 value";
    let evidence = bench.evidence_with(line, error, &[("value", Some("ValueError\n"))]).await;
    assert_eq!(concluded(&evidence), "holds");
}

#[tokio::test]
async fn a_checkout_is_a_repository_of_its_own_and_the_users_is_not_seen() {
    let bench = Bench::new(&[("value", "1\n")]);
    let line =
        "git rev-parse --show-toplevel && test -z \"`git remote`\" && test \"`git log --oneline | wc -l`\" -eq 1";
    let evidence = bench.evidence(line, &[("value", Some("2\n"))]).await;
    let run = evidence.commands[0].on(TreeRole::Given).unwrap();
    assert!(run.is_green() && run.tail.contains("/given/tree"), "{}", run.tail);
}

#[tokio::test]
async fn a_project_below_its_repository_is_looked_at_from_its_own_folder() {
    let mut bench =
        Bench::new(&[("app/value", "1\n"), ("app/Makefile", "test:\n\tgrep -q 2 value\n"), ("Makefile", "all:\n")]);
    bench.below = "app";
    let honest = bench.evidence("make test", &[("app/value", Some("2\n"))]).await;
    assert_eq!(concluded(&honest), "holds", "{}", honest.side_by_side());
    let lies = [("app/GNUmakefile", Some("test:\n\t@echo ok\n")), ("Makefile", Some("all:\n\techo\n"))];
    let evidence = bench.evidence("make test", &lies).await;
    assert_eq!(concluded(&evidence), "fails checks_tampered steering_touched", "{}", evidence.side_by_side());
    let touched: Vec<&str> = evidence.touched.iter().map(|touched| touched.path.as_str()).collect();
    assert_eq!(touched, ["../Makefile", "GNUmakefile"]);
}

#[tokio::test]
async fn what_is_known_of_the_base_is_not_run_again() {
    let mut bench = Bench::new(&[("value", "1\n")]);
    let line = "date +%s%N; grep -q 2 value";
    let first = bench.evidence(line, &[("value", Some("2\n"))]).await;
    bench.known.clone_from(&first.commands);
    let second = bench.evidence(line, &[("value", Some("22\n"))]).await;
    let output = |evidence: &tribunal_kernel::evidence::Evidence, tree| evidence.commands[0].on(tree).unwrap().output;
    assert_eq!(output(&first, TreeRole::Base), output(&second, TreeRole::Base));
    assert_ne!(output(&first, TreeRole::Given), output(&second, TreeRole::Given));
}
