//! What is set aside for calls, and what becomes of a turn that reached it.

use serde_json::json;
use std::fmt::Write as _;
use tribunal_kernel::quote::USEFUL;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::turn::{Bill, TurnError, TurnErrorKind};
use tribunal_kernel::{Event, Outcome, Rate, RunSpec, Spend, TurnId, Usage, Usd};

use crate::support::{Play, settings, spec, theater};

const RATE: Rate = Rate {
    input: Usd(5_000_000),
    cached: Usd(500_000),
    output: Usd(25_000_000),
    cache_write: Some(Usd(6_250_000)),
    long: None,
    max_output: Some(32_000),
};

/// The same with one agent of this kind in every seat, which has a price.
fn taken_by(mut spec: RunSpec, kind: &str) -> RunSpec {
    for binding in spec.seats.values_mut() {
        binding.agent = "model".into();
        binding.model = Some("big".into());
    }
    spec.agents = [("model".to_owned(), AgentDefinition(json!({ "kind": kind })))].into();
    spec.rates = [("big".to_owned(), RATE)].into();
    spec
}

fn limited(mut spec: RunSpec, usd: u64) -> Play {
    spec.limits.usd = Some(Usd(usd));
    Play::new(spec)
}

/// The turn in flight reaches what was set aside for it.
fn cut(play: &mut Play, spent: u64) -> TurnId {
    let turn = play.run().in_flight().next().unwrap().id;
    let error = TurnError { kind: TurnErrorKind::OverBudget, message: "cut".into(), hint: None };
    let usage = Usage { usd: Some(Usd(spent)), ..Usage::default() };
    play.record(Event::TurnFailed { turn, error, raw: None, bill: Bill { usage, ..Bill::default() } });
    play.play(&[]);
    turn
}

fn reserved(play: &Play) -> Vec<u64> {
    play.run().in_flight().map(|turn| turn.reserved.usd.0).collect()
}

#[test]
fn calls_at_once_never_have_more_than_is_left_and_none_has_too_little() {
    let draft = r#"{"artifact": {"mime": "text/html", "content": "<h1>x</h1>"}}"#;
    let mut told = String::new();
    for (limit, judges) in [(2_000_000, 4), (1_000_000, 4), (500_000, 2), (240_000, 1), (20_000, 0)] {
        let mut play = limited(taken_by(theater(Settings::new("p", "page", Panel::Seats)), "http"), limit);
        play.usage = Usage { input_tokens: 500, output_tokens: 200, usd: Some(Usd(10_000)), ..Usage::default() };
        play.play(&[draft]);
        let run = play.run();
        let shares = reserved(&play);
        let _ = writeln!(told, "{limit}: {shares:?}");
        assert_eq!(shares.len(), judges, "{told}");
        assert!(run.budget().held().usd.0 <= limit, "{told}");
        for turn in run.in_flight() {
            let meter = run.meter(turn);
            assert_eq!(meter.allowance.usd, Some(turn.reserved.usd));
            let output = RATE.output_within(turn.reserved.usd, 3000);
            assert!(output >= USEFUL, "{limit}: {output} tokens");
        }
    }
}

#[test]
fn a_turn_that_reached_its_allowance_gets_twice_as_much_or_ends_the_run() {
    let mut play = limited(taken_by(spec(settings("description", 3)), "http"), 1_000_000);
    play.play(&[]);
    let first = reserved(&play)[0];
    assert_eq!(first, 500_000, "half of what is left");
    // It had cost little when it was cut: there is twice as much left.
    cut(&mut play, 0);
    let second = reserved(&play)[0];
    assert!(second > first && second <= 1_000_000, "{first} {second}");
    cut(&mut play, second);
    let end = play.run().end().cloned().unwrap();
    assert_eq!((end.outcome, end.reason.as_str()), (Outcome::OverBudget, "creator reached what was left for its turn"));
    assert!(play.run().budget().spent.usd <= Usd(1_000_000));
    // With more money it goes on.
    let limits = tribunal_kernel::Limits { usd: Some(Usd(9_000_000)), ..Default::default() };
    play.record(Event::RunResumed { limits });
    play.play(&[]);
    assert_eq!(play.run().in_flight().count(), 1);
}

#[test]
fn without_a_limit_nobody_is_asked_for_ever() {
    let mut play = Play::new(taken_by(spec(settings("description", 3)), "http"));
    play.play(&[]);
    cut(&mut play, 0);
    assert_eq!(play.run().end().map(|end| end.outcome), Some(Outcome::OverBudget));
}

#[test]
fn who_cannot_be_told_a_limit_has_the_dearest_turn_of_its_model_set_aside() {
    let mut play = limited(taken_by(spec(settings("description", 3)), "codex"), 2_000_000);
    play.play(&[]);
    let first = reserved(&play)[0];
    assert!(first > RATE.most(32_000, 4096).0, "its own words and an answer: {first}");
    play.usage = Usage { input_tokens: 90_000, output_tokens: 900, usd: Some(Usd(700_000)), ..Usage::default() };
    play.play(&[r#"{"candidate": "a", "done": false}"#]);
    assert!(reserved(&play)[0] >= 700_000, "another seat, the same agent and model: {:?}", reserved(&play));
    let turn = play.run().in_flight().next().cloned().unwrap();
    assert_eq!(play.run().meter(&turn).allowance.usd, None, "nobody tells it");
}

#[test]
fn what_the_configuration_says_of_a_turn_is_what_it_may_cost() {
    let mut spec = taken_by(spec(settings("description", 3)), "http");
    for binding in spec.seats.values_mut() {
        binding.reserve = Spend { tokens: 0, usd: Usd(300_000) };
    }
    let mut play = limited(spec, 2_000_000);
    play.play(&[]);
    assert_eq!(reserved(&play), [300_000]);
}
