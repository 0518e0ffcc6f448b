//! What is written, in which order, and when.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use tribunal_kernel::decision::DecisionField;
use tribunal_kernel::review::ReviewGiven;
use tribunal_kernel::{Decision, Digest, Draft, Event, Format, Outcome, Round, Said};
use tribunal_store::workspace::{self, Base, RunGiven};

use crate::support::{
    Story, assert_loads, draft_id, file, foreign, listing, load, named_root, put, testdata, tree, two_iterations, value,
};

#[test]
fn two_iterations_give_the_golden_files() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "episode.yaml", "episode_id: ep_001 # the first\n");
    two_iterations().update(root.path());
    fs::remove_file(root.path().join("episode.yaml")).unwrap();
    let written = tree(root.path());
    let golden = testdata("two_iterations");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let _ = fs::remove_dir_all(&golden);
        for (path, bytes) in &written {
            put(&golden, path, bytes);
        }
    }
    assert_eq!(listing(&written), listing(&tree(&golden)));
    for (path, bytes) in tree(&golden) {
        assert_eq!(String::from_utf8_lossy(&written[&path]), String::from_utf8_lossy(&bytes), "{path}");
    }
    assert_loads([root.path(), &golden]);
    insta::assert_snapshot!(listing(&written), @"
    copy/candidates/description/candidate_00000000-0000-40a1-8000-000000000000.html
    copy/candidates/description/candidate_00000000-0000-40a1-8000-000000000000.json
    copy/candidates/description/candidate_00000000-0000-40a1-8000-000000000000.md
    copy/candidates/description/candidate_00000000-0000-40a2-8000-000000000000.html
    copy/candidates/description/candidate_00000000-0000-40a2-8000-000000000000.json
    copy/candidates/description/candidate_00000000-0000-40a2-8000-000000000000.md
    copy/protocol/description/iteration_01.creator.json
    copy/protocol/description/iteration_01.json
    copy/protocol/description/iteration_02.creator.json
    copy/protocol/description/iteration_02.json
    copy/protocol/description/state.json
    copy/provenance/prompts/review_creator_3d2e0ab183dc.json
    copy/provenance/prompts/review_creator_f6423fad2213.json
    copy/provenance/prompts/review_reviewer_05d8f3869ff2.json
    copy/provenance/prompts/review_reviewer_497e26579e34.json
    copy/provenance/prompts/review_reviewer_7ec25fb01729.json
    copy/reviews/description/iteration_01.second_opinion_v2.json
    copy/reviews/description/iteration_02.second_opinion_v2.json
    copy/selected/description.html
    copy/selected/description.md
    state.json
    ");
}

#[test]
fn the_reader_is_strict() {
    let protocol = |file: &str| format!("copy/protocol/description/{file}.json");
    let mut broken = Vec::new();
    for (path, from, to, problem) in [
        ("state.json".into(), "\"assets\": [", "\"asset\": 1,\n  \"assets\": [", "state.json: has the keys"),
        ("state.json".into(), ":00.000Z\"", ":00.000\"", "is not in UTC with a Z"),
        ("state.json".into(), "\"iteration\": 2", "\"iteration\": 1", "[1, 1] do not increase"),
        ("copy/selected/description.md".into(), "ruhig", "laut", "another text is selected"),
        (protocol("state"), "      \"outcome\",\n", "", "a terminal decision is not locked"),
        (protocol("iteration_02"), "\"warning\"", "\"error\"", "ok beside an error"),
        (protocol("iteration_02.creator"), "{\n", "{\n\n", "is not in the usual form"),
    ] {
        let root = two_iterations().planted();
        let old = fs::read_to_string(root.path().join(&path)).unwrap();
        assert!(old.contains(from), "{path}: {from}");
        fs::write(root.path().join(&path), old.replacen(from, to, 1)).unwrap();
        broken.push((root, problem));
    }
    if let Some(said) = load(broken.iter().map(|(root, _)| root.path())) {
        for (root, problem) in broken {
            let mut lines = said.lines().filter(|line| line.starts_with(root.path().to_str().unwrap()));
            assert!(lines.any(|line| line.contains(problem)), "{problem}: {said}");
        }
    }
}

#[test]
fn what_is_referred_to_is_written_before_what_refers_to_it() {
    let story = two_iterations();
    let files = workspace::files(&story.run, &story.texts(), &Base::fresh("ep_001")).unwrap();
    let order: Vec<&str> = files
        .iter()
        .map(|(path, _)| match path.to_str().unwrap().split('/').collect::<Vec<_>>()[..] {
            ["state.json"] => "state",
            ["copy", "protocol", _, "state.json"] => "decision",
            ["copy", kind, ..] => kind,
            _ => panic!("{}", path.display()),
        })
        .collect();
    let mut stages = order.clone();
    stages.dedup();
    insta::assert_snapshot!(stages.join(" "), @"provenance candidates reviews candidates reviews protocol selected state decision");
}

#[test]
fn a_crash_between_two_files_is_mended_by_the_next_update() {
    let story = Story::of("slug").round(1).draft(1, "x", Format::Plain, true).review("ok", vec![]).converged();
    let expected = {
        let root = named_root();
        story.update(root.path());
        tree(root.path())
    };
    let files = workspace::files(&story.run, &story.texts(), &Base::fresh("ep_001")).unwrap();
    for written in 0..=files.len() {
        let root = named_root();
        workspace::write(root.path(), &files[..written]).unwrap();
        let decided = workspace::settled(root.path(), "slug").unwrap();
        assert_eq!(decided.is_some(), written == files.len(), "a decision is told when all of it is there");
        story.update(root.path());
        assert_eq!(listing(&tree(root.path())), listing(&expected));
        assert_eq!(tree(root.path()), expected);
    }
}

#[test]
fn the_same_files_are_not_written_twice() {
    let root = tempfile::tempdir().unwrap();
    let story = two_iterations();
    assert!(!story.update(root.path()).is_empty());
    let times =
        || tree(root.path()).into_keys().map(|path| fs::metadata(root.path().join(path)).unwrap().modified().unwrap());
    let before: Vec<_> = times().collect();
    assert_eq!(story.update(root.path()), Vec::<PathBuf>::new());
    assert_eq!(times().collect::<Vec<_>>(), before);
}

#[test]
fn files_appear_as_the_iteration_goes_on() {
    let steps: [fn(Story) -> Story; 4] = [
        |story| story.round(1).ask("creator", "draft", 1),
        |story| {
            let draft = Draft::of(draft_id(1), "a-slug", Format::Plain);
            story.answer(Said::Draft { draft, done: Some(true), notes: None })
        },
        |story| story.review("ok", vec![]),
        Story::converged,
    ];
    let mut story = Story::of("slug");
    story.store("a-slug");
    let mut seen = BTreeSet::new();
    let mut report = String::new();
    for (step, name) in steps.into_iter().zip(["asked", "answered", "reviewed", "closed"]) {
        story = step(story);
        writeln!(report, "{name}:").unwrap();
        for file in story.files().into_keys().filter(|file| seen.insert(file.clone())) {
            writeln!(report, "  {file}").unwrap();
        }
    }
    insta::assert_snapshot!(report, @"
    asked:
      copy/protocol/slug/state.json
      copy/provenance/prompts/review_creator_fdad70a53729.json
      state.json
    answered:
      copy/candidates/slug/candidate_00000000-0000-4001-8000-000000000000.json
      copy/candidates/slug/candidate_00000000-0000-4001-8000-000000000000.txt
      copy/protocol/slug/iteration_01.creator.json
    reviewed:
      copy/protocol/slug/iteration_01.json
      copy/provenance/prompts/review_reviewer_117f7c74a348.json
      copy/reviews/slug/iteration_01.second_opinion_v2.json
    closed:
      copy/selected/slug.txt
    ");
}

#[test]
fn each_format_has_its_files() {
    for (format, extensions) in [
        (Format::Markdown, vec!["html", "json", "md"]),
        (Format::Plain, vec!["json", "txt"]),
        (Format::Html, vec!["html", "json"]),
    ] {
        let story = Story::of("shownotes").round(1).draft(1, "<p>x</p>", format, true).review("ok", vec![]).converged();
        let files = story.files();
        let of = |folder: &str| {
            let names = files.keys().filter(|name| name.starts_with(folder));
            names.map(|name| name.rsplit('.').next().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of("copy/candidates"), extensions, "{format:?}");
        let selected: Vec<&str> = extensions.iter().copied().filter(|extension| *extension != "json").collect();
        assert_eq!(of("copy/selected"), selected, "{format:?}");
        let text = &files[&format!("copy/selected/shownotes.{}", format.extension())];
        assert_eq!(String::from_utf8_lossy(text), "<p>x</p>\n", "{format:?}");
    }
}

#[test]
fn texts_end_with_one_newline_and_the_candidate_keeps_its_own() {
    for (content, expected) in [("a", "a\n"), ("a\n", "a\n"), ("a\r\n", "a\r\n"), ("a\n\n", "a\n\n")] {
        let files = Story::of("slug").round(1).draft(1, content, Format::Plain, true).files();
        let path = format!("copy/candidates/slug/candidate_{}", draft_id(1));
        assert_eq!(String::from_utf8_lossy(&files[&format!("{path}.txt")]), expected);
        assert_eq!(value(&files[&format!("{path}.json")])["content"], content);
    }
}

#[test]
fn names_of_reviewers_are_made_safe_everywhere() {
    for (agent, file, reviewer) in [
        ("codex", "iteration_01.codex.json", json!("codex")),
        ("../Über Prüfer", "iteration_01...__ber_Pr_fer.json", json!("..__ber_Pr_fer")),
        ("", "iteration_01.json", Value::Null),
    ] {
        let story = Story::with("slug", ReviewGiven::default(), agent);
        let files = story.round(1).draft(1, "x", Format::Plain, false).review("ok", vec![]).files();
        assert_eq!(value(&files[&format!("copy/reviews/slug/{file}")])["reviewer"], reviewer);
    }
}

#[test]
fn the_decision_is_told_as_far_as_it_is_made() {
    let terminal = ["final_iteration", "outcome", "reason"];
    let mut roots = Vec::new();
    let in_progress = |reason: Value| json!({"outcome": "in_progress", "final_iteration": null, "reason": reason, "locked_fields": []});
    let drafted = || Story::of("slug").round(1).draft(1, "x", Format::Plain, true);
    let reviewed = || drafted().review("changes_requested", vec![]);
    let limit = Decision::terminal(Outcome::NeedsHuman, Round(1), "iteration_limit");
    let hold = Decision {
        reason: Some("human_hold".into()),
        locked: BTreeSet::from([DecisionField::Reason]),
        ..Decision::default()
    };
    let inherited = ReviewGiven { decision: Some(hold.clone()), ..ReviewGiven::default() };
    for (name, story, decision) in [
        ("nothing yet", Story::of("slug"), Value::Null),
        ("no review yet", drafted(), Value::Null),
        ("goes on", reviewed().goes_on(), in_progress(Value::Null)),
        (
            "failed in the second round",
            reviewed().goes_on().round(2).event(Event::RunClosed {
                outcome: Outcome::Failed,
                reason: "no".into(),
                ship: None,
            }),
            in_progress(Value::Null),
        ),
        (
            "failed at once",
            Story::of("slug").event(Event::RunClosed { outcome: Outcome::TimedOut, reason: "slow".into(), ship: None }),
            Value::Null,
        ),
        (
            "at the limit",
            reviewed().close(limit.clone()),
            json!({"outcome": "needs_human", "final_iteration": 1, "reason": "iteration_limit", "locked_fields": terminal}),
        ),
        (
            "converged",
            drafted().review("ok", vec![]).converged(),
            json!({"outcome": "converged", "final_iteration": 1, "reason": "reviewer_ok_and_creator_done", "locked_fields": terminal}),
        ),
        (
            "reopened",
            reviewed().close(limit).event(Event::DecisionReopened {
                by: "eva".into(),
                why: "once more".into(),
                rounds: 2,
            }),
            in_progress(json!("once more")),
        ),
        (
            "inherited",
            Story::given("slug", inherited),
            json!({"outcome": "in_progress", "final_iteration": null, "reason": "human_hold", "locked_fields": ["reason"]}),
        ),
    ] {
        let state = value(&story.files()["copy/protocol/slug/state.json"]);
        assert_eq!(state["decision"], decision, "{name}");
        assert_eq!(state["max_iterations"], 3, "{name}");
        let root = story.planted();
        let read = workspace::read(root.path(), "slug").unwrap().given.decision;
        assert_eq!(read.unwrap_or_default(), *story.run.decision(), "{name}");
        assert_eq!(workspace::settled(root.path(), "slug").unwrap().is_some(), story.run.decision().is_settled());
        roots.push(root);
    }
    assert_loads(roots.iter().map(TempDir::path));
}

#[test]
fn a_settled_asset_is_left_alone() {
    let settled = Decision::terminal(Outcome::NeedsHuman, Round(3), "iteration_limit");
    let story = Story::given("slug", ReviewGiven { decision: Some(settled), ..ReviewGiven::default() });
    assert_eq!(listing(&story.files()), "");
    let closed =
        story.event(Event::RunClosed { outcome: Outcome::NeedsHuman, reason: "iteration_limit".into(), ship: None });
    assert_eq!(listing(&closed.files()), "");
}

#[test]
fn iterations_from_before_stay_in_front_as_they_were() {
    let root = named_root();
    let foreign_review = json!({
        "iteration": 4, "verdict": "changes_requested", "issues": [], "reviewer": null, "created_at": "2026-01-01T00:00:00+00:00",
        "summary": "no", "provenance": [], "stars": 2,
    });
    let iteration = json!({
        "version": 1, "iteration": 4, "creator": {"done": false, "candidate": foreign("slug", 9, "old", "2026-01-01T00:00:00+00:00")},
        "reviewer": foreign_review,
    });
    let protocol =
        json!({"version": 1, "asset_id": "slug", "max_iterations": 9, "decision": null, "iterations": [iteration]});
    put(root.path(), "copy/protocol/slug/state.json", protocol.to_string());
    let RunGiven { given, texts } = workspace::read(root.path(), "slug").unwrap();
    let prior = given.prior.clone().unwrap();
    assert_eq!(prior.iterations, Round(4));
    assert_eq!(given.taken, BTreeSet::from([draft_id(9)]));
    let blob = |digest| texts.iter().find(|text| Digest::of(text) == digest).unwrap();
    assert_eq!(value(blob(prior.review).as_bytes()), foreign_review);
    assert_eq!(value(blob(prior.protocol).as_bytes()), json!([iteration]));

    let mut story = Story::given("slug", given);
    story.blobs.extend(texts.iter().map(|text| (Digest::of(text), text.clone())));
    story.round(5).draft(1, "new", Format::Plain, true).review("ok", vec![]).converged().update(root.path());
    let state = file(root.path(), "copy/protocol/slug/state.json");
    assert_eq!(state["iterations"][0], iteration);
    assert_eq!(state["iterations"][1]["iteration"], 5);
    assert!(root.path().join("copy/protocol/slug/iteration_05.json").exists());
}
