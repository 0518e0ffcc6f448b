//! Nothing is met because nobody objected: the worked cases of the ballot, each told as a transcript.

use crate::anchored::{FINE, draft, under_anchor};
use crate::joust::{anchor, play, rewrite, settings, spec};
use crate::streams::settings as stage;
use crate::support::{Play, settings as review, spec as review_spec, theater};
use insta::assert_snapshot;
use tribunal_anchors::Anchor;
use tribunal_kernel::joust::Settings;
use tribunal_kernel::rules::RULES;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::theater::Panel;
use tribunal_kernel::{Event, Outcome, RunSpec, Turn};

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

/// Every seat has a model whose votes are controlled.
pub(crate) fn by_models(spec: RunSpec) -> RunSpec {
    let seats = spec.seats.iter().filter(|(seat, _)| **seat != *RULES);
    let model = || AgentDefinition(serde_json::json!({ "kind": "http", "provider": "acme", "controls": true }));
    let agents = seats.map(|(_, binding)| (binding.agent.clone(), model())).collect();
    RunSpec { agents, ..spec }
}

/// What is said of an item, if anything.
pub(crate) type Judge = dyn Fn(&str) -> Option<&'static str>;

const TEXT: &str = "We move in June, all of us, with everything that we have. Rye bread for the way.";

/// Whoever writes is good at it; whoever judges says of every item what `judge` says, and else that all is well.
pub(crate) fn seat(turn: &Turn, prompt: &str, judge: &Judge) -> String {
    let items = prompt.split_once("what you vote on:\n").map_or("", |(_, rest)| rest);
    let items: Vec<&str> = items.lines().skip(1).take_while(|line| line.starts_with('R')).collect();
    let vote = |line: &&str| {
        let (id, says) = (line.split(':').next()?, judge(line)?);
        let quote = "all of us, with everything";
        Some(serde_json::json!({ "id": id, "says": says, "quote": quote, "absent": says == "broken" }))
    };
    let ballot: Vec<serde_json::Value> = items.iter().filter_map(vote).collect();
    let page = format!("<p>{TEXT}</p>");
    match turn.task.split(':').next().unwrap() {
        "rules" => r#"{"votes": [{"item": "must contain the phrase Rye", "says": "met"}]}"#.into(),
        "draft" if turn.seat == *"creator" => {
            serde_json::json!({ "done": true, "candidate": { "content": TEXT, "format": "plain" } }).to_string()
        }
        "draft" => serde_json::json!({ "artifact": { "mime": "text/html", "content": page } }).to_string(),
        "review" => {
            let summary = "It says “all of us, with everything”.";
            serde_json::json!({ "verdict": "ok", "summary": summary, "ballot": ballot }).to_string()
        }
        "judge" => serde_json::json!({ "score": 9, "dims": [], "must_fix": [], "ballot": ballot }).to_string(),
        "lint" | "recount" => serde_json::json!({ "ballot": ballot }).to_string(),
        _ => serde_json::json!({ "draft": TEXT }).to_string(),
    }
}

pub(crate) fn looks(line: &str) -> &'static str {
    let words = line.split_once("contains the words \"").and_then(|(_, rest)| rest.split_once('"'));
    if words.is_none_or(|(words, _)| TEXT.contains(words)) { "met" } else { "broken" }
}

#[test]
fn a_judge_who_does_not_look_has_no_vote_in_any_loop() {
    let honest = || anchor("kind = \"invariants\"\nMUST = [\"is honest\"]\n");
    let specs = [
        ("review", review_spec(review("description", 2))),
        ("anchored review", under_anchor(review_spec(review("description", 2)))),
        ("theater", theater(stage(Panel::Seats))),
        ("anchored theater", under_anchor(theater(stage(Panel::Seats)))),
        ("joust", spec(honest(), one_round(&["skeptic"]))),
    ];
    let judges: [(&str, &Judge); 4] = [
        ("always says met", &|_| Some("met")),
        ("always says broken", &|_| Some("broken")),
        ("cannot tell", &|_| Some("cannot_tell")),
        ("says nothing of them", &|_| None),
    ];
    for (name, spec) in specs {
        let spec = by_models(spec);
        let mut good = Play::new(spec.clone());
        good.play_with(|turn, prompt| seat(turn, prompt, &|line| Some(looks(line))));
        let end = good.run().end().unwrap().clone();
        assert!(end.outcome.is_pass(), "{name}: {}", good.transcript());
        for (kind, judge) in judges {
            let mut play = Play::new(spec.clone());
            play.play_with(|turn, prompt| seat(turn, prompt, judge));
            let end = play.run().end().unwrap().clone();
            assert_eq!(end.outcome, Outcome::NeedsHuman, "{name}, a judge who {kind}: {}", play.transcript());
        }
        // One who gives back what it was told brings no answer, and passes nothing either.
        let mut play = Play::new(spec);
        let judges = ["review", "judge", "lint"];
        play.play_with(|turn, prompt| {
            let is_judge = judges.contains(&turn.task.split(':').next().unwrap());
            if is_judge { prompt.to_owned() } else { seat(turn, prompt, &|line| Some(looks(line))) }
        });
        assert!(!play.run().end().unwrap().outcome.is_pass(), "{name}: {}", play.transcript());
    }
}

#[test]
fn who_is_asked_again_gets_other_items_and_is_told_nothing() {
    let mut play = Play::new(by_models(review_spec(review("description", 1))));
    play.play_with(|turn, prompt| seat(turn, prompt, &|_| Some("met")));
    let asked: Vec<&str> =
        play.prompts.iter().filter(|prompt| prompt.contains("what you vote on")).map(String::as_str).collect();
    assert_eq!(asked.len(), 2, "{}", play.transcript());
    assert_ne!(asked[0], asked[1]);
    assert!(!asked[1].contains("could not be used"), "{}", asked[1]);
    assert_eq!(
        play.run().end().unwrap().reason,
        "no judge passed its control: reviewer got wrong what is known of the draft"
    );
}

/// A person allows one more round and changes the anchor: the draft of a round that is closed is judged again in the one that
/// is open.
#[test]
fn what_stands_from_an_earlier_round_is_judged_again_in_the_open_one() {
    let old = anchor("kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n");
    let new = anchor("kind = \"invariants\"\nMUST = [\"names who pays\"]\n");
    let (cannot, met) = (ballot(&["cannot_tell"]), ballot(&["met Ada pays it all"]));
    let plan = rewrite("Ada pays it all");
    let mut play = Play::new(spec(old, one_round(&[])));
    play.play(&[&plan, &cannot, &plan, &cannot]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", play.transcript());
    play.record(Event::DecisionReopened { by: "ada".into(), why: "once more".into(), rounds: 1 });
    play.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(new) });
    play.play(&[&plan, r#"{"votes": []}"#, &met, &met]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{}", play.transcript());
}

#[test]
fn a_should_that_nobody_judged_is_not_excused() {
    let kind = anchor("kind = \"invariants\"\nSHOULD = [\"be kind\"]\n");
    let excused = r#"{"draft": "Plan", "justifications": {"be kind": "later"}}"#;
    let mut play = Play::new(spec(kind, one_round(&[])));
    let cannot = ballot(&["cannot_tell"]);
    play.play(&[&rewrite("Plan"), &cannot, excused, &cannot]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(
        (end.outcome, end.reason.as_str()),
        (Outcome::NeedsHuman, "the rounds are used up; undecided: `be kind`")
    );
}

#[test]
fn a_scorer_names_every_dimension_once() {
    let rubric =
        || anchor("kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 1 }, { name = \"depth\", weight = 1 }]\n");
    let scores = |names: &[&str]| {
        let given: Vec<_> = names.iter().map(|name| serde_json::json!({ "name": name, "score": 8 })).collect();
        serde_json::json!({ "scores": given }).to_string()
    };
    for bad in [&[][..], &["clarity"], &["clarity", "depth", "depth"], &["clarity", "depth", "vibe"]] {
        let (plan, bad) = (rewrite("Plan"), scores(bad));
        let mut play = Play::new(spec(rubric(), one_round(&[])));
        play.play(&[&plan, &bad]);
        assert!(play.prompts.last().unwrap().contains("must name every dimension once"), "{bad}");
    }
}

#[test]
fn a_command_that_a_model_wrote_is_not_run() {
    let settings = Settings { kind: tribunal_anchors::AnchorKind::Invariants, ..one_round(&[]) };
    let rule = r#"{"kind": "command", "argv": ["rm", "-rf", "/"], "rule": "clean"}"#;
    let first = format!(r#"{{"draft": "Plan", "anchor": {{"kind": "invariants", "MUST": [{rule}]}}}}"#);
    let spec = RunSpec { anchor: None, ..spec(two_questions(), settings) };
    let may_run = |play: &Play| {
        let run = play.run();
        let turn = run.in_flight().next().unwrap();
        match run.input(turn) {
            Some(tribunal_kernel::TurnInput::Rules(input)) => input.may_run,
            other => panic!("{other:?}"),
        }
    };
    let mut play = Play::new(spec.clone());
    play.play(&[&first]);
    assert!(!may_run(&play), "{}", play.transcript());
    let held_back = r#"{"votes": [{"item": "clean", "says": "cannot_tell", "why": "nobody allowed it"}]}"#;
    play.play(&[held_back, &rewrite("Plan, polished"), held_back]);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("undecided: `clean`"), "{}", end.reason);

    // A person allows them, before or after: then they run.
    let draft = play.run().drafts().last().unwrap().id;
    let anchor = Box::new(play.run().anchor().unwrap().clone());
    play.record(Event::ItemsDecided { by: "ada".into(), draft, votes: Vec::new() });
    play.record(Event::Reanchored { by: "ada".into(), anchor });
    play.play(&[]);
    assert!(may_run(&play), "{}", play.transcript());
    let settings = Settings { allow_commands: true, ..spec.settings_of::<Settings>().unwrap().clone() };
    let mut play = Play::new(RunSpec { settings: settings.into(), ..spec });
    play.play(&[&first]);
    assert!(may_run(&play), "{}", play.transcript());
}
