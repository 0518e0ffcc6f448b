//! What programs work on: made from the same data as the words, and the same for whoever takes a turn up again.

use crate::anchored::{FINE, draft, under_anchor};
use crate::desk::trials::{taken_back, two_iterations};
use crate::support::{Play, settings, spec};
use crate::theater::in_seats;
use std::collections::BTreeMap;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_kernel::rules::RulesInput;
use tribunal_kernel::{Digest, Event, Run, TurnId, TurnInput, desk, theater};

/// Every input of a run, by turn. Panics if one changes while its turn is in flight.
fn inputs(play: &Play) -> BTreeMap<TurnId, Option<TurnInput>> {
    let mut seen = BTreeMap::new();
    for end in 1..=play.entries.len() {
        let run = Run::fold(&play.entries[..end]).unwrap().unwrap();
        for turn in run.in_flight() {
            let input = run.input(turn);
            let before = seen.entry(turn.id).or_insert_with(|| input.clone());
            assert_eq!(*before, input, "turn {} after event {end}", turn.id);
        }
    }
    seen
}

/// The prompt of a turn.
fn prompt(play: &Play, turn: TurnId) -> &str {
    &play.prompts[turn.0 as usize - 1]
}

#[test]
fn a_panel_is_given_what_its_prompts_show() {
    let play = in_seats();
    let run = play.run();
    let (mut drafts, mut votes) = (0, 0);
    for (turn, input) in inputs(&play) {
        let (seat, told) = (&run.turn(turn).unwrap().seat, prompt(&play, turn));
        match input {
            Some(TurnInput::Fix(theater::FixInput { page, has_demands })) => {
                drafts += 1;
                assert_eq!(has_demands, told.contains("the open must-fixes"), "{seat}: {told}");
                assert_eq!(page.is_some(), has_demands, "nothing was given before the run");
            }
            Some(TurnInput::Measure(theater::MeasureInput { page, scale })) => {
                votes += 1;
                assert!(told.contains(&format!("\nScale: {scale}\n")), "{seat}: {told}");
                assert!(told.contains(&format!("\nFormat: {}\n", page.format.as_str())), "{seat}: {told}");
                assert!(told.contains(&play.texts[&page.text]), "{seat}: {told}");
            }
            other => panic!("{seat}: {other:?}"),
        }
    }
    assert_eq!((drafts, votes), (2, 8));
}

#[test]
fn a_desk_is_sent_to_do_what_its_prompts_show() {
    let mut errands = Vec::new();
    for play in [two_iterations(), taken_back("forges")] {
        let run = play.run();
        for (turn, input) in inputs(&play) {
            let (task, told) = (run.turn(turn).unwrap().task.as_str(), prompt(&play, turn));
            match (task, input) {
                (desk::SURVEY, Some(TurnInput::Errand(desk::Errand::Survey))) | (desk::WORK, None) => {}
                (desk::CHECK, Some(TurnInput::Errand(desk::Errand::Check(check)))) => {
                    for shown in [check.commit.as_str(), &check.checks[0].line, check.claim.as_deref().unwrap()] {
                        assert!(told.contains(shown), "{shown}: {told}");
                    }
                }
                (desk::RESTORE, Some(TurnInput::Errand(desk::Errand::Restore { commit }))) => {
                    assert!(told.contains(&commit), "{told}");
                }
                (desk::VERIFY, Some(TurnInput::Inspect(inspect))) => {
                    let receipts = serde_json::to_string_pretty(&inspect.receipts).unwrap();
                    assert!(told.contains(&receipts), "{told}");
                }
                (task, other) => panic!("{task}: {other:?}"),
            }
            errands.push(task.to_owned());
        }
    }
    for task in [desk::SURVEY, desk::WORK, desk::CHECK, desk::VERIFY, desk::RESTORE] {
        assert!(errands.iter().any(|errand| errand == task), "{task}: {errands:?}");
    }
}

/// The next leader checks a draft against what the first one was told to, whatever a person said meanwhile.
#[test]
fn a_new_anchor_holds_for_the_turns_after_it() {
    let mut play = Play::new(under_anchor(spec(settings("description", 3))));
    play.play(&[&draft("Rye")]);
    let asked = play.run().in_flight().next().unwrap().clone();
    let old = play.run().anchor().cloned().unwrap();
    let anchor =
        Anchor::read("kind = \"invariants\"\nMUST = [\"must contain the phrase Oat\"]\n", Syntax::Toml).unwrap();
    play.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(anchor.clone()) });
    let input = |play: &Play| play.run().input(&asked);
    let expected = RulesInput { anchor: Box::new(old), draft: Digest::of("Rye"), may_run: true };
    assert_eq!(input(&play), Some(TurnInput::Rules(expected)));
    assert_eq!(play.run().anchor(), Some(&anchor), "the others are judged by the new one");
    play.play(&[FINE]);
    inputs(&play);
}

/// A turn that was started by the last release has no more in the log than its prompt: its form follows from the run.
#[test]
fn the_form_of_an_answer_follows_from_the_run() {
    let mut play = Play::new(spec(settings("description", 3)));
    play.play(&[]);
    let run = play.run();
    let turn = run.in_flight().next().unwrap();
    let form = run.form(turn).unwrap();
    assert!(form.pointer("/properties/candidate").is_some(), "{form}");
    let shown: serde_json::Value =
        serde_json::from_str(prompt(&play, turn.id).rsplit_once("and nothing else:\n").unwrap().1).unwrap();
    assert_eq!(form, shown);
}
