//! The JSON form of events is frozen: what an older version wrote must stay readable for ever.
//!
//! `TRIBUNAL_BLESS=1 cargo test -p tribunal-kernel --test it events` writes the examples of events that are new.

use crate::support::{Play, settings, spec, theater};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::turn::{TurnError, TurnErrorKind};
use tribunal_kernel::{Draft, DraftId, Event, Format, Limits, Outcome, Ruling, Said, Score, Spend, TurnId, Usage, Usd};
use uuid::Uuid;

/// One example of every event, taken from a run that has them all.
fn examples() -> BTreeMap<&'static str, Event> {
    let mut play = Play::new(spec(settings("slug", 1)));
    play.usage =
        Usage { input_tokens: 900, output_tokens: 100, cached_tokens: 50, usd: Some(Usd(12_500)), estimated: false };
    play.play(&["!no key", r#"{"done": true, "candidate": {"content": "A text.", "format": "plain"}}"#]);
    let ruling = Ruling::reject(vec!["it says nothing".into()], Some(Score::from_f64(0.5)));
    let mut ruled =
        Play { entries: play.entries.clone(), texts: play.texts.clone(), prompts: vec![], usage: play.usage };
    ruled.record(Event::Ruled { turn: TurnId(2), ruling });
    let anchor = Anchor::read("kind = \"invariants\"\nMUST = [\"be brief\"]\n", Syntax::Toml).unwrap();
    ruled.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(anchor) });
    ruled.record(Event::DirectiveGiven { by: "ada".into(), text: "Keep it short.".into() });
    ruled.record(Event::SpentElsewhere { spend: Spend { tokens: 700, usd: Usd(3_000) } });
    play.record(Event::InterruptRequested { by: "ada".into() });
    play.record(Event::RunResumed { limits: Limits { usd: Some(Usd(2_000_000)), ..Limits::default() } });
    play.play(&[
        r#"{"verdict": "ok", "summary": "Good.", "issues": [{"message": "typo", "code": "typo", "field": "content"}]}"#,
    ]);
    let draft = Draft::of(DraftId(Uuid::from_u128(3)), "A text.", Format::Plain);
    play.record(Event::DraftSelected { draft, by: "ada".into() });
    play.record(Event::DecisionReopened { by: "ada".into(), why: "the brief changed".into(), rounds: 2 });
    let mut examples: BTreeMap<&str, Event> =
        play.entries.into_iter().map(|entry| (entry.event.name(), entry.event)).collect();
    examples.extend(ruled.entries.into_iter().rev().take(4).map(|entry| (entry.event.name(), entry.event)));
    let mut play = Play::new(theater(Settings::new("shop", "landing", Panel::Single)));
    play.play(&[include_str!("../../../../testdata/theater/ships-in-round-2.txt")]);
    for (name, entry) in play.entries.into_iter().map(|entry| (entry.event.name(), entry.event)) {
        // The loops share their events; what a theater adds to them has an example of its own.
        match name {
            "heard" => examples.entry("heard").or_insert(entry),
            "run_opened" => examples.entry("run_opened_theater").or_insert(entry),
            "round_closed" => examples.entry("round_closed_theater").or_insert(entry),
            "run_closed" => examples.entry("run_closed_theater").or_insert(entry),
            _ => continue,
        };
    }
    for entry in crate::desk::trials::two_iterations().entries {
        let name = match &entry.event {
            Event::RunOpened { .. } => "run_opened_desk",
            Event::TurnStarted { routed: Some(_), .. } => "turn_started_routed",
            Event::TurnAnswered { said, .. } => match &**said {
                Said::Surveyed(survey) if survey.plan.is_some() => "turn_answered_surveyed",
                Said::Worked(work) if work.claim.is_some() => "turn_answered_worked",
                Said::Checked(_) => "turn_answered_checked",
                Said::Inspected(_) => "turn_answered_inspected",
                _ => continue,
            },
            _ => continue,
        };
        examples.entry(name).or_insert(entry.event);
    }
    assert_eq!(examples.len(), 25, "an event without an example: {:?}", examples.keys());
    examples
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/events")).join(format!("{name}.json"))
}

#[test]
fn every_event_is_written_as_it_always_was() {
    for (name, event) in examples() {
        // The frozen files are sorted; a value keeps the order of its fields since serde_json preserves it.
        let mut value = serde_json::to_value(&event).unwrap();
        value.sort_all_objects();
        let written = format!("{value:#}\n");
        if std::env::var_os("TRIBUNAL_BLESS").is_some() {
            fs::create_dir_all(file(name).parent().unwrap()).unwrap();
            fs::write(file(name), &written).unwrap();
        }
        let frozen = fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written, frozen, "{name}");
        assert_eq!(serde_json::from_str::<Event>(&frozen).unwrap(), event, "{name}");
    }
}

#[test]
fn an_event_of_the_future_is_refused() {
    let error = serde_json::from_str::<Event>(r#"{"type": "run_teleported"}"#).unwrap_err();
    assert!(error.to_string().contains("unknown variant `run_teleported`"), "{error}");
}

#[test]
fn what_is_optional_may_be_absent() {
    let event = Event::TurnFailed {
        turn: TurnId(1),
        error: TurnError { kind: TurnErrorKind::Died, message: "gone".into(), hint: None },
        raw: None,
        bill: tribunal_kernel::turn::Bill::default(),
    };
    let json = serde_json::to_value(&event).unwrap();
    assert!(json.get("raw").is_none() && json["error"].get("hint").is_none(), "{json}");
    assert_eq!(serde_json::from_value::<Event>(json).unwrap(), event);
    assert_eq!(Outcome::NeedsHuman.as_str(), serde_json::to_value(Outcome::NeedsHuman).unwrap());
}
