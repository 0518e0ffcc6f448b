//! What people do to runs: stop them, pick, reopen, look.

use crate::support::{Output, Project, is_alive};
use std::time::{Duration, Instant};

/// Waits for something that another process does.
pub(crate) fn wait_for(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupted_run_keeps_what_is_finished_and_goes_on_later() {
    let project = Project::with_answers("description", 3, &["done a", "ok"]);
    let answer = project.read("reviewer.sh");
    project.agent("reviewer.sh", "#!/bin/sh\ntouch begun\nexec sleep 98766\n");
    let child = project.spawn(&["run"]);
    wait_for(|| project.path("begun").exists());
    let stopped = project.tribunal(&["interrupt", "description"]);
    assert_eq!(stopped.code, 0, "{}", stopped.all());
    let output = Output::of(child);
    assert_eq!(output.code, 130, "{}", output.all());
    assert!(output.stdout.contains("interrupted (by ada)"), "{}", output.all());
    assert!(!is_alive("sleep\u{0}98766"));
    assert!(project.tribunal(&["interrupt"]).stdout.contains("had ended already"), "interrupting twice is once");

    project.agent("reviewer.sh", &answer);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 1), "the creator is not paid twice");
}

#[test]
fn ctrl_c_stops_the_run_and_its_agents() {
    let project = Project::new("description", 3);
    project.agent("creator.sh", "#!/bin/sh\ntrap '' TERM\ntouch begun\nsleep 98767\nsleep 98767\n");
    let child = project.spawn(&["run"]);
    wait_for(|| project.path("begun").exists());
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = Output::of(child);
    assert_eq!(output.code, 130, "{}", output.all());
    assert!(!is_alive("sleep\u{0}98767"));
}

#[test]
fn a_run_whose_leader_was_killed_can_be_closed() {
    let project = Project::new("description", 3);
    project.agent("creator.sh", "#!/bin/sh\ntouch begun\nexec sleep 5\n");
    let mut child = project.spawn(&["run"]);
    wait_for(|| project.path("begun").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let output = project.tribunal(&["interrupt"]);
    assert!(output.stdout.ends_with(": interrupted\n"), "{}", output.all());
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn a_persons_pick_is_kept_and_locks_the_asset() {
    let project = Project::with_answers("slug", 1, &["done first", "needs_human"]);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let output = project.tribunal(&["review", "select", "slug", "--iteration", "1"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "copy/selected/slug.txt\n"), "{}", output.all());
    assert_eq!(project.read("copy/selected/slug.txt"), "first\n");
    let state: serde_json::Value = serde_json::from_str(&project.read("state.json")).unwrap();
    assert!(state["assets"][0]["selected_candidate_id"].is_string());

    // Reopened, the creator wants another text: the pick stands.
    let output = project.tribunal(&["reopen", "slug", "--why", "look again", "--rounds", "2"]);
    assert_eq!(output.code, 0, "{}", output.all());
    project.write("answers/creator.2", r#"{"done": true, "candidate": {"content": "second", "format": "plain"}}"#);
    project.write("answers/reviewer.2", r#"{"verdict": "ok"}"#);
    project.write("answers/creator.3", r#"{"done": true, "candidate": {"content": "first", "format": "plain"}}"#);
    project.write("answers/reviewer.3", r#"{"verdict": "ok"}"#);
    let output = project.tribunal(&["resume", "slug"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let review = project.read("copy/reviews/slug/iteration_02.critic.json");
    assert!(review.contains("locked_selection") && review.contains("copy/selected/slug.txt"), "{review}");
    assert_eq!(project.read("copy/selected/slug.txt"), "first\n");
}

#[test]
fn reopening_is_an_event_and_only_for_decided_runs() {
    let project = Project::with_answers("description", 1, &["done a", "changes_requested", "done b", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    assert_eq!(project.tribunal(&["reopen", "--why", "the brief changed"]).code, 0);
    let again = project.tribunal(&["reopen", "--why", "twice"]);
    assert_eq!(again.code, 2, "{}", again.all());
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let log = project.tribunal(&["log", "--json"]).stdout;
    assert!(log.contains(r#""type":"decision_reopened""#) && log.contains("the brief changed"), "{log}");
}

#[test]
fn watch_follows_a_run_to_its_end() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let slow = "#!/bin/sh\ntouch begun\nsleep 1\nprintf '{\"done\": true, \"candidate\": {\"content\": \"a\"}}'\n";
    project.agent("creator.sh", slow);
    let run = project.spawn(&["run"]);
    wait_for(|| project.path("begun").exists());
    let watched = project.tribunal(&["watch", "--json"]);
    assert_eq!(Output::of(run).code, 0);
    assert_eq!(watched.code, 0, "{}", watched.all());
    assert!(watched.stdout.lines().last().unwrap().contains("run_closed"), "{}", watched.all());
}

#[test]
fn a_log_can_be_followed_to_the_runs_end() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let slow = "#!/bin/sh\ntouch begun\nsleep 1\nprintf '{\"done\": true, \"candidate\": {\"content\": \"a\"}}'\n";
    project.agent("creator.sh", slow);
    let run = project.spawn(&["run"]);
    wait_for(|| project.path("begun").exists());
    let so_far = project.tribunal(&["log"]);
    let followed = project.tribunal(&["log", "--follow"]);
    assert_eq!(Output::of(run).code, 0);
    assert!(followed.stdout.starts_with(&so_far.stdout), "{}{}", so_far.all(), followed.all());
    assert_eq!(followed.stdout, project.tribunal(&["log"]).stdout);
}

#[test]
fn a_question_goes_to_the_run_that_is_named() {
    let project = Project::with_answers("title", 1, &["done a", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    assert_eq!(project.tribunal(&["run", "description"]).code, 0);
    project.agent("reviewer.sh", "#!/bin/sh\nprintf 'It was fine.'\ncat > asked\n");
    let newest = project.json(&["ask", "reviewer", "Why?", "--json"]);
    let named = project.json(&["ask", "reviewer", "Why?", "--run", "title", "--json"]);
    assert_eq!(named["answer"], "It was fine.");
    let run_of = |asset: &str| project.json(&["status", asset, "--json"])["run"].clone();
    assert_eq!((&newest["run"], &named["run"]), (&run_of("description"), &run_of("title")));
}

#[test]
fn a_shell_is_told_how_to_complete_every_command() {
    let project = Project::bare();
    for shell in ["bash", "zsh", "fish"] {
        let script = project.tribunal(&["completions", shell]);
        assert_eq!(script.code, 0, "{}", script.all());
        for word in ["tribunal", "reanchor", "from-round"] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(project.tribunal(&["completions", "cobol"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::bare();
    let printed = project.tribunal(&["man"]);
    assert!(printed.code == 0 && printed.stdout.contains(".TH tribunal 1"), "{}", printed.all());
    assert_eq!(project.tribunal(&["man", "--to", "man1"]).code, 0);
    let pages = project.list("man1");
    for page in ["man1/tribunal.1", "man1/tribunal-judge.1", "man1/tribunal-desk-run.1", "man1/tribunal-clean.1"] {
        assert!(pages.iter().any(|name| name == page), "{page}: {pages:?}");
        assert!(project.read(page).contains(&format!("tribunal {}", env!("CARGO_PKG_VERSION"))), "{page}");
    }
    assert!(!pages.iter().any(|name| name.contains("help")), "{pages:?}");
    assert!(
        project.read("man1/tribunal-judge.1").contains("comment\\-file"),
        "{}",
        project.read("man1/tribunal-judge.1")
    );
    // A folder that cannot be made is named.
    project.write("file", "");
    let refused = project.tribunal(&["man", "--to", "file/man1"]);
    assert!(refused.code == 4 && refused.stderr.contains("file"), "{}", refused.all());
}

#[test]
fn every_reading_command_speaks_json() {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    assert_eq!(project.json(&["run", "--dry-run", "--json"])["assets"][0]["calls"], 4);
    assert_eq!(project.json(&["run", "--json"])["runs"][0]["status"], "converged");
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["rounds"], 2);
    assert_eq!(project.json(&["status", "description", "--json"])["turn_list"].as_array().unwrap().len(), 5);
    assert_eq!(project.json(&["status", "--search", "REVIEWER_OK", "--json"])["runs"].as_array().unwrap().len(), 1);
    assert_eq!(project.json(&["status", "--search", "nowhere", "--json"])["runs"].as_array().unwrap().len(), 0);
    assert_eq!(project.json(&["verify", "--json"])["intact"], true);
    assert!(project.json(&["config", "--json"])["settings"].as_array().unwrap().len() > 10);
    let diff = project.json(&["diff", "--json"])["diff"].as_str().unwrap().to_owned();
    assert_eq!(diff, "--- round 1\n+++ round 2\n@@ -1 +1 @@\n-a\n+b\n");
    let files = project.json(&["export", "--json", "--output", "out"])["files"].as_array().unwrap().len();
    assert_eq!(project.list("out").len(), files);
}

#[test]
fn an_export_has_the_answers_that_could_not_be_used() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let playback = project
        .read("creator.sh")
        .replace("#!/bin/sh\n", "#!/bin/sh\n[ -e tried ] || { touch tried; echo 'I would rather not.'; exit; }\n");
    project.agent("creator.sh", &playback);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    assert_eq!(project.tribunal(&["export", "--output", "out"]).code, 0);
    let files = project.list("out");
    let named = |end: &str| files.iter().find(|file| file.ends_with(end)).unwrap_or_else(|| panic!("{end}: {files:?}"));
    assert_eq!(project.read(named("turn-001-creator.answer.txt")).trim(), "I would rather not.");
    assert!(project.read(named("turn-001-creator.error.txt")).contains("JSON"), "{files:?}");
    assert!(!files.iter().any(|file| file.ends_with("turn-002-creator.error.txt")), "{files:?}");
}

#[test]
fn a_candidate_that_somebody_put_there_is_listed_with_the_others() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let id = "00000000-0000-7000-8000-0000000000aa";
    let candidate = serde_json::json!({
        "candidate_id": id, "asset_id": "description", "format": "plain", "content": "Mine.",
        "created_at": "2026-03-01T12:00:00Z", "provenance": [], "mood": "a key of theirs",
    });
    project.write(&format!("copy/candidates/description/candidate_{id}.json"), &candidate.to_string());
    project.write("copy/candidates/description/candidate_broken.json.bak", "not a candidate");
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let state: serde_json::Value = serde_json::from_str(&project.read("state.json")).unwrap();
    let listed = state["assets"][0]["candidates"].as_array().unwrap();
    assert_eq!(listed.len(), 2, "{state}");
    assert_eq!(listed[0], candidate, "as it was found, and before what came after it");
}
