//! What a watcher is told, frozen: pages and other programs read these, and a replay of an old run tells the same.
//!
//! `TRIBUNAL_BLESS=1 cargo test -p tribunal-kernel --test it cues` writes the examples anew.

use crate::streams::{FINE, SHIPS, round, ship, stream};
use crate::support::{Play, settings, spec, theater};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::cue::{Aside, Cue, Cues, Frame};
use tribunal_kernel::theater::{Critique, Panel, Settings, script};
use tribunal_kernel::{Draft, DraftId, Event, Format, Limits, Usage, Usd};
use uuid::Uuid;

fn frames(play: &Play) -> Vec<Frame> {
    let mut cues = Cues::default();
    play.entries.iter().flat_map(|entry| cues.follow(entry).unwrap()).collect()
}

/// A review in which everything happens that can happen to it.
fn review() -> Play {
    let mut play = Play::new(spec(settings("description", 2)));
    play.usage =
        Usage { input_tokens: 900, output_tokens: 100, cached_tokens: 50, usd: Some(Usd(12_500)), estimated: false };
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
    play.play(&[r#"{"verdict": "changes_requested", "issues": [{"message": "say when", "code": "time"}]}"#]);
    let draft = Draft::of(DraftId(Uuid::from_u128(3)), "A text.", Format::Plain);
    play.record(Event::DraftSelected { draft, by: "ada".into() });
    play.record(Event::DecisionReopened { by: "ada".into(), why: "the brief changed".into(), rounds: 1 });
    play.play(&[
        r#"{"done": true, "candidate": {"content": "A text, here and now.", "format": "plain"}}"#,
        r#"{"verdict": "ok", "issues": []}"#,
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
        ("joust", crate::joust::with_a_ruling()),
        ("desk", crate::desk::trials::two_iterations()),
    ]
}

fn lines(play: &Play) -> String {
    frames(play).iter().map(|frame| serde_json::to_string(frame).unwrap() + "\n").collect()
}

#[test]
fn what_is_told_is_frozen() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cues");
    for (name, play) in examples() {
        let path = folder.join(format!("{name}.ndjson"));
        if std::env::var_os("TRIBUNAL_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, lines(&play)).unwrap();
        }
        let frozen = fs::read_to_string(&path).unwrap_or_default();
        for (number, (told, line)) in frames(&play).iter().zip(frozen.lines()).enumerate() {
            assert_eq!(serde_json::to_string(told).unwrap(), line, "{name}, line {}", number + 1);
            assert_eq!(*told, serde_json::from_str::<Frame>(line).unwrap(), "{name}: it can be read again");
        }
        assert_eq!(lines(&play), frozen, "{name}");
    }
}

#[test]
fn every_cue_has_an_example_and_a_name_of_its_own() {
    let told: BTreeSet<&str> =
        examples().iter().flat_map(|(_, play)| frames(play)).map(|frame| frame.cue.name()).collect();
    let schema = serde_json::to_value(schemars::schema_for!(Cue)).unwrap();
    let declared = |name: &str| -> BTreeSet<String> {
        let variants = schema["$defs"][name]["oneOf"].as_array().unwrap().iter();
        variants.map(|variant| variant["properties"]["type"]["const"].as_str().unwrap().to_owned()).collect()
    };
    let (critiques, asides) = (declared("Critique"), declared("Aside"));
    assert_eq!(critiques.intersection(&asides).count(), 0);
    let all: BTreeSet<&str> = critiques.union(&asides).map(String::as_str).collect();
    assert_eq!(told, all);
}

/// A stage that shows cues shows at least what the protocol of the stage asks for.
#[test]
fn a_theater_tells_all_its_critiques_in_their_order() {
    for (name, play) in examples().iter().filter(|(name, _)| name.starts_with("theater")) {
        let run = play.run();
        let critiques: Vec<Critique> = play.entries.iter().flat_map(|entry| script(&run, entry)).collect();
        let told: Vec<Critique> = frames(play)
            .into_iter()
            .filter_map(|frame| match frame.cue {
                Cue::Critique(critique) => Some(critique),
                Cue::Aside(_) => None,
            })
            .collect();
        assert_eq!(told, critiques, "{name}");
    }
}

#[test]
fn every_run_begins_with_its_scene_and_ends_with_its_end() {
    for (name, play) in examples() {
        let frames = frames(&play);
        assert!(matches!(frames[0].cue, Cue::Aside(Aside::Scene { .. })), "{name}");
        assert!(matches!(frames.last().unwrap().cue, Cue::Aside(Aside::RunClosed { .. })), "{name}");
    }
}
