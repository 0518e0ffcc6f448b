//! Killed at any moment, a run goes on where it was. Damage is found.

use crate::support::{Output, Project};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

/// Agents that log the turn they work on, slowly enough to be caught at it.
const SLOW: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TURN" >> "calls/turns"
sleep 0.0$(( $$ % 4 ))
case "$TRIBUNAL_SEAT" in
  creator) printf '{"done": true, "candidate": {"content": "Text %s", "format": "plain"}}' "$TRIBUNAL_ROUND" ;;
  *) printf '{"verdict": "changes_requested", "issues": [{"message": "again", "code": "again"}]}' ;;
esac
"#;

#[test]
fn kill_9_at_random_moments_repeats_only_the_turn_in_flight() {
    let (kills, iterations) = (15, 12);
    let project = Project::new("description", iterations);
    project.agent("creator.sh", SLOW);
    project.agent("reviewer.sh", SLOW);
    let mut allowed: BTreeMap<String, usize> = BTreeMap::new();
    let mut seed = 7u64;
    let mut killed = 0;
    while killed < kills {
        let mut child = project.spawn(&[if killed == 0 { "run" } else { "resume" }]);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(20 + (seed >> 33) % 120));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        if project.list(".tribunal/runs").iter().any(|name| name.ends_with("log.ndjson")) {
            let log = fs::read_to_string(project.log()).unwrap();
            for turn in in_flight(&log) {
                *allowed.entry(turn).or_insert(1) += 1;
            }
        }
    }
    let end = project.tribunal(&["run"]);
    assert_eq!(end.code, 1, "{}", end.all());
    assert!(end.stdout.contains("needs_human (iteration_limit)"), "{}", end.all());

    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for turn in project.read("calls/turns").lines() {
        let number = turn.rsplit('-').next().unwrap_or_default().to_owned();
        *calls.entry(number).or_default() += 1;
    }
    assert_eq!(calls.len(), 2 * iterations as usize);
    for (turn, count) in &calls {
        let most = allowed.get(turn).copied().unwrap_or(1);
        assert!(*count <= most, "turn {turn} was called {count} times, at most {most} were due; {killed} kills");
    }
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
}

/// The turns that a log says were begun and not ended.
fn in_flight(log: &str) -> Vec<String> {
    let mut open = Vec::new();
    for line in log.lines() {
        let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let turn = line["event"]["data"]["turn"].to_string();
        match line["event"]["type"].as_str() {
            Some("turn_started") => open.push(turn),
            Some("turn_answered" | "turn_failed") => open.retain(|open| *open != turn),
            _ => {}
        }
    }
    open
}

#[test]
fn verify_finds_a_flipped_byte_anywhere() {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    project.tribunal(&["run"]);
    let files: Vec<String> = project
        .list(".tribunal")
        .into_iter()
        .filter(|name| name.ends_with("log.ndjson") || name.contains("/blobs/"))
        .collect();
    assert!(files.len() > 5, "{files:?}");
    for name in files {
        let path = project.path(&name);
        let bytes = fs::read(&path).unwrap();
        for place in [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x10;
            fs::write(&path, &flipped).unwrap();
            let output = project.tribunal(&["verify"]);
            assert_eq!(output.code, 1, "{name} byte {place}: {}", output.all());
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(output.stdout.contains(&file), "{name} byte {place}: {}", output.all());
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn files_that_a_crash_kept_from_being_written_are_written_by_the_next_run() {
    let project = Project::with_answers("description", 2, &["done a", "ok"]);
    project.tribunal(&["run"]);
    fs::remove_dir_all(project.path("copy")).unwrap();
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(project.calls("creator"), 1);
    assert_eq!(project.read("copy/selected/description.txt"), "a\n");
    fs::remove_dir_all(project.path("copy")).unwrap();
    fs::remove_file(project.path(".tribunal/index.sqlite")).unwrap();
    assert_eq!(project.tribunal(&["reindex"]).code, 0);
    assert_eq!(project.read("copy/selected/description.txt"), "a\n");
}

#[test]
fn a_second_process_is_told_who_drives_the_run() {
    let project = Project::new("description", 1);
    project.agent("creator.sh", "#!/bin/sh\ntouch begun\nsleep 30\n");
    let first = project.spawn(&["run"]);
    crate::people::wait_for(|| project.path("begun").exists());
    let mut second = project.spawn(&["run"]);
    let mut told = String::new();
    BufReader::new(second.stderr.take().unwrap()).read_line(&mut told).unwrap();
    assert!(told.contains("watching it"), "{told}");
    assert!(told.contains(&first.id().to_string()), "{told}");
    assert_eq!(project.tribunal(&["interrupt"]).code, 0);
    assert_eq!(Output::of(first).code, 130);
    assert_eq!(Output::of(second).code, 130, "whoever watches is told how it ended");
}
