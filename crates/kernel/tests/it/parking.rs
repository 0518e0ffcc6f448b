//! A turn whose provider takes no requests waits: no attempt is used, and nothing else happens to the run.

use crate::support::{Play, settings, spec, theater};
use std::time::Duration;
use tribunal_kernel::spec::FallbackAgent;
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::turn::Bill;
use tribunal_kernel::{Event, Limits, Next, Outcome, SeatName, Spend, Time, TurnId, Usage, Usd};

const DRAFT: &str = r#"{"done": true, "candidate": {"content": "A text.", "format": "plain"}}"#;
const OK: &str = r#"{"verdict": "ok", "summary": "Good.", "issues": []}"#;

fn parked(turn: u32, agent: &str, until: Time) -> Event {
    let (why, agent) = ("try again later".to_owned(), agent.to_owned());
    Event::TurnParked { turn: TurnId(turn), agent, until, why, taken_by: None, bill: Bill::default() }
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
fn another_agent_takes_a_turn_over_and_never_a_judges() {
    let mut given = spec(settings("description", 1));
    for binding in given.seats.values_mut() {
        binding.fallback = Some(FallbackAgent { agent: "other".into(), model: Some("m2".into()), effort: None });
    }
    let mut play = Play::new(given);
    play.play(&[]);
    let now = play.now();
    let run = play.run();
    assert_eq!(run.stand_in_for(&run.turns()[0], now), Some("other"));
    let until = now.plus(Duration::from_secs(60));
    let taken_by = Some("other".to_owned());
    let (why, agent, bill) = ("no".to_owned(), "writer".to_owned(), Bill::default());
    play.record(Event::TurnParked { turn: TurnId(1), agent, until, why, taken_by, bill });
    let run = play.run();
    assert!(!run.is_parked(play.now()), "somebody is at work");
    assert_eq!((run.agent_of(&run.turns()[0]), run.model(&run.turns()[0])), ("other", Some("m2")));
    assert_eq!(run.stand_in_for(&run.turns()[0], now), None, "nobody takes over from whoever took over");
    assert_eq!(run.limited_until("writer"), Some(until));
    play.play(&[DRAFT]);
    let run = play.run();
    let review = run.in_flight().next().unwrap();
    assert_eq!(review.seat, SeatName::new("reviewer"));
    assert_eq!(run.stand_in_for(review, now), None, "its control was another one's");
}

#[test]
fn nobody_takes_over_on_money_that_was_set_aside_for_another() {
    for limits in
        [Limits { usd: Some(Usd(150_000)), ..Limits::default() }, Limits { tokens: Some(1500), ..Limits::default() }]
    {
        let mut given = spec(settings("description", 1));
        given.limits = limits;
        for binding in given.seats.values_mut() {
            binding.fallback = Some(FallbackAgent { agent: "other".into(), model: None, effort: None });
        }
        let mut play = Play::new(given);
        play.play(&[]);
        let run = play.run();
        assert_eq!(run.stand_in_for(&run.turns()[0], play.now()), None);
    }
}

#[test]
fn whoever_resumes_wants_it_tried_now() {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[]);
    play.record(parked(1, "writer", Time(10_000_000)));
    assert_eq!(play.run().limited_until("writer"), Some(Time(10_000_000)));
    play.record(Event::RunResumed { limits: Limits::default() });
    assert_eq!(play.run().limited_until("writer"), None);
}
