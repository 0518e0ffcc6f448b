//! The worked cases of the review loop, over shell scripts, with the files they leave behind.

use crate::support::Project;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

struct Case {
    name: &'static str,
    asset: &'static str,
    max: u32,
    /// Files that are there before.
    given: &'static [(&'static str, &'static str)],
    answers: &'static [&'static str],
    code: i32,
    /// outcome, final iteration, reason
    decision: (&'static str, u32, &'static str),
    verdicts: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "changes requested and not done, then ok and done",
        asset: "description",
        max: 5,
        given: &[],
        answers: &["draft a", "changes_requested", "done b", "ok"],
        code: 0,
        decision: ("converged", 2, "reviewer_ok_and_creator_done"),
        verdicts: &["changes_requested", "ok"],
    },
    Case {
        name: "always changes requested",
        asset: "description",
        max: 2,
        given: &[],
        answers: &["done a", "changes_requested", "done b", "changes_requested"],
        code: 1,
        decision: ("needs_human", 2, "iteration_limit"),
        verdicts: &["changes_requested", "changes_requested"],
    },
    Case {
        name: "always needs_human, done",
        asset: "description",
        max: 2,
        given: &[],
        answers: &["done a", "needs_human", "done b", "needs_human"],
        code: 1,
        decision: ("needs_human", 2, "iteration_limit"),
        verdicts: &["needs_human", "needs_human"],
    },
    Case {
        name: "ok and done in the last allowed iteration",
        asset: "description",
        max: 2,
        given: &[],
        answers: &["draft a", "ok", "done b", "ok"],
        code: 0,
        decision: ("converged", 2, "reviewer_ok_and_creator_done"),
        verdicts: &["ok", "ok"],
    },
    Case {
        name: "an open decision with a locked reason",
        asset: "description",
        max: 5,
        given: &[(
            "copy/protocol/description/state.json",
            r#"{"version": 1, "asset_id": "description", "max_iterations": 5, "iterations": [],
                "decision": {"outcome": "in_progress", "final_iteration": null, "reason": "human_hold", "locked_fields": ["reason"]}}"#,
        )],
        answers: &["done a", "ok"],
        code: 0,
        decision: ("converged", 1, "human_hold"),
        verdicts: &["ok"],
    },
    Case {
        name: "a locked selection",
        asset: "slug",
        max: 5,
        given: &[("copy/selected/slug.txt", "locked\n")],
        answers: &["done x", "ok", "done locked", "ok"],
        code: 0,
        decision: ("converged", 2, "reviewer_ok_and_creator_done"),
        verdicts: &["changes_requested", "ok"],
    },
    Case {
        name: "a selection as .md, a candidate in format plain",
        asset: "slug",
        max: 1,
        given: &[("copy/selected/slug.md", "locked\n")],
        answers: &["done other", "ok"],
        code: 1,
        decision: ("needs_human", 1, "iteration_limit"),
        verdicts: &["changes_requested"],
    },
    Case {
        name: "an empty object before the one that fits",
        asset: "description",
        max: 1,
        given: &[],
        answers: &["done a", r#"{} then {"verdict":"ok"}"#],
        code: 0,
        decision: ("converged", 1, "reviewer_ok_and_creator_done"),
        verdicts: &["ok"],
    },
];

#[test]
fn the_worked_cases_give_their_results() {
    for case in CASES {
        let project = Project::with_answers(case.asset, case.max, case.answers);
        for (name, text) in case.given {
            project.write(name, text);
        }
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, case.code, "{}: {}", case.name, output.all());
        let protocol = format!("copy/protocol/{}/state.json", case.asset);
        let state: Value = serde_json::from_str(&project.read(&protocol)).unwrap();
        let (outcome, last, reason) = case.decision;
        let locked = ["final_iteration", "outcome", "reason"];
        let decision = json!({"outcome": outcome, "final_iteration": last, "reason": reason, "locked_fields": locked});
        assert_eq!(state["decision"], decision, "{}", case.name);
        let verdicts: Vec<&str> = state["iterations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["reviewer"]["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(verdicts, case.verdicts, "{}", case.name);
        assert_eq!(project.tribunal(&["verify"]).code, 0, "{}", case.name);
        if outcome == "converged" {
            assert!(project.path(&format!("copy/selected/{}.txt", case.asset)).exists(), "{}", case.name);
        }
    }
}

#[test]
fn the_files_are_where_other_tools_look_for_them() {
    let project = Project::with_answers("description", 5, &["draft a", "changes_requested", "done b", "ok"]);
    project.tribunal(&["run"]);
    let names: Vec<String> = project
        .list("copy")
        .into_iter()
        .map(|name| {
            // Ids differ from run to run.
            let has_id = name.contains("/candidates/") || name.contains("/provenance/");
            match name.rsplit_once('_') {
                Some((before, id)) if has_id => format!("{before}_ID{}", &id[id.rfind('.').unwrap_or(0)..]),
                _ => name,
            }
        })
        .collect();
    insta::assert_snapshot!(names.join("\n"), @"
    copy/candidates/description/candidate_ID.json
    copy/candidates/description/candidate_ID.txt
    copy/candidates/description/candidate_ID.json
    copy/candidates/description/candidate_ID.txt
    copy/protocol/description/iteration_01.creator.json
    copy/protocol/description/iteration_01.json
    copy/protocol/description/iteration_02.creator.json
    copy/protocol/description/iteration_02.json
    copy/protocol/description/state.json
    copy/provenance/prompts/review_creator_ID.json
    copy/provenance/prompts/review_creator_ID.json
    copy/provenance/prompts/review_reviewer_ID.json
    copy/provenance/prompts/review_reviewer_ID.json
    copy/reviews/description/iteration_01.critic.json
    copy/reviews/description/iteration_02.critic.json
    copy/selected/description.txt
    ");
    let state: Value = serde_json::from_str(&project.read("state.json")).unwrap();
    let asset = &state["assets"][0];
    assert_eq!(
        (asset["asset_id"].as_str(), asset["candidates"].as_array().map(Vec::len)),
        (Some("description"), Some(2))
    );
    assert_eq!(asset["selected_candidate_id"], asset["candidates"][1]["candidate_id"]);
}

#[test]
fn a_second_run_on_a_decided_asset_calls_nobody_and_changes_nothing() {
    for (answers, code) in [(["done a", "ok"], 0), (["done a", "needs_human"], 1)] {
        let project = Project::with_answers("description", 1, &answers);
        assert_eq!(project.tribunal(&["run"]).code, code);
        let before = project.snapshot();
        for args in [&["run"][..], &["run", "--max-iterations", "9", "--usd", "100"], &["run", "--json"]] {
            let output = project.tribunal(args);
            assert_eq!(output.code, code, "{}", output.all());
        }
        assert!(project.snapshot() == before, "bytes and times are as they were");
        assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 1));
    }
}

#[test]
fn a_decision_that_another_tool_made_stands_too() {
    let project = Project::with_answers("description", 5, &["done a", "ok"]);
    project.write(
        "copy/protocol/description/state.json",
        r#"{"version": 1, "asset_id": "description", "max_iterations": 3, "iterations": [],
            "decision": {"outcome": "converged", "final_iteration": 1, "reason": "r", "locked_fields": ["outcome"]}}"#,
    );
    let before = project.snapshot();
    assert_eq!(project.tribunal(&["run"]).code, 0);
    assert!(project.snapshot() == before);
    assert_eq!(project.calls("creator"), 0);
}

#[test]
fn what_was_decided_without_a_log_has_a_status() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    let status = project.tribunal(&["status", "description"]);
    assert_eq!(status.code, 0, "{}", status.all());
    assert!(
        status.stdout.contains("description: converged") && status.stdout.contains("in the workspace"),
        "{}",
        status.all()
    );
    assert_eq!(project.json(&["status", "description", "--json"])["status"], "converged");
    assert_eq!(project.tribunal(&["status", "nothing"]).code, 2, "what nobody decided has none");
}

#[test]
fn the_newest_candidate_of_the_workspace_is_the_seed() {
    let project = Project::new("description", 1);
    for (id, time, text) in
        [("1", "2026-01-01T00:00:00Z", "older"), ("2", "2026-01-02T00:00:00+00:00", "the seed text")]
    {
        let id = format!("00000000-0000-4000-8000-00000000000{id}");
        project.write(
            &format!("copy/candidates/description/candidate_{id}.json"),
            &format!(
                r#"{{"candidate_id": "{id}", "asset_id": "description", "format": "markdown", "content": "{text}", "created_at": "{time}", "provenance": []}}"#
            ),
        );
    }
    project.agent(
        "creator.sh",
        "#!/bin/sh\ncat > seen\nprintf '{\"done\": true, \"candidate\": {\"content\": \"new\"}}'\n",
    );
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let seen = project.read("seen");
    assert!(
        seen.contains("the previous candidate") && seen.contains("the seed text") && !seen.contains("older"),
        "{seen}"
    );
    let state: Value = serde_json::from_str(&project.read("copy/protocol/description/state.json")).unwrap();
    assert_eq!(state["iterations"].as_array().unwrap().len(), 1, "a seed is not an iteration");
}

/// What the README's first command does, in a copy.
#[test]
fn the_example_converges_after_real_changes() {
    let project = Project::new("description", 1);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/release-notes");
    for name in ["tribunal.toml", "brief.md", "facts.txt"] {
        project.write(name, &fs::read_to_string(example.join(name)).unwrap());
    }
    for name in ["agents/creator.sh", "agents/reviewer.sh", "agents/prompt.sh"] {
        project.agent(name, &fs::read_to_string(example.join(name)).unwrap());
    }
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("converged (reviewer_ok_and_creator_done), 3 rounds"), "{}", output.all());
    assert!(project.read("copy/selected/description.md").contains("2.4.0"));
}

#[test]
fn several_assets_run_at_the_same_time() {
    let project = Project::new("description", 2);
    // Each creator waits until the other one has begun.
    project.agent(
        "creator.sh",
        "#!/bin/sh\nasset=$(sed -n 's/^Asset: //p')\ntouch \"begun-$asset\"\ni=0\nwhile [ $i -lt 200 ]; do\n  [ -e begun-slug ] && [ -e begun-description ] && break\n  sleep 0.05; i=$((i + 1))\ndone\nprintf '{\"done\": true, \"candidate\": {\"content\": \"%s\", \"format\": \"plain\"}}' \"$i\" | sed 's/\"200\"/\"\"/'\n",
    );
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    let output = project.tribunal(&["run", "description", "slug", "--json"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let state: Value = serde_json::from_str(&project.read("state.json")).unwrap();
    let assets: Vec<&str> =
        state["assets"].as_array().unwrap().iter().filter_map(|asset| asset["asset_id"].as_str()).collect();
    assert_eq!(assets.len(), 2, "{assets:?}");
}
