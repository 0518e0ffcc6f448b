//! A turn whose provider takes no requests waits: no attempt is used, and nothing else happens to the run.

use crate::support::{Play, settings, spec, theater};
use std::time::Duration;
use tribunal_kernel::spec::FallbackAgent;
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::turn::Bill;
use tribunal_kernel::{Event, Limits, Next, Outcome, Run, RunSpec, SeatName, Spend, Time, TurnId, Usage, Usd};

const DRAFT: &str = r#"{"done": true, "candidate": {"content": "A text.", "format": "plain"}}"#;
const OK: &str = r#"{"verdict": "ok", "summary": "Good.", "issues": []}"#;

fn parked(turn: u32, agent: &str, until: Time) -> Event {
    let (why, agent) = ("try again later".to_owned(), agent.to_owned());
    let (taken_by, passed_to, bill) = (None, None, Bill::default());
    Event::TurnParked { turn: TurnId(turn), agent, until, why, taken_by, passed_to, bill }
}

/// The same, and another agent is asked instead.
fn passed(turn: u32, agent: &str, until: Time, to: &str) -> Event {
    let (why, agent, passed_to) = ("try again later".to_owned(), agent.to_owned(), Some(to.to_owned()));
    let (taken_by, bill) = (None, Bill::default());
    Event::TurnParked { turn: TurnId(turn), agent, until, why, taken_by, passed_to, bill }
}

/// A review whose seats have another agent to fall back on.
fn with_fallback(limits: Limits) -> RunSpec {
    let mut given = RunSpec { limits, ..spec(settings("description", 1)) };
    for binding in given.seats.values_mut() {
        let reserve = Spend { tokens: 0, usd: Usd(40_000) };
        binding.reserve = Spend { tokens: 0, usd: Usd(10_000) };
        binding.fallback =
            Some(FallbackAgent { agent: "other".into(), model: Some("m2".into()), effort: None, reserve });
    }
    given
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

#[test]
fn it_costs_no_attempt_however_often() {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[]);
    // More often than any number of attempts, and than turns in a row that may fail.
    for _ in 0..40 {
        let until = play.now().plus(Duration::from_secs(3600));
        play.record(parked(1, "writer", until));
        let (run, now) = (play.run(), play.now());
        assert!(matches!(run.next(now), Next::Wait), "nothing follows while it waits");
        assert!(run.is_parked(now) && run.next_wake(now) == Some(until));
        assert!(!run.is_parked(until) && run.next_wake(until).is_none(), "then it is called again");
    }
    let end = play.play(&[DRAFT, OK]).run().end().cloned().unwrap();
    assert_eq!(end.outcome, Outcome::Converged);
    assert_eq!(play.run().turns().len(), 2, "each call is one turn");
    assert_eq!(play.run().turns()[0].attempt, 1);
}

#[test]
fn the_limits_of_the_run_still_end_it() {
    let mut limited = spec(settings("description", 1));
    limited.limits = Limits { wall_ms: Some(60_000), ..Limits::default() };
    let mut play = Play::new(limited);
    play.play(&[]);
    play.record(parked(1, "writer", Time(10_000_000)));
    let run = play.run();
    assert!(matches!(run.next(Time(30_000)), Next::Wait));
    assert!(matches!(run.next(Time(61_000)), Next::Cancel(turns) if turns == [TurnId(1)]), "its time is up");
}

#[test]
fn what_it_took_before_is_paid_and_counted_once() {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[]);
    let usage = Usage { input_tokens: 70, usd: Some(Usd(9)), ..Usage::default() };
    let until = play.now().plus(Duration::from_secs(5));
    let bill = Bill { usage, ..Bill::default() };
    play.record(Event::TurnParked {
        turn: TurnId(1),
        agent: "writer".into(),
        until,
        why: "no".into(),
        taken_by: None,
        passed_to: None,
        bill,
    });
    play.play(&[DRAFT, OK]);
    assert_eq!(play.run().budget().spent, Spend { tokens: 70, usd: Usd(9) });
}

#[test]
fn the_clock_of_a_theater_stands_still_meanwhile() {
    let settings = Settings {
        per_round_timeout_ms: 90_000,
        total_timeout_ms: 200_000,
        ..Settings::new("shop", "landing", Panel::Seats)
    };
    let mut play = Play::new(theater(settings));
    play.play(&[]);
    let due = play.run().deadline().unwrap();
    let now = play.now();
    play.record(parked(1, "designer", now.plus(Duration::from_secs(7200))));
    assert_eq!(play.run().deadline().unwrap(), due.plus(Duration::from_secs(7200)));
}

#[test]
fn another_agent_gets_a_turn_of_its_own_and_never_a_judges() {
    let mut play = Play::new(with_fallback(Limits::default()));
    play.play(&[]);
    let (run, now) = (play.run(), play.now());
    let until = now.plus(minutes(60));
    assert_eq!(run.passed_to(&run.turns()[0], until, now), Some("other"));
    play.record(passed(1, "writer", until, "other"));
    assert!(play.run().turns()[0].error().is_some(), "the turn that was refused is over");
    play.play(&[]);
    let run = play.run();
    let turn = run.in_flight().next().unwrap();
    assert_eq!((turn.id, turn.attempt), (TurnId(2), 1), "no attempt is used");
    assert_eq!((run.agent_of(turn), run.model(turn)), ("other", Some("m2")));
    assert!(!run.is_parked(play.now()), "somebody is at work");
    assert_eq!(run.limited_until("writer", play.now()), Some(until));
    play.play(&[DRAFT]);
    let run = play.run();
    let review = run.in_flight().next().unwrap();
    assert_eq!((&review.seat, run.agent_of(review)), (&SeatName::new("reviewer"), "critic"));
    assert_eq!(run.passed_to(review, until, play.now()), None, "its control was another one's");
    // Nor is it when it is asked while its agent is not free.
    play.record(parked(3, "critic", play.now().plus(minutes(1))));
    let end = play.play(&[OK]).run().end().cloned().unwrap();
    assert_eq!(end.outcome, Outcome::Converged);
    assert_eq!(play.run().agent_of(&play.run().turns()[2]), "critic");
}

#[test]
fn whoever_is_free_first_is_asked() {
    let mut play = Play::new(with_fallback(Limits::default()));
    play.play(&[]);
    let own = play.now().plus(minutes(10));
    play.record(passed(1, "writer", own, "other"));
    play.play(&[]);
    let (run, now) = (play.run(), play.now());
    let turn = run.in_flight().next().unwrap();
    for (wait, expected) in [(5, None), (30, Some("writer"))] {
        assert_eq!(run.passed_to(turn, now.plus(minutes(wait)), now), expected, "after {wait} minutes");
    }
    play.record(passed(2, "other", now.plus(minutes(30)), "writer"));
    play.play(&[]);
    let (run, now) = (play.run(), play.now());
    let turn = run.in_flight().next().unwrap();
    assert_eq!((turn.id, run.agent_of(turn)), (TurnId(3), "writer"), "it is free twenty minutes earlier");
    assert_eq!(run.limited_until("writer", now), Some(own), "and is not asked before");
    assert_eq!(run.passed_to(turn, now.plus(minutes(40)), now), Some("other"));
}

#[test]
fn what_the_other_agent_costs_is_set_aside_and_where_that_is_too_much_the_turn_waits() {
    for (limit, expected, reserved) in [(100_000, "other", 40_000), (30_000, "writer", 10_000)] {
        let mut play = Play::new(with_fallback(Limits { usd: Some(Usd(limit)), ..Limits::default() }));
        play.play(&[]);
        assert_eq!(play.run().budget().reserved.usd, Usd(10_000));
        play.record(passed(1, "writer", play.now().plus(minutes(60)), "other"));
        assert_eq!(play.run().budget().reserved.usd, Usd(0), "a turn that is over keeps nothing");
        play.play(&[]);
        let run = play.run();
        let turn = run.in_flight().next().unwrap();
        assert_eq!(run.agent_of(turn), expected, "of {limit}");
        assert_eq!(run.budget().reserved.usd, Usd(reserved), "of {limit}");
    }
}

#[test]
fn a_log_in_which_a_turn_changed_hands_is_read() {
    let mut play = Play::new(with_fallback(Limits::default()));
    play.play(&[]);
    let (until, why, agent) = (play.now().plus(minutes(60)), "no".to_owned(), "writer".to_owned());
    let (taken_by, passed_to, bill) = (Some("other".to_owned()), None, Bill::default());
    play.record(Event::TurnParked { turn: TurnId(1), agent, until, why, taken_by, passed_to, bill });
    let run = play.run();
    assert_eq!((run.agent_of(&run.turns()[0]), run.model(&run.turns()[0])), ("other", Some("m2")));
    assert_eq!(play.play(&[DRAFT, OK]).run().end().unwrap().outcome, Outcome::Converged);
}

#[test]
fn seats_of_one_agent_wait_together_and_go_on_one_after_the_other() {
    let mut given = theater(Settings::new("shop", "landing", Panel::Seats));
    for binding in given.seats.values_mut() {
        binding.agent = "one".into();
    }
    let mut play = Play::new(given);
    // The first turn brings the page; then the judges are asked at once.
    play.play(&[r#"{"artifact": {"mime": "text/html", "content": "<h1>plain</h1>"}}"#]);
    let judges: Vec<TurnId> = play.run().in_flight().map(|turn| turn.id).collect();
    assert!(judges.len() >= 3, "{judges:?}");
    let until = play.now().plus(minutes(60));
    for turn in &judges {
        play.record(parked(turn.0, "one", until));
    }
    let run = play.run();
    let wakes = |run: &Run, now: Time| -> Vec<Option<u64>> {
        let wake = |turn: &TurnId| Some(run.parked_until(run.turn(*turn)?, now)?.since(until).as_secs());
        judges.iter().map(wake).collect()
    };
    let now = play.now();
    let expected: Vec<Option<u64>> = (0..judges.len() as u64).map(|nth| Some(nth * 10)).collect();
    assert_eq!(wakes(&run, now), expected, "ten seconds apart");
    assert_eq!(run.refusals_before("one", now), 0, "refused together is refused once");
    assert_eq!(run.refusals_before("one", until), 1);
    assert!(wakes(&run, until)[0].is_none() && wakes(&run, until)[1].is_some(), "the first one tries");
    // It is refused again: nobody else asks.
    let later = until.plus(minutes(30));
    play.record_at(until, parked(judges[0].0, "one", later));
    let run = play.run();
    assert!(run.is_parked(until.plus(minutes(20))));
    assert_eq!(run.next_wake(until.plus(minutes(1))), Some(later));
    assert_eq!(run.refusals_before("one", later), 2);
}

#[test]
fn whoever_resumes_wants_it_tried_now() {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[]);
    play.record(parked(1, "writer", Time(10_000_000)));
    assert_eq!(play.run().limited_until("writer", play.now()), Some(Time(10_000_000)));
    play.record(Event::RunResumed { limits: Limits::default() });
    assert_eq!(play.run().limited_until("writer", play.now()), None);
}
