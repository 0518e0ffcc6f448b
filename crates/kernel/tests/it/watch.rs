//! What a watcher is told, frozen: pages and other programs read these, and a replay of an old run tells the same.
//!
//! `TRIBUNAL_BLESS=1 cargo test -p tribunal-kernel --test it watch` writes the examples again.

use crate::streams::{FINE, SHIPS, round, ship, stream};
use crate::support::{Play, settings, spec, theater};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::theater::{Panel, Settings, TheaterEvent, events};
use tribunal_kernel::turn::Bill;
use tribunal_kernel::watch::{WatchEvent, WatchFrame, Watcher};
use tribunal_kernel::{Draft, DraftId, Event, Format, Limits, TurnId, Usage, Usd};
use uuid::Uuid;

fn frames(play: &Play) -> Vec<WatchFrame> {
    let mut watcher = Watcher::default();
    play.entries.iter().flat_map(|entry| watcher.follow(entry).unwrap()).collect()
}

/// A review in which everything happens that can happen to it.
fn review() -> Play {
    let mut play = Play::new(spec(settings("description", 2)));
    play.usage =
        Usage { input_tokens: 900, output_tokens: 100, cached_tokens: 50, usd: Some(Usd(12_500)), ..Usage::default() };
    play.play(&[
        "!no key",
        r#"{"done": false, "candidate": {"content": "A text.", "format": "plain"}}"#,
        r#"{"verdict": "changes_requested", "summary": "Too short.", "issues": [{"message": "say where", "code": "place"}, {"message": "say when", "code": "time"}]}"#,
        r#"{"done": true, "candidate": {"content": "A text, here.", "format": "plain"}}"#,
    ]);
    play.record(Event::DirectiveGiven { by: "ada".into(), text: "Keep it short.".into() });
    play.record(Event::InterruptRequested { by: "ada".into() });
    play.play(&[]);
    play.record(Event::RunResumed { limits: Limits::default() });
    let anchor = Anchor::read("kind = \"invariants\"\nMUST = [\"be brief\"]\n", Syntax::Toml).unwrap();
    play.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(anchor) });
    let brief = |quote: &str| format!(r#""ballot": [{{"id": "R1", "says": "met", "quote": "{quote}"}}]"#);
    let issue = r#"{"message": "say when", "code": "time"}"#;
    let vote = brief("A text, here.");
    play.play(&[&format!(r#"{{"verdict": "changes_requested", "issues": [{issue}], {vote}}}"#)]);
    let draft = Draft::of(DraftId(Uuid::from_u128(3)), "A text.", Format::Plain);
    play.record(Event::DraftSelected { draft, by: "ada".into() });
    play.record(Event::DecisionReopened { by: "ada".into(), why: "the brief changed".into(), rounds: 1 });
    play.play(&[
        r#"{"done": true, "candidate": {"content": "A text, here and now.", "format": "plain"}}"#,
        &format!(r#"{{"verdict": "ok", "issues": [], {}}}"#, brief("here and now")),
    ]);
    play
}

/// A review whose author has to wait, and then another agent takes over.
fn parked() -> Play {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[]);
    for passed_to in [None, Some("second".to_owned())] {
        let until = play.now().plus(Duration::from_secs(7200));
        let (why, agent) = ("You've hit your session limit · resets 5pm".to_owned(), "writer".to_owned());
        let (turn, taken_by, bill) = (TurnId(1), None, Bill::default());
        play.record(Event::TurnParked { turn, agent, until, why, taken_by, passed_to, bill });
    }
    play.play(&[
        r#"{"done": true, "candidate": {"content": "A text.", "format": "plain"}}"#,
        r#"{"verdict": "ok", "summary": "Good.", "issues": []}"#,
    ]);
    play
}

fn stage(answers: &[&str]) -> Play {
    let mut play = Play::new(theater(Settings::new("shop", "landing", Panel::Single)));
    play.play(answers);
    play
}

fn interrupted() -> Play {
    let mut play = Play::new(theater(Settings::new("shop", "landing", Panel::Seats)));
    play.play(&[r#"{"notes": "n", "artifact": {"mime": "text/html", "content": "<h1>1</h1>"}}"#]);
    play.record(Event::InterruptRequested { by: "ada".into() });
    play.play(&[]);
    play
}

/// By the names of their files.
fn examples() -> Vec<(&'static str, Play)> {
    vec![
        ("theater", stage(&[SHIPS])),
        ("theater-degraded", stage(&["no protocol at all", "<h1>plain</h1>"])),
        ("theater-failed", stage(&["<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\">⚡"])),
        ("theater-interrupted", interrupted()),
        ("theater-warned", stage(&[&stream(&[round(1, &FINE, "composite=\"3\"")], &ship(1, "composite=\"9\""))])),
        ("review", review()),
        ("review-parked", parked()),
        ("joust", crate::joust::with_a_ruling()),
        ("desk", crate::desk::trials::two_iterations()),
    ]
}

fn lines(play: &Play) -> String {
    frames(play).iter().map(|frame| serde_json::to_string(frame).unwrap() + "\n").collect()
}

#[test]
fn what_is_told_is_frozen() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/watch");
    for (name, play) in examples() {
        let path = folder.join(format!("{name}.ndjson"));
        if std::env::var_os("TRIBUNAL_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, lines(&play)).unwrap();
        }
        let frozen = fs::read_to_string(&path).unwrap_or_default();
        for (number, (told, line)) in frames(&play).iter().zip(frozen.lines()).enumerate() {
            assert_eq!(serde_json::to_string(told).unwrap(), line, "{name}, line {}", number + 1);
            assert_eq!(*told, serde_json::from_str::<WatchFrame>(line).unwrap(), "{name}: it can be read again");
        }
        assert_eq!(lines(&play), frozen, "{name}");
    }
}

#[test]
fn every_event_has_an_example_and_a_name_of_its_own() {
    let told: BTreeSet<&str> =
        examples().iter().flat_map(|(_, play)| frames(play)).map(|frame| frame.event.name()).collect();
    let mut declared = Vec::new();
    types(&serde_json::to_value(schemars::schema_for!(WatchEvent)).unwrap(), &mut declared);
    let all: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    assert_eq!(all.len(), declared.len(), "two events of one name: {declared:?}");
    assert_eq!(told, all);
}

/// Every `type` that a schema declares.
fn types(schema: &serde_json::Value, found: &mut Vec<String>) {
    found.extend(schema["properties"]["type"]["const"].as_str().map(str::to_owned));
    match schema {
        serde_json::Value::Object(fields) => fields.values().for_each(|value| types(value, found)),
        serde_json::Value::Array(values) => values.iter().for_each(|value| types(value, found)),
        _ => {}
    }
}

/// A stage shows at least what the protocol of the stage asks for.
#[test]
fn a_theater_tells_all_its_own_events_in_their_order() {
    for (name, play) in examples().iter().filter(|(name, _)| name.starts_with("theater")) {
        let run = play.run();
        let own: Vec<TheaterEvent> = play.entries.iter().flat_map(|entry| events(&run, entry)).collect();
        let told: Vec<TheaterEvent> = frames(play)
            .into_iter()
            .filter_map(|frame| match frame.event {
                WatchEvent::Theater(event) => Some(event),
                _ => None,
            })
            .collect();
        assert_eq!(told, own, "{name}");
    }
}

#[test]
fn every_run_begins_with_its_scene_and_ends_with_its_end() {
    for (name, play) in examples() {
        let frames = frames(&play);
        assert!(matches!(frames[0].event, WatchEvent::Scene { .. }), "{name}");
        assert!(matches!(frames.last().unwrap().event, WatchEvent::RunClosed { .. }), "{name}");
    }
}
