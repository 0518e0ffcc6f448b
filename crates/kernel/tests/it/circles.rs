//! Rounds that bring back what was there before.

use crate::anchored::draft;
use crate::joust::{anchor, play, settings as joust};
use crate::support::{Play, settings, spec};
use tribunal_kernel::Outcome;
use tribunal_kernel::joust::Settings as Joust;
use tribunal_kernel::review::Settings;

fn demand(code: &str) -> String {
    format!(
        r#"{{"verdict": "changes_requested", "issues": [{{"severity": "error", "message": "{code} is wrong", "code": "{code}"}}]}}"#
    )
}

/// Drafts and what is demanded of each, `-` for nothing; how it ended, after how many iterations.
fn review(stops: bool, rounds: &[(&str, &str)]) -> (Outcome, usize, String) {
    let settings = Settings { stop_in_circles: stops, ..settings("description", 5) };
    let mut play = Play::new(spec(settings));
    let answers: Vec<[String; 2]> = rounds.iter().map(|(text, code)| [draft(text), demand(code)]).collect();
    let answers: Vec<&str> = answers.iter().flatten().map(String::as_str).collect();
    play.play(&answers);
    let run = play.run();
    let circle = run.circle().map(|circle| circle.to_string()).unwrap_or_default();
    let end = run.end().map(|end| (end.outcome, end.reason.clone()));
    let (outcome, reason) = end.unwrap_or((Outcome::Interrupted, circle));
    (outcome, run.rounds().len(), reason)
}

#[test]
fn a_draft_that_comes_back_after_another_one() {
    let (outcome, rounds, reason) = review(true, &[("A", "one"), ("B", "two"), ("A", "three")]);
    assert_eq!((outcome, rounds), (Outcome::NeedsHuman, 3), "{reason}");
    assert_eq!(reason, "going in circles: round 3 brings back the draft of round 1, after another one in round 2");
    // The same draft again is no circle: nothing was tried in between.
    let (_, rounds, reason) = review(true, &[("A", "one"), ("A", "two"), ("A", "three")]);
    assert!(!reason.contains("circles"), "{rounds}: {reason}");
    // A review ends before its limit only if that is wanted; it is said all the same.
    let (outcome, _, reason) = review(false, &[("A", "one"), ("B", "two"), ("A", "three")]);
    assert_eq!(outcome, Outcome::Interrupted, "it goes on");
    assert!(reason.starts_with("going in circles"), "{reason}");
}

#[test]
fn a_demand_that_comes_back_a_second_time() {
    let rounds = [("A", "x"), ("B", "y"), ("C", "x"), ("D", "y"), ("E", "x")];
    let (outcome, rounds, reason) = review(true, &rounds);
    assert_eq!((outcome, rounds), (Outcome::NeedsHuman, 5), "{reason}");
    // Its last iteration is its limit; with more of them it would have ended for this.
    let mut play = Play::new(spec(Settings { stop_in_circles: true, ..settings("description", 9) }));
    let answers =
        [("A", "x"), ("B", "y"), ("C", "x"), ("D", "y"), ("E", "x")].map(|(text, code)| [draft(text), demand(code)]);
    let answers: Vec<&str> = answers.iter().flatten().map(String::as_str).collect();
    play.play(&answers);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.reason, "going in circles: for the second time this came back: x is wrong");
    let circle = play.run().circle().unwrap();
    assert_eq!(
        circle.positions.map(|position| position.demands.join(", ")),
        ["y is wrong", "x is wrong"],
        "side by side"
    );
}

#[test]
fn a_joust_that_goes_back_and_forth_ends_for_a_person() {
    let settings = Joust { plateau_rounds: 9, max_rounds: 5, ..joust(&[]) };
    let anchor = anchor("kind = \"goal\"\nnorth_star = \"a plan that fits on one page\"\n");
    let play = play(anchor, settings, &["one", "two", "three", "two"]);
    let run = play.run();
    let end = run.end().unwrap();
    assert_eq!((end.outcome, run.rounds().len()), (Outcome::NeedsHuman, 3), "{}", play.transcript());
    assert!(end.reason.starts_with("going in circles: round 3 brings back the draft of round 1"), "{}", end.reason);
}
