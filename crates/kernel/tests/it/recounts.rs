//! A pass on one judge's word is counted again; and what else a joust holds its judges to.

use crate::ballots::by_models;
use crate::controls::{Judge, controls};
use crate::joust::{anchor, play, settings, spec};
use crate::support::Play;
use serde_json::{Value, json};
use tribunal_anchors::{Anchor, AnchorKind};
use tribunal_kernel::ballot::{Vote, VoteWord};
use tribunal_kernel::joust::Settings;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::{Event, Limits, Outcome, RunSpec, SeatName};

const PLAN: &str = "kind = \"invariants\"\nMUST = [\"says when\", \"says who\"]\n";

/// A joust with one round under two rules; its linters are models, each of a provider of its own.
fn controlled(linters: &[&str]) -> RunSpec {
    let linters = linters.iter().map(|seat| SeatName::new(*seat)).collect();
    let settings = Settings { linters, max_rounds: 1, ..settings(&["skeptic"]) };
    let mut spec = RunSpec { controls: controls(), ..by_models(spec(anchor(PLAN), settings)) };
    for (name, agent) in &mut spec.agents {
        *agent = AgentDefinition(json!({ "kind": "http", "provider": name, "controls": true }));
    }
    spec
}

/// Everybody looks and finds all is well, but for who is named for a task and an item.
fn but_for(spec: &RunSpec, who: &str, task: &str, item: &str) -> Play {
    let mut play = Play::new(spec.clone());
    play.play_with(|turn, prompt| {
        let honest = Judge::Honest.answer(turn, prompt);
        if turn.seat != *who || !turn.task.starts_with(task) {
            return honest;
        }
        let mut answer: Value = serde_json::from_str(&honest).unwrap();
        let id = prompt.lines().find(|line| line.starts_with('R') && line.ends_with(item)).unwrap();
        for line in answer["ballot"].as_array_mut().unwrap() {
            if id.starts_with(&format!("{}:", line["id"].as_str().unwrap())) {
                *line = json!({ "id": line["id"], "says": "broken", "absent": true });
            }
        }
        answer.to_string()
    });
    play
}

fn calls(play: &Play, who: &str, task: &str) -> usize {
    play.run().turns().iter().filter(|turn| turn.seat == *who && turn.task.starts_with(task)).count()
}

#[test]
fn what_one_judge_calls_met_is_counted_again_before_it_passes() {
    let alone = controlled(&["editor"]);
    let honest = but_for(&alone, "nobody", "", "");
    assert_eq!(honest.run().end().unwrap().outcome, Outcome::Converged, "{}", honest.transcript());
    assert_eq!(calls(&honest, "editor", "recount"), 1, "{}", honest.transcript());
    let run = honest.run();
    let asked = |task: &str| {
        let turn = run.turns().iter().find(|turn| turn.task.starts_with(task)).unwrap();
        let prompt = &honest.prompts[turn.id.0 as usize - 1];
        (prompt.find("MUST: says when").unwrap(), prompt.find("MUST: says who").unwrap())
    };
    let ((first_when, first_who), (second_when, second_who)) = (asked("lint"), asked("recount"));
    assert!(first_when < first_who && second_who < second_when, "the second time in reverse order");

    let wavers = but_for(&alone, "editor", "recount", "says who");
    let end = wavers.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", wavers.transcript());
    assert!(end.reason.contains("undecided: `says who`"), "{}", end.reason);
    let open = wavers.run().open_items();
    assert!(open[0].why.as_deref().unwrap().starts_with("met by editor, and broken when it was counted again"));
}

#[test]
fn another_judge_counts_again_where_one_is_seated() {
    let two = controlled(&["editor", "dba"]);
    let honest = but_for(&two, "nobody", "", "");
    assert_eq!(honest.run().end().unwrap().outcome, Outcome::Converged, "{}", honest.transcript());
    assert_eq!((calls(&honest, "dba", "lint"), calls(&honest, "editor", "recount")), (1, 0), "{}", honest.transcript());
    let disagrees = but_for(&two, "dba", "lint", "says who");
    assert_eq!(disagrees.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", disagrees.transcript());
}

/// A program says the same each time: nobody is asked twice where nobody is controlled.
#[test]
fn nothing_is_counted_again_where_it_would_show_nothing() {
    let mut spec = controlled(&["editor"]);
    spec.controls = tribunal_kernel::control::Controls::default();
    assert_eq!(calls(&but_for(&spec, "nobody", "", ""), "editor", "recount"), 0);
}

#[test]
fn a_recount_that_nobody_answers_is_no_pass() {
    let mut play = Play::new(controlled(&["editor"]));
    play.play_with(|turn, prompt| {
        let is_recount = turn.task.starts_with("recount");
        if is_recount { "I would rather not.".into() } else { Judge::Honest.answer(turn, prompt) }
    });
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(play.run().open_items()[0].why.as_deref().unwrap().contains("nobody counted it again"), "{}", end.reason);
}

#[test]
fn several_rubrics_are_strategies_of_their_own_and_colours_are_asked_as_colours() {
    let rule =
        anchor("kind = \"invariants\"\nMUST = [{ kind = \"predicate\", predicate = \"contains\", text = \"Plan\" }]\n");
    let style: Anchor = anchor(
        "kind = \"rubric\"\ndims = [{ name = \"clear\", description = \"one thought a sentence\" }, { name = \"tone\", scale = \"color\" }]\n",
    );
    let risk = anchor("kind = \"rubric\"\ndims = [{ name = \"safe\" }]\n");
    let scored = |clear: &str, tone: &str, safe: &str| {
        format!(
            r#"{{"scores": [{{"name": "clear", "score": {clear}}}, {{"name": "Tone", "score": {tone}}}, {{"name": "safe", "score": {safe}}}]}}"#
        )
    };
    let settings = Settings {
        scoring: vec![style, risk],
        scorers: vec![SeatName::new("editor")],
        max_rounds: 1,
        ..Settings::new("rfc", AnchorKind::Invariants, &["skeptic"])
    };
    let (first, worse, better) =
        (scored("5", "\"yellow\"", "8"), scored("5", "0", "13"), scored("8", "\"green\"", "13"));
    let not_a_colour = scored("8", "13", "8");
    let answers = ["Plan", &not_a_colour, &first, "Plan b", &worse, "Plan c", &better, "Plan d", &better];
    let play = play(rule, settings, &answers);
    let told = play.transcript();
    assert!(told.contains("`tone`, which is scored as 0 for red, 1 for yellow or 2 for green"), "{told}");
    assert!(told.contains("tone scores 0 of 2, and the floor is 1"), "{told}");
    assert!(told.contains("tone falls from 1 to 0"), "{told}");
    // The mean of three strategies: the anchor, (5/13 + 1/2) / 2, and 8/13.
    assert!(told.contains("accepted 0.68"), "{told}");
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{told}");
    let asked = play.prompts.iter().find(|prompt| prompt.contains("You score a draft")).unwrap();
    assert!(asked.contains("- clear (0, 1, 2, 3, 5, 8 or 13): one thought a sentence"), "{asked}");
    assert!(asked.contains("- tone (0 for red, 1 for yellow or 2 for green)"), "{asked}");
}

#[test]
fn a_joust_pauses_for_a_person_and_goes_on_when_it_is_resumed() {
    let rule = || anchor("kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"never\" }]\n");
    let settings = || Settings { pause_every: 1, max_rounds: 2, ..settings(&[]) };
    let mut play = play(rule(), settings(), &["Plan", "!no", "!no", "!no"]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::Interrupted, "{}", play.transcript());
    assert!(end.reason.starts_with("paused after round 1"), "{}", end.reason);
    play.record(Event::RunResumed { limits: Limits::default() });
    play.play(&["!no", "!no", "!no"]);
    let end = play.run().end().unwrap().clone();
    assert_eq!((end.outcome, play.run().rounds().len()), (Outcome::NeedsHuman, 2), "{}", play.transcript());
}

#[test]
fn a_time_box_lets_the_round_end_and_begins_no_other() {
    let rule = || anchor("kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"never\" }]\n");
    let boxed =
        |time_box_ms| Settings { time_box_ms: Some(time_box_ms), max_rounds: 9, plateau_rounds: 9, ..settings(&[]) };
    let answers: Vec<&str> = std::iter::once("Plan").chain(std::iter::repeat_n("!no", 60)).collect();
    // A second passes with every event.
    let short = play(rule(), boxed(1), &answers);
    let end = short.run().end().unwrap().clone();
    assert_eq!((end.outcome, short.run().rounds().len()), (Outcome::NeedsHuman, 1), "{}", short.transcript());
    assert!(end.reason.starts_with("the time box is used up; broken:"), "{}", end.reason);
    let long = play(rule(), boxed(3_600_000), &answers);
    assert!(long.run().rounds().len() > 1, "{}", long.transcript());
}

/// Words that were called broken are not met because somebody likes them the next time: in the same text both count.
#[test]
fn the_same_text_called_met_and_broken_is_undecided() {
    let mut play = Play::new(controlled(&["editor"]));
    play.play_with(|turn, prompt| {
        let honest = Judge::Honest.answer(turn, prompt);
        // It likes the first draft, sends every rewrite back that says the same, and likes it again in the end.
        if turn.seat != *"editor" || !turn.task.starts_with("lint:") || turn.task == "lint:1" {
            return honest;
        }
        let mut answer: Value = serde_json::from_str(&honest).unwrap();
        let known = |id: &str| prompt.lines().any(|line| line.starts_with(id) && line.contains("contains the words"));
        for line in answer["ballot"].as_array_mut().unwrap() {
            let id = line["id"].as_str().unwrap().to_owned();
            if !known(&format!("{id}:")) {
                *line = json!({ "id": id, "says": "broken", "absent": true, "why": "no" });
            }
        }
        answer.to_string()
    });
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("undecided: `says when`, `says who`"), "{}", end.reason);
}

#[test]
fn of_the_same_text_the_lowest_points_count() {
    let rubric = anchor("kind = \"rubric\"\ndims = [{ name = \"clear\", floor = 5 }]\n");
    let settings = Settings { scorers: vec![SeatName::new("editor")], max_rounds: 2, ..settings(&["skeptic"]) };
    let scores = |points: u32| format!(r#"{{"scores": [{{"name": "clear", "score": {points}}}]}}"#);
    let (high, low) = (scores(13), scores(1));
    let mut answers = vec!["Plan", high.as_str(), "Plan b", high.as_str()];
    for _ in 0..12 {
        answers.extend(["Plan b", low.as_str()]);
    }
    let play = play(rubric, settings, &answers);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("clear scores 1 of 13, and the floor is 5"), "{}", end.reason);
}

/// What a person decides of one item leaves the others as they were: they can still be decided.
#[test]
fn a_decision_on_one_item_does_not_hide_the_others() {
    let spec = controlled(&["editor"]);
    let mut play = but_for(&spec, "editor", "recount", "says who");
    let draft = play.run().standing(tribunal_kernel::Round(1)).unwrap().id;
    let broken = |item: &str, says| Vote { item: item.into(), says, quote: None, why: None };
    play.record(Event::ItemsDecided { by: "ada".into(), draft, votes: vec![broken("says when", VoteWord::Broken)] });
    play.play(&[]);
    let run = play.run();
    let open: Vec<String> =
        run.open_items().iter().map(|item| format!("{} {}", item.item, item.state.as_str())).collect();
    assert_eq!(open, ["says when broken", "says who undecided"], "{}", play.transcript());
    assert!(run.end().unwrap().reason.ends_with("broken: `says when`; undecided: `says who`"));
}

/// The same model told to be somebody else is somebody else, and is controlled as such.
#[test]
fn a_control_is_of_a_persona_too() {
    let mut spec = controlled(&["editor", "dba"]);
    let editor = spec.seats[&SeatName::new("editor")].clone();
    let other = tribunal_kernel::Binding { persona: Some("You approve everything.".into()), ..editor.clone() };
    spec.seats.insert(SeatName::new("dba"), editor);
    let of_one = spec.judges_to_control().len();
    spec.seats.insert(SeatName::new("dba"), other);
    assert_eq!(spec.judges_to_control().len(), of_one + 1, "two seats of one judge had one control between them");
    assert_ne!(spec.judge_key(&SeatName::new("editor")), spec.judge_key(&SeatName::new("dba")));
}

/// What was worth something under another anchor says nothing of a gain under this one.
#[test]
fn rounds_under_another_anchor_do_not_count_for_the_plateau() {
    let never = |word: &str| {
        anchor(&format!("kind = \"invariants\"\nMUST = [{{ kind = \"pattern\", pattern = \"{word}\" }}]\n"))
    };
    let settings = Settings { pause_every: 2, max_rounds: 9, ..settings(&[]) };
    let no = ["!no"; 30];
    let mut play = play(never("never"), settings, &[&["Plan"], &no[..6]].concat());
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Interrupted, "{}", play.transcript());
    play.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(never("ever")) });
    for _ in 0..2 {
        play.record(Event::RunResumed { limits: Limits::default() });
        let judged = r#"{"votes": [{"item": "nothing matches", "says": "broken"}]}"#;
        play.play_with(|turn, _| if turn.seat == *"rules" { judged.into() } else { "!no".into() });
        if play.run().end().unwrap().outcome != Outcome::Interrupted {
            break;
        }
    }
    let run = play.run();
    assert_eq!(run.rounds().len(), 5, "three rounds without a gain under the new anchor: {}", play.transcript());
    assert!(run.end().unwrap().reason.starts_with("plateau"), "{}", run.end().unwrap().reason);
}

/// Nothing tells a judge that it is asked again.
#[test]
fn a_recount_looks_like_the_first_count() {
    let shown = |task: &str| tribunal_kernel::control::shown_task(task).into_owned();
    assert_eq!(
        ["recount:7", "recount:7@1", "lint:7", "control:1/lint:7", "recounted"].map(shown),
        ["lint:7", "lint:7@1", "lint:7", "lint:7", "recounted"]
    );
}
