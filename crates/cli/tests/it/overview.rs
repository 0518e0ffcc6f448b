//! `tribunal` and nothing else: what can be done in this folder.

use crate::doctor::tribunal;
use crate::support::Project;

#[test]
fn a_stranger_is_told_what_is_here_and_what_to_try() {
    let project = Project::bare();
    for path in ["site/index.html", "site/about.htm", "site/notes.md", "site/node_modules/x/readme.md"] {
        project.write(path, "x");
    }
    project.write("home/.keep", "");
    let output = tribunal(&project, &["-C", "site"], &[]);
    assert_eq!(output.code, 0, "{}", output.all());
    let folder = project.path("site").canonicalize().unwrap();
    insta::assert_snapshot!(output.stdout.replace(&folder.display().to_string(), "/site"), @r"
    Tribunal puts any agent's work on trial until it holds.

    In /site:
      files   2 pages, 1 Markdown file
      agents  none installed; checks and the house panel need none

    Try:
      tribunal check .        measure these pages; `tribunal fix` then changes what is certain
      tribunal demo           see what it does: three trials in a minute, without an account
      tribunal init my-trial  a small project that runs as it is, to look at and change

    `tribunal help` lists all commands.
    ");
    assert!(!project.path("site/.tribunal").exists(), "looking leaves nothing behind");
}

#[test]
fn a_repository_with_tests_and_an_agent_is_offered_both() {
    let project = Project::bare();
    project.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    project.write("repo/Cargo.toml", "[package]\nname = \"x\"\n");
    project.agent("bin/claude", "#!/bin/sh\n");
    project.agent("bin/codex", "#!/bin/sh\n");
    project.write("home/.keep", "");
    let output = tribunal(&project, &["-C", "repo", "--json"], &[("ANTHROPIC_API_KEY", "k")]);
    let seen: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(seen["tests"], serde_json::json!(["cargo test"]), "{}", output.all());
    assert_eq!(
        seen["agents"],
        serde_json::json!([{ "name": "claude", "logged_in": true }, { "name": "codex", "logged_in": false }])
    );
    let tried: Vec<&str> = seen["try"].as_array().unwrap().iter().filter_map(|one| one["command"].as_str()).collect();
    assert_eq!(tried, ["tribunal judge", "tribunal desk \"fix …\"", "tribunal demo"]);
}

#[test]
fn a_broken_configuration_is_no_reason_to_say_that_all_is_well() {
    let project = Project::bare();
    project.write("tribunal.toml", "[rnu]\nloop = \"review\"\n");
    let output = project.tribunal(&[]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("rnu"), "{}", output.all());
}
