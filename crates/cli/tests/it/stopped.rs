//! A run that is not over and that nobody drives: what is said of it, and what can be said to it.

use crate::people::wait_for;
use crate::support::{Output, Project};
use serde_json::json;

/// A review whose reviewer waits until there is a file `go`.
fn held() -> Project {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    project.agent(
        "reviewer.sh",
        "#!/bin/sh\ncat > /dev/null\necho \"$TRIBUNAL_ROUND\" >> calls/reviewer\ntouch here\nwhile [ ! -e go ]; do sleep 0.02; \
         done\ncat \"answers/reviewer.$TRIBUNAL_ROUND\"\n",
    );
    // It keeps what it was told.
    project.agent(
        "creator.sh",
        "#!/bin/sh\ncat > \"prompt-$TRIBUNAL_ROUND\"\necho \"$TRIBUNAL_ROUND\" >> calls/creator\ncat \
         \"answers/creator.$TRIBUNAL_ROUND\"\n",
    );
    project
}

/// The same, with the run begun and its leader killed in the reviewer's first turn.
fn killed() -> Project {
    let project = held();
    let mut leader = project.spawn(&["run"]);
    wait_for(|| project.path("here").exists());
    let status = project.tribunal(&["status"]);
    assert!(
        status.stdout.contains("running") && status.stdout.contains("reviewer (critic) working"),
        "{}",
        status.all()
    );
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["driven"], true);
    leader.kill().unwrap();
    leader.wait().unwrap();
    project
}

#[test]
fn nobody_works_after_the_leader_was_killed() {
    let project = killed();
    for args in [&["status"][..], &["status", "description"]] {
        let status = project.tribunal(args);
        assert!(status.stdout.contains("round 1  stopped; `tribunal resume` continues it"), "{}", status.all());
        assert!(!status.stdout.contains("working"), "{}", status.all());
    }
    let list = project.json(&["status", "--json"]);
    assert_eq!((&list["runs"][0]["status"], &list["runs"][0]["driven"]), (&json!("running"), &json!(false)));
    let detail = project.json(&["status", "description", "--json"]);
    assert_eq!(detail["driven"], false);
    assert!(detail["standing"].as_str().unwrap().contains("stopped"), "{detail}");

    project.write("go", "");
    let resumed = project.tribunal(&["resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (2, 3), "only the turn in flight is repeated");
    assert!(!project.tribunal(&["status", "description"]).stdout.contains("stopped"));
}

#[test]
fn a_reopened_run_that_nobody_resumed_is_stopped() {
    let project = Project::with_answers("description", 1, &["draft a", "changes_requested"]);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    assert_eq!(project.tribunal(&["reopen", "description", "--why", "once more", "--rounds", "1"]).code, 0);
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("stopped; `tribunal resume` continues it"), "{}", status.all());
}

#[test]
fn who_waits_for_a_person_is_not_stopped() {
    let project = Project::with_answers("description", 1, &["draft a", "ok"]);
    let toml = project.read("tribunal.toml");
    let human = toml.replace("kind = \"command\"\ncommand = [\"./reviewer.sh\"]", "kind = \"human\"");
    project.write("tribunal.toml", &human);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("waiting for a person: reviewer"), "{}", status.all());
    assert!(!status.stdout.contains("stopped"), "{}", status.all());
}

/// A directive is accepted, and every turn after the resume is told.
#[test]
fn a_run_that_was_cut_short_can_be_steered() {
    for is_killed in [true, false] {
        let project = if is_killed {
            killed()
        } else {
            let project = held();
            let run = project.spawn(&["run"]);
            wait_for(|| project.path("here").exists());
            assert_eq!(project.tribunal(&["interrupt"]).code, 0);
            assert_eq!(Output::of(run).code, 130);
            project
        };
        let steered = project.tribunal(&["steer", "description", "Name the street."]);
        assert_eq!(steered.code, 0, "killed {is_killed}: {}", steered.all());
        let status = project.tribunal(&["status", "description"]);
        assert!(status.stdout.contains("ada said: Name the street. (not delivered yet)"), "{}", status.all());
        assert_eq!(project.tribunal(&["verify"]).code, 0, "killed {is_killed}");

        project.write("go", "");
        let resumed = project.tribunal(&["resume"]);
        assert_eq!(resumed.code, 0, "killed {is_killed}: {}", resumed.all());
        assert!(!project.read("prompt-1").contains("Name the street."), "it was asked before");
        assert!(project.read("prompt-2").contains("Name the street."), "killed {is_killed}");
        let status = project.tribunal(&["status", "description"]);
        assert!(status.stdout.contains("ada said: Name the street. (delivered)"), "{}", status.all());
        assert_eq!(project.tribunal(&["verify"]).code, 0, "killed {is_killed}");

        // What is decided takes none.
        let refused = project.tribunal(&["steer", "description", "And the town."]);
        assert_eq!(refused.code, 2, "{}", refused.all());
        assert!(
            refused.stderr.contains("is over: converged") && refused.stderr.contains("reopen"),
            "{}",
            refused.all()
        );
    }
}

#[test]
fn a_run_that_was_interrupted_can_be_reanchored() {
    let project = held();
    for (name, pattern) in [("anchor.toml", "."), ("stricter.toml", "[ab]")] {
        let rule = format!("{{ kind = \"pattern\", pattern = \"{pattern}\", rule = \"has {pattern}\" }}");
        project.write(name, &format!("kind = \"invariants\"\nMUST = [{rule}]\n"));
    }
    let toml = project.read("tribunal.toml").replace("[run]\n", "[run]\nanchor = \"anchor.toml\"\n");
    project.write("tribunal.toml", &toml);
    let run = project.spawn(&["run"]);
    wait_for(|| project.path("here").exists());
    assert_eq!(project.tribunal(&["interrupt"]).code, 0);
    assert_eq!(Output::of(run).code, 130);
    let reanchored = project.tribunal(&["reanchor", "description", "stricter.toml"]);
    assert_eq!(reanchored.code, 0, "{}", reanchored.all());
    project.write("go", "");
    let resumed = project.tribunal(&["resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    let log = project.tribunal(&["log"]);
    assert!(log.stdout.contains("ada replaced the anchor"), "{}", log.all());
    let entries = project.tribunal(&["log", "--json"]).stdout;
    assert!(entries.contains("\"task\":\"rules:1@1\""), "what was said under the old anchor is void: {entries}");
    assert_eq!(project.tribunal(&["verify"]).code, 0);
    let refused = project.tribunal(&["reanchor", "description", "anchor.toml"]);
    assert_eq!(refused.code, 2, "what is decided takes none: {}", refused.all());
}
