//! What a person decides where judges could not, and what they let stand: by vote, by waiver, after the last look.

use crate::anchored::draft;
use crate::joust::{anchor, play, settings, spec};
use crate::support::{Play, settings as review, spec as review_spec};
use tribunal_anchors::Anchor;
use tribunal_kernel::ballot::{ItemState, Vote, VoteWord};
use tribunal_kernel::joust::Settings;
use tribunal_kernel::last_look::LAST_LOOK;
use tribunal_kernel::waiver::Waiver;
use tribunal_kernel::{Binding, Event, Outcome, RunSpec, SeatName};

fn payer() -> Anchor {
    anchor("kind = \"invariants\"\nMUST = [\"names the payer\", \"names the date\"]\n")
}

fn vote(item: &str, says: VoteWord) -> Vote {
    Vote { item: item.into(), says, quote: None, why: None }
}

/// A joust that ends with two items that nobody could tell.
fn undecided() -> Play {
    let cannot = r#"{"ballot": [{"id": "R1", "says": "cannot_tell"}, {"id": "R2", "says": "cannot_tell"}]}"#;
    let settings = Settings { max_rounds: 1, ..settings(&[]) };
    play(payer(), settings, &["A plan of three words.", cannot, "A plan of four words now.", cannot])
}

fn decide(play: &mut Play, votes: &[(&str, VoteWord)]) {
    let run = play.run();
    let draft = run.standing(run.rounds().last().unwrap().round).unwrap().id;
    let votes = votes.iter().map(|(item, says)| vote(item, *says)).collect();
    play.record(Event::ItemsDecided { by: "ada".into(), draft, votes });
    play.play(&[]);
}

#[test]
fn what_judges_cannot_tell_a_person_decides() {
    use VoteWord::{Broken, CannotTell, Met};
    let rows = [
        (vec![("names the payer", Met), ("names the date", Met)], Outcome::Converged, 0),
        (vec![("names the payer", Met)], Outcome::NeedsHuman, 1),
        (vec![("names the payer", Met), ("names the date", Broken)], Outcome::NeedsHuman, 1),
        (vec![("names the payer", Met), ("names the date", CannotTell)], Outcome::NeedsHuman, 1),
        (vec![("something else", Met)], Outcome::NeedsHuman, 2),
        (vec![], Outcome::NeedsHuman, 2),
    ];
    for (votes, outcome, open) in rows {
        let mut play = undecided();
        assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", play.transcript());
        assert_eq!(play.run().open_items().len(), 2);
        let turns = play.run().turns().len();
        decide(&mut play, &votes);
        let run = play.run();
        assert_eq!(run.end().unwrap().outcome, outcome, "{votes:?}: {}", play.transcript());
        assert_eq!(run.open_items().len(), open, "{votes:?}");
        assert_eq!(run.turns().len(), turns, "nobody is asked again");
    }
}

#[test]
fn a_decision_is_about_one_draft_and_can_be_made_in_steps() {
    let mut play = undecided();
    decide(&mut play, &[("names the payer", VoteWord::Met)]);
    let told = play.run().open_items();
    assert_eq!((told.len(), told[0].state, told[0].item.as_str()), (1, ItemState::Undecided, "names the date"));
    decide(&mut play, &[("names the date", VoteWord::Met)]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{}", play.transcript());
    // Decided about another draft, it says nothing of this one.
    let mut play = undecided();
    let other = play.run().drafts().next().unwrap().id;
    let votes = vec![vote("names the payer", VoteWord::Met), vote("names the date", VoteWord::Met)];
    play.record(Event::ItemsDecided { by: "ada".into(), draft: other, votes });
    play.play(&[]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", play.transcript());
}

/// What a person called broken stays broken when the same text comes back, whoever calls it met then; and they are told.
#[test]
fn a_text_that_a_person_called_broken_does_not_pass_when_it_comes_back() {
    let spec = RunSpec { anchor: Some(payer()), ..review_spec(review("description", 1)) };
    let says = |second: &str| {
        format!(
            r#"{{"verdict": "ok", "ballot": [{{"id": "R1", "says": "met", "quote": "The city pays for it."}}, {{"id": "R2", {second}}}]}}"#
        )
    };
    let mut play = Play::new(spec);
    play.play(&[&draft("The city pays for it."), &says(r#""says": "cannot_tell""#)]);
    decide(&mut play, &[("names the date", VoteWord::Broken)]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman);
    play.record(Event::DecisionReopened { by: "ada".into(), why: "try again".into(), rounds: 1 });
    let met = says(r#""says": "met", "quote": "The city pays for it.""#);
    play.play(&[&draft("The city pays for it."), &met]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("broken: `names the date`"), "{}", end.reason);
    let told = play.prompts.iter().filter(|prompt| prompt.contains("did not do this: names the date")).count();
    assert_eq!(told, 2, "creator and reviewer are told");
}

#[test]
fn only_a_run_that_waits_for_a_person_takes_a_decision() {
    let mut play = undecided();
    decide(&mut play, &[("names the payer", VoteWord::Met), ("names the date", VoteWord::Met)]);
    let run = play.run();
    let draft = run.drafts().last().unwrap().id;
    let event = Event::ItemsDecided { by: "eve".into(), draft, votes: vec![vote("names the date", VoteWord::Broken)] };
    let entry = tribunal_kernel::Entry { seq: run.seq().next(), time: play.now(), event };
    let refused = play.run().apply(entry).unwrap_err();
    assert!(refused.to_string().contains("does not wait for a person"), "{refused}");
}

#[test]
fn a_review_converges_on_a_persons_vote() {
    let spec = RunSpec { anchor: Some(payer()), ..review_spec(review("description", 1)) };
    let ok = r#"{"verdict": "ok", "ballot": [{"id": "R1", "says": "met", "quote": "The city pays for it."}, {"id": "R2", "says": "cannot_tell"}]}"#;
    let mut play = Play::new(spec);
    play.play(&[&draft("The city pays for it."), ok]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", play.transcript());
    decide(&mut play, &[("names the date", VoteWord::Met)]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{}", play.transcript());
}

fn measured(mut spec: RunSpec) -> RunSpec {
    spec.seats.insert(SeatName::new(LAST_LOOK), Binding { agent: "tribunal/house".into(), ..Binding::default() });
    spec
}

const CLEAN: &str = r#"{"must_fix": []}"#;
const FAINT: &str = r#"{"must_fix": [{"code": "contrast.text", "text": "too faint (1.2:1), at line 3"}]}"#;
const OK: &str = r#"{"verdict": "ok"}"#;

#[test]
fn nothing_passes_that_the_last_look_finds_wanting() {
    let rows = [
        ("clean", 1, vec![CLEAN], Outcome::Converged),
        ("wanting in the last iteration", 1, vec![FAINT], Outcome::NeedsHuman),
        ("wanting, then mended", 2, vec![FAINT, CLEAN], Outcome::Converged),
        ("wanting to the end", 2, vec![FAINT, FAINT], Outcome::NeedsHuman),
        ("no answer that can be read", 1, vec!["nonsense"], Outcome::NeedsHuman),
    ];
    for (name, iterations, looks, outcome) in rows {
        let mut play = Play::new(measured(review_spec(review("description", iterations))));
        let text = draft("Fresh bread every day.");
        let mut answers: Vec<&str> = looks.iter().flat_map(|look| [text.as_str(), OK, look]).collect();
        if looks == ["nonsense"] {
            answers.extend(["nonsense"; 2]);
        }
        play.play(&answers);
        let end = play.run().end().unwrap().clone();
        assert_eq!(end.outcome, outcome, "{name}: {}", play.transcript());
        let is_named = outcome == Outcome::Converged || end.reason.contains("measured") || end.reason.contains("1.2:1");
        assert!(is_named, "{name}: {}", end.reason);
        if looks.first() == Some(&FAINT) && iterations > 1 {
            let told = play.prompts.iter().any(|prompt| prompt.contains("must be fixed") && prompt.contains("1.2:1"));
            assert!(told, "{name}: the creator is told");
        }
    }
    // A round that does not pass is not looked at.
    let mut play = Play::new(measured(review_spec(review("description", 1))));
    let no = r#"{"verdict": "changes_requested", "issues": [{"severity": "error", "message": "too short"}]}"#;
    play.play(&[&draft("Bread."), no]);
    assert!(!play.run().turns().iter().any(|turn| turn.seat == *LAST_LOOK), "{}", play.transcript());
}

#[test]
fn a_joust_is_looked_at_before_it_passes() {
    let settings = Settings { max_rounds: 1, ..settings(&[]) };
    let spec = measured(spec(
        anchor(
            "kind = \"assertions\"\nchecks = [{ description = \"bread\", predicate = { kind = \"predicate\", predicate = \"contains\", text = \"bread\" } }]\n",
        ),
        settings,
    ));
    for (look, outcome) in [(CLEAN, Outcome::Converged), (FAINT, Outcome::NeedsHuman)] {
        let mut play = Play::new(spec.clone());
        let first = r#"{"draft": "Our bread is good."}"#;
        play.play(&[first, first, look]);
        assert_eq!(play.run().end().unwrap().outcome, outcome, "{}", play.transcript());
    }
}

#[test]
fn what_a_person_waived_is_recorded_and_holds_nobody_up() {
    let waiver = |code: &str, target: Option<&str>| Waiver {
        code: code.into(),
        target: target.map(str::to_owned),
        why: "the brand's own grey".into(),
    };
    let rows = [
        (vec![], Outcome::NeedsHuman),
        (vec![waiver("contrast.text", None)], Outcome::Converged),
        (vec![waiver("contrast.text", Some("line 3"))], Outcome::Converged),
        (vec![waiver("contrast.text", Some("line 4"))], Outcome::NeedsHuman),
        (vec![waiver("image.alt", None)], Outcome::NeedsHuman),
    ];
    for (waivers, outcome) in rows {
        let spec = RunSpec { waivers: waivers.clone(), ..measured(review_spec(review("description", 1))) };
        let mut play = Play::new(spec);
        play.play(&[&draft("Fresh bread every day."), OK, FAINT]);
        let run = play.run();
        assert_eq!(run.end().unwrap().outcome, outcome, "{waivers:?}: {}", play.transcript());
        let look = run.turns().iter().find(|turn| turn.seat == *LAST_LOOK).unwrap();
        let verdict = look.said().unwrap().verdict().unwrap();
        assert_eq!(verdict.findings.len(), 1, "it is recorded all the same");
        let is_said = verdict.corrections.iter().any(|correction| correction.why.contains("the brand's own grey"));
        assert_eq!(is_said, outcome == Outcome::Converged, "{waivers:?}");
    }
}
