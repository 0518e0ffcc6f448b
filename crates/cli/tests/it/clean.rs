//! `tribunal clean`: first what must stay, then what goes.

use serde_json::Value;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::support::Project;

/// Everything that ended a moment ago is old.
const ALL: [&str; 4] = ["clean", "--older-than", "1ms", "--json"];

/// A project whose first run is over; with a second one on the same asset, the first one is old.
fn project(runs: usize) -> Project {
    let project = Project::with_answers("description", 3, &["done One.", "ok"]);
    project.write("answers/creator", r#"{"done": true, "candidate": {"content": "Two.", "format": "plain"}}"#);
    project.write("answers/reviewer", r#"{"verdict": "ok", "summary": "s"}"#);
    for number in 0..runs {
        // A brief that is the same is decided already.
        let brief = format!("Brief {number}.");
        let output = match number {
            0 => project.tribunal(&["run"]),
            _ => project.tribunal(&["run", "--again", "--brief", &brief]),
        };
        assert_eq!(output.code, 0, "{}", output.all());
    }
    project
}

fn runs(project: &Project) -> Vec<String> {
    let object = project.json(&["status", "--json"]);
    // Newest first.
    object["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
}

/// Makes every blob a month old: who puts one that is there makes it young again.
fn age_blobs(project: &Project) {
    for name in project.list(".tribunal/blobs") {
        let file = File::options().write(true).open(project.path(&name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(30 * 86_400)).unwrap();
    }
}

/// Why a run stays, by its code.
fn why(object: &Value, run: &str) -> String {
    let kept = object["kept"].as_array().unwrap();
    let kept = kept.iter().find(|kept| kept["run"] == run).unwrap_or_else(|| panic!("{run} goes: {object:#}"));
    kept["code"].as_str().unwrap().to_owned()
}

/// Everything is as it was, and verifies.
fn nothing_goes(project: &Project, expected: &[(&str, &str)]) {
    let before = project.list(".tribunal");
    let object = project.json(&[&ALL[..], &["--yes"]].concat());
    assert_eq!((object["runs"].as_array().unwrap().len(), &object["blobs"]["count"]), (0, &0.into()), "{object:#}");
    for (run, code) in expected {
        assert_eq!(why(&object, run), *code, "{object:#}");
    }
    assert_eq!(project.list(".tribunal"), before);
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
}

#[test]
fn what_is_young_or_the_newest_stays() {
    let project = project(2);
    age_blobs(&project);
    let [newest, older] = &runs(&project)[..] else { panic!("two runs") };
    let object = project.json(&["clean", "--json", "--yes"]);
    assert_eq!((why(&object, newest), why(&object, older)), ("newest".to_owned(), "young".to_owned()));
    assert_eq!(runs(&project).len(), 2);
    // What its asset stands at is not decided again.
    let again = project.tribunal(&["run", "--brief", "Brief 1."]);
    assert_eq!(again.code, 0, "{}", again.all());
}

#[test]
fn nothing_is_removed_before_somebody_says_so() {
    let project = project(2);
    age_blobs(&project);
    let before = project.list(".tribunal");
    let shown = project.tribunal(&["clean", "--older-than", "1ms"]);
    assert_eq!(shown.code, 0, "{}", shown.all());
    assert!(shown.stdout.contains("  run ") && shown.stdout.contains("blobs that no run cites"), "{}", shown.all());
    assert!(shown.stderr.contains("note: 1 run kept: it is the newest on its asset"), "{}", shown.all());
    assert!(
        shown.stderr.ends_with("hint: nothing was removed; `tribunal clean --yes` removes it\n"),
        "{}",
        shown.all()
    );
    let object = project.json(&[&ALL[..], &["--dry-run"]].concat());
    assert_eq!(object["removed"], false);
    assert_eq!(object["runs"].as_array().unwrap().len(), 1, "{object:#}");
    assert!(object["bytes"].as_u64().unwrap() > 0 && object["blobs"]["count"].as_u64().unwrap() > 0, "{object:#}");
    assert_eq!(project.list(".tribunal"), before);
}

#[test]
fn a_run_that_goes_on_or_may_go_on_stays() {
    let project = project(1);
    // Its reviewer waits until it is told; the run before is what it began with.
    project.agent(
        "reviewer.sh",
        "#!/bin/sh\ntouch waiting\nwhile [ -e waiting ]; do sleep 0.05; done\ncat answers/reviewer\n",
    );
    let leader = project.spawn(&["run", "--again", "--brief", "Another one."]);
    let waits = || project.path("waiting").exists();
    while !waits() {
        std::thread::sleep(Duration::from_millis(20));
    }
    age_blobs(&project);
    let [driven, older] = &runs(&project)[..] else { panic!("two runs") };
    let object = project.json(&[&ALL[..], &["--dry-run"]].concat());
    assert_eq!(why(&object, driven), "driven", "{object:#}");
    assert_eq!(why(&object, older), "newest", "what goes on is no decision yet: {object:#}");
    fs::remove_file(project.path("waiting")).unwrap();
    assert_eq!(leader.wait_with_output().unwrap().status.code(), Some(0));

    // Killed half-way: it can be resumed, whatever its age.
    let mut leader = project.spawn(&["run", "--again", "--brief", "A third one."]);
    while !waits() {
        std::thread::sleep(Duration::from_millis(20));
    }
    leader.kill().unwrap();
    leader.wait().unwrap();
    fs::remove_file(project.path("waiting")).unwrap();
    age_blobs(&project);
    let [stopped, newest, _] = &runs(&project)[..] else { panic!("three runs") };
    let object = project.json(&[&ALL[..], &["--yes"]].concat());
    assert_eq!((why(&object, stopped).as_str(), why(&object, newest).as_str()), ("unfinished", "newest"), "{object:#}");
    let cleaned = project.tribunal(&["verify"]);
    assert_eq!(cleaned.code, 0, "{}", cleaned.all());
    project.agent("reviewer.sh", "#!/bin/sh\ncat answers/reviewer\n");
    let resumed = project.tribunal(&["resume", stopped]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
}

#[test]
fn what_a_fork_builds_on_stays() {
    let project = project(1);
    let first = runs(&project).remove(0);
    let forked = project.tribunal(&["fork", &first, "--from-round", "1", "--set", "review.max_iterations=2", "--yes"]);
    assert_eq!(forked.code, 0, "{}", forked.all());
    assert_eq!(project.tribunal(&["run", "--again", "--brief", "Another one."]).code, 0);
    age_blobs(&project);
    let [_, fork, parent] = &runs(&project)[..] else { panic!("three runs") };
    assert_eq!(*parent, first);
    // The fork is old, and nobody cites it; its parent goes with it, or not at all.
    let object = project.json(&[&ALL[..], &["--dry-run"]].concat());
    let going: Vec<&str> = object["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(going, [parent, fork], "{object:#}");
    // A proof keeps the fork, and the fork its parent.
    assert_eq!(project.tribunal(&["proof", fork, "--unsigned", "-o", "proof.jsonl"]).code, 0);
    nothing_goes(&project, &[(fork, "proof"), (parent, "cited")]);
}

#[test]
fn what_is_anchored_or_played_back_stays() {
    let project = project(2);
    age_blobs(&project);
    let [_, older] = &runs(&project)[..] else { panic!("two runs") };
    let toml = project.read("tribunal.toml");
    project.write("tribunal.toml", &format!("{toml}[agents.tape]\nkind = \"replay\"\nrun = \"{}\"\n", &older[28..]));
    nothing_goes(&project, &[(older, "recording")]);
    project.write("tribunal.toml", &toml);
    project.write("tribunal-heads.txt", &format!("{older} 9 {}\n", "0".repeat(64)));
    let object = project.json(&[&ALL[..], &["--yes"]].concat());
    assert_eq!(why(&object, older), "anchored", "{object:#}");
}

#[test]
fn a_log_that_cannot_be_read_keeps_everything() {
    let project = project(3);
    age_blobs(&project);
    let damaged = &runs(&project)[1];
    let log = project.path(&format!(".tribunal/runs/{damaged}/log.ndjson"));
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("Brief 1", "Brief 9", 1).replacen("turn_started", "turn_begun", 1)).unwrap();
    let before = project.list(".tribunal");
    let object = project.json(&[&ALL[..], &["--yes"]].concat());
    assert_eq!(why(&object, damaged), "unreadable", "{object:#}");
    assert_eq!((object["runs"].as_array().unwrap().len(), &object["blobs"]["count"]), (0, &0.into()), "{object:#}");
    assert_eq!(project.list(".tribunal"), before);
}

#[test]
fn what_is_old_goes_and_the_rest_is_whole() {
    let project = project(3);
    age_blobs(&project);
    let before: Vec<PathBuf> = project.list(".tribunal/blobs").into_iter().map(PathBuf::from).collect();
    let all = runs(&project);
    let object = project.json(&[&ALL[..], &["--yes"]].concat());
    assert_eq!(object["removed"], true);
    let gone: Vec<&str> = object["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(gone, [&all[2], &all[1]], "{object:#}");
    let freed = object["blobs"]["count"].as_u64().unwrap();
    assert!(freed > 0 && project.list(".tribunal/blobs").len() as u64 == before.len() as u64 - freed, "{object:#}");
    assert_eq!(runs(&project), all[..1]);
    let verified = project.tribunal(&["verify"]);
    assert!(verified.code == 0 && !verified.stdout.contains("no event cites"), "{}", verified.all());
    assert_eq!(project.tribunal(&["reindex"]).code, 0);
    // What stays is decided, and calls nobody.
    let calls = project.calls("creator");
    let again = project.tribunal(&["run", "--brief", "Brief 2."]);
    assert_eq!((again.code, project.calls("creator")), (0, calls), "{}", again.all());
    let twice = project.tribunal(&["clean", "--older-than", "1ms", "--yes"]);
    assert!(twice.code == 0 && twice.stdout == "nothing to remove\n", "{}", twice.all());
    let found = project.json(&["status", "--search", "Two", "--json"]);
    assert!(found["runs"].as_array().unwrap().len() <= 1, "the index has forgotten them: {found:#}");
}

#[test]
fn a_duration_that_is_none_is_refused() {
    let project = project(1);
    let output = project.tribunal(&["clean", "--older-than", "soon"]);
    assert!(output.code == 2 && output.stderr.contains("a duration is `30d`"), "{}", output.all());
}

#[test]
fn status_tells_what_everything_takes() {
    let project = project(2);
    let output = project.tribunal(&["status", "--all"]);
    assert_eq!(output.code, 0, "{}", output.all());
    for told in ["  run ", " blobs: prompts, answers, drafts", "  the index", "in all; `tribunal clean`"] {
        assert!(output.stdout.contains(told), "{told}: {}", output.all());
    }
    let object = project.json(&["status", "--all", "--json"]);
    let own: u64 = object["runs"].as_array().unwrap().iter().map(|run| run["bytes"].as_u64().unwrap()).sum();
    let part = |name: &str| object["space"][name].as_u64().unwrap();
    assert_eq!(own, part("runs") + part("trees"), "{object:#}");
    assert_eq!(part("total"), own + part("blobs") + part("index") + part("other"), "{object:#}");
    assert!(part("blob_count") > 0 && object["runs"][0]["bytes"].as_u64().unwrap() > 0);
    assert!(project.json(&["status", "--json"])["space"].is_null());
}
