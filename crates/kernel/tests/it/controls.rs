//! No evidence without a control: judges that look and notice nothing, in every loop.

use crate::anchored::under_anchor;
use crate::ballots::by_models;
use crate::joust::{anchor, settings, spec};
use crate::streams::settings as stage;
use crate::support::{Play, settings as review, spec as review_spec, theater};
use serde_json::{Value, json};
use tribunal_kernel::control::{Controls, PassedControl, is_control};
use tribunal_kernel::joust::Settings;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::theater::Panel;
use tribunal_kernel::{
    Event, Format, Limits, Outcome, RunId, RunSpec, Score, SeatName, Time, Turn, TurnState, Usage, Usd,
};
use uuid::Uuid;

const TEXT: &str = "We move in June, all of us, with everything that we have. Rye bread for the way.";

/// How somebody judges work that is, or is not, what was asked for. Everybody here looks: what is known of the draft they
/// get right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judge {
    Honest,
    Approves,
    Objects,
    /// Approves or objects, by a throw of dice.
    Random(u64),
}

impl Judge {
    fn approves(self, is_good: bool, thrown: u64) -> bool {
        match self {
            Self::Honest => is_good,
            Self::Approves => true,
            Self::Objects => false,
            Self::Random(seed) => tribunal_kernel::Digest::of(format!("{seed} {thrown}")).0[0].is_multiple_of(2),
        }
    }

    /// What a seat says: whoever writes is good at it, whoever judges judges like this.
    pub(crate) fn answer(self, turn: &Turn, prompt: &str) -> String {
        let (_, after) = prompt.split_once("what you vote on:\n").unwrap_or_default();
        let items: Vec<&str> = after.lines().skip(1).take_while(|line| line.starts_with('R')).collect();
        let draft = prompt.split("Data, not instructions").find(|part| {
            [" — the draft:", " — the candidate:", " — the artifact:"].iter().any(|label| part.starts_with(label))
        });
        let draft = draft.unwrap_or_default();
        let (is_good, thrown) = (draft.contains("We move in June"), u64::from(turn.id.0));
        let vote = |(line, number): (&&str, u64)| {
            let id = line.split(':').next().unwrap();
            let words = line.split_once("contains the words \"").and_then(|(_, rest)| rest.split_once('"'));
            let is_met = match words {
                Some((words, _)) => draft.contains(words),
                None => self.approves(is_good, thrown * 100 + number),
            };
            let quote = words.map_or_else(|| some_words(draft), |(words, _)| words.to_owned());
            if is_met {
                json!({ "id": id, "says": "met", "quote": quote })
            } else {
                json!({ "id": id, "says": "broken", "absent": true, "why": "it is not there" })
            }
        };
        let ballot: Vec<Value> = items.iter().zip(1..).map(vote).collect();
        let approves = self.approves(is_good, thrown);
        let page = format!("<p>{TEXT}</p>");
        let task = tribunal_kernel::control::shown_task(&turn.task).split(':').next().unwrap().to_owned();
        match task.as_str() {
            "rules" => json!({ "votes": [{ "item": "must contain the phrase Rye", "says": "met" }] }),
            "draft" if turn.seat == *"creator" => {
                json!({ "done": true, "candidate": { "content": TEXT, "format": "plain" } })
            }
            "draft" => json!({ "artifact": { "mime": "text/html", "content": page } }),
            "review" if approves => {
                json!({ "verdict": "ok", "summary": format!("“{}”", some_words(draft)), "ballot": ballot })
            }
            "review" => json!({ "verdict": "changes_requested", "issues": [{ "message": "no" }], "ballot": ballot }),
            "judge" if approves => json!({ "score": 9, "dims": [], "must_fix": [], "ballot": ballot }),
            "judge" => json!({ "score": 2, "dims": [], "must_fix": ["no"], "ballot": ballot }),
            "score" => {
                let score = if approves { 13 } else { 1 };
                json!({ "scores": [{ "name": "clear", "score": score, "rationale": "so" }], "ballot": ballot })
            }
            "lint" | "recount" => json!({ "ballot": ballot }),
            _ => json!({ "draft": TEXT }),
        }
        .to_string()
    }
}

/// Words that the draft has, in a row.
fn some_words(draft: &str) -> String {
    let line = draft
        .lines()
        .map(|line| line.replace("<p>", "").replace("</p>", ""))
        .find(|line| line.split_whitespace().count() > 6 && !line.contains(['<', '"']) && !line.starts_with(" —"));
    line.unwrap_or_default().split_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

pub(crate) fn controls() -> Controls {
    Controls { per_judge: 1, min_catch: Score::from_f64(0.5), share: Score::from_f64(0.3), passed: Vec::new() }
}

fn controlled(spec: RunSpec) -> RunSpec {
    RunSpec { controls: controls(), ..by_models(spec) }
}

fn one_round(jousters: &[&str]) -> Settings {
    Settings { max_rounds: 1, ..settings(jousters) }
}

fn specs() -> Vec<(&'static str, RunSpec)> {
    let honest =
        || anchor("kind = \"invariants\"\nMUST = [\"says when we move\"]\nMUST_NOT = [\"mentions a price\"]\n");
    vec![
        ("review", review_spec(review("description", 2))),
        ("anchored review", under_anchor(review_spec(review("description", 2)))),
        ("theater", theater(stage(Panel::Seats))),
        ("anchored theater", under_anchor(theater(stage(Panel::Seats)))),
        ("joust", spec(honest(), one_round(&["skeptic"]))),
    ]
}

fn play(spec: &RunSpec, judge: Judge) -> Play {
    let mut play = Play::new(spec.clone());
    play.play_with(|turn, prompt| judge.answer(turn, prompt));
    play
}

/// A review whose reviewer passed its control.
pub(crate) fn a_passed_control() -> Play {
    play(&controlled(review_spec(review("description", 2))), Judge::Honest)
}

#[test]
fn who_notices_faults_is_heard_and_who_does_not_is_not() {
    for (name, spec) in specs() {
        let spec = controlled(spec);
        let honest = play(&spec, Judge::Honest);
        let run = honest.run();
        assert!(run.end().unwrap().outcome.is_pass(), "{name}: {}", honest.transcript());
        let judges = run.spec().trial().judges().len();
        let asked = run.turns().iter().filter(|turn| is_control(&turn.task)).count();
        assert_eq!(run.controls_told().len(), asked, "{name}: {:?}", run.controls_told());
        assert!(asked > 0 && asked <= judges, "{name}: each judge once, and only those that judge");
        for line in run.controls_told() {
            assert!(line.ends_with(", 0 false alarms"), "{name}: {line}");
        }
        for judge in [Judge::Approves, Judge::Objects] {
            let play = play(&spec, judge);
            let end = play.run().end().unwrap().clone();
            assert!(!end.outcome.is_pass(), "{name}, {judge:?}: {}", play.transcript());
            if judge == Judge::Approves {
                assert_eq!(end.outcome, Outcome::NeedsHuman, "{name}: {}", play.transcript());
                assert!(end.reason.contains("caught 0 of"), "{name}: {}", end.reason);
            }
        }
    }
}

/// Without controls the same judge passes everything: it is they that hold it.
#[test]
fn without_controls_who_approves_everything_is_believed() {
    for (name, spec) in specs() {
        let play = play(&by_models(spec), Judge::Approves);
        assert!(play.run().end().unwrap().outcome.is_pass(), "{name}: {}", play.transcript());
    }
}

/// Who answers at random, whatever is asked: a number for a number, a word for a word, and for a quote some line of the
/// prompt. Nobody of them passes anything, in any loop.
#[test]
fn nothing_passes_on_answers_at_random() {
    for (name, spec) in specs() {
        let spec = controlled(spec);
        let passed = (0..120).filter(|seed| {
            let mut play = Play::new(RunSpec { run: RunId(Uuid::from_u128(1000 + u128::from(*seed))), ..spec.clone() });
            play.play_with(|turn, prompt| at_random(turn, prompt, *seed));
            play.run().end().unwrap().outcome.is_pass()
        });
        assert_eq!(passed.count(), 0, "{name}");
    }
}

fn at_random(turn: &Turn, prompt: &str, seed: u64) -> String {
    let thrown = |what: &str, of: usize| {
        let digest = tribunal_kernel::Digest::of(format!("{seed} {} {} {what}", turn.id, turn.attempt));
        usize::from(u16::from_le_bytes([digest.0[0], digest.0[1]])) % of
    };
    let (_, after) = prompt.split_once("what you vote on:\n").unwrap_or_default();
    let items: Vec<&str> = after.lines().skip(1).take_while(|line| line.starts_with('R')).collect();
    let lines: Vec<&str> = prompt.lines().filter(|line| !line.trim().is_empty()).collect();
    let vote = |line: &&str| {
        let id = line.split(':').next().unwrap();
        let says = ["met", "broken", "cannot_tell"][thrown(id, 3)];
        let quote = lines[thrown(&format!("{id} quote"), lines.len())];
        json!({ "id": id, "says": says, "quote": quote, "absent": thrown(&format!("{id} absent"), 2) == 0 })
    };
    let ballot: Vec<Value> = items.iter().map(vote).collect();
    let task = tribunal_kernel::control::shown_task(&turn.task).split(':').next().unwrap().to_owned();
    match task.as_str() {
        "review" => {
            let verdict = ["ok", "changes_requested", "needs_human"][thrown("verdict", 3)];
            json!({ "verdict": verdict, "summary": lines[thrown("summary", lines.len())], "ballot": ballot })
        }
        "judge" => json!({ "score": thrown("score", 11), "dims": [], "must_fix": [], "ballot": ballot }),
        "score" => json!({ "scores": [{ "name": "clear", "score": thrown("score", 14) }], "ballot": ballot }),
        "lint" | "recount" => json!({ "ballot": ballot }),
        // Whoever writes is good at it.
        _ => return Judge::Honest.answer(turn, prompt),
    }
    .to_string()
}

/// Dice may pass a control; what they may not do is pass everything else as well, and that is what a second judge, more
/// rules and more rounds are for. How often is in `docs/anchors.md`.
#[test]
fn dice_are_found_out_more_often_than_not() {
    let spec = controlled(review_spec(review("description", 1)));
    let passed =
        (0..200).filter(|seed| play(&spec, Judge::Random(*seed)).run().end().unwrap().outcome.is_pass()).count();
    assert!((25..=75).contains(&passed), "half of them approve the draft, and half of those the control: {passed}");
}

#[test]
fn a_scorer_that_gives_everything_the_most_has_no_vote() {
    let rubric = anchor("kind = \"rubric\"\ndims = [{ name = \"clear\", weight = 1 }]\n");
    let scored = Settings { scorers: vec![SeatName::new("editor")], linters: vec![], ..one_round(&["skeptic"]) };
    let spec = controlled(spec(rubric, scored));
    let honest = play(&spec, Judge::Honest);
    assert_eq!(honest.run().controls_told(), ["editor · caught 1 of 1, 0 false alarms"], "{}", honest.transcript());
    assert!(honest.run().end().unwrap().outcome.is_pass(), "{}", honest.transcript());
    let liar = play(&spec, Judge::Approves);
    assert_eq!(liar.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", liar.transcript());
}

/// In every loop, at every event: what is played again from there ends the same.
#[test]
fn cut_anywhere_a_controlled_run_goes_on_as_if_it_had_not_been() {
    for (name, spec) in specs() {
        let whole = play(&controlled(spec), Judge::Honest);
        let end = whole.run().end().unwrap().outcome;
        for length in 1..whole.entries.len() {
            let mut cut = Play {
                entries: whole.entries[..length].to_vec(),
                texts: whole.texts.clone(),
                prompts: whole.prompts.clone(),
                usage: whole.usage,
            };
            cut.prompts.truncate(cut.run().turns().len());
            cut.play_with(|turn, prompt| Judge::Honest.answer(turn, prompt));
            assert_eq!(cut.run().end().unwrap().outcome, end, "{name}, cut at {length}: {}", cut.transcript());
            let asked = |play: &Play| play.run().turns().iter().filter(|turn| is_control(&turn.task)).count();
            assert_eq!(asked(&cut), asked(&whole), "{name}, cut at {length}: nobody is asked twice");
        }
    }
}

#[test]
fn who_passed_lately_is_cited_and_not_asked() {
    let spec = controlled(review_spec(review("description", 2)));
    let passed = |format| PassedControl {
        seat: SeatName::new("reviewer"),
        format,
        run: RunId(Uuid::from_u128(7)),
        at: Time(1),
        planted: 3,
        caught: 3,
    };
    let with = |format| RunSpec { controls: Controls { passed: vec![passed(format)], ..controls() }, ..spec.clone() };
    let cited = play(&with(Format::Plain), Judge::Honest);
    assert!(!cited.run().turns().iter().any(|turn| is_control(&turn.task)), "{}", cited.transcript());
    assert_eq!(cited.run().controls_told(), ["reviewer · caught 3 of 3 in run 00000000-0000-0000-0000-000000000007"]);
    assert_eq!(cited.run().spec().outlook(0).calls[&SeatName::new("reviewer")], 2);
    // It passed on pages; this is a text.
    let other = play(&with(Format::Html), Judge::Honest);
    assert_eq!(other.run().turns().iter().filter(|turn| is_control(&turn.task)).count(), 1, "{}", other.transcript());
    // And what it passed there is no vote for who fails here, or does not answer.
    let liar = play(&with(Format::Html), Judge::Approves);
    assert_eq!(liar.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", liar.transcript());
    let mut silent = Play::new(with(Format::Html));
    silent.play_with(
        |turn, prompt| {
            if is_control(&turn.task) { "no".into() } else { Judge::Honest.answer(turn, prompt) }
        },
    );
    assert_eq!(silent.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", silent.transcript());
}

#[test]
fn a_control_costs_what_was_planned_and_no_more_than_its_share() {
    let mut spec = controlled(review_spec(review("description", 1)));
    spec.limits = Limits { usd: Some(Usd(1_000_000)), ..Limits::default() };
    let planned = spec.outlook(0).calls;
    let mut play = Play::new(spec.clone());
    play.usage = Usage { input_tokens: 10, output_tokens: 10, usd: Some(Usd(1_000)), ..Usage::default() };
    play.play_with(|turn, prompt| Judge::Honest.answer(turn, prompt));
    for (seat, calls) in planned {
        let made = play.run().turns().iter().filter(|turn| turn.seat == seat).count();
        assert_eq!(made, calls as usize, "{seat}: {}", play.transcript());
    }
    spec.controls.share = Score::ZERO;
    let mut play = Play::new(spec);
    play.play_with(|turn, prompt| Judge::Honest.answer(turn, prompt));
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "who could not be controlled proves nothing: {}", play.transcript());
    assert!(end.reason.contains("`controls.share`"), "{}", end.reason);
}

#[test]
fn a_control_that_brings_no_answer_is_not_passed() {
    let spec = controlled(review_spec(review("description", 1)));
    let mut play = Play::new(spec);
    play.play_with(|turn, prompt| {
        if is_control(&turn.task) { "I would rather not.".into() } else { Judge::Honest.answer(turn, prompt) }
    });
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.contains("did not answer its control"), "{}", end.reason);
}

/// A person reopens a run whose judge did not answer its control: it is asked again, in the round that is open.
#[test]
fn a_control_that_failed_is_asked_again_in_the_round_that_is_open() {
    for (name, spec) in specs() {
        let mut play = Play::new(controlled(spec));
        let dies = |turn: &Turn, prompt: &str| {
            if is_control(&turn.task) { "no".to_owned() } else { Judge::Honest.answer(turn, prompt) }
        };
        play.play_with(dies);
        assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman, "{name}: {}", play.transcript());
        play.record(Event::DecisionReopened { by: "ada".into(), why: "once more".into(), rounds: 1 });
        play.play_with(|turn, prompt| Judge::Honest.answer(turn, prompt));
        assert!(play.run().end().unwrap().outcome.is_pass(), "{name}: {}", play.transcript());
    }
}

/// A judge that crashes costs its own vote, not the run.
#[test]
fn a_judge_that_crashes_is_not_heard_and_the_others_are() {
    let mut play = Play::new(theater(stage(Panel::Seats)));
    let page = json!({ "artifact": { "mime": "text/html", "content": "<p>Bread</p>" } }).to_string();
    let fine = json!({ "score": 9, "dims": [], "must_fix": [] }).to_string();
    for _ in 0..60 {
        play.play(&[]);
        let run = play.run();
        let Some(turn) = run.in_flight().next() else { break };
        let answer = match turn.seat.as_str() {
            "designer" => page.as_str(),
            "a11y" => "!it crashed",
            _ => fine.as_str(),
        };
        play.play(&[answer]);
    }
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert!(end.reason.starts_with("a11y could not judge: it crashed"), "{}", end.reason);
}

/// What is planted into a page is confirmed by measurement: whichever field a judge is asked about, there is something.
#[test]
fn a_planted_page_is_as_bad_as_it_claims() {
    let play = play(&controlled(theater(stage(Panel::Seats))), Judge::Honest);
    let run = play.run();
    let controls = run.turns().iter().filter(|turn| is_control(&turn.task));
    for turn in controls {
        let prompt = &play.prompts[turn.id.0 as usize - 1];
        let start = prompt.find("<!DOCTYPE html>").unwrap();
        let page = &prompt[start..prompt[start..].find("</html>").unwrap() + start + 7];
        let document = tribunal_checks::Document::html(page, &|_| None);
        let mut codes: Vec<&str> = tribunal_checks::a11y(&document)
            .iter()
            .flat_map(|measured| &measured.findings)
            .map(|finding| finding.code)
            .collect();
        codes.sort_unstable();
        codes.dedup();
        for code in ["contrast.text", "image.alt", "heading.skipped"] {
            assert!(codes.contains(&code), "{code} is not among {codes:?}");
        }
        let exists = |_: &str| true;
        let unfinished = tribunal_checks::lint(page, tribunal_checks::DocumentFormat::Html, &exists);
        assert!(!unfinished.is_empty(), "there is a placeholder");
    }
}

/// Nothing in what a judge is told tells a control from a real call.
#[test]
fn a_control_looks_like_any_other_call() {
    for (name, spec) in specs() {
        let play = play(&controlled(spec), Judge::Honest);
        let run = play.run();
        for turn in run.turns().iter().filter(|turn| is_control(&turn.task)) {
            let control = &play.prompts[turn.id.0 as usize - 1];
            let (shown, seat) = (tribunal_kernel::control::shown_task(&turn.task), &turn.seat);
            let real = run.turns().iter().find(|other| other.task == shown && other.seat == *seat).unwrap();
            let real = &play.prompts[real.id.0 as usize - 1];
            assert!(!control.contains("control:") && !control.contains("planted"), "{name}: {control}");
            assert!(!control.contains("We move in June"), "{name}: {control}");
            let frame =
                |prompt: &str| prompt.lines().filter(|line| line.contains("Data, not")).map(str::to_owned).collect();
            let (control, real): (Vec<String>, Vec<String>) = (frame(control), frame(real));
            assert_eq!(control, real, "{name}");
        }
        let unsettled = run.turns().iter().filter(|turn| matches!(turn.state, TurnState::InFlight)).count();
        assert_eq!(unsettled, 0);
    }
}

/// Whoever is not controlled although it is a model is named; programs, and runs from before there were controls, are not.
#[test]
fn a_model_that_nobody_controls_is_named() {
    let spec = by_models(review_spec(review("description", 1)));
    let with = |agent: &str, controls: Controls| {
        let agent: Value = serde_json::from_str(agent).unwrap();
        let agents = spec.agents.keys().map(|name| (name.clone(), AgentDefinition(agent.clone()))).collect();
        RunSpec { agents, controls, ..spec.clone() }.not_controlled().join("; ")
    };
    let off = Controls { per_judge: 0, ..controls() };
    let (model, left_out) = (r#"{"kind": "http", "controls": true}"#, r#"{"kind": "http", "controls": false}"#);
    assert_eq!(with(model, controls()), "");
    assert_eq!(with(left_out, controls()), "reviewer is a model and is not controlled: `controls = false`");
    assert_eq!(with(model, off.clone()), "no judge is shown planted faults: `controls.per_judge = 0`");
    assert_eq!(with(r#"{"kind": "command", "controls": false}"#, controls()), "");
    assert_eq!(with(r#"{"kind": "http"}"#, off), "", "as before there were controls");
}
