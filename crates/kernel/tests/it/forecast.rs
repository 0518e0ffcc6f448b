//! What the forecast of faults is worth: planted faults, judges of known quality, a thousand runs for each row, one table.
//!
//! The table is in `docs/forecast.md`: `TRIBUNAL_BLESS=1 cargo nextest run -p tribunal-kernel -E 'test(forecast)'` plays all
//! of it and writes it; without, a part of every row is played and held against what matters.

use crate::streams::settings;
use crate::support::{Play, theater};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;
use tribunal_kernel::faults::{FaultLedger, Forecast, HiddenFaults};
use tribunal_kernel::theater::Panel;
use tribunal_kernel::{Binding, Outcome, Run, Score, SeatName};

/// Judges: how many, and between which catch rates each of them lies, of a hundred.
const JUDGES: [(u32, u32, u32); 12] = [
    (2, 30, 60),
    (2, 50, 80),
    (2, 80, 95),
    (2, 30, 95),
    (3, 30, 60),
    (3, 50, 80),
    (3, 80, 95),
    (3, 30, 95),
    (5, 30, 60),
    (5, 50, 80),
    (5, 80, 95),
    (5, 30, 95),
];
/// How uneven faults are, as the standard deviation of a fault's logit: all alike, some harder, some much harder for everybody.
const UNEVEN: [(f64, &str); 3] = [(0.0, "alike"), (1.0, "uneven"), (1.5, "very uneven")];
const MOST_FAULTS: u32 = 20;
const RUNS: u64 = 1_000;
/// How few are few, in the table's last columns.
const FEW: f64 = 0.5;

/// Numbers between 0 and 1 that follow from what they are for.
struct Throws {
    name: String,
    number: u64,
}

impl Throws {
    fn next(&mut self) -> f64 {
        self.number += 1;
        let name = self
            .name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut mixed = name.wrapping_add(self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of a normal distribution, nearly.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }

    fn next_of(&mut self, limit: u32) -> f64 {
        self.next() * f64::from(limit)
    }
}

/// What became of the runs of a row.
#[derive(Default)]
struct Row {
    spoke: u32,
    refused: u32,
    covered: u32,
    errors: Vec<f64>,
    of_chao: Vec<f64>,
    widths: Vec<u32>,
    /// Where few were said to be hidden: how often, and how often there were two or more.
    few: (u32, u32),
    few_by_chao: (u32, u32),
}

/// Faults that each were found by some of the judges: whom, as bits.
fn found(throws: &mut Throws, (judges, low, high): (u32, u32, u32), uneven: f64, planted: u32) -> Vec<u32> {
    let rates: Vec<f64> = (0..judges).map(|_| (f64::from(low) + throws.next_of(high - low)) / 100.0).collect();
    let mut seen = Vec::new();
    for _ in 0..planted {
        let harder = uneven * throws.normal();
        let mut by = 0;
        for (judge, rate) in rates.iter().enumerate() {
            let logit = (rate / (1.0 - rate)).ln() + harder;
            by |= u32::from(throws.next() < 1.0 / (1.0 + (-logit).exp())) << judge;
        }
        seen.push(by);
    }
    seen.retain(|by| *by != 0);
    seen
}

/// Chao's figure, which for two judges is Chapman's: pair by pair what only one found, over what exactly two found.
fn chao(found: &[u32], judges: u32) -> f64 {
    let alone: Vec<f64> =
        (0..judges).map(|judge| found.iter().filter(|by| **by == 1 << judge).count() as f64).collect();
    let twice = found.iter().filter(|by| by.count_ones() == 2).count() as f64;
    let (sum, squares) = (alone.iter().sum::<f64>(), alone.iter().map(|count| count * count).sum::<f64>());
    (sum * sum - squares) / 2.0 / (twice + 1.0)
}

fn play(judges: (u32, u32, u32), uneven: f64, runs: u64) -> Row {
    let mut row = Row::default();
    for run in 0..runs {
        let mut throws = Throws { name: format!("{judges:?} {uneven} {run}"), number: 0 };
        let planted = throws.next_of(MOST_FAULTS + 1).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 20")]
        let planted = planted as u32;
        let found = found(&mut throws, judges, uneven, planted);
        let mut by_finders = vec![0; judges.0 as usize];
        for by in &found {
            by_finders[by.count_ones() as usize - 1] += 1;
        }
        let finders = (0..judges.0).filter(|judge| found.iter().any(|by| by >> judge & 1 == 1)).count();
        let forecast = Forecast::of_counts(&by_finders, finders, 0);
        let Some(HiddenFaults { expected, least, most }) = forecast.hidden else {
            assert!(forecast.too_few.is_some() && !forecast.is_few(f64::MAX), "who cannot say must not say few");
            row.refused += 1;
            continue;
        };
        let hidden = planted - u32::try_from(found.len()).unwrap();
        row.spoke += 1;
        row.covered += u32::from((least..=most).contains(&hidden));
        row.errors.push((expected - f64::from(hidden)).abs());
        row.widths.push(most - least);
        let of_chao = chao(&found, judges.0);
        row.of_chao.push((of_chao - f64::from(hidden)).abs());
        for (says, few) in [(expected, &mut row.few), (of_chao, &mut row.few_by_chao)] {
            few.0 += u32::from(says <= FEW);
            few.1 += u32::from(says <= FEW && hidden >= 2);
        }
    }
    row.errors.sort_by(f64::total_cmp);
    row.of_chao.sort_by(f64::total_cmp);
    row.widths.sort_unstable();
    row
}

fn middle<T: Copy>(sorted: &[T]) -> Option<T> {
    sorted.get(sorted.len() / 2).copied()
}

impl Row {
    fn coverage(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.spoke.max(1))
    }

    fn told(&self) -> String {
        let number = |sorted: &[f64]| middle(sorted).map_or_else(|| "–".to_owned(), |number| format!("{number:.1}"));
        let width = middle(&self.widths).map_or_else(|| "–".to_owned(), |width| width.to_string());
        format!(
            "{:.1} % | {} | {} | {} | {width} | {} of {} | {} of {}",
            self.coverage() * 100.0,
            self.refused,
            number(&self.errors),
            number(&self.of_chao),
            self.few.1,
            self.few.0,
            self.few_by_chao.1,
            self.few_by_chao.0
        )
    }
}

const BEGIN: &str = "<!-- the table: written by the test -->\n";

#[test]
fn the_interval_of_a_forecast_holds_what_it_says() {
    let is_whole = std::env::var_os("TRIBUNAL_BLESS").is_some();
    let runs = if is_whole { RUNS } else { RUNS / 5 };
    let mut table = String::from(
        "| judges, each catches | faults | interval holds the truth | too few to say, of 1,000 | median error | Chao's | width | wrongly few | wrongly few by Chao |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for judges in JUDGES {
        for (uneven, name) in UNEVEN {
            let row = play(judges, uneven, runs);
            let (count, low, high) = judges;
            _ = writeln!(table, "| {count}, {low} to {high} % | {name} | {} |", row.told());
            // A part of the runs may be worse by chance.
            let least = if is_whole { 0.9 } else { 0.85 };
            assert!(least <= row.coverage(), "{judges:?}, {name}: {}", row.told());
        }
    }
    if is_whole {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/forecast.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let (head, _) = text.split_once(BEGIN).unwrap();
        std::fs::write(file, format!("{head}{BEGIN}{table}")).unwrap();
    }
}

static FAULTS: [&str; 4] = [
    "The price lacks its currency.",
    "The button has no label.",
    "The opening date is vague.",
    "The logo looks blurred.",
];

/// Two rounds of a theater that is not good enough: what each of the four judges finds in the first, and nothing in the second.
fn trial(agents: [&str; 4], found: [&[&str]; 4], few: Option<f64>) -> Run {
    trial_scored(agents, found, few, [json!(7), json!(7), json!(7), json!(7)])
}

/// The same, with the scores of the second round.
fn trial_scored(agents: [&str; 4], found: [&[&str]; 4], few: Option<f64>, scores: [serde_json::Value; 4]) -> Run {
    let mut spec = theater(settings(Panel::Seats));
    for (seat, agent) in ["critic", "brand", "a11y", "copy"].into_iter().zip(agents) {
        spec.seats.insert(SeatName::new(seat), Binding { agent: agent.into(), ..Binding::default() });
    }
    spec.limits.stop_when_left = few.map(Score::from_f64);
    let draft = |text: &str| json!({ "artifact": { "mime": "text/html", "content": text } }).to_string();
    let scored = |score: serde_json::Value, demands: &[&str]| {
        json!({ "score": score, "dims": [{ "name": "x", "score": score }], "must_fix": demands }).to_string()
    };
    let judge = |demands: &[&str]| scored(json!(7), demands);
    let mut answers = vec![draft("<h1>1</h1>")];
    answers.extend(found.map(judge));
    answers.push(draft("<h1>2</h1>"));
    answers.extend(scores.map(|score| scored(score, &[])));
    let mut play = Play::new(spec);
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    play.run()
}

#[test]
fn a_run_stops_where_few_faults_are_likely_left_and_goes_on_where_nobody_can_say() {
    let four = ["ann", "bob", "cid", "dee"];
    let [all, one_each] = [[&FAULTS[..]; 4], [0, 1, 2, 3].map(|judge| &FAULTS[judge..=judge])];
    let rows = [
        ("all found all", four, all, Some(0.5), "stops"),
        ("nobody asked for it", four, all, None, "goes on"),
        ("one model in four seats", ["ann"; 4], all, Some(0.5), "goes on: one judge"),
        ("each found another one", four, one_each, Some(0.5), "goes on: of 4 faults none"),
        ("nobody found anything", four, [&[][..]; 4], Some(1_000.0), "goes on: 0 faults"),
    ];
    for (name, agents, found, few, expected) in rows {
        let run = trial(agents, found, few);
        let forecast = run.forecast().unwrap();
        let why = forecast.too_few.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let became = match run.end() {
            Some(end) => {
                assert_eq!(end.outcome, Outcome::TimedOut, "{name}: to stop is not to pass");
                assert!(end.reason.contains("faults are likely left, and the limit is 0.5"), "{name}: {}", end.reason);
                "stops".to_owned()
            }
            None => format!("goes on{why}"),
        };
        assert!(became.starts_with(expected), "{name}: {became}, {forecast}");
    }
}

#[test]
fn who_gives_no_score_or_a_poor_one_without_a_word_is_no_sign_that_nothing_is_left() {
    let (four, all) = (["ann", "bob", "cid", "dee"], [&FAULTS[..]; 4]);
    let seven = || json!(7);
    for (name, scores) in [
        ("nobody scored", [json!(null), json!(null), json!(null), json!(null)]),
        ("one did not score", [seven(), seven(), seven(), json!(null)]),
        ("one in words", [seven(), seven(), seven(), json!("n/a")]),
        ("poor, and why is nowhere", [json!(1), json!(1), json!(1), json!(1)]),
        ("one of them", [seven(), json!(1), seven(), seven()]),
    ] {
        let run = trial_scored(four, all, Some(0.5), scores);
        assert!(run.end().is_none(), "{name}: {:?}", run.end());
    }
    let run = trial_scored(four, all, Some(0.5), [seven(), seven(), seven(), seven()]);
    assert!(run.end().is_some(), "all of them judged");
}

#[test]
fn it_is_known_who_found_a_fault() {
    let run = trial(["ann", "bob", "cid", "dee"], [&FAULTS[..2], &FAULTS[1..3], &FAULTS[1..2], &[]], None);
    let ledger = FaultLedger::of([&run]);
    let found = ledger.found();
    let told = found.iter().map(|fault| {
        let seats: Vec<&str> = fault.found_by.iter().map(|by| by.seat.as_str()).collect();
        format!("{} {}", fault.text, seats.join(" "))
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "The price lacks its currency. critic",
            "The button has no label. critic brand a11y",
            "The opening date is vague. brand",
        ]
    );
    assert!(found.iter().all(|fault| !fault.is_open), "they were found in the first draft, and the second was judged");
}
