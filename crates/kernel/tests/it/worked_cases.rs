//! The worked cases of the ballot that are about who judges, each told as a transcript; those about what is judged are in
//! `ballots`. The same cases are played over the program itself in the tests of the command line.

use crate::ballots::{by_models, looks, seat};
use crate::joust::{anchor, settings as joust, spec as joust_spec};
use crate::streams::{FINE, round, settings as stage, ship, stream};
use crate::support::{Play, settings as review, spec as review_spec, theater};
use insta::assert_snapshot;
use tribunal_kernel::joust::Settings as Joust;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::theater::{Panel, Settings as Theater};
use tribunal_kernel::{Binding, Outcome, RunSpec, SeatName, Turn};

const CONTENT: &str = r#"{"done": true, "candidate": {"content": "A content", "format": "plain"}}"#;
const OK: &str = r#"{"verdict": "ok"}"#;

#[test]
fn a_model_that_always_says_ok_has_no_vote() {
    let mut play = Play::new(by_models(review_spec(review("description", 1))));
    play.play(&[CONTENT, OK, OK]);
    assert_snapshot!(play.transcript(), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "A content", done
      reviewer attempt 1
        failed: the judge got wrong what is known of the draft, so its vote does not count
      reviewer attempt 2
        failed: the judge got wrong what is known of the draft, so its vote does not count
      needs_human: no judge passed its control: reviewer got wrong what is known of the draft
    needs_human: no judge passed its control: reviewer got wrong what is known of the draft
    "#);
}

#[test]
fn a_linter_that_says_met_to_everything_and_quotes_the_whole_draft_has_no_vote() {
    let draft = "It could take longer, as ever, and cost more.";
    let risks = anchor("kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n");
    let one_round = Joust { max_rounds: 1, ..joust(&["skeptic"]) };
    let mut play = Play::new(by_models(joust_spec(risks, one_round)));
    play.play_with(|turn, prompt| {
        if !turn.task.starts_with("lint") {
            return serde_json::json!({ "draft": draft }).to_string();
        }
        let items = prompt.lines().filter(|line| line.starts_with('R')).filter_map(|line| line.split_once(": "));
        let met = |(id, _): (&str, &str)| serde_json::json!({ "id": id, "says": "met", "quote": draft });
        serde_json::json!({ "ballot": items.map(met).collect::<Vec<_>>() }).to_string()
    });
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "It could take longer, as ever, and cost more."
      main attempt 1
        failed: the judge got wrong what is known of the draft, so its vote does not count
      main attempt 2
        failed: the judge got wrong what is known of the draft, so its vote does not count
        accepted 0
      skeptic attempt 1
        "It could take longer, as ever, and cost more."
        accepted 0
      main attempt 1
        "It could take longer, as ever, and cost more."
        accepted 0
      needs_human: the rounds are used up; undecided: `says what could go wrong`; no vote: main got wrong what is known of the draft
    needs_human: the rounds are used up; undecided: `says what could go wrong`; no vote: main got wrong what is known of the draft
    "#);
}

#[test]
fn a_program_in_the_reviewers_seat_is_not_controlled() {
    let spec = review_spec(review("description", 1));
    let program = || AgentDefinition(serde_json::json!({ "kind": "command", "command": ["sh", "reviewer.sh"] }));
    let agents = spec.seats.values().map(|binding| (binding.agent.clone(), program())).collect();
    let mut play = Play::new(RunSpec { agents, ..spec });
    play.play(&[CONTENT, OK]);
    assert_snapshot!(play.transcript(), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "A content", done
      reviewer attempt 1
        ok
      converged: reviewer_ok_and_creator_done
    converged: reviewer_ok_and_creator_done
    "#);
    assert!(!play.prompts[1].contains("what you vote on"), "{}", play.prompts[1]);
}

/// Who names dimensions of its own is told which ones were measured in its field, and only that one.
#[test]
fn invented_dimensions_are_fed_back() {
    let mut spec = by_models(theater(Theater { max_rounds: 1, ..stage(Panel::Seats) }));
    spec.seats.insert(SeatName::new("measure"), Binding { agent: "tribunal/house".into(), ..Binding::default() });
    let measured = r#"{"dims": [{"name": "a11y.contrast", "score": 9, "note": "lowest 7:1"}, {"name": "a11y.heading-order", "score": 10}]}"#;
    let answer = |turn: &Turn, prompt: &str, dims: &str| {
        if turn.seat == *"measure" {
            return measured.to_owned();
        }
        let answer = seat(turn, prompt, &|line| Some(looks(line)));
        if turn.seat == *"a11y" { answer.replace("\"dims\":[]", &format!("\"dims\":{dims}")) } else { answer }
    };
    let vibe = r#"[{"name": "vibe", "score": 9}]"#;
    let named =
        r#"[{"name": "Contrast", "score": 9}, {"name": "heading order", "score": 9}, {"name": "vibe", "score": 9}]"#;
    let attempts = |dims: &[&str]| {
        let mut play = Play::new(spec.clone());
        play.play_with(|turn, prompt| answer(turn, prompt, dims[(turn.attempt as usize - 1).min(dims.len() - 1)]));
        let run = play.run();
        let asked = |seat: &str| run.turns().iter().filter(|turn| turn.seat == *seat).count();
        assert_eq!((asked("critic"), asked("brand")), (1, 1), "{}", play.transcript());
        let told = play.prompts.iter().filter(|prompt| prompt.contains("heading-order is missing")).count();
        (asked("a11y"), told, run.end().unwrap().outcome)
    };
    assert_eq!(attempts(&[named]), (1, 0, Outcome::Shipped), "letter case and hyphens aside");
    assert_eq!(attempts(&[vibe, named]), (2, 1, Outcome::Shipped));
    assert_eq!(attempts(&["[]", named]), (2, 1, Outcome::Shipped));
    // Whoever does not learn it is taken at its word in the end: what was measured holds all the same.
    assert_eq!(attempts(&[vibe]).0, 3);
}

#[test]
fn what_was_measured_holds_whatever_judges_name_their_dimensions() {
    let mut spec = theater(Theater { max_rounds: 1, ..stage(Panel::Seats) });
    spec.seats.insert(SeatName::new("lint"), Binding { agent: "tribunal/house".into(), ..Binding::default() });
    let page = r#"{"artifact": {"mime": "text/html", "content": "<p style='color:#eaeaea'>Bread</p>"}}"#;
    let nine = r#"{"score": 9, "dims": [{"name": "vibe", "score": 9, "note": "great"}], "must_fix": []}"#;
    let measured = r#"{"must_fix": ["make the text readable: #eaeaea on #ffffff (1.20:1, needs 4.5:1)"]}"#;
    let mut play = Play::new(spec);
    play.play(&[page, nine, nine, nine, nine, measured]);
    assert_snapshot!(play.transcript(), @r#"
    theater of landing
    iteration 1
      designer attempt 1
        candidate "<p style='color:#eaeaea'>Bread</p>"
      critic attempt 1
      brand attempt 1
      a11y attempt 1
      copy attempt 1
        
        
        
        
      lint attempt 1
         make the text readable: #eaeaea on #ffffff (1.20:1, needs 4.5:1)
      below_threshold: 1 must-fix is open
    below_threshold: 1 must-fix is open
    "#);
}

#[test]
fn what_was_judged_ships_whatever_the_stream_hands_over() {
    let mut play = Play::new(theater(stage(Panel::Single)));
    play.play(&[&stream(&[round(1, &FINE, "")], &ship(1, "composite=\"9\""))]);
    assert_snapshot!(play.watched(), @r"
    designer, critic, brand, a11y, copy: at most 3 rounds, 8 of 10 to pass
    round 1  designer is speaking
    round 1  critic is speaking
    round 1  critic  9
    round 1  brand is speaking
    round 1  brand  9
    round 1  a11y is speaking
    round 1  a11y  9
    round 1  copy is speaking
    round 1  copy  9
    round 1  composite 9  must-fix 0  ship: composite 9 reaches 8, no must-fix is open
    shipped: round 1 with 9
    ");
    let run = play.run();
    let shipped = run.end().unwrap().ship.as_ref().unwrap().draft.content;
    assert_eq!(play.texts[&shipped], "<h1>1</h1>", "and not the other bytes of the SHIP block");
}
