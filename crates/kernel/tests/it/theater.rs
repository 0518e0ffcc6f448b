//! Both ways of seating a panel: whole trials, played without an engine.

use crate::streams::{POOR, SHIPS, round, settings, stream};
use crate::support::{Play, theater};
use insta::assert_snapshot;
use tribunal_kernel::grade::Mark;
use tribunal_kernel::theater::board;
use tribunal_kernel::theater::{Panel, RoundDecision, Settings, Stage, TheaterEvent, TheaterGiven};
use tribunal_kernel::{Digest, Entry, Event, Outcome, Round, Run, Score, SeatName, Time};

/// Answers of one round in `seats`: a draft, then the judges in the order of the cast.
fn seats_round(draft: &str, judges: [(f64, &str); 4]) -> Vec<String> {
    let judge = |(score, demand): (f64, &str)| {
        let demands = if demand.is_empty() { String::new() } else { format!("{demand:?}") };
        format!(
            r#"I think: {{"score": {score}, "dims": [{{"name": "x", "score": {score}}}], "must_fix": [{demands}]}}"#
        )
    };
    let mut answers = vec![format!(r#"{{"notes": "n", "artifact": {{"mime": "text/html", "content": {draft:?}}}}}"#)];
    answers.extend(judges.map(judge));
    answers
}

fn play(panel: Panel, answers: &[String]) -> Play {
    let mut play = Play::new(theater(settings(panel)));
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    play
}

/// Whoever a panel relies on is marked: there is no trial, but there is an artifact.
#[test]
fn a_mark_turns_the_trial_into_a_plain_pass() {
    for (panel, seat) in [(Panel::Single, "panel"), (Panel::Seats, "designer")] {
        let (since, until) = (Time(0), Time(86_400_000));
        let mark = Mark { agent: seat.into(), model: None, since, until, why: "0 of 10 shipped".into() };
        let mut play = Play::new(theater(Settings { mark: Some(mark), ..settings(panel) }));
        play.play(&[r#"{"artifact": {"mime": "text/html", "content": "<h1>plain</h1>"}}"#]);
        let watched = play.watched();
        assert!(watched.contains(&format!("degraded: adapter_degraded (agent {seat})")), "{panel:?}: {watched}");
        let run = play.run();
        assert_eq!(run.turns().len(), 1, "{panel:?}: nobody else is asked");
        let end = run.end().unwrap();
        assert_eq!(end.outcome, Outcome::Degraded, "{panel:?}");
        assert_eq!(
            end.reason,
            format!("agent `{seat}` is marked degraded until 1970-01-02T00:00:00.000Z: 0 of 10 shipped"),
        );
        let ship = end.ship.as_deref().unwrap();
        assert_eq!((ship.draft.content, ship.composite), (Digest::of("<h1>plain</h1>"), None), "{panel:?}");
    }
}

const POOR_SEATS: [(f64, &str); 4] = [(6.0, "Darken it."), (7.0, "Use our grey."), (6.0, ""), (6.0, "")];
const FINE_SEATS: [(f64, &str); 4] = [(9.0, ""), (8.5, ""), (8.5, ""), (8.0, "")];

/// A trial of separate seats, with a round that fails and one that passes.
pub(crate) fn in_seats() -> Play {
    let answers = [seats_round("<h1>1</h1>", POOR_SEATS), seats_round("<h1>2</h1>", FINE_SEATS)].concat();
    play(Panel::Seats, &answers)
}

#[test]
fn separate_seats_give_the_same_events() {
    assert_snapshot!(in_seats().watched(), @r"
    designer, critic, brand, a11y, copy: at most 3 rounds, 8 of 10 to pass
    round 1  designer is speaking
    round 1  critic is speaking
    round 1  brand is speaking
    round 1  a11y is speaking
    round 1  copy is speaking
    round 1  critic  x 6  
    round 1  critic  must fix: Darken it.
    round 1  critic  6
    round 1  brand  x 7  
    round 1  brand  must fix: Use our grey.
    round 1  brand  7
    round 1  a11y  x 6  
    round 1  a11y  6
    round 1  copy  x 6  
    round 1  copy  6
    round 1  composite 6.2  must-fix 2  continue: composite 6.2 is below 8; 2 must-fixes are open
    round 2  designer is speaking
    round 2  critic is speaking
    round 2  brand is speaking
    round 2  a11y is speaking
    round 2  copy is speaking
    round 2  critic  x 9  
    round 2  critic  9
    round 2  brand  x 8.5  
    round 2  brand  8.5
    round 2  a11y  x 8.5  
    round 2  a11y  8.5
    round 2  copy  x 8  
    round 2  copy  8
    round 2  composite 8.6  must-fix 0  ship: composite 8.6 reaches 8, no must-fix is open
    shipped: round 2 with 8.6
    ");
}

#[test]
fn judges_are_blind_to_each_other_and_the_designer_hears_what_all_demand() {
    let answers = [seats_round("<h1>1</h1>", POOR_SEATS), seats_round("<h1>2</h1>", FINE_SEATS)].concat();
    let play = play(Panel::Seats, &answers);
    let prompts = &play.prompts;
    assert_eq!(prompts.len(), 10);
    assert!(prompts[1..5].iter().all(|prompt| !prompt.contains("Darken it.") && !prompt.contains("must fix:")));
    assert!(prompts[5].contains("- must fix: Darken it.") && prompts[5].contains("- must fix: Use our grey."));
    // In the round after, others are letters.
    let brand = &prompts[7];
    assert!(brand.contains("judge A: 6\n") && brand.contains("you: 7\n"), "{brand}");
    assert!(!brand.contains("critic"), "{brand}");
}

#[test]
fn a_judge_whose_answer_cannot_be_read_is_told_why_and_then_missing() {
    let mut answers = seats_round("<h1>1</h1>", FINE_SEATS);
    answers.splice(2..3, ["no".into(), "{}".into(), "still no".into()]);
    // The others' answers come between the attempts: in flight, the oldest is answered first.
    let mut play = Play::new(theater(settings(Panel::Seats)));
    let by_order = [&answers[0], &answers[1], &answers[2], &answers[5], &answers[6], &answers[3], &answers[4]];
    play.play(&by_order.map(String::as_str));
    let told = play.watched();
    assert!(told.contains("warning: missing_role"), "{told}");
    assert!(told.contains("composite 6.9  must-fix 1  continue"), "{told}");
    assert!(play.prompts.iter().any(|prompt| prompt.contains("the answer holds no complete JSON object")));
}

#[test]
fn an_agent_that_dies_fails_the_run_and_what_was_completed_is_handed_over() {
    for (name, panel, answers) in [
        ("seats", Panel::Seats, [seats_round("<h1>1</h1>", POOR_SEATS), vec!["!gone".into(); 3]].concat()),
        (
            "single",
            Panel::Single,
            vec![stream(&[round(1, &POOR, "")], "").replace("</CRITIQUE_RUN>", "<ROUND n=\"2\">⚡")],
        ),
    ] {
        let play = play(panel, &answers);
        let run = play.run();
        let end = run.end().unwrap();
        assert_eq!(end.outcome, Outcome::Failed, "{name}");
        let ship = end.ship.as_ref().unwrap();
        assert_eq!(ship.round, Round(1), "{name}");
        assert_eq!(play.texts[&ship.draft.content], "<h1>1</h1>", "{name}");
        let told = play.watched();
        assert!(told.contains("failed: cli_exit_nonzero\nfailed: round 1 with"), "{name}: {told}");
    }
}

#[test]
fn a_broken_stream_is_degraded_and_one_plain_pass_makes_the_artifact() {
    let broken = stream(&[round(1, &POOR, "")], "").replace("</CRITIQUE_RUN>", "<PANELIST role=\"critic\">");
    let play = play(Panel::Single, &[broken, "Here you are:\n```html\n<h1>plain</h1>\n```\n".into()]);
    let told = play.watched();
    assert!(told.ends_with("degraded: malformed_block (agent panel)\n"), "{told}");
    let run = play.run();
    let end = run.end().unwrap();
    assert_eq!(end.outcome, Outcome::Degraded);
    let ship = end.ship.as_ref().unwrap();
    assert_eq!((play.texts[&ship.draft.content].as_str(), ship.composite), ("<h1>plain</h1>\n", None));
    assert_eq!(board::completed(run.rounds()).len(), 1, "the completed round is kept");
}

#[test]
fn an_answer_without_a_run_is_degraded() {
    let play = play(Panel::Single, &["I would rather talk about the weather.".into(), "<p>x</p>".into()]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Degraded);
}

#[test]
fn without_a_panel_the_designer_makes_one_pass() {
    let play = play(Panel::Off, &[r#"{"artifact": {"mime": "text/markdown", "content": "Hello"}}"#.into()]);
    let run = play.run();
    let end = run.end().unwrap();
    assert_eq!(end.outcome, Outcome::Legacy);
    assert_eq!(end.ship.as_ref().unwrap().composite, None);
}

/// The run so far, closed by something from outside.
fn closed_by(play: &Play, event: Option<Event>, at: Time) -> (Outcome, Option<(Round, String, Score)>) {
    let mut run = play.run();
    let record = |run: &mut Run, event| {
        let entry = Entry { seq: run.seq().next(), time: at, event };
        run.apply(&entry).unwrap();
    };
    if let Some(event) = event {
        record(&mut run, event);
    }
    loop {
        match run.next(at) {
            tribunal_kernel::Next::Record(event) => record(&mut run, event),
            tribunal_kernel::Next::Cancel(turns) => {
                for turn in turns {
                    let error = tribunal_kernel::TurnError {
                        kind: tribunal_kernel::turn::TurnErrorKind::Cancelled,
                        message: String::new(),
                        hint: None,
                    };
                    let bill = tribunal_kernel::turn::Bill::default();
                    record(&mut run, Event::TurnFailed { turn, error, raw: None, bill });
                }
            }
            tribunal_kernel::Next::Done(end) => {
                let ship = end.ship.map(|ship| {
                    (ship.round, play.texts[&ship.draft.content].clone(), ship.composite.unwrap_or_default())
                });
                return (end.outcome, ship);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn interrupt_and_timeouts_hand_over_the_best_completed_round() {
    let play = play(Panel::Seats, &seats_round("<h1>1</h1>", POOR_SEATS));
    let opened = play.run().rounds()[1].opened;
    let shipped = Some((Round(1), "<h1>1</h1>".to_owned(), Score::from_f64(6.2)));
    let interrupt = Event::InterruptRequested { by: "ada".into() };
    assert_eq!(closed_by(&play, Some(interrupt.clone()), opened), (Outcome::Interrupted, shipped.clone()));
    assert_eq!(
        closed_by(&play, None, Time(opened.0 + 90_000)),
        (Outcome::TimedOut, shipped.clone()),
        "the round's time"
    );
    assert_eq!(closed_by(&play, None, Time(1000 + 240_000)), (Outcome::TimedOut, shipped), "the whole time");

    let nothing = self::play(Panel::Seats, &[]);
    assert_eq!(closed_by(&nothing, Some(interrupt), Time(5000)), (Outcome::Interrupted, None));
}

#[test]
fn a_rounds_time_counts_from_its_opening() {
    let play = play(Panel::Seats, &seats_round("<h1>1</h1>", POOR_SEATS));
    let run = play.run();
    assert_eq!(run.deadline(), Some(Time(run.rounds()[1].opened.0 + 90_000)));
}

/// A panel in seats, with the house as its linter.
fn linted(settings: Settings) -> Play {
    let mut spec = theater(settings);
    let house = || tribunal_kernel::Binding { agent: "tribunal/house".into(), ..Default::default() };
    for seat in ["lint", "a11y"] {
        spec.seats.insert(SeatName::new(seat), house());
    }
    Play::new(spec)
}

/// What the linter or a judge of the house measured.
fn measured(score: &str, demands: &[&str]) -> String {
    let demands: Vec<String> =
        demands.iter().map(|text| format!(r#"{{"text": {text:?}, "code": "link.dead"}}"#)).collect();
    format!(r#"{{"score": {score}, "dims": [], "must_fix": [], "measured": [{}]}}"#, demands.join(", "))
}

#[test]
fn lint_keeps_a_passing_draft_from_shipping_and_is_fed_back() {
    let mut play = linted(settings(Panel::Seats));
    let mut answers = seats_round("<p>TODO</p>", FINE_SEATS);
    answers.push(r#"{"must_fix": ["TODO is left in line 1"]}"#.into());
    answers.extend(seats_round("<p>Done</p>", FINE_SEATS));
    answers.push(r#"{"must_fix": []}"#.into());
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    let told = play.watched();
    assert!(told.contains("round 1  composite 8.6  must-fix 1  continue: 1 must-fix is open"), "{told}");
    assert!(told.ends_with("shipped: round 2 with 8.6\n"), "{told}");
    assert!(play.prompts.iter().any(|prompt| prompt.contains("- found: TODO is left in line 1")));
}

/// A round that does not pass anyway, with what the linter finds in it beside what its judges demand.
fn linted_round(settings: Settings) -> Play {
    let mut play = linted(settings);
    let mut answers = seats_round("<p>1</p>", POOR_SEATS);
    answers[3] = measured("6", &["faint"]);
    answers.push(measured("null", &["faint", "a.html is not there", "b.html is not there"]));
    answers.extend(seats_round("<p>2</p>", FINE_SEATS));
    answers.push(measured("null", &[]));
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    play
}

#[test]
fn every_round_of_a_panel_in_seats_is_linted() {
    let play = linted_round(settings(Panel::Seats));
    let told = play.watched();
    // Two demands of judges, one that the house measured, and two that only the linter finds: the third it found, too.
    assert!(told.contains("round 1  composite 6.2  must-fix 5  continue"), "{told}");
    assert!(told.ends_with("shipped: round 2 with 8.6\n"), "{told}");
    assert!(told.contains("round 1  lint  must fix: a.html is not there"), "{told}");
    assert_eq!(told.matches("must fix: faint").count(), 1, "{told}");
    let next = play.prompts.iter().find(|prompt| prompt.contains("- found: ")).unwrap();
    assert_eq!(next.matches("faint").count(), 1, "what a judge measured is not said twice: {next}");
    assert!(next.contains("- found: a.html is not there\n- found: b.html is not there\n"), "{next}");
    let faults = play.run().findings().iter().filter(|life| life.finding.text == "faint").count();
    assert_eq!(faults, 1);
}

/// A log from before says nothing of it, and is decided today as it was then.
#[test]
fn runs_that_do_not_say_so_are_linted_only_where_they_would_pass() {
    let new = serde_json::to_value(settings(Panel::Seats)).unwrap();
    assert_eq!(new["lints_every_round"], true);
    let mut old = new;
    old.as_object_mut().unwrap().remove("lints_every_round");
    let mut play = linted(serde_json::from_value(old).unwrap());
    let mut answers = seats_round("<p>1</p>", POOR_SEATS);
    answers[3] = measured("6", &["faint"]);
    answers.extend(seats_round("<p>2</p>", FINE_SEATS));
    answers.push(measured("null", &[]));
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    let told = play.watched();
    assert!(told.contains("round 1  composite 6.2  must-fix 3  continue"), "{told}");
    assert!(told.ends_with("shipped: round 2 with 8.6\n"), "{told}");
}

#[test]
fn the_stage_that_is_replayed_is_the_stage_that_was_watched() {
    for (panel, answers) in [
        (Panel::Single, vec![SHIPS.to_owned()]),
        (Panel::Seats, [seats_round("a", POOR_SEATS), seats_round("b", FINE_SEATS)].concat()),
    ] {
        let play = play(panel, &answers);
        let run = play.run();
        let mut stage = Stage::default();
        for event in play.entries.iter().flat_map(|entry| tribunal_kernel::theater::events(&run, entry)) {
            // Through JSON, as a transcript has it.
            let line = serde_json::to_string(&event).unwrap();
            let read: TheaterEvent = serde_json::from_str(&line).unwrap();
            assert_eq!(read, event);
            stage.apply(&read);
        }
        let ship = run.end().unwrap().ship.as_ref().unwrap();
        assert_eq!(stage.status, "shipped");
        assert_eq!(stage.shipped, Some((ship.round, ship.composite.unwrap())));
        let tallies = board::completed(run.rounds());
        assert_eq!(stage.rounds.iter().map(|(round, score, _)| (*round, *score)).collect::<Vec<_>>(), tallies);
    }
}

#[test]
fn events_have_their_keys_in_order() {
    let event = TheaterEvent::RoundEnd {
        run_id: "r1".into(),
        round: Round(1),
        composite: Score::from_f64(6.18),
        must_fix: 7,
        decision: RoundDecision::Continue,
        reason: "below threshold".into(),
    };
    assert_eq!(
        serde_json::to_string(&event).unwrap(),
        r#"{"type":"round_end","runId":"r1","round":1,"composite":6.18,"mustFix":7,"decision":"continue","reason":"below threshold"}"#
    );
}

#[test]
fn what_the_panel_is_told() {
    let single = play(Panel::Single, &[]);
    assert_snapshot!("prompt_panel", single.prompts[0]);
    let answers = [seats_round("<h1>1</h1>", POOR_SEATS), seats_round("<h1>2</h1>", FINE_SEATS)].concat();
    let seats = play(Panel::Seats, &answers);
    assert_snapshot!("prompt_designer_round_2", seats.prompts[5]);
    assert_snapshot!("prompt_judge_round_2", seats.prompts[6]);
}

/// What a project calls its brand and its skill stands in every prompt that draws or judges; where it has no names, prompts
/// are what they always were.
#[test]
fn the_panel_is_told_names_where_there_are_some() {
    let answers = seats_round("<h1>1</h1>", POOR_SEATS);
    for (panel, answers, prompts) in [(Panel::Single, &[] as &[String], 1), (Panel::Seats, &answers[..], 5)] {
        let given =
            TheaterGiven { brand: Some("Acme".into()), skill: Some("web-prototype".into()), ..TheaterGiven::default() };
        let mut named = Play::new(theater(Settings { given, ..settings(panel) }));
        named.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
        for prompt in &named.prompts[..prompts] {
            assert!(prompt.contains("\nBrand: Acme\nSkill: web-prototype\n"), "{panel:?}: {prompt}");
        }
        let unnamed = play(panel, answers);
        for prompt in &unnamed.prompts[..prompts] {
            assert!(!prompt.contains("Brand: ") && !prompt.contains("Skill: "), "{panel:?}: {prompt}");
        }
    }
}

/// Who passed a text and demands something of the same text later is recorded and shown, and not obeyed. Where anything was
/// changed, a demand counts: it may follow from that. So does one of who had something against it before.
#[test]
fn a_demand_that_comes_late_is_not_obeyed() {
    let page = |text: &str| {
        serde_json::json!({ "artifact": { "mime": "text/html", "content": format!("<p>We bake rye bread.</p><p>{text}</p>") } })
            .to_string()
    };
    let judge = |score: u32, must_fix: &[&str]| {
        serde_json::json!({ "score": score, "dims": [], "must_fix": must_fix }).to_string()
    };
    let demand = "Change \"We bake rye bread\": too plain.";
    let ends = |first: &str, second: &str, critic: (u32, &[&str])| {
        let mut play = Play::new(theater(Settings { max_rounds: 2, ..settings(Panel::Seats) }));
        play.play_with(|turn, _| match (turn.seat.as_str(), turn.round.0) {
            ("designer", 1) => page(first),
            ("designer", _) => page(second),
            ("critic", 1) => judge(critic.0, critic.1),
            ("critic", _) => judge(9, &[demand]),
            ("brand", 1) => judge(9, &["Use our grey."]),
            _ => judge(9, &[]),
        });
        (play.run().end().unwrap().outcome, play)
    };
    let (outcome, play) = ends("Open at eight.", "Open  at\neight.", (9, &[]));
    assert_eq!(outcome, Outcome::Shipped, "{}", play.transcript());
    let run = play.run();
    let last = run.turns().iter().rev().find(|turn| turn.seat == *"critic").unwrap().said().unwrap().verdict().unwrap();
    assert_eq!((last.corrections[0].rule.as_str(), last.findings[0].contested), ("late", true));
    let not_late = [
        ("something was changed", "Open at seven.", (9, &[][..])),
        ("it was demanded in other words", "Open at eight.", (9, &["Say something better of the bread."])),
        ("its score was low, for whatever reason", "Open at eight.", (5, &[])),
        ("something was added", "Open at eight. Open at eight.", (9, &[])),
    ];
    for (name, second, critic) in not_late {
        let (outcome, play) = ends("Open at eight.", second, critic);
        assert_eq!(outcome, Outcome::BelowThreshold, "{name}: {}", play.transcript());
    }
}
