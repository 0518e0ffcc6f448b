//! The JSON form of events is frozen: what an older version wrote must stay readable for ever.
//!
//! `TRIBUNAL_BLESS=1 cargo test -p tribunal-kernel --test it events` writes the examples of events that are new.

use crate::streams::{SHIPS, round, ship, stream};
use crate::support::{Play, settings, spec, theater};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::ballot::{Vote, VoteWord};
use tribunal_kernel::heard::Utterance;
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::turn::{Bill, TurnError, TurnErrorKind};
use tribunal_kernel::{
    Attachment, Digest, Draft, DraftId, Entry, Event, Format, Limits, MediaType, Outcome, Ruling, RunSpec, Said, Score,
    Spend, Time, TurnId, Usage, Usd,
};
use uuid::Uuid;

/// One example of every event, of whatever each loop says in it, and of everything that can be heard on the way.
fn examples() -> BTreeMap<String, Event> {
    let mut play = Play::new(spec(settings("slug", 1)));
    play.usage =
        Usage { input_tokens: 900, output_tokens: 100, cached_tokens: 50, usd: Some(Usd(12_500)), ..Usage::default() };
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
    let drafted = Play { entries: play.entries.clone(), texts: play.texts.clone(), prompts: vec![], usage: play.usage };
    let mut examples: BTreeMap<String, Event> =
        play.entries.into_iter().map(|entry| (entry.event.name().into(), entry.event)).collect();
    examples.extend(ruled.entries.into_iter().rev().take(4).map(|entry| (entry.event.name().into(), entry.event)));
    let votes = vec![
        Vote { item: "names the payer".into(), says: VoteWord::Met, quote: None, why: None },
        Vote {
            item: "names the date".into(),
            says: VoteWord::Broken,
            quote: None,
            why: Some("soon is no date".into()),
        },
    ];
    let parked = Event::TurnParked {
        turn: TurnId(1),
        agent: "claude".into(),
        until: Time(1_795_017_600_000),
        why: "You've hit your session limit · resets 5pm".into(),
        taken_by: None,
        passed_to: Some("codex".into()),
        bill: Bill::default(),
    };
    // As it was written before a turn that is passed on was over.
    let taken_over = Event::TurnParked {
        turn: TurnId(1),
        agent: "claude".into(),
        until: Time(1_795_017_600_000),
        why: "You've hit your session limit · resets 5pm".into(),
        taken_by: Some("codex".into()),
        passed_to: None,
        bill: Bill::default(),
    };
    examples.insert("turn_parked_taken_over".into(), taken_over);
    examples.insert("turn_parked".into(), parked);
    let draft = DraftId(Uuid::from_u128(3));
    examples.insert("items_decided".into(), Event::ItemsDecided { by: "ada".into(), draft, votes });
    let linted = Play::new(theater(Settings::new("shop", "landing", Panel::Single)));
    examples.insert("run_opened_theater_linted".into(), linted.entries[0].event.clone());
    // As it was written before every round was linted.
    let settings = Settings { lints_every_round: false, ..Settings::new("shop", "landing", Panel::Single) };
    let mut play = Play::new(theater(settings));
    play.play(&[include_str!("../../../../testdata/theater/ships-in-round-2.txt")]);
    for (name, entry) in play.entries.into_iter().map(|entry| (entry.event.name(), entry.event)) {
        // The loops share their events; what a theater adds to them has an example of its own.
        match name {
            "heard" => examples.entry("heard".into()).or_insert(entry),
            "run_opened" => examples.entry("run_opened_theater".into()).or_insert(entry),
            "round_closed" => examples.entry("round_closed_theater".into()).or_insert(entry),
            "run_closed" => examples.entry("run_closed_theater".into()).or_insert(entry),
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
        examples.entry(name.into()).or_insert(entry.event);
    }
    let plays = [
        drafted,
        stage(SHIPS),
        // A score beyond the scale is cut, and that is a warning.
        stage(&stream(&[round(1, &["critic 12", "brand 9", "a11y 9", "copy 9"], "composite=\"9\"")], &ship(1, ""))),
        stage("no protocol at all"),
        crate::theater::in_seats(),
        crate::joust::with_few_words(),
        crate::joust::with_a_ruling(),
        crate::desk::trials::taken_back("tampers"),
        crate::controls::a_passed_control(),
        crate::judge::a_change_that_does_not_hold(),
    ];
    for play in plays {
        let run = play.run();
        for Entry { event, .. } in play.entries {
            for name in names(run.spec().kind().as_str(), &event) {
                examples.entry(name).or_insert_with(|| event.clone());
            }
        }
    }
    // As a run through the real binary wrote it: evidence is collected by programs that no play has.
    let checked = include_str!("../../../../testdata/events/turn_answered_checked_evidence.json");
    examples.insert("turn_answered_checked_evidence".into(), serde_json::from_str(checked).unwrap());
    // A turn that another agent takes than the one in its seat.
    if let Some(Event::TurnStarted { turn, round, seat, task, attempt, prompt, stable, request, reserved, .. }) =
        examples.get("turn_started").cloned()
    {
        let (routed, taken_by, directives) = (None, Some("codex".to_owned()), 0);
        let event = Event::TurnStarted {
            turn,
            round,
            seat,
            task,
            attempt,
            prompt,
            stable,
            request,
            reserved,
            routed,
            taken_by,
            directives,
        };
        examples.insert("turn_started_taken_over".into(), event);
    }
    examples.insert("run_opened_attachments".into(), opened_with_attachments());
    assert_eq!(examples.len(), 48, "an event without an example: {:?}", examples.keys());
    examples
}

/// A run whose brief has an image and a text attached to it.
fn opened_with_attachments() -> Event {
    let attached = |name: &str, text: &str, media_type| Attachment {
        name: name.into(),
        content: Digest::of(text),
        media_type,
        bytes: text.len() as u64,
    };
    let image = attached("img/shot.png", "not really", MediaType::Png);
    let notes = attached("notes.md", "Rye.", MediaType::Markdown);
    let spec = RunSpec { attachments: vec![image, notes], ..spec(settings("slug", 1)) };
    Event::RunOpened { spec: Box::new(spec) }
}

/// What an event is an example of, besides those that have been there from the beginning.
fn names(kind: &str, event: &Event) -> Vec<String> {
    match event {
        Event::RunOpened { .. } if kind == "joust" || kind == "judge" => vec![format!("run_opened_{kind}")],
        Event::Heard { utterances, .. } => {
            let names = utterances.iter().filter_map(|utterance| match utterance {
                Utterance::Shipped { .. } => Some("heard_shipped"),
                Utterance::Warned { .. } => Some("heard_warned"),
                Utterance::Broke { .. } => Some("heard_broke"),
                Utterance::Ended => Some("heard_ended"),
                Utterance::Began
                | Utterance::Opened { .. }
                | Utterance::Drafted { .. }
                | Utterance::Scored { .. }
                | Utterance::Found { .. }
                | Utterance::Closed { .. }
                | Utterance::RoundEnded { .. } => None,
            });
            names.map(str::to_owned).collect()
        }
        Event::TurnAnswered { said, .. } => {
            let said = match &**said {
                Said::Draft { .. } => "draft",
                Said::Verdict(_) if kind == "review" => return Vec::new(),
                Said::Verdict(_) => "verdict",
                Said::Mutation(_) => "mutation",
                Said::Controlled(_) => "controlled",
                Said::Resolved { .. } => "resolved",
                Said::Collected(_) => "collected",
                Said::Done => "done",
                Said::Heard => "heard",
                Said::Surveyed(_) | Said::Worked(_) | Said::Checked(_) | Said::Inspected(_) => return Vec::new(),
            };
            vec![format!("turn_answered_{kind}_{said}")]
        }
        _ => Vec::new(),
    }
}

fn stage(stream: &str) -> Play {
    let mut play = Play::new(theater(Settings::new("shop", "landing", Panel::Single)));
    play.play(&[stream]);
    play
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/events")).join(format!("{name}.json"))
}

#[test]
fn every_event_is_written_as_it_always_was() {
    for (name, event) in examples() {
        let (written, file) = (written(&event), file(&name));
        if std::env::var_os("TRIBUNAL_BLESS").is_some() && !file.exists() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &written).unwrap();
        }
        let frozen = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written, frozen, "{name}");
        assert_eq!(serde_json::from_str::<Event>(&frozen).unwrap(), event, "{name}");
    }
}

/// Whatever lies there, also what no test makes any more: it is read, and written as it was.
#[test]
fn every_frozen_event_reads_back_to_itself() {
    let folder = file("any").parent().unwrap().to_owned();
    let mut read = 0;
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.is_file()) {
        let frozen = fs::read_to_string(&path).unwrap();
        let event =
            serde_json::from_str::<Event>(&frozen).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(written(&event), frozen, "{}", path.display());
        assert_eq!(serde_json::from_str::<Event>(&written(&event)).unwrap(), event, "{}", path.display());
        read += 1;
    }
    assert_eq!(read, examples().len(), "an example that no test makes, or one that is not frozen");
}

/// What the first format wrote stays readable: a `charter` with a path of its machine, and only the names of agents.
#[test]
fn run_specs_of_the_first_format_are_read() {
    let mut loops = Vec::new();
    for path in fs::read_dir(file("any").with_file_name("format-1")).unwrap().map(|entry| entry.unwrap().path()) {
        let frozen = fs::read_to_string(&path).unwrap();
        assert!(frozen.contains("\"charter\""), "{}", path.display());
        let event = serde_json::from_str::<Event>(&frozen).unwrap();
        let Event::RunOpened { spec } = &event else { panic!("{}", path.display()) };
        assert_eq!((spec.format, spec.project, spec.agents.len()), (1, None, 0), "{}", path.display());
        assert_eq!(spec.workspace, "/work", "{}", path.display());
        // Nothing of it is lost when it is written as today.
        let mut old: serde_json::Value = serde_json::from_str(&frozen).unwrap();
        let new = serde_json::to_value(&event).unwrap();
        assert_eq!(new["data"]["spec"], old["data"]["charter"].take(), "{}", path.display());
        loops.push(spec.kind().as_str());
    }
    loops.sort_unstable();
    assert_eq!(loops, ["desk", "joust", "review", "theater"]);
}

/// As it is frozen. The files are sorted; a value keeps the order of its fields since `serde_json` preserves it.
fn written(event: &Event) -> String {
    let mut value = serde_json::to_value(event).unwrap();
    value.sort_all_objects();
    format!("{value:#}\n")
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
        bill: Bill::default(),
    };
    let json = serde_json::to_value(&event).unwrap();
    assert!(json.get("raw").is_none() && json["error"].get("hint").is_none(), "{json}");
    assert_eq!(serde_json::from_value::<Event>(json).unwrap(), event);
    assert_eq!(Outcome::NeedsHuman.as_str(), serde_json::to_value(Outcome::NeedsHuman).unwrap());
}
