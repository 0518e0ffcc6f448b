//! An anchor in a loop that is not a joust: rules speak before anybody with an opinion is asked.

use crate::streams::settings as stage;
use crate::support::{Play, settings, spec, theater};
use insta::assert_snapshot;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::theater::Panel;
use tribunal_kernel::{Binding, Outcome, RunSpec, SeatName};

pub(crate) fn under_anchor(spec: RunSpec) -> RunSpec {
    let anchor = "kind = \"invariants\"\nMUST = [\"must contain the phrase Rye\", \"is honest\"]\n";
    let rules = Binding { agent: RULES.into(), ..Binding::default() };
    let mut seats = spec.seats;
    seats.insert(SeatName::new(RULES), rules);
    RunSpec { anchor: Some(Anchor::read(anchor, Syntax::Toml).unwrap()), seats, ..spec }
}

const BROKEN: &str =
    r#"{"votes": [{"item": "must contain the phrase Rye", "says": "broken", "why": "nothing says Rye"}]}"#;
pub(crate) const FINE: &str = r#"{"votes": [{"item": "must contain the phrase Rye", "says": "met"}]}"#;
/// Of somebody who was asked whether it is honest.
const HONEST: &str = r#""ballot": [{"id": "R1", "says": "met", "quote": "Rye bread"}]"#;

pub(crate) fn draft(content: &str) -> String {
    format!(r#"{{"done": true, "candidate": {{"content": "{content}", "format": "plain"}}}}"#)
}

#[test]
fn a_candidate_that_breaks_a_rule_never_reaches_the_reviewer() {
    let mut play = Play::new(under_anchor(spec(settings("description", 3))));
    play.play(&[&draft("Wheat"), BROKEN, &draft("Rye bread"), FINE, &format!(r#"{{"verdict": "ok", {HONEST}}}"#)]);
    assert_snapshot!(play.transcript(), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "Wheat", done
      rules attempt 1
         nothing says Rye
        sent back: must contain the phrase Rye: nothing says Rye
      creator attempt 2
        candidate "Rye bread", done
      rules attempt 1
        
      reviewer attempt 1
        ok
      converged: reviewer_ok_and_creator_done
    converged: reviewer_ok_and_creator_done
    "#);
    assert!(play.prompts[2].contains("nothing says Rye"), "the creator is told: {}", play.prompts[2]);
    assert!(play.prompts[4].contains("is honest"), "the reviewer judges what needs an opinion");
}

#[test]
fn a_creator_who_never_meets_the_rules_needs_a_person_and_nobody_is_asked() {
    let mut play = Play::new(under_anchor(spec(settings("description", 3))));
    let wheat = draft("Wheat");
    play.play(&[&wheat, BROKEN, &wheat, BROKEN, &wheat, BROKEN]);
    let run = play.run();
    let end = run.end().unwrap();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("nothing says Rye"), "{}", end.reason);
    assert!(run.turns().iter().all(|turn| turn.seat != *"reviewer"));
}

#[test]
fn a_page_that_breaks_a_rule_never_reaches_the_judges() {
    let page = |text: &str| format!(r#"{{"artifact": {{"mime": "text/html", "content": "<h1>{text}</h1>"}}}}"#);
    let (wheat, rye) = (page("Wheat"), page("Rye bread"));
    let vote = &format!(r#"{{"score": 9, "dims": [], "must_fix": [], {HONEST}}}"#);
    let mut play = Play::new(under_anchor(theater(stage(Panel::Seats))));
    play.play(&[&wheat, BROKEN, &rye, FINE, vote, vote, vote, vote]);
    let run = play.run();
    assert_eq!(run.end().unwrap().outcome, Outcome::Shipped, "{}", play.transcript());
    let shipped = run.end().unwrap().ship.as_ref().unwrap().draft.content;
    assert_eq!(play.texts[&shipped], "<h1>Rye bread</h1>");

    let mut play = Play::new(under_anchor(theater(stage(Panel::Seats))));
    play.play(&[&wheat, BROKEN, &wheat, BROKEN, &wheat, BROKEN]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::BelowThreshold, "{}", play.transcript());
}
