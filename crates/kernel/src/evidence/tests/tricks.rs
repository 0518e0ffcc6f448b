//! What is concluded from what was seen: honest work and tricks, one a row.

use crate::Digest;
use crate::desk::CheckEnd;
use crate::evidence::{
    Adapted, CanarySong, CommandEvidence, Evidence, EvidenceCommand, EvidenceWeight, ReportStrength, ReportWish,
    RunSeen, TestReport, TestRunner, TestState, Touch, TouchedPath, TreeRole, adapt, state_of,
};

/// A report from `a:pass b:fail c:skip`; `-` is none, and `~` a blank.
fn report(text: &str) -> Option<TestReport> {
    if text == "-" {
        return None;
    }
    let mut report = TestReport::default();
    for test in text.split_whitespace() {
        let (name, state) = test.rsplit_once(':').unwrap();
        let state = match state {
            "pass" => TestState::Passed,
            "fail" => TestState::Failed,
            _ => TestState::Skipped,
        };
        report.add(&name.replace('~', " "), state);
    }
    Some(report)
}

/// A run from `exit report`.
fn run(tree: TreeRole, seen: &str) -> RunSeen {
    let (exit, tests) = seen.split_once(' ').unwrap_or((seen, ""));
    let (exit, report) = (exit.parse().ok(), report(tests));
    let Adapted::Yes(adapted) = adapt("pytest", &[].into(), &ReportWish { folder: "/r", ..ReportWish::default() })
    else {
        unreachable!()
    };
    let ended = if exit.is_some() { CheckEnd::Exited } else { CheckEnd::TimedOut };
    let state = state_of(&EvidenceCommand::new("c1", "pytest"), Some(&adapted), (ended, exit), report.as_ref(), "");
    RunSeen {
        tree,
        line: "pytest".into(),
        exit,
        ended,
        elapsed_ms: 0,
        output: Digest::of(""),
        tail: String::new(),
        printed: String::new(),
        strength: ReportStrength::File,
        report,
        state,
        rewritten: Vec::new(),
    }
}

struct Row {
    base: &'static str,
    given: &'static str,
    head: &'static str,
    alone: &'static str,
    unsteered: &'static str,
    /// With the given tests and without the new ones.
    without_new: &'static str,
    canary: Option<CanarySong>,
    touched: Vec<TouchedPath>,
    /// What the base printed.
    printed: &'static str,
}

const NO_PYTEST: &str = "/usr/bin/python3: No module named pytest\n";

const NO_PROGRAM: &str = "sh: 1: nosuchprogram: not found\n";

const NO_FIXTURE: &str = "E       fixture 'shop' not found\n";

/// The tests are in a file that was there, so the given one does not have the new one.
const STEERED: Row = Row {
    base: "0 a:pass",
    given: "0 a:pass",
    head: "0 a:pass new:pass",
    alone: "1 a:pass new:fail",
    unsteered: "",
    without_new: "",
    canary: Some(CanarySong::True),
    touched: Vec::new(),
    printed: "",
};

const HONEST: Row = Row {
    base: "1 a:pass new:fail",
    given: "0 a:pass new:pass",
    head: "",
    alone: "",
    unsteered: "",
    without_new: "",
    canary: Some(CanarySong::True),
    touched: Vec::new(),
    printed: "",
};

fn concluded(row: Row) -> String {
    let command = EvidenceCommand::new("c1", "pytest");
    let mut command = CommandEvidence::new(command);
    command.runners = vec![TestRunner::Pytest];
    command.canary = row.canary;
    let trees = [
        (TreeRole::Base, row.base),
        (TreeRole::Given, row.given),
        (TreeRole::Head, row.head),
        (TreeRole::TestsOnly, row.alone),
        (TreeRole::Unsteered, row.unsteered),
        (TreeRole::WithoutNewTests, row.without_new),
    ];
    command.runs = trees.into_iter().filter(|(_, seen)| !seen.is_empty()).map(|(tree, seen)| run(tree, seen)).collect();
    for run in command.runs.iter_mut().filter(|run| matches!(run.tree, TreeRole::Base | TreeRole::Unsteered)) {
        (run.tail, run.printed) = (row.printed.to_owned(), row.printed.to_owned());
    }
    let mut evidence = Evidence {
        base: "b".into(),
        head: "h".into(),
        seed: Digest::of(""),
        commands: vec![command],
        touched: row.touched,
        inline: Vec::new(),
        not_put_back: Vec::new(),
        test_aware: Vec::new(),
        mutants: Vec::new(),
        rewritten: Vec::new(),
        left_out: Vec::new(),
        findings: Vec::new(),
        elapsed_ms: 0,
    };
    evidence.conclude();
    // Whole outputs are kept elsewhere.
    evidence.commands.iter_mut().flat_map(|command| &mut command.runs).for_each(|run| run.printed.clear());
    let json = serde_json::to_string(&evidence).unwrap();
    assert_eq!(serde_json::from_str::<Evidence>(&json).unwrap(), evidence, "it survives being written down");
    let told = evidence.findings.iter().filter(|finding| finding.weight != EvidenceWeight::Note);
    let told: Vec<&str> = told.map(|finding| finding.code.as_str()).collect();
    format!("{}{}", if evidence.holds() { "holds " } else { "fails " }, told.join(" ")).trim_end().to_owned()
}

fn touched(path: &str, what: Touch) -> Vec<TouchedPath> {
    vec![TouchedPath { path: path.into(), what, allowed: false }]
}

#[test]
fn honest_work_holds_and_every_trick_is_named() {
    let steering = || touched("conftest.py", Touch::SteeringAdded);
    let test = || touched("tests/test_a.py", Touch::TestChanged);
    let new = || touched("tests/test_new.py", Touch::TestAdded);
    for (what, row, expected) in [
        ("red at the base, green with the work", HONEST, "holds"),
        (
            "a new test that is red without the work",
            Row { base: "0 a:pass", alone: "1 a:pass new:fail", ..HONEST },
            "holds",
        ),
        (
            "a new test that shows nothing",
            Row { base: "0 a:pass", alone: "0 a:pass new:pass", ..HONEST },
            "holds not_shown_red",
        ),
        ("a refactoring", Row { base: "0 a:pass", given: "0 a:pass", ..HONEST }, "holds not_shown_red"),
        (
            "a test in a file that was there, and a new file that hides it",
            Row { given: "0 a:pass", head: "0 a:pass", unsteered: "1 a:pass new:fail", touched: steering(), ..STEERED },
            "fails checks_tampered steering_touched",
        ),
        (
            "the same, and it is made to pass",
            Row { head: "0 a:pass new:pass", unsteered: "1 a:pass new:fail", touched: steering(), ..STEERED },
            "fails checks_tampered steering_touched",
        ),
        (
            "the same, without a report",
            Row { unsteered: "1 -", touched: steering(), ..STEERED },
            "fails checks_tampered steering_touched",
        ),
        (
            "a new fixture, and a test in a file that was there that uses it",
            Row { unsteered: "1 a:pass new:fail", touched: steering(), printed: NO_FIXTURE, ..STEERED },
            "holds steering_touched",
        ),
        (
            "a new fixture, and another test that is hidden",
            Row { unsteered: "1 a:pass new:fail b:fail", touched: steering(), printed: NO_FIXTURE, ..STEERED },
            "fails checks_tampered steering_touched",
        ),
        (
            "steered, and green without",
            Row { unsteered: "0 a:pass new:pass", touched: steering(), ..STEERED },
            "holds steering_touched",
        ),
        (
            "packages are missing, with the work and without",
            Row { base: "1 -", given: "1 -", printed: NO_PYTEST, ..HONEST },
            "fails packages_missing",
        ),
        (
            "a program is missing, with the work and without",
            Row { base: "127 -", given: "127 -", printed: NO_PROGRAM, ..HONEST },
            "fails packages_missing",
        ),
        (
            "a program is missing, and with the work it fails otherwise",
            Row { base: "127 -", given: "1 -", printed: NO_PROGRAM, ..HONEST },
            "fails checks_failed",
        ),
        (
            "a program is missing with the work alone",
            Row { base: "1 -", given: "127 -", printed: NO_PROGRAM, ..HONEST },
            "fails checks_failed",
        ),
        (
            "the base got somewhere",
            Row { given: "1 a:pass new:fail", printed: NO_PYTEST, ..HONEST },
            "fails checks_failed",
        ),
        (
            "the work got somewhere",
            Row { base: "1 -", given: "1 a:pass b:fail", printed: NO_PYTEST, ..HONEST },
            "fails checks_failed",
        ),
        (
            "packages are missing, and a new file makes it green",
            Row { base: "1 -", given: "1 -", head: "0 a:pass", touched: steering(), printed: NO_PYTEST, ..HONEST },
            "fails checks_tampered steering_touched",
        ),
        ("plain fail", Row { given: "1 a:pass new:fail", ..HONEST }, "fails checks_failed"),
        (
            "a test deleted, and it would fail",
            Row { given: "1 a:fail", head: "0 new:pass", touched: test(), ..HONEST },
            "fails checks_tampered regressed tests_changed",
        ),
        (
            "a test deleted that passes",
            Row { given: "0 a:pass new:pass", head: "0 new:pass", touched: test(), ..HONEST },
            "holds tests_changed tests_changed",
        ),
        (
            "a test skipped that would fail",
            Row { given: "1 a:fail", head: "0 a:skip b:pass", touched: test(), ..HONEST },
            "fails checks_tampered regressed tests_changed",
        ),
        (
            "a test renamed that would fail",
            Row { given: "1 a:fail b:pass", head: "0 b:pass", touched: test(), ..HONEST },
            "fails checks_tampered regressed tests_changed",
        ),
        (
            "a test weakened",
            Row { base: "0 a:pass", given: "1 a:fail", head: "0 a:pass", touched: test(), ..HONEST },
            "fails checks_tampered regressed tests_changed",
        ),
        (
            "steered by a new file",
            Row { given: "1 a:pass new:fail", head: "0 a:pass new:pass", touched: steering(), ..HONEST },
            "fails checks_tampered steering_touched",
        ),
        (
            "a new file that steers, and is not needed",
            Row { head: "0 a:pass new:pass", touched: steering(), ..HONEST },
            "holds steering_touched",
        ),
        (
            "a new test makes given ones pass",
            Row { base: "1 a:fail", given: "0 a:pass new:pass", without_new: "1 a:fail", touched: new(), ..HONEST },
            "fails checks_tampered",
        ),
        ("the same, without a report", Row { without_new: "1 -", touched: new(), ..HONEST }, "fails checks_tampered"),
        (
            "without the new tests the exit is forged",
            Row { without_new: "0 -", touched: new(), ..HONEST },
            "fails checks_tampered",
        ),
        (
            "without the new tests a given one is skipped",
            Row { without_new: "0 a:skip b:pass", touched: new(), ..HONEST },
            "fails checks_tampered",
        ),
        (
            "without the new tests nothing is run",
            Row { without_new: "5 ", touched: new(), ..HONEST },
            "fails checks_tampered",
        ),
        (
            "given tests hold without the new ones",
            Row { base: "0 a:pass", without_new: "0 a:pass", alone: "1 a:pass new:fail", touched: new(), ..HONEST },
            "holds",
        ),
        (
            "nothing is given that could run",
            Row { base: "5 ", given: "0 new:pass", without_new: "5 ", touched: new(), ..HONEST },
            "holds",
        ),
        ("exit forged, and no report", Row { given: "0 -", ..HONEST }, "fails checks_unreliable"),
        ("exit forged, and an honest report", Row { given: "0 a:fail new:pass", ..HONEST }, "fails checks_unreliable"),
        ("report forged, and an honest exit", Row { given: "1 a:pass new:pass", ..HONEST }, "fails checks_failed"),
        ("a canary that must fail passes", Row { canary: Some(CanarySong::Lied), ..HONEST }, "fails checks_unreliable"),
        ("both forged", Row { canary: Some(CanarySong::False("x".into())), ..HONEST }, "fails checks_unreliable"),
        ("canaries ignored", Row { canary: Some(CanarySong::Silent), ..HONEST }, "fails checks_unreliable"),
        ("no place for canaries", Row { canary: Some(CanarySong::NotPlaced("x".into())), ..HONEST }, "holds no_canary"),
        ("nothing collected", Row { given: "0 ", ..HONEST }, "fails checks_failed regressed"),
        ("all skipped", Row { given: "0 a:skip", ..HONEST }, "fails checks_failed regressed"),
        ("a test that is gone although it was put back", Row { given: "0 new:pass", ..HONEST }, "fails regressed"),
        ("a test that is skipped from outside", Row { given: "0 a:skip new:pass", ..HONEST }, "fails regressed"),
        (
            "the work's own tests fail",
            Row { head: "1 a:pass new:fail", touched: test(), ..HONEST },
            "fails checks_failed tests_changed",
        ),
        ("timed out", Row { given: "- -", ..HONEST }, "fails checks_failed"),
        ("never run", Row { given: "", ..HONEST }, "fails not_finished"),
        (
            "a red test that is not run any more",
            Row { base: "1 t::a:pass t::b:fail", given: "0 t::a:pass t::c:pass", ..HONEST },
            "fails regressed",
        ),
        (
            "a red test that is skipped",
            Row { base: "1 t::a:pass t::b:fail", given: "0 t::a:pass t::b:skip", ..HONEST },
            "fails regressed",
        ),
        (
            "a file that could not be loaded, and its tests now",
            Row { base: "1 a:pass t:fail", given: "0 a:pass t::b:pass", ..HONEST },
            "holds",
        ),
        (
            "a file that could not be loaded, and none of its tests is there",
            Row { base: "1 a:pass t::(the~file):fail", given: "0 a:pass u::b:pass", ..HONEST },
            "fails regressed",
        ),
        (
            "a file that could not be loaded, and its tests are skipped",
            Row { base: "1 a:pass t::(the~file):fail", given: "0 a:pass t.C::b:skip", ..HONEST },
            "fails regressed",
        ),
        (
            "a file that could not be loaded, and a class in it now",
            Row { base: "1 a:pass t::(the~file):fail", given: "0 a:pass t.C::b:pass", ..HONEST },
            "holds",
        ),
        ("the base was not run", Row { base: "", ..HONEST }, "fails not_finished not_shown_red"),
        ("no canary was tried", Row { canary: None, ..HONEST }, "fails not_finished"),
    ] {
        let concluded = concluded(row);
        assert_eq!(concluded, expected, "{what}");
    }
}
