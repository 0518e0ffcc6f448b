//! A project that was moved, copied or opened through a link goes on where it stands.
//!
//! The logs of `testdata/releases` name `/home/dana/NAME`, where nothing is.

use super::{called_again, calls, free, is_intact, runs};
use crate::support::{Project, reviewer};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whatever a command did, it did here: nothing was written where the project was made.
fn stayed_here(name: &str) {
    let there = Path::new("/home/dana").join(name);
    assert!(!there.exists(), "{name}: something was written to {}", there.display());
}

#[test]
fn what_is_decided_calls_nobody() {
    for (name, args, says) in [
        ("review-shipped", &["run"][..], "converged"),
        ("joust-converged", &["run"], "converged"),
        ("theater-seats-shipped", &["run"], "shipped"),
        ("theater-single-shipped", &["run"], "shipped"),
        ("desk-complete", &["run"], "complete"),
        ("desk-complete", &["desk", "run", "calc"], "complete"),
    ] {
        let project = free(name);
        let (before, all) = (calls(&project), runs(&project));
        let again = project.tribunal(args);
        assert_eq!(again.code, 0, "{name}: {}", again.all());
        assert!(again.all().contains(says), "{name}: {}", again.all());
        assert_eq!(called_again(&project, &before), "", "{name}: {}", again.all());
        assert_eq!(runs(&project), all, "{name}: no second run");
        stayed_here(name);
    }
}

#[test]
fn run_and_resume_find_the_run_that_was_cut_short() {
    for (name, code, status, again) in [
        ("review-killed", 0, "converged", "reviewer 1"),
        ("review-interrupted", 0, "converged", "creator 1, reviewer 1"),
        ("review-steered", 0, "converged", "creator 1, reviewer 2"),
        ("joust-killed", 0, "converged", "main 1"),
        ("theater-seats-killed", 0, "shipped", "a11y 1, brand 1, copy 1, critic 1, designer 1"),
        ("desk-killed", 0, "converged", "verifier 1"),
        ("desk-interrupted", 0, "converged", "verifier 1, worker 1"),
        ("desk-plain-killed", 0, "converged", "verifier 1, worker 1"),
    ] {
        for command in ["run", "resume"] {
            let project = free(name);
            let (before, all) = (calls(&project), runs(&project));
            let output = project.tribunal(&[command]);
            assert_eq!(output.code, code, "{name}, {command}: {}", output.all());
            assert_eq!(runs(&project), all, "{name}, {command}: the same run");
            let run = &project.json(&["status", "--json"])["runs"][0];
            assert_eq!(run["status"], status, "{name}, {command}: {}", output.all());
            assert_eq!(called_again(&project, &before), again, "{name}, {command}: {}", output.all());
            is_intact(&project, name);
            stayed_here(name);
        }
    }
}

#[test]
fn a_review_writes_its_files_where_the_project_stands() {
    for (name, text) in [
        ("review-killed", "Fresh bread every day.\n"),
        ("review-interrupted", "Fresh bread every day.\n"),
        // It was told after the resume.
        ("review-steered", "Fresh bread every day in Mill Lane.\n"),
    ] {
        let project = free(name);
        let resumed = project.tribunal(&["resume"]);
        assert_eq!(resumed.code, 0, "{name}: {}", resumed.all());
        assert_eq!(project.read("copy/selected/description.txt"), text, "{name}");
        stayed_here(name);
    }
}

#[test]
fn a_review_that_is_reopened_or_decided_by_a_person_writes_here_too() {
    let project = free("review-forked");
    let (before, all) = (calls(&project), runs(&project));
    // The critic stays as strict as it was.
    assert_eq!(project.tribunal(&["reopen", &all[1], "--why", "once more", "--rounds", "1"]).code, 0);
    let resumed = project.tribunal(&["resume", &all[1]]);
    assert_eq!(resumed.code, 1, "{}", resumed.all());
    assert_eq!(called_again(&project, &before), "creator 1, reviewer 1", "{}", resumed.all());
    assert!(project.path("copy/reviews/description/iteration_03.critic.json").exists(), "{:?}", project.list("copy"));
    stayed_here("review-forked");
}

#[test]
fn a_person_answers_where_the_project_stands() {
    let project = free("review-waiting");
    let before = calls(&project);
    let again = project.tribunal(&["run"]);
    assert_eq!(again.code, 1, "{}", again.all());
    assert_eq!(runs(&project).len(), 1, "nobody is asked again: {}", again.all());
    project.write("ok.json", &reviewer("changes_requested"));
    let next = project.tribunal(&["answer", "--file", "ok.json"]);
    assert_eq!(next.code, 1, "{}", next.all());
    assert_eq!(called_again(&project, &before), "creator 1", "{}", next.all());
    assert!(project.path("copy/reviews/description/iteration_01.critic.json").exists(), "{:?}", project.list("copy"));
    project.write("ok.json", &reviewer("ok"));
    let end = project.tribunal(&["answer", "--file", "ok.json"]);
    assert_eq!(end.code, 0, "{}", end.all());
    assert_eq!(project.read("copy/selected/description.txt"), "Fresh bread every day.\n");
    stayed_here("review-waiting");
}

#[test]
fn reindex_writes_where_the_project_stands() {
    for (name, file) in [
        ("review-shipped", "copy/selected/description.txt"),
        ("review-forked", "copy/reviews/description/iteration_02.critic.json"),
        ("desk-complete", ".tribunal/desk/logs/calc/report.md"),
    ] {
        let project = free(name);
        let before = project.read(file);
        fs::remove_file(project.path(file)).unwrap();
        let output = project.tribunal(&["reindex"]);
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!(project.read(file), before, "{name}: {}", output.all());
        stayed_here(name);
    }
}

#[test]
fn a_campaign_is_finished_and_adopted_where_the_project_stands() {
    for name in ["desk-killed", "desk-interrupted", "desk-plain-killed"] {
        let project = free(name);
        let all = runs(&project);
        let output = project.tribunal(&["desk", "run", "calc"]);
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!(runs(&project), all, "{name}: the same campaign goes on");
        assert!(project.path(".tribunal/desk/memos/calc-complete.md").exists(), "{name}: {}", output.all());
        assert!(!project.path("calc.sh").exists(), "{name}: not before it is adopted");
        let adopted = project.tribunal(&["adopt", "calc"]);
        assert_eq!(adopted.code, 0, "{name}: {}", adopted.all());
        assert_eq!(project.read("calc.sh"), "echo $(($1 + $2))\n", "{name}");
        stayed_here(name);
    }
    let project = free("desk-complete");
    let adopted = project.tribunal(&["adopt", "calc"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    assert_eq!(project.read("calc.sh"), "echo $(($1 + $2))\n");
    stayed_here("desk-complete");
}

/// Both go on, each for itself.
#[test]
fn two_copies_of_one_project_do_not_meet() {
    let copies = [free("review-killed"), free("review-killed")];
    let before = copies.each_ref().map(calls);
    for (project, before) in copies.iter().zip(&before) {
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 0, "{}", output.all());
        assert_eq!(called_again(project, before), "reviewer 1", "{}", output.all());
        assert_eq!(project.read("copy/selected/description.txt"), "Fresh bread every day.\n");
    }
    stayed_here("review-killed");
}

/// At the same time, too: what one of them started is not what the other left behind.
#[test]
fn two_copies_of_one_project_run_at_once() {
    let (waiting, other) = (Project::left_by_release("review-killed"), free("review-killed"));
    let before = calls(&waiting);
    let running = waiting.spawn(&["run"]);
    crate::people::wait_for(|| waiting.path("calls/here").exists());
    let output = other.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    waiting.write("calls/go", "");
    let output = crate::support::Output::of(running);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(called_again(&waiting, &before), "reviewer 1", "nobody ended its agent: {}", output.all());
}

#[test]
fn a_project_is_the_same_through_a_link() {
    for name in ["review-shipped", "joust-converged", "theater-seats-shipped"] {
        let project = free(name);
        let elsewhere = Project::bare();
        std::os::unix::fs::symlink(project.path(""), elsewhere.path("link")).unwrap();
        let (before, all) = (calls(&project), runs(&project));
        let again = elsewhere.tribunal(&["-C", "link", "run"]);
        assert_eq!(again.code, 0, "{name}: {}", again.all());
        assert_eq!((called_again(&project, &before).as_str(), runs(&project)), ("", all), "{name}: {}", again.all());
        stayed_here(name);
    }
}

/// A run of today is moved twice: before it ends, and after it.
#[test]
fn a_project_of_today_can_be_moved() {
    let home = Project::bare();
    let copied = Project::left_by_release("review-killed");
    let moved = |from: &Path, to: &str| {
        let to = home.path(to);
        assert!(Command::new("cp").arg("-r").arg(from).arg(&to).status().unwrap().success());
        to
    };
    let tribunal = |folder: &Path, args: &[&str]| {
        let folder = folder.display().to_string();
        home.tribunal(&[&["-C", &folder], args].concat())
    };
    fs::remove_dir_all(copied.path(".tribunal")).unwrap();
    fs::remove_dir_all(copied.path("copy")).unwrap();
    let first = moved(&copied.path(""), "first");
    // The reviewer of round 2 waits: the run is interrupted there.
    let folder = first.display().to_string();
    let run = home.spawn(&["-C", &folder, "run"]);
    crate::people::wait_for(|| first.join("calls/here").exists());
    assert_eq!(tribunal(&first, &["interrupt"]).code, 0);
    assert_eq!(crate::support::Output::of(run).code, 130);

    let second = moved(&first, "second");
    fs::remove_dir_all(&first).unwrap();
    fs::write(second.join("calls/go"), "").unwrap();
    let count =
        |folder: &Path, seat: &str| fs::read_to_string(folder.join("calls").join(seat)).unwrap().lines().count();
    let runs = |folder: &Path| fs::read_dir(folder.join(".tribunal/runs")).unwrap().count();
    let before = (count(&second, "creator"), count(&second, "reviewer"));
    let output = tribunal(&second, &["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(runs(&second), 1, "the same run goes on: {}", output.all());
    let after = (count(&second, "creator"), count(&second, "reviewer"));
    assert_eq!(after, (before.0, before.1 + 1), "only the turn in flight is repeated: {}", output.all());
    let selected = fs::read_to_string(second.join("copy/selected/description.txt")).unwrap();
    assert_eq!(selected, "Fresh bread every day.\n");

    let third = moved(&second, "third");
    fs::remove_dir_all(&second).unwrap();
    let before = count(&third, "reviewer");
    assert_eq!(tribunal(&third, &["run"]).code, 0);
    assert_eq!((count(&third, "reviewer"), runs(&third)), (before, 1), "it is decided");
    assert_eq!(tribunal(&third, &["verify"]).code, 0);
    assert!(!first.exists() && !second.exists(), "nothing is written where it was");
}
