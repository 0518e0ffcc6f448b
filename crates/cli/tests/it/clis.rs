//! Agents that are command lines we know. The real ones are tried by `cargo xtask agents`; these play back what they
//! printed.

use std::io::{BufRead as _, BufReader};

use crate::people::wait_for;
use crate::support::{Output, Project};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/tests/fixtures");

/// A review whose creator is Claude Code, as far as anybody can tell: `script` stands in for it.
fn project(script: Option<&str>) -> Project {
    let project = Project::new("description", 2);
    let command = "kind = \"command\"\ncommand = [\"./creator.sh\"]";
    let toml = project.read("tribunal.toml").replace(command, "kind = \"claude\"\napi_key = \"$TEAM_KEY\"");
    project.write("tribunal.toml", &toml);
    match script {
        Some(script) => project.agent("bin/claude", &format!("#!/bin/sh\n{script}\n")),
        None => project.write("bin/none", ""),
    }
    project
}

fn run(project: &Project, args: &[&str], key: Option<&str>) -> Output {
    let mut command = project.command(args);
    // Where nobody stands in for it, a real one must not be found either.
    let bin = project.path("bin").display().to_string();
    let others = if project.path("bin/none").exists() { "" } else { ":/usr/bin:/bin" };
    command.env("PATH", format!("{bin}{others}")).env_remove("TEAM_KEY");
    if let Some(key) = key {
        command.env("TEAM_KEY", key);
    }
    Output::of(command.spawn().unwrap())
}

#[test]
fn what_is_missing_is_named_before_anything_is_begun() {
    let output = run(&project(None), &["run"], Some("k"));
    insta::assert_snapshot!(output.all(), @r#"
    exit: 2
    stdout:
    stderr:
    error: agent `writer`: no program `claude` on PATH
    hint: `npm install -g @anthropic-ai/claude-code`, or set the program: `command = ["…"]` under `[agents.writer]`
    "#);
    let project = project(Some("exit 1"));
    insta::assert_snapshot!(run(&project, &["run"], None).all(), @"
    exit: 2
    stdout:
    stderr:
    error: agent `writer`: the environment variable `$TEAM_KEY` with its API key is not set
    hint: set it, or use another variable: `agents.writer.api_key`
    ");
    assert!(!project.path(".tribunal").exists(), "nothing is begun");
}

#[test]
fn a_key_that_is_refused_is_not_tried_again() {
    let script = format!(
        "cat > prompt; echo \"$ANTHROPIC_API_KEY $*\" >> calls/creator; cat {FIXTURES}/claude/unauthorized.ndjson; exit 1"
    );
    let project = project(Some(&script));
    let output = run(&project, &["run"], Some("k"));
    assert_eq!(project.calls("creator"), 1, "{}", output.all());
    assert!(project.read("calls/creator").starts_with("k -p "), "{}", output.all());
    assert!(project.read("prompt").contains("Describe the episode."), "{}", output.all());
    assert_ne!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("was refused: Invalid API key"), "{}", output.all());
    assert!(output.stderr.contains("check the key in `$TEAM_KEY`"), "{}", output.all());
}

#[test]
fn a_server_that_fails_is_asked_again() {
    let script = format!("cat > /dev/null; echo x >> calls/creator; cat {FIXTURES}/claude/server_error.ndjson; exit 1");
    let project = project(Some(&script));
    let output = run(&project, &["run", "--set", "run.max_retries=2"], Some("k"));
    assert_eq!(project.calls("creator"), 3, "{}", output.all());
    assert_ne!(output.code, 0, "{}", output.all());
}

#[test]
fn codex_is_ended_when_it_waits_for_a_network() {
    let script = "cat > /dev/null; echo x >> calls/creator
        echo '{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network (refused)\"}'; exec sleep 600";
    let project = project(Some(""));
    project.agent("bin/codex", &format!("#!/bin/sh\n{script}\n"));
    project.write("tribunal.toml", &project.read("tribunal.toml").replace("\"claude\"", "\"codex\""));
    let output = run(&project, &["run", "--set", "run.max_retries=0"], Some("k"));
    assert_eq!(project.calls("creator"), 1, "{}", output.all());
    assert!(output.stderr.contains("waiting for network (refused)"), "{}", output.all());
}

#[test]
fn doctor_asks_for_the_version() {
    let output = run(&project(Some("echo '2.1.197 (Claude Code)'")), &["agents", "doctor"], Some("k"));
    assert!(
        output.stdout.contains("writer (claude): can be started, version 2.1.197 (Claude Code)"),
        "{}",
        output.all()
    );
    let output = run(&project(None), &["agents", "doctor"], Some("k"));
    assert!(output.stdout.contains("npm install -g @anthropic-ai/claude-code"), "{}", output.all());
}

#[test]
fn a_program_that_is_gone_is_named() {
    let project = project(Some("exit 0"));
    let toml =
        project.read("tribunal.toml").replace("kind = \"claude\"", "kind = \"claude\"\ncommand = [\"./nowhere.sh\"]");
    project.write("tribunal.toml", &toml);
    let output = run(&project, &["run"], Some("k"));
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stderr.contains("no program `") && output.stderr.contains("check the path"), "{}", output.all());
}

#[test]
fn what_an_agent_says_is_watched_before_it_has_answered() {
    let script = format!(
        "cat > prompt; sed -n 1,10p {FIXTURES}/claude/partial.ndjson; while [ ! -e go ]; do sleep 0.05; done; \
         sed -n '11,$p' {FIXTURES}/claude/partial.ndjson"
    );
    let project = project(Some(&script));
    let bin = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let start = |args: &[&str]| project.command(args).env("PATH", &bin).env("TEAM_KEY", "k").spawn().unwrap();
    let running = start(&["run"]);
    wait_for(|| project.list(".tribunal/runs").iter().any(|name| name.ends_with("live.ndjson")));
    let mut watching = start(&["watch"]);
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = lines.find(|line| line.contains("~ creator")).expect("the agent speaks");
    assert!(said.contains("The answer is 42: déjà vu"), "{said}");
    project.write("go", "");
    Output::of(running);
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.contains("draft") || line.contains("creator")), "{rest:?}");
    watching.wait().unwrap();
    assert!(!project.list(".tribunal/runs").iter().any(|name| name.ends_with("live.ndjson")), "nobody keeps it");
}
