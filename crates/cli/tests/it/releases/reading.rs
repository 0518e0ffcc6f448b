//! Old runs are shown as they were, and looking at them changes nothing.

use super::{ALL, is_intact, runs};
use crate::support::Project;
use serde_json::Value;
use std::fs;

#[test]
fn every_log_is_intact_and_has_its_status() {
    for (name, kind, statuses) in ALL {
        let project = Project::left_by_release(name);
        let files = project.snapshot();
        is_intact(&project, name);
        let status = project.json(&["status", "--json"]);
        let rows = status["runs"].as_array().unwrap();
        let found: Vec<&str> = rows.iter().map(|run| run["status"].as_str().unwrap()).collect();
        assert_eq!(found, statuses, "{name}");
        assert!(rows.iter().all(|run| run["loop"] == kind && run["driven"] == false), "{name}: {status}");
        let list = project.tribunal(&["status"]);
        assert_eq!(list.code, 0, "{name}: {}", list.all());
        assert_eq!(list.stdout.lines().count(), 1 + statuses.len(), "{name}: {}", list.all());
        for run in runs(&project) {
            for more in [&[][..], &["--json"]] {
                let one = project.tribunal(&[&["status", &run], more].concat());
                assert_eq!(one.code, 0, "{name}: {}", one.all());
                assert!(one.stdout.contains(&run), "{name}: {}", one.all());
                assert!(!one.stdout.contains(") working"), "{name}: nobody is: {}", one.all());
            }
        }
        assert_eq!(project.snapshot(), files, "{name}");
    }
}

#[test]
fn every_event_is_printed() {
    for (name, _, _) in ALL {
        let project = Project::left_by_release(name);
        for run in runs(&project) {
            let log = project.read(&format!(".tribunal/runs/{run}/log.ndjson"));
            let (plain, json) = (project.tribunal(&["log", &run]), project.tribunal(&["log", &run, "--json"]));
            assert_eq!((plain.code, json.code), (0, 0), "{name}: {}{}", plain.all(), json.all());
            // What was said may have several lines; only the first has a time.
            let is_first = |line: &&str| line.split(' ').next().unwrap().ends_with('Z');
            let printed = plain.stdout.lines().filter(is_first).count();
            assert_eq!(printed, log.lines().count(), "{name}: {}", plain.all());
            assert!(plain.stdout.contains(&format!("opened, run {run}")), "{name}: {}", plain.all());
            let numbers = json.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].clone());
            assert!(numbers.eq((1..=log.lines().count()).map(Value::from)), "{name}: {}", json.all());
        }
    }
}

#[test]
fn a_theater_is_replayed_to_the_transcript_that_was_kept() {
    for (name, kind, _) in ALL {
        let project = Project::left_by_release(name);
        for run in runs(&project) {
            let replayed = project.tribunal(&["replay", &run, "--speed", "instant", "--json"]);
            if kind != "theater" {
                assert_eq!(replayed.code, 2, "{name}: {}", replayed.all());
                continue;
            }
            assert_eq!(replayed.code, 0, "{name}: {}", replayed.all());
            let kept = project.read(&format!(".tribunal/runs/{run}/artifacts/artifact/transcript.ndjson"));
            let parsed =
                |text: &str| text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>();
            assert_eq!(parsed(&replayed.stdout), parsed(&kept), "{name}");
        }
    }
}

#[test]
fn a_run_is_exported_with_its_log_as_it_is() {
    for (name, _, _) in ALL {
        let project = Project::left_by_release(name);
        for run in runs(&project) {
            let exported = project.tribunal(&["export", &run, "--output", "exported"]);
            assert_eq!(exported.code, 0, "{name}: {}", exported.all());
            let log = project.read(&format!(".tribunal/runs/{run}/log.ndjson"));
            assert_eq!(project.read("exported/log.ndjson"), log, "{name}");
            // What did not fit was an answer, too.
            let is_answer = |line: &&str| {
                line.contains("\"type\":\"turn_answered\"")
                    || (line.contains("\"type\":\"turn_failed\"") && line.contains("\"raw\":"))
            };
            let answered = log.lines().filter(is_answer).count();
            let answers = project.list("exported").iter().filter(|file| file.ends_with(".answer.txt")).count();
            assert_eq!(answers, answered, "{name}");
            fs::remove_dir_all(project.path("exported")).unwrap();
        }
    }
}

#[test]
fn damage_in_an_old_log_is_found() {
    let project = Project::left_by_release("review-shipped");
    let path = project.log();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("Bread", "Bresd", 1).replacen("changes_requested", "changes_requestes", 1)).unwrap();
    assert_eq!(project.tribunal(&["verify"]).code, 1);
}

#[test]
fn a_person_is_still_shown_the_question() {
    let project = Project::left_by_release("review-waiting");
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("waiting for a person: reviewer"), "{}", status.all());
    let shown = project.tribunal(&["answer"]);
    assert_eq!(shown.code, 1, "{}", shown.all());
    assert!(shown.stdout.contains("verdict = \"\""), "{}", shown.all());
}

#[test]
fn what_a_person_said_is_still_known() {
    for (name, run, said) in [
        ("review-steered", "description", "dana said: Name the street. (not delivered yet)"),
        ("joust-steered", "plan", "dana said: Mention the cost. (not delivered yet)"),
    ] {
        let status = Project::left_by_release(name).tribunal(&["status", run]);
        assert!(status.stdout.contains(said), "{name}: {}", status.all());
    }
}
