//! Nothing is met because nobody objected: the worked cases of the ballot, each told as a transcript.

use crate::anchored::{FINE, draft, under_anchor};
use crate::joust::{anchor, play, rewrite, settings, spec};
use crate::support::{Play, settings as review, spec as review_spec};
use insta::assert_snapshot;
use tribunal_anchors::Anchor;
use tribunal_kernel::joust::Settings;
use tribunal_kernel::{Event, Outcome};

fn two_questions() -> Anchor {
    anchor(
        "kind = \"acceptance\"\nitems = [{ question = \"Who pays?\", done_when = \"a payer is named\" }, { question = \"When?\", done_when = \"a date is named\" }]\n",
    )
}

fn ballot(lines: &[&str]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .zip(1..)
        .map(|(line, number)| match line.split_once(' ') {
            Some(("met", quote)) => format!(r#"{{"id": "R{number}", "says": "met", "quote": "{quote}"}}"#),
            Some(("broken", quote)) => {
                format!(r#"{{"id": "R{number}", "says": "broken", "quote": "{quote}", "why": "it is wrong"}}"#)
            }
            _ if *line == "absent" => {
                format!(r#"{{"id": "R{number}", "says": "broken", "absent": true, "why": "it is not there"}}"#)
            }
            _ => format!(r#"{{"id": "R{number}", "says": "cannot_tell", "why": "I cannot see it"}}"#),
        })
        .collect();
    format!(r#"{{"ballot": [{}]}}"#, lines.join(", "))
}

fn one_round(jousters: &[&str]) -> Settings {
    Settings { max_rounds: 1, ..settings(jousters) }
}

#[test]
fn items_without_a_rule_are_judged_and_what_is_absent_is_broken() {
    let absent = ballot(&["absent", "absent"]);
    let absent = absent.as_str();
    let plan = "We will see";
    let answers = [plan, absent, plan, absent, plan, absent, plan, absent, plan, absent, plan, absent, plan, absent];
    let play = play(two_questions(), one_round(&["skeptic"]), &answers);
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "We will see"
      main attempt 1
         it is not there, it is not there
        accepted 0
      skeptic attempt 1
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      skeptic attempt 2
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      skeptic attempt 3
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      main attempt 1
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      main attempt 2
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      main attempt 3
        "We will see"
      main attempt 1
         it is not there, it is not there
        sent back: Who pays?: it is not there; When?: it is not there
      needs_human: the rounds are used up; broken: `Who pays?`, `When?`
    needs_human: the rounds are used up; broken: `Who pays?`, `When?`
    "#);
}

#[test]
fn a_judge_who_is_silent_about_an_item_is_asked_again_and_then_has_not_decided_it() {
    let half = ballot(&["met Ada pays it all"]);
    let half = half.as_str();
    let plan = "Ada pays it all";
    let answers = [plan, half, half, half, plan, half, half, half, plan, half, half, half];
    let play = play(two_questions(), one_round(&["skeptic"]), &answers);
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "Ada pays it all"
      main attempt 1
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 2
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 3
        
        accepted 0.5
      skeptic attempt 1
        "Ada pays it all"
      main attempt 1
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 2
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 3
        
        accepted 0.5
      main attempt 1
        "Ada pays it all"
      main attempt 1
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 2
        failed: `ballot` must answer for each of R1, R2 once: R2 is missing
      main attempt 3
        
        accepted 0.5
      needs_human: the rounds are used up; undecided: `When?`
    needs_human: the rounds are used up; undecided: `When?`
    "#);
    assert!(
        play.prompts[2].contains("`ballot` must answer for each of R1, R2 once: R2 is missing"),
        "{}",
        play.prompts[2]
    );
}

#[test]
fn a_demand_for_something_that_is_absent_can_fail() {
    let risks = anchor("kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n");
    let (absent, met) = (ballot(&["absent"]), ballot(&["met It could take longer"]));
    let (absent, met) = (absent.as_str(), met.as_str());
    let good = "It could take longer";
    let play = play(risks, one_round(&["skeptic"]), &["Plan", absent, "Plan b", absent, good, met, good, met]);
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "Plan"
      main attempt 1
         it is not there
        accepted 0
      skeptic attempt 1
        "Plan b"
      main attempt 1
         it is not there
        sent back: says what could go wrong: it is not there
      skeptic attempt 2
        "It could take longer"
      main attempt 1
        
        accepted 1
      main attempt 1
        "It could take longer"
      main attempt 1
        
        accepted 1
      converged: every item of the anchor is met
    converged: every item of the anchor is met
    "#);
}

#[test]
fn words_that_the_draft_does_not_have_decide_nothing() {
    let brief = anchor("kind = \"invariants\"\nMUST = [\"be brief\"]\n");
    let invented = ballot(&["broken forty pages of it"]);
    let claimed = ballot(&["met as brief as can be"]);
    let (invented, claimed) = (invented.as_str(), claimed.as_str());
    let play = play(brief, one_round(&["skeptic"]), &["Plan", invented, "Plan b", claimed, "Plan c", invented]);
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "Plan"
      main attempt 1
         [said be brief: broken: quote_not_found]
        accepted 0
      skeptic attempt 1
        "Plan b"
      main attempt 1
         [said be brief: met: quote_not_found]
        accepted 0
      main attempt 1
        "Plan c"
      main attempt 1
         [said be brief: broken: quote_not_found]
        accepted 0
      needs_human: the rounds are used up; undecided: `be brief`
    needs_human: the rounds are used up; undecided: `be brief`
    "#);
}

#[test]
fn a_first_draft_that_breaks_a_rule_is_no_end() {
    let risks = anchor(
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"has a section on risks\" }]\n",
    );
    let play = play(risks, one_round(&["skeptic"]), &["Plan", "a", "b", "c", "d", "e", "f"]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert_eq!(end.reason, "the rounds are used up; broken: `has a section on risks`");
}

/// Also one that arrives while a draft is being judged.
#[test]
fn under_another_anchor_everything_is_judged_again() {
    let (met, absent) = (ballot(&["met It could take longer"]), ballot(&["absent"]));
    let good = rewrite("It could take longer");
    let old = || anchor("kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n");
    let new = || Box::new(anchor("kind = \"invariants\"\nMUST = [\"names who pays\"]\n"));
    // The first draft was found to meet all there was.
    let mut play = Play::new(spec(old(), one_round(&[])));
    play.play(&[&good, &met]);
    play.record(Event::Reanchored { by: "ada".into(), anchor: new() });
    // The polish is read under the new anchor, and so is the draft that stands before it.
    let fine = r#"{"votes": []}"#;
    play.play(&[&good, fine, &absent, &absent]);
    assert!(play.run().end().is_none(), "{}", play.transcript());
    play.play(&[&good, &absent, &good, &absent]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(
        (end.outcome, end.reason.as_str()),
        (Outcome::NeedsHuman, "the rounds are used up; broken: `names who pays`")
    );

    // While the linter speaks: what it says of the old anchor is void.
    let mut play = Play::new(spec(old(), one_round(&[])));
    play.play(&[&good]);
    play.record(Event::Reanchored { by: "ada".into(), anchor: new() });
    play.play(&[&met, fine, &absent]);
    let run = play.run();
    let ruling = run.turns()[0].ruling.as_ref().expect("the first draft is ruled on");
    assert_eq!(ruling.items.iter().map(|item| item.item.as_str()).collect::<Vec<_>>(), ["names who pays"]);
    assert!(!ruling.complete, "{}", play.transcript());
}

#[test]
fn a_goal_is_worth_what_was_measured() {
    let goal = anchor(
        "kind = \"goal\"\nnorth_star = \"fewer words\"\nmeasure = { command = [\"wc\", \"-w\"], direction = \"minimise\" }\n",
    );
    let measured = |value: u32| format!(r#"{{"votes": [], "measured": {value}, "noise": 0}}"#);
    let settings = Settings { max_rounds: 3, plateau_rounds: 1, ..settings(&[]) };
    let values = [1001, 801, 601, 401].map(measured);
    let [a, b, c, d] = values.each_ref().map(String::as_str);
    let play = play(goal, settings, &["Plan a", a, "Plan b", b, "Plan c", c, "Plan d", d]);
    let run = play.run();
    let worth: Vec<String> =
        run.rounds().iter().map(|round| round.tally.as_ref().unwrap().composite.to_string()).collect();
    assert_eq!(worth, ["0.19", "0.39", "0.59"], "{}", play.transcript());
    assert_eq!(run.end().unwrap().reason, "the rounds are used up", "no plateau while it gets better");
}

#[test]
fn a_review_under_an_anchor_ends_only_when_its_items_are_decided() {
    let mut play = Play::new(under_anchor(review_spec(review("description", 2))));
    let bread = draft("Rye bread for all");
    let ok = |ballot: &str| format!(r#"{{"verdict": "ok", "ballot": [{ballot}]}}"#);
    let (silent, cannot) = (ok(""), ok(r#"{"id": "R1", "says": "cannot_tell", "why": "who knows"}"#));
    let broken = ok(r#"{"id": "R1", "says": "broken", "quote": "for all", "why": "only for some"}"#);
    play.play(&[&bread, FINE, &silent, &broken, &bread, FINE, &cannot]);
    assert_snapshot!(play.transcript(), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "Rye bread for all", done
      rules attempt 1
        
      reviewer attempt 1
        failed: `ballot` must answer for each of R1 once: R1 is missing
      reviewer attempt 2
        changes_requested only for some [said ok: ok_with_errors]
      go on
    iteration 2
      creator attempt 1
        candidate "Rye bread for all", done
      rules attempt 1
        
      reviewer attempt 1
        ok
      needs_human: iteration_limit; undecided: `is honest`
    needs_human: iteration_limit; undecided: `is honest`
    "#);
}
