//! The table of limits: every agent, every way to be told "not now". What is told is read by the agent's own adapter, and
//! what it means is played with a clock of its own: the turn waits, is called again at the time, and nothing else happens.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod acp;
mod cases;
mod stage;
mod wires;

use std::fmt::Write as _;
use std::time::Duration;
use tribunal_agents::{AgentError, Resumption};
use tribunal_kernel::{Limits, Outcome, Usd};

use cases::Case;
use stage::{Act, span, start};

/// What the page says before its table.
const HEAD: &str = "\
# Rate limits

What becomes of a turn whose provider takes no requests: every agent, every way in which it says so, and what Tribunal makes
of it. The table is made by a test (`crates/testkit/tests/limits`) that lets each agent's own adapter read the words, and
plays the rest with a clock of its own. It begins at 14:00 on 18 November 2026, where the reader sits.
In every row the turn is *parked*, called again at that time and not before, and answered then; the run converges. No attempt
is used, nothing is paid for the refusal, nothing escalates, and no breaker counts it.

| agent | what it is told | waits | what you read |
|---|---|---|---|
";

fn table(cases: &[Case]) -> String {
    let mut rows = HEAD.to_owned();
    for Case { agent, told, heard } in cases {
        let AgentError::Limited { why, .. } = heard.clone().unwrap_err() else { panic!("{agent}, {told}: {heard:?}") };
        let act = Act::refused_once(heard).play();
        let waits = act.calls[1].at;
        assert_eq!(act.outcome, Outcome::Converged, "{agent}, {told}");
        assert_eq!((act.calls.len(), act.attempts, act.failed), (2, 1, 0), "{agent}, {told}");
        assert_eq!(act.spent, Usd(0), "{agent}, {told}");
        let [until] = act.parked[..] else { panic!("{agent}, {told}: parked once: {:?}", act.parked) };
        let late = waits.checked_sub(until).unwrap_or_else(|| panic!("{agent}, {told}: called before the time"));
        assert!(late < Duration::from_millis(10), "{agent}, {told}: called {late:?} too late");
        // A stamp says another number elsewhere.
        let why = why.replace(&(start().timestamp().as_second() + 7200).to_string(), "1795014000");
        let cell = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let _ = writeln!(rows, "| {agent} | {} | {} | {} |", cell(told), span(until), cell(&why));
    }
    rows
}

/// Every way to be limited. The page is the snapshot.
#[test]
fn every_agent_that_is_told_not_now_waits_and_is_called_at_the_time() {
    let page = table(&cases::all());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rate-limits.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(written, page, "docs/rate-limits.md is old: UPDATE_DOCS=1 cargo test -p tribunal-testkit --test limits");
}

/// What looks like a limit and is none: it is an answer, or a failure with a hint.
#[test]
fn words_in_an_answer_park_nobody() {
    let mut table = String::new();
    for Case { agent, told, heard } in cases::none() {
        assert!(!matches!(heard, Err(AgentError::Limited { .. })), "{agent}, {told}: {heard:?}");
        let meaning = match heard {
            Ok(_) => "an answer".to_owned(),
            Err(error) => format!("fails: {error}"),
        };
        let _ = writeln!(table, "{agent}: {told} => {meaning}");
    }
    insta::assert_snapshot!(table);
}

#[test]
fn the_limits_of_the_run_end_a_wait_of_weeks() {
    let weeks = Err(cases::limited(Some(Resumption::In(Duration::from_secs(21 * 24 * 3600)))));
    let limits = Limits { wall_ms: Some(1_800_000), ..Limits::default() };
    let act = Act { limits, ..Act::refused_once(&weeks) }.play();
    assert_eq!((act.outcome, act.calls.len()), (Outcome::TimedOut, 1));
    assert_eq!(act.lasted.as_secs(), 1800);
    let act = Act::refused_once(&weeks).play();
    assert_eq!((act.outcome, act.calls[1].at.as_secs()), (Outcome::Converged, 21 * 24 * 3600));
    // More than a month is believed by nobody: it is tried at intervals.
    let months = Err(cases::limited(Some(Resumption::In(Duration::from_secs(90 * 24 * 3600)))));
    assert_eq!(Act::refused_once(&months).play().calls[1].at.as_secs(), 60);
}

#[test]
fn who_says_now_for_ever_is_asked_ever_less() {
    for (when, least, most) in [
        (Some(Resumption::In(Duration::ZERO)), 20, 70),
        (Some(Resumption::At(start().timestamp())), 20, 70),
        (Some(Resumption::In(Duration::from_secs(1))), 20, 70),
        (None, 4, 10),
    ] {
        let limits = Limits { wall_ms: Some(3_600_000), ..Limits::default() };
        let heard = Err(cases::limited(when.clone()));
        let act = Act { limits, refusals: u32::MAX, ..Act::refused_once(&heard) }.play();
        assert_eq!((act.outcome, act.failed), (Outcome::TimedOut, 1), "{when:?}: ended by the run's limit alone");
        assert!((least..=most).contains(&act.calls.len()), "{when:?}: {} calls in an hour", act.calls.len());
    }
}

#[test]
fn whoever_takes_the_turn_over_is_paid_for_by_itself() {
    let heard = Err(cases::limited(Some(Resumption::In(Duration::from_secs(3 * 3600)))));
    let dollar = Limits { usd: Some(Usd(1_000_000)), ..Limits::default() };
    for (name, limits, other_costs, expected) in [
        ("no limit", Limits::default(), 400_000, ["writer", "other"].as_slice()),
        ("enough for both", dollar.clone(), 400_000, &["writer", "other"]),
        ("enough for the one in the seat", dollar, 5_000_000, &["writer", "writer"]),
    ] {
        let act = Act { limits, fallback: Some(other_costs), ..Act::refused_once(&heard) }.play();
        let who: Vec<&str> = act.calls.iter().map(|call| call.agent.as_str()).collect();
        assert_eq!(who, expected, "{name}");
        assert_eq!((act.outcome, act.attempts), (Outcome::Converged, 1), "{name}");
        let waited = act.calls[1].at;
        assert_eq!(waited.as_secs() == 0, expected[1] == "other", "{name}: after {waited:?}");
    }
}

#[test]
fn a_fallback_that_is_refused_too_gives_the_turn_back_to_whoever_is_free_first() {
    let hours = |hours: u64| Err(cases::limited(Some(Resumption::In(Duration::from_secs(hours * 3600)))));
    for (own, other, expected) in [(1, 3, ("writer", 1)), (3, 1, ("other", 1))] {
        let heard = hours(own);
        let act = Act { fallback: Some(0), other: Some(hours(other)), ..Act::refused_once(&heard) }.play();
        let last = act.calls.last().unwrap();
        assert_eq!((last.agent.as_str(), last.at.as_secs() / 3600), expected, "{own} h and {other} h: {:?}", act.calls);
        assert_eq!((act.calls.len(), act.attempts, act.outcome), (3, 1, Outcome::Converged));
    }
}

#[test]
fn a_run_that_is_killed_or_left_while_it_waits_goes_on_at_the_time_and_not_before() {
    let hour = Duration::from_secs(3600);
    let heard = Err(cases::limited(Some(Resumption::In(3 * hour))));
    for (name, kills, called) in [
        ("taken up at once", vec![(hour, Duration::ZERO)], 3),
        ("killed twice", vec![(hour, Duration::ZERO), (hour, Duration::ZERO)], 3),
        ("taken up before the time", vec![(hour, hour)], 3),
        ("taken up after the time", vec![(hour, 4 * hour)], 5),
    ] {
        let act = Act { kills, ..Act::refused_once(&heard) }.play();
        assert_eq!((act.outcome, act.calls.len(), act.attempts), (Outcome::Converged, 2, 1), "{name}");
        assert_eq!(act.calls[1].at.as_secs() / 3600, called, "{name}");
        assert_eq!(
            (act.parked.len(), act.failed, act.spent),
            (1, 0, Usd(0)),
            "{name}: nothing lost, nothing paid twice"
        );
    }
}
