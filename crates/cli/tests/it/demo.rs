//! `tribunal demo`: what a stranger sees first must be what really happens.

use crate::support::{Output, Project};
use serde_json::Value;
use std::fs;

fn tribunal(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Output {
    Output::of(project.command(args).envs(env.iter().copied()).spawn().unwrap())
}

#[test]
fn the_liar_is_found_the_page_fixed_and_the_bent_change_refused() {
    let project = Project::bare();
    // What somebody has set for other projects plays no part.
    let output = tribunal(&project, &["demo", "--in", "demo"], &[("TRIBUNAL_LIMITS_USD", "nonsense")]);
    assert_eq!(output.code, 0, "{}", output.all());
    let all = output.all();
    for said in [
        "$ tribunal desk run",
        "checks_tampered: the checks are not yours to change, and these were: tests/test_calc.sh",
        "complete: every story is verified",
        "2.26:1, needs 4.5:1",
        "all 5 must-fixes are gone",
        "does not hold (blocked): checks_tampered",
        "holds: every check holds",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    // It is all there to be looked at.
    let style = project.read("demo/page/css/site.css");
    assert!(style.contains(".lead {") && !style.contains("#c9a36a"), "fixed in place: {style}");
    let status = project.tribunal(&["-C", "demo/pull-request", "status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    let ends: Vec<&str> = status["runs"].as_array().unwrap().iter().filter_map(|run| run["status"].as_str()).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends.contains(&"blocked") && ends.contains(&"converged"), "{ends:?}");
    let adopted = project.tribunal(&["-C", "demo/liar", "adopt"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    assert!(project.path("demo/liar/calc.sh").is_file());
}

#[test]
fn a_scene_can_be_played_alone_and_told_to_programs() {
    let project = Project::bare();
    let output = project.tribunal(&["demo", "pull-request", "--in", "demo", "--json"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let told: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(told["scenes"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!(told["scenes"][0]["scene"], "pull-request");
    assert!(output.stderr.contains("$ tribunal judge"), "{}", output.all());
    assert!(!project.path("demo/liar").exists());
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let project = Project::bare();
    project.write("mine/liar/notes.md", "mine");
    let output = project.tribunal(&["demo", "--in", "mine"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("is not empty") && output.stderr.contains("hint: "), "{}", output.all());
    assert_eq!(fs::read_dir(project.path("mine")).unwrap().count(), 1);
}

#[test]
fn a_demo_that_goes_wrong_says_so() {
    let project = Project::bare();
    // A machine without git.
    let output = tribunal(&project, &["demo", "page", "--in", "demo"], &[("PATH", "/nowhere")]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stderr.contains("cannot start git") && output.stderr.contains("hint: "), "{}", output.all());
}
