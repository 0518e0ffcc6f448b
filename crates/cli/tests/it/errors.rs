//! Mistakes of people, and what they are told.

use crate::support::Project;
use insta::assert_snapshot;
use std::fmt::Write as _;

#[test]
fn an_unknown_key_names_the_nearest_one() {
    let project = Project::new("description", 2);
    let toml = project.read("tribunal.toml").replace("max_iterations", "max_iteration");
    project.write("tribunal.toml", &toml);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("tribunal.toml:6:1: unknown key `review.max_iteration`"), "{}", output.all());
    assert!(output.stderr.contains("hint: "), "{}", output.all());
    assert!(output.stderr.contains("max_iterations"), "{}", output.all());
}

#[test]
fn what_is_missing_is_named_with_a_hint() {
    let project = Project::new("description", 2);
    let whole = project.read("tribunal.toml");
    let mut told = String::new();
    for (what, toml, args) in [
        ("no brief", whole.replace("brief = \"Describe the episode.\"", ""), &["run"][..]),
        ("brief file", whole.replace("Describe the episode.", "nowhere.md"), &["run"]),
        ("no seat", whole.replace("[seats.reviewer]\nagent = \"critic\"", ""), &["run"]),
        ("no asset", whole.replace("asset = \"description\"", ""), &["run"]),
        ("no recording", whole.replacen("\"command\"", "\"replay\"", 1), &["run"]),
        ("loop", whole.replace("\"review\"", "\"joust\""), &["run"]),
        ("no runs", whole.clone(), &["log"]),
        ("bad limit", whole.clone(), &["run", "--wall", "soon"]),
    ] {
        project.write("tribunal.toml", &toml);
        let output = project.tribunal(args);
        let _ = writeln!(
            told,
            "## {what} -> {}\n{}",
            output.code,
            output.stderr.trim().replace(&project.path("").display().to_string(), "/")
        );
        assert_eq!(output.stdout, "", "{what}");
    }
    assert_snapshot!(told);
    assert_eq!(project.calls("creator"), 0);
    assert!(!project.path(".tribunal").exists(), "nothing is begun");
}

#[test]
fn an_unknown_run_is_refused() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    project.tribunal(&["run"]);
    let output = project.tribunal(&["log", "nobody"]);
    assert_snapshot!(output.all(), @"
    exit: 2
    stdout:
    stderr:
    error: no run or asset matches `nobody`
    hint: `tribunal status` lists the runs of this project
    ");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let project = Project::new("description", 1);
    let output = project.tribunal(&["-C", "nowhere", "run"]);
    assert_snapshot!(output.all(), @"
    exit: 2
    stdout:
    stderr:
    error: no such folder: nowhere
    hint: `tribunal init DIR` creates a project in a new folder
    ");
}

#[test]
fn init_makes_a_project_that_runs_and_overwrites_nothing() {
    let project = Project::new("description", 1);
    let output = project.tribunal(&["init", "fresh", "--asset", "slug", "--brief", "Name it.", "--examples"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let output = project.tribunal(&["-C", "fresh", "run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let output = project.tribunal(&["init", "fresh"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert_eq!(project.read("fresh/brief.md"), "Name it.\n");
}
