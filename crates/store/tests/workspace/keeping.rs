//! What others put into the workspace, and choices that stand.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tribunal_kernel::{Draft, Event, Format};
use tribunal_store::workspace::{self};

use crate::support::{Story, assert_loads, draft_id, file, inhabited, put, put_candidate, two_iterations, value};

#[test]
fn an_update_keeps_everything_that_is_not_its_own() {
    let (root, before) = inhabited();
    let story = Story::of("slug").round(1).draft(1, "x", Format::Plain, false).review("needs_human", vec![]).goes_on();
    story.update(root.path());
    let after = file(root.path(), "state.json");
    for key in before.as_object().unwrap().keys().filter(|key| *key != "assets") {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after.as_object().unwrap().len(), before.as_object().unwrap().len());
    assert_eq!(after["assets"][1], before["assets"][1]);
    let slug = &after["assets"][0];
    assert_eq!(slug["selected_candidate_id"], before["assets"][0]["selected_candidate_id"]);
    assert_eq!(slug["candidates"][0], before["assets"][0]["candidates"][0]);
    assert_eq!(slug["candidates"][1]["candidate_id"], json!(draft_id(1)));
    assert_eq!(slug["note"], "ours?");
    assert_eq!(slug["reviews"][0]["iteration"], 1);
    let text = fs::read_to_string(root.path().join("state.json")).unwrap();
    assert!(text.contains("\"start_sec\": 0.0") && text.contains("\"n\": 1e+22"), "{text}");
}

#[test]
fn reviews_stay_in_order() {
    let (root, _) = inhabited();
    let story = Story::of("description").round(1).draft(1, "x", Format::Plain, false).review("needs_human", vec![]);
    story.update(root.path());
    let asset = file(root.path(), "state.json")["assets"][1].clone();
    let iterations: Vec<&Value> =
        asset["reviews"].as_array().unwrap().iter().map(|review| &review["iteration"]).collect();
    assert_eq!(iterations, [1, 7]);
    assert_eq!(asset["kind"], "description");
}

#[test]
fn an_unknown_asset_has_no_kind() {
    for (asset, kind) in [("haiku", Value::Null), ("linkedin", json!("linkedin"))] {
        let files = Story::of(asset).round(1).draft(1, "x", Format::Plain, false).files();
        assert_eq!(value(&files["state.json"])["assets"][0]["kind"], kind);
    }
}

#[test]
fn the_last_choice_counts() {
    let converged = |id: u128| {
        let draft = Story::of("description").round(1).draft(id, "agreed", Format::Plain, true);
        draft.review("ok", vec![]).converged()
    };
    let selected = |root: &Path| {
        let state = file(root, "state.json");
        let assets = state["assets"].as_array().unwrap();
        let asset = assets.iter().find(|asset| asset["asset_id"] == "description").unwrap();
        (
            asset["selected_candidate_id"].clone(),
            fs::read_to_string(root.join("copy/selected/description.txt")).unwrap(),
        )
    };

    // A convergence replaces an older pick.
    let (root, _) = inhabited();
    put(root.path(), "copy/selected/description.txt", "picked\n");
    converged(1).update(root.path());
    assert_eq!(selected(root.path()), (json!(draft_id(1)), "agreed\n".into()));

    // A pick that another tool made after it is kept.
    let mut state = file(root.path(), "state.json");
    state["assets"][1]["selected_candidate_id"] = json!(draft_id(9));
    put(root.path(), "state.json", state.to_string());
    put(root.path(), "copy/selected/description.txt", "picked\n");
    converged(1).update(root.path());
    assert_eq!(selected(root.path()), (json!(draft_id(9)), "picked\n".into()));

    // A pick in our own log wins over both, also of a candidate from before the run.
    put_candidate(root.path(), "description", 7, "older", "2025-01-01T00:00:00Z");
    let mut story = converged(1);
    story.store("older");
    let draft = Draft::of(draft_id(7), "older", Format::Plain);
    story = story.event(Event::DraftSelected { draft, by: "eva".into() });
    story.update(root.path());
    assert_eq!(selected(root.path()), (json!(draft_id(7)), "older\n".into()));
    let candidates = file(root.path(), "state.json")["assets"][1]["candidates"].clone();
    let picked =
        candidates.as_array().unwrap().iter().find(|candidate| candidate["candidate_id"] == json!(draft_id(7)));
    assert_eq!(picked.unwrap()["created_at"], "2025-01-01T00:00:00Z");

    // Also when nothing is left of that candidate but the log.
    let root = tempfile::tempdir().unwrap();
    story.update(root.path());
    assert_eq!(selected(root.path()), (json!(draft_id(7)), "older\n".into()));
    assert!(root.path().join(format!("copy/candidates/description/candidate_{}.txt", draft_id(7))).exists());
}

#[test]
fn a_reopened_decision_keeps_its_selection_until_the_next() {
    let root = tempfile::tempdir().unwrap();
    let story = two_iterations();
    story.update(root.path());
    let selected = || file(root.path(), "state.json")["assets"][0]["selected_candidate_id"].clone();
    let story = story.event(Event::DecisionReopened { by: "eva".into(), why: "shorter".into(), rounds: 1 });
    story.update(root.path());
    assert_eq!(selected(), json!(draft_id(0xa2)));
    let story = story.round(3).draft(0xa3, "short", Format::Plain, true).review("ok", vec![]).converged();
    story.update(root.path());
    assert_eq!(selected(), json!(draft_id(0xa3)));
    assert_loads([root.path()]);
    // Of the two files that are there now, the one of the selected candidate is the selection.
    let selection = workspace::read(root.path(), "description").unwrap().given.selection.unwrap();
    assert_eq!(selection.file, "copy/selected/description.txt");
}

#[test]
fn assets_that_run_at_the_same_time_do_not_lose_each_other() {
    let root = tempfile::tempdir().unwrap();
    let assets = ["slug", "shownotes", "mastodon", "linkedin", "haiku", "title_seo"];
    std::thread::scope(|scope| {
        for asset in assets {
            let root = root.path();
            scope.spawn(move || {
                let mut story = Story::of(asset);
                for round in 1..=3 {
                    story = story.round(round).draft(u128::from(round), "x", Format::Markdown, false);
                    story.update(root);
                    story = story.review("needs_human", vec![]).goes_on();
                    story.update(root);
                }
            });
        }
    });
    let state = file(root.path(), "state.json");
    let found: BTreeMap<&str, usize> = state["assets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|asset| (asset["asset_id"].as_str().unwrap(), asset["reviews"].as_array().unwrap().len()))
        .collect();
    assert_eq!(found, assets.into_iter().map(|asset| (asset, 3)).collect());
    assert_loads([root.path()]);
}
