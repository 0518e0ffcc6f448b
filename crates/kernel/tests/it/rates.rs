//! What controls and a quorum are worth: judges of known rates, thousands of runs, one table.
//!
//! Every draft is good or bad by the throw of a coin; a bad one breaks two of four rules. A judge notices what is broken
//! with its catch rate, and calls broken what is met with its false-alarm rate, in real calls, control calls and attention
//! items alike. The table is in `docs/rates.md`: `TRIBUNAL_BLESS=1` plays 2,000 runs for each of its cells and writes it;
//! without, a few of them are played and held against what matters.

use crate::ballots::by_models;
use crate::joust::{anchor, spec};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use tribunal_anchors::AnchorKind;
use tribunal_kernel::control::Controls;
use tribunal_kernel::joust::Settings;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::turn::{Bill, TurnError, TurnErrorKind};
use tribunal_kernel::{Digest, Entry, Event, Next, Outcome, Run, RunId, RunSpec, Score, SeatName, Seq, Time, Turn};
use uuid::Uuid;

const RULES: [&str; 4] = ["names the payer", "names the date", "names the place", "names the risk"];
const PARTS: [&str; 4] = [
    "The city pays for all of it.",
    "It begins on the first of June.",
    "It happens in the old harbour.",
    "The risk is that it may rain.",
];

/// What a judge notices, and what it only thinks it does, of a hundred.
#[derive(Clone, Copy)]
struct Rates {
    name: &'static str,
    catches: u64,
    alarms: u64,
}

const JUDGES: [Rates; 7] = [
    Rates { name: "says yes to everything", catches: 0, alarms: 0 },
    Rates { name: "says no to everything", catches: 100, alarms: 100 },
    Rates { name: "throws a coin", catches: 50, alarms: 50 },
    Rates { name: "poor", catches: 60, alarms: 15 },
    Rates { name: "fair", catches: 80, alarms: 5 },
    Rates { name: "good", catches: 95, alarms: 2 },
    Rates { name: "never wrong", catches: 100, alarms: 0 },
];

/// A number below a hundred that follows from what it is for.
fn throw(parts: &[&str], seed: u64) -> u64 {
    let digest = Digest::of(format!("{} {seed}", parts.join("/")));
    u64::from(u16::from_le_bytes([digest.0[0], digest.0[1]])) % 100
}

impl Rates {
    fn says_broken(self, is_broken: bool, parts: &[&str], seed: u64) -> bool {
        throw(parts, seed) < if is_broken { self.catches } else { self.alarms }
    }

    fn answer(self, turn: &Turn, prompt: &str, seed: u64) -> String {
        let turn_number = turn.id.to_string();
        if !prompt.contains("what you vote on:") {
            let is_bad = throw(&["draft", &turn_number], seed) < 50;
            let kept = PARTS.iter().enumerate().filter(|(index, _)| !is_bad || index % 2 == 0).map(|(_, part)| *part);
            // No draft says quite what another one says.
            let draft = format!("{}\n\nThis is draft {turn_number}.", kept.collect::<Vec<_>>().join("\n\n"));
            return json!({ "draft": draft }).to_string();
        }
        let (_, after) = prompt.split_once("what you vote on:\n").unwrap();
        let items: Vec<&str> = after.lines().skip(1).take_while(|line| line.starts_with('R')).collect();
        let draft = prompt.split("— the draft:").nth(1).unwrap();
        let vote = |line: &&str| -> Value {
            let id = line.split(':').next().unwrap();
            let known = line.split_once("contains the words \"").and_then(|(_, rest)| rest.split_once('"'));
            let rule = RULES.iter().position(|rule| line.contains(rule));
            let wanted = known.map_or_else(|| PARTS[rule.unwrap()], |(words, _)| words);
            let is_broken = !draft.contains(wanted);
            if self.says_broken(is_broken, &[turn.seat.as_str(), &turn_number, line], seed) {
                return json!({ "id": id, "says": "broken", "absent": true });
            }
            // Whoever does not see that something is missing quotes what is there.
            let shown = draft.lines().find(|line| line.split_whitespace().count() > 4).unwrap_or_default();
            json!({ "id": id, "says": "met", "quote": if is_broken { shown } else { wanted } })
        };
        json!({ "ballot": items.iter().map(vote).collect::<Vec<_>>() }).to_string()
    }
}

/// Plays a run to its end; gives its outcome, and whether the draft that stands is good.
fn play(spec: &RunSpec, rates: Rates, seed: u64) -> (Outcome, bool) {
    let mut texts = BTreeMap::from([(Digest::of("Describe the episode."), "Describe the episode.".to_owned())]);
    let mut prompts: Vec<String> = Vec::new();
    let at = |seq: u64, event| Entry { seq: Seq(seq), time: Time(1000 * seq), event };
    let spec = RunSpec { run: RunId(Uuid::from_u128(u128::from(seed) + 1)), ..spec.clone() };
    let mut run = Run::open(at(1, Event::RunOpened { spec: Box::new(spec) })).unwrap();
    loop {
        let seq = run.seq().next().0;
        match run.next(Time(1000 * seq)) {
            Next::Record(event) => run.apply(at(seq, event)).unwrap(),
            Next::Ask(calls) => {
                let fetch = |digest| texts.get(&digest).map(String::as_str);
                let rendered: Vec<_> =
                    calls.iter().map(|call| call.prompt.render(run.spec().origin(), fetch).unwrap()).collect();
                for event in run.start(calls.iter().zip(&rendered)).unwrap() {
                    let seq = run.seq().next().0;
                    run.apply(at(seq, event)).unwrap();
                }
                prompts.extend(rendered.into_iter().map(|prompt| prompt.text));
            }
            Next::Wait => {
                let turn = run.in_flight().next().unwrap().clone();
                let answer = rates.answer(&turn, &prompts[turn.id.0 as usize - 1], seed);
                let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
                exhibits.extend(run.exhibits(&turn).into_iter().map(|digest| (digest, texts[&digest].as_str().into())));
                let event = match run.read(&turn, &answer, &exhibits) {
                    Ok(reading) => {
                        texts.extend(reading.blobs.iter().map(|text| (Digest::of(text), text.clone())));
                        let raw = Digest::of(&answer);
                        Event::TurnAnswered { turn: turn.id, raw, said: Box::new(reading.said), bill: Bill::default() }
                    }
                    Err(misfit) => {
                        let error = TurnError { kind: misfit.kind(), message: misfit.to_string(), hint: None };
                        Event::TurnFailed { turn: turn.id, error, raw: None, bill: Bill::default() }
                    }
                };
                run.apply(at(seq, event)).unwrap();
            }
            Next::Cancel(turns) => {
                for turn in turns {
                    let kind = TurnErrorKind::Cancelled;
                    let error = TurnError { kind, message: "cancelled".into(), hint: None };
                    let seq = run.seq().next().0;
                    let event = Event::TurnFailed { turn, error, raw: None, bill: Bill::default() };
                    run.apply(at(seq, event)).unwrap();
                }
            }
            Next::Done(end) => {
                let stands = end.ship.map(|ship| texts[&ship.draft.content].clone()).unwrap_or_default();
                return (end.outcome, PARTS.iter().all(|part| stands.contains(part)));
            }
        }
    }
}

fn trial(judges: usize, quorum: u32, per_judge: u32) -> RunSpec {
    let linters = ["editor", "dba", "security"].map(SeatName::new).into_iter().take(judges).collect();
    let settings = Settings { linters, quorum, ..Settings::new("plan", AnchorKind::Invariants, &["skeptic"]) };
    let rules: Vec<String> = RULES.iter().map(|rule| format!("\"{rule}\"")).collect();
    let rules = anchor(&format!("kind = \"invariants\"\nMUST = [{}]\n", rules.join(", ")));
    let mut spec = by_models(spec(rules, settings));
    // Each of another provider: otherwise two of them would have one vote.
    for (name, agent) in &mut spec.agents {
        *agent = AgentDefinition(json!({ "kind": "http", "provider": name, "controls": per_judge > 0 }));
    }
    let (min_catch, share) = (Score::from_f64(0.5), Score::from_f64(0.3));
    spec.controls = Controls { per_judge, min_catch, share, passed: Vec::new() };
    spec
}

/// Of a hundred, with one decimal.
fn share(part: u64, whole: u64) -> String {
    let thousandths = part * 1000 / whole;
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// Runs that ended with a bad draft as passed, and with a good one.
fn passed(spec: &RunSpec, rates: Rates, seeds: u64) -> (u64, u64) {
    let played = (0..seeds).map(|seed| play(spec, rates, seed)).filter(|(outcome, _)| outcome.is_pass());
    let (right, wrong): (Vec<_>, Vec<_>) = played.partition(|(_, is_good)| *is_good);
    (wrong.len() as u64, right.len() as u64)
}

#[test]
fn what_controls_and_a_quorum_are_worth() {
    let configurations = [(1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (3, 2, 0), (3, 2, 1)]
        .map(|(judges, quorum, controls)| trial(judges, quorum, controls));
    let is_blessed = std::env::var_os("TRIBUNAL_BLESS").is_some();
    let seeds = if is_blessed { 2_000 } else { 30 };
    let mut table = String::from(
        "| judges (catch, false alarms) | one, no controls | **one, controls** | two, no controls | **two, controls** | \
         three, quorum 2, no controls | three, quorum 2, controls |\n|---|---|---|---|---|---|---|\n",
    );
    for rates in JUDGES {
        let cells = std::thread::scope(|scope| {
            let cells = configurations.each_ref().map(|spec| scope.spawn(move || passed(spec, rates, seeds)));
            cells.map(|cell| cell.join().unwrap())
        });
        let _ = write!(table, "| {} ({} %, {} %) |", rates.name, rates.catches, rates.alarms);
        for (wrong, right) in cells {
            let _ = write!(table, " {} wrong, {} right |", share(wrong, seeds), share(right, seeds));
        }
        table.push('\n');
        let [(believed, _), (wrong, right), _, (of_two, _), _, _] = cells;
        assert!(wrong <= seeds / 100 && of_two <= seeds / 100, "with the defaults, one in a hundred at most: {table}");
        match rates.name {
            "says yes to everything" => {
                assert_eq!((wrong, right), (0, 0), "{table}");
                assert!(believed > seeds / 4, "without controls it passes bad drafts: {table}");
            }
            "says no to everything" => assert_eq!((wrong, right), (0, 0), "{table}"),
            "never wrong" => assert_eq!((wrong, right), (0, seeds), "nobody who is right is held up: {table}"),
            _ => {}
        }
    }
    if is_blessed {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rates.md");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let (before, _) = text.split_once("| judges").unwrap_or((&text, ""));
        std::fs::write(&file, format!("{before}{table}")).unwrap();
    }
}
