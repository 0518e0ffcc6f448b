//! Agents that misbehave: the run ends as configured, with a clear message, and nothing is left behind.

use crate::support::{Output, Project, is_alive};
use std::fs;

/// A creator that does `script`, with short limits and no retry.
fn run(script: &str, settings: &[&str]) -> (Project, Output) {
    let project = Project::new("description", 1);
    project.agent("creator.sh", &format!("#!/bin/sh\n{script}\n"));
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    let mut args = vec!["run", "--set", "run.max_retries=0"];
    for setting in settings {
        args.extend(["--set", setting]);
    }
    let output = project.tribunal(&args);
    (project, output)
}

#[test]
fn an_agent_that_prints_a_gigabyte() {
    let (project, output) = run("head -c 1000000000 /dev/zero", &["limits.output=1MiB"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("agent `writer` printed more than 1048576 bytes"), "{}", output.all());
    let kept: u64 = project.list(".tribunal").iter().map(|name| fs::metadata(project.path(name)).unwrap().len()).sum();
    assert!(kept < 4 << 20, "{kept} bytes were kept");
}

#[test]
fn memory_is_bounded_while_it_prints() {
    let project = Project::new("description", 1);
    project.agent("creator.sh", "#!/bin/sh\nhead -c 300000000 /dev/zero >&2\nhead -c 300000000 /dev/zero\n");
    let mut child = project.command(&["run", "--set", "run.max_retries=0"]).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default().to_owned();
        peak = line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(peak).max(peak);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(peak < 128 * 1024, "{peak} KiB");
}

#[test]
fn an_agent_that_says_nothing_for_ever() {
    let (_project, output) = run("exec sleep 98761", &["limits.idle=300ms"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("agent `writer` was silent for 0.3 s"), "{}", output.all());
    assert!(output.stderr.contains("set `agents.writer.idle`"), "{}", output.all());
    assert!(!is_alive("sleep\u{0}98761"));
}

#[test]
fn an_agent_that_talks_for_ever() {
    let (_project, output) = run("while :; do echo x; sleep 0.05; done", &["limits.turn=500ms"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("agent `writer` took longer than 0.5 s"), "{}", output.all());
}

#[test]
fn an_agent_that_leaves_children_behind() {
    let script = "sleep 98762 &\nsetsid sleep 98763 &\n(setsid sleep 98764 > /dev/null 2>&1 &)\n\
                  printf '{\"done\": true, \"candidate\": {\"content\": \"a\", \"format\": \"plain\"}}'";
    let (_project, output) = run(script, &[]);
    assert_eq!(output.code, 0, "{}", output.all());
    for number in [98762, 98763, 98764] {
        assert!(!is_alive(&format!("sleep\u{0}{number}")), "sleep {number} is alive");
    }
}

#[test]
fn an_agent_that_dies_half_way() {
    let (_project, output) = run("printf '{\"done\": true, \"cand'; echo 'no credit left' >&2; exit 3", &[]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("agent `writer` exited with code 3: no credit left"), "{}", output.all());
}

#[test]
fn an_agent_that_answers_garbage_is_told_why_and_asked_again() {
    let project = Project::new("description", 1);
    project.agent("creator.sh", "#!/bin/sh\ncat >> prompts\necho 'I am a teapot { \"short\": and stout }'\n");
    let output = project.tribunal(&["run", "--set", "run.max_retries=1"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("creator brought no usable answer in 2 attempts"), "{}", output.all());
    assert!(project.read("prompts").contains("the answer holds no complete JSON object"));
    assert!(!project.path("copy/selected/description.txt").exists(), "never a pass");
}

#[test]
fn an_agent_that_is_not_there() {
    let project = Project::new("description", 1);
    fs::remove_file(project.path("creator.sh")).unwrap();
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("no program"), "{}", output.all());
    assert!(output.stderr.contains("hint: check the path"), "{}", output.all());
    // Mended, the same run goes on.
    project.agent("creator.sh", "#!/bin/sh\nprintf '{\"done\": true, \"candidate\": {\"content\": \"a\"}}'\n");
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    let output = project.tribunal(&["resume"]);
    assert_eq!(output.code, 0, "{}", output.all());
}

#[test]
fn limits_end_the_run_before_the_call_that_would_break_them() {
    let usage = r#"{"usage": {"input_tokens": 700, "output_tokens": 100, "usd": 0.40}}"#;
    let project = Project::new("description", 9);
    project.write("answers/creator", &format!(r#"{{"done": false, "candidate": {{"content": "a"}}}} {usage}"#));
    project.write("answers/reviewer", &format!(r#"{{"verdict": "changes_requested"}} {usage}"#));
    let output = project.tribunal(&["run", "--usd", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(
        output.stdout.contains("over_budget (the next call could bring the run to $1.20 of $1.00)"),
        "{}",
        output.all()
    );
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 1));
    // With more money the same run goes on; nothing is paid twice.
    let output = project.tribunal(&["resume", "--usd", "1.60"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (2, 2));
}

#[test]
fn the_wall_limit_ends_the_turn_in_flight() {
    let (_project, output) = run("exec sleep 98765", &["limits.wall=400ms"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(output.stdout.contains("timed_out (the wall limit of 0.4 s is reached)"), "{}", output.all());
    assert!(!is_alive("sleep\u{0}98765"));
}
