//! What is read back, and what is refused.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tribunal_kernel::review::{PriorIterations, ReviewGiven};
use tribunal_kernel::{Digest, Draft, Finding, Format, Round, Severity};
use tribunal_store::workspace::{self, Asset, Base, RunGiven, WorkspaceError, WorkspaceState};
use uuid::Uuid;

use crate::support::{Story, draft_id, finding, foreign, inhabited, put, put_candidate, tree, two_iterations, value};

#[test]
fn an_empty_workspace_gives_nothing() {
    let root = tempfile::tempdir().unwrap();
    let found = workspace::read(root.path(), "slug").unwrap();
    assert_eq!(found, RunGiven { given: ReviewGiven::default(), texts: vec![] });
    assert_eq!(workspace::settled(root.path(), "slug").unwrap(), None);
    assert_eq!(tree(root.path()).len(), 0, "reading writes nothing");
    assert!(!root.path().join(".tribunal").exists());
}

#[test]
fn the_newest_candidate_is_the_seed() {
    let root = tempfile::tempdir().unwrap();
    put_candidate(root.path(), "slug", 1, "first", "2026-03-01T12:00:00.5+00:00");
    put_candidate(root.path(), "slug", 2, "newest", "2026-03-01T07:30:00.123456789-05:00");
    put_candidate(root.path(), "slug", 3, "looks newer", "2026-03-01T13:00:00+02:00");
    put(root.path(), "copy/candidates/slug/candidate_x.json.bak", "not ours");
    let RunGiven { given, texts } = workspace::read(root.path(), "slug").unwrap();
    assert_eq!(given.seed, Some(Draft::of(draft_id(2), "newest", Format::Plain)));
    assert_eq!(texts, ["newest"]);
    assert_eq!(given.taken, (1..=3).map(draft_id).collect());

    // At the same moment the larger id counts.
    put_candidate(root.path(), "slug", 0xff, "same moment", "2026-03-01T12:30:00.123456789Z");
    let given = workspace::read(root.path(), "slug").unwrap().given;
    assert_eq!(given.seed.unwrap().id, draft_id(0xff));
}

#[test]
fn the_source_of_a_selection_comes_before_its_html() {
    for (files, expected) in [
        (vec!["html"], "copy/selected/slug.html"),
        (vec!["html", "md"], "copy/selected/slug.md"),
        (vec!["html", "txt"], "copy/selected/slug.txt"),
    ] {
        let root = tempfile::tempdir().unwrap();
        for extension in files {
            put(root.path(), &format!("copy/selected/slug.{extension}"), format!("in {extension}"));
        }
        let RunGiven { given, texts } = workspace::read(root.path(), "slug").unwrap();
        let selection = given.selection.unwrap();
        assert_eq!(selection.file, expected);
        assert_eq!(Digest::of(&texts[0]), selection.text);
        assert!(texts[0].ends_with('\n'), "compared with one final newline");
    }
}

#[test]
fn what_was_written_is_read_back() {
    let root = tempfile::tempdir().unwrap();
    two_iterations().update(root.path());
    let RunGiven { given, texts } = workspace::read(root.path(), "description").unwrap();
    let text = "# Folge 1\n\n* ruhig\n* [mehr](https://example.org)\n";
    assert_eq!(given.seed, Some(Draft::of(draft_id(0xa2), text, Format::Markdown)));
    assert_eq!(given.selection.unwrap().file, "copy/selected/description.md");
    assert_eq!(given.decision.as_ref(), Some(two_iterations().run.decision()));
    let PriorIterations { iterations, protocol, review } = given.prior.unwrap();
    assert_eq!(iterations, Round(2));
    for digest in [protocol, review, Digest::of(text)] {
        assert!(texts.iter().any(|text| Digest::of(text) == digest));
    }
}

#[test]
fn what_is_damaged_is_named_and_left_alone() {
    let candidate = |change: fn(&mut Value)| {
        let mut candidate = foreign("slug", 1, "x", "2026-01-01T00:00:00Z");
        change(&mut candidate);
        candidate.to_string()
    };
    let protocol = |change: fn(&mut Value)| {
        let iteration = |number: u32| json!({"iteration": number, "reviewer": {}, "creator": {}});
        let mut protocol = json!({"asset_id": "slug", "iterations": [iteration(1), iteration(2)], "decision": null});
        change(&mut protocol);
        protocol.to_string()
    };
    let state = |assets: Value| json!({"episode_id": "x", "assets": assets}).to_string();
    let path = |kind: &str| match kind {
        "candidate" => format!("copy/candidates/slug/candidate_{}.json", draft_id(1)),
        "protocol" => "copy/protocol/slug/state.json".into(),
        "selected" => "copy/selected/slug.md".into(),
        _ => "state.json".to_owned(),
    };
    let mut report = String::new();
    for (kind, content) in [
        ("candidate", b"{".to_vec()),
        ("candidate", candidate(|c| c["content"] = json!(3)).into()),
        ("candidate", candidate(|c| c["asset_id"] = json!("title_seo")).into()),
        ("candidate", candidate(|c| c["created_at"] = json!("2026-01-01T00:00:00")).into()),
        ("candidate", candidate(|c| c["candidate_id"] = json!("7")).into()),
        ("candidate", candidate(|c| c["format"] = json!("rtf")).into()),
        ("protocol", b"[]".to_vec()),
        ("protocol", protocol(|p| p["version"] = json!(2)).into()),
        ("protocol", protocol(|p| p["asset_id"] = json!("other")).into()),
        ("protocol", protocol(|p| p["iterations"][1]["iteration"] = json!(1)).into()),
        ("protocol", protocol(|p| p["iterations"][1]["reviewer"] = Value::Null).into()),
        ("protocol", protocol(|p| p["decision"] = json!({"outcome": "shipped"})).into()),
        (
            "protocol",
            protocol(|p| p["decision"] = json!({"outcome": "in_progress", "locked_fields": ["rason"]})).into(),
        ),
        ("selected", vec![0xff]),
        ("state", b"null".to_vec()),
        ("state", json!({"episode_id": "x", "schema_version": 2}).to_string().into()),
        ("state", state(json!([["slug"]])).into()),
        ("state", state(json!([{"asset_id": "a"}, {"asset_id": "a"}])).into()),
        ("state", state(json!([{"asset_id": "a", "selected_candidate_id": draft_id(1)}])).into()),
        ("state", state(json!([{"asset_id": "a", "reviews": [{"iteration": 2}, {"iteration": 1}]}])).into()),
    ] {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), &path(kind), &content);
        let error = workspace::read(root.path(), "slug").unwrap_err();
        assert!(error.to_string().contains(&path(kind)), "{error}");
        assert!(error.hint().is_some());
        let id = draft_id(1).to_string();
        let error = error.to_string().replace(&format!("{}/", root.path().display()), "").replace(&id, "ID");
        writeln!(report, "{error}").unwrap();
        if matches!(kind, "state" | "protocol") {
            let story = two_iterations_of_slug();
            workspace::update(root.path(), &story.run, &story.texts()).unwrap_err();
            let files = tree(root.path());
            assert_eq!((files.len(), &files[&path(kind)]), (1, &content), "nothing was written");
        }
    }
    insta::assert_snapshot!(report, @r#"
    copy/candidates/slug/candidate_ID.json: it is not valid JSON: EOF while parsing an object at line 1 column 1
    copy/candidates/slug/candidate_ID.json: it has the wrong shape: invalid type: integer `3`, expected a string at line 1 column 101
    copy/candidates/slug/candidate_ID.json: candidate ID belongs to the asset `title_seo` and not to `slug`
    copy/candidates/slug/candidate_ID.json: `created_at` of candidate ID is not a time with an offset: "2026-01-01T00:00:00"
    copy/candidates/slug/candidate_ID.json: it has the wrong shape: UUID parsing failed: invalid length: found 1 at line 1 column 19
    copy/candidates/slug/candidate_ID.json: it has the wrong shape: unknown variant `rtf`, expected one of `markdown`, `plain`, `html` at line 1 column 87
    copy/protocol/slug/state.json: it has the wrong shape: an object is expected
    copy/protocol/slug/state.json: version 2 is not known, only 1 is
    copy/protocol/slug/state.json: it belongs to the asset `other`
    copy/protocol/slug/state.json: iteration 1 is out of order
    copy/protocol/slug/state.json: iteration 2 has no review
    copy/protocol/slug/state.json: it has the wrong shape: unknown variant `shipped`, expected one of `converged`, `needs_human`, `in_progress` at line 1 column 151
    copy/protocol/slug/state.json: `rason` cannot be one of the locked_fields
    copy/selected/slug.md: it is not UTF-8 text
    state.json: it has the wrong shape: an object is expected
    state.json: version 2 is not known, only 1 is
    state.json: it has the wrong shape: an object is expected
    state.json: asset `a`: it is there twice
    state.json: asset `a`: the selected candidate ID is not among its candidates
    state.json: asset `a`: the iterations of its reviews do not increase
    "#);
}

fn two_iterations_of_slug() -> Story {
    Story::of("slug").round(1).draft(1, "x", Format::Plain, false).review("needs_human", vec![]).goes_on()
}

#[test]
fn unknown_keys_are_tolerated() {
    let root = tempfile::tempdir().unwrap();
    put_candidate(root.path(), "slug", 1, "x", "2026-01-01T00:00:00Z");
    put(
        root.path(),
        "copy/protocol/slug/state.json",
        json!({"asset_id": "slug", "colour": "red", "max_iterations": 3}).to_string(),
    );
    put(root.path(), "state.json", json!({"episode_id": "x", "colour": "red"}).to_string());
    assert!(workspace::read(root.path(), "slug").unwrap().given.seed.is_some());
}

#[test]
fn a_missing_text_is_named() {
    let mut story = two_iterations_of_slug();
    story.blobs.remove(&Digest::of("x"));
    let error = workspace::files(&story.run, &story.texts(), &Base::fresh("e")).unwrap_err();
    assert!(matches!(error, WorkspaceError::MissingText { .. }), "{error}");
    assert!(error.to_string().contains(&draft_id(1).to_string()), "{error}");
}

#[test]
fn no_name_leads_out_of_the_workspace() {
    for asset in ["../up", "a/b", "", "Slug"] {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(workspace::read(root.path(), asset), Err(WorkspaceError::BadAsset { .. })), "{asset}");
        assert!(workspace::settled(root.path(), asset).is_err());
        let story = Story::of(asset);
        assert!(workspace::update(root.path(), &story.run, &story.texts()).is_err());
        for path in ["../x", "/tmp/x", "a/../../x"] {
            let error = workspace::write(root.path(), &[(path.into(), vec![])]).unwrap_err();
            assert!(matches!(error, WorkspaceError::Outside { .. }), "{error}");
        }
    }
}

#[test]
fn a_prompt_that_was_sent_again_is_one_file() {
    let story = Story::of("slug").round(1).ask("creator", "draft", 1).fail().ask("creator", "draft", 1).fail();
    let prompts = story.files().into_keys().filter(|name| name.contains("/prompts/")).count();
    assert_eq!(prompts, 1);
}

#[test]
fn contested_issues_are_marked_in_the_metadata() {
    let contested = Finding { contested: true, ..finding(1, Severity::MustFix, "shorter", None, None) };
    let story =
        Story::of("slug").round(1).draft(1, "x", Format::Plain, true).review("changes_requested", vec![contested]);
    let review = value(&story.files()["copy/reviews/slug/iteration_01.second_opinion_v2.json"]);
    assert_eq!(review["provenance"][0]["metadata"]["contested"], json!([Uuid::from_u128(1)]));
}

#[test]
fn the_state_knows_its_selections() {
    let (root, _) = inhabited();
    let state = WorkspaceState::read(root.path()).unwrap();
    let asset = Asset::parse("slug").unwrap();
    assert_eq!(state.selected(&asset), Some(draft_id(8)));
    assert_eq!(state.candidates(&asset).collect::<Vec<_>>(), [draft_id(8)]);
}
