//! A leader that was stopped and goes on, and what a killed one leaves.

use crate::people::wait_for;
use crate::support::{Output, Project};
use std::fs;
use std::process::Command;
use std::time::Duration;

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

#[test]
fn what_was_answered_while_the_leader_was_stopped_counts() {
    let project = Project::new("description", 1);
    let answer = r#"{"done": true, "candidate": {"content": "a", "format": "plain"}}"#;
    let waits = "echo x >> calls/creator\nwhile [ ! -e answered ]; do sleep 0.02; done";
    project
        .agent("creator.sh", &format!("#!/bin/sh\ncat > /dev/null\n{waits}\nprintf '%s' '{answer}'\ntouch printed\n"));
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    let leader = project.spawn(&["run", "--set", "limits.idle=2s", "--set", "run.max_retries=0"]);
    wait_for(|| project.calls("creator") == 1);
    signal(leader.id(), "STOP");
    // It answers and ends while nobody listens, and the time that silence may take goes by.
    project.write("answered", "");
    wait_for(|| project.path("printed").exists());
    std::thread::sleep(Duration::from_secs(4));
    signal(leader.id(), "CONT");
    let output = Output::of(leader);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(project.calls("creator"), 1, "{}", output.all());
}

#[test]
fn what_a_killed_process_began_to_write_is_swept_by_the_next_start() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let run = project.log().parent().unwrap().to_owned();
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let name = format!(".tmp-{}-abcdef", gone.id());
    let folders =
        ["copy/selected", "copy/candidates/description", "copy/provenance/prompts", "", ".tribunal/blobs", ".tribunal"];
    let mut left: Vec<_> = folders.iter().map(|folder| project.path(folder).join(&name)).collect();
    left.push(run.join(&name));
    for path in &left {
        fs::write(path, "half").unwrap();
    }
    assert_eq!(project.tribunal(&["run", "other", "--set", "run.max_retries=0"]).code, 0);
    let still: Vec<_> = left.iter().filter(|path| path.exists()).collect();
    assert!(still.is_empty(), "{still:?}");
}
