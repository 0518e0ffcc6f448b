//! The joust: the worked cases of the loop, each told as a transcript.

use crate::support::Play;
use insta::assert_snapshot;
use tribunal_anchors::{Anchor, AnchorKind, Syntax};
use tribunal_kernel::joust::{MAIN, Settings, snowball};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Binding, Digest, Event, Outcome, Round, RunId, RunSpec, Score, SeatName};
use uuid::Uuid;

pub(crate) fn anchor(toml: &str) -> Anchor {
    Anchor::read(toml, Syntax::Toml).unwrap()
}

fn risks() -> Anchor {
    anchor(
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"has a section on risks\" }]\n",
    )
}

pub(crate) fn settings(jousters: &[&str]) -> Settings {
    Settings { max_rounds: 2, ..Settings::new("rfc", AnchorKind::Invariants, jousters) }
}

pub(crate) fn spec(anchor: Anchor, settings: Settings) -> RunSpec {
    let bind = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    let seats = [MAIN, RULES, "skeptic", "editor", "dba", "security"];
    RunSpec {
        seats: seats.map(|seat| (SeatName::new(seat), bind(seat))).into(),
        max_retries: 2,
        anchor: Some(anchor),
        ..RunSpec::new(RunId(Uuid::from_u128(9)), "/work".into(), Digest::of("Describe the episode."), settings)
    }
}

/// Short for a rewrite: `TEXT`, `TEXT | critique`, `TEXT | critique | specialist: ask`.
pub(crate) fn rewrite(short: &str) -> String {
    if short.starts_with(['{', '!']) {
        return short.to_owned();
    }
    let mut parts = short.split(" | ");
    let draft = parts.next().unwrap_or_default().replace('/', "\n");
    let critique = parts.next();
    let summon = parts.next().and_then(|part| part.split_once(": "));
    let summon = summon.map(|(specialist, ask)| serde_json::json!({ "specialist": specialist, "ask": ask }));
    serde_json::json!({ "draft": draft, "critique": critique, "summon": summon }).to_string()
}

pub(crate) fn play(anchor: Anchor, settings: Settings, answers: &[&str]) -> Play {
    let mut play = Play::new(spec(anchor, settings));
    let answers: Vec<String> = answers.iter().map(|answer| rewrite(answer)).collect();
    play.play(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    play
}

fn accepted(play: &Play) -> String {
    let run = play.run();
    let (_, mutation, _) = snowball::accepted(&run).unwrap();
    play.texts[&mutation.draft.content].clone()
}

/// Drafts that are sent back and taken.
pub(crate) fn with_a_ruling() -> Play {
    play(risks(), settings(&["skeptic"]), &["Plan", "Better plan", "Plan/## Risks", "Plan/## Risks/none"])
}

#[test]
fn a_draft_that_breaks_a_pattern_is_rejected_without_a_model() {
    let play = with_a_ruling();
    assert_snapshot!(play.transcript(), @r#"
    joust of rfc
    iteration 1
      main attempt 1
        "Plan"
        accepted 0
      skeptic attempt 1
        failed: the draft was rejected:
    - has a section on risks: nothing matches `(?m)^## Risks$`
      skeptic attempt 2
        "Plan\n## Risks"
        accepted 1
      main attempt 1
        "Plan\n## Risks\nnone"
        accepted 1
      converged: every item of the anchor is met
    converged: every item of the anchor is met
    "#);
    assert!(play.prompts[2].contains("Your previous attempt could not be used"), "{}", play.prompts[2]);
    assert!(play.prompts[2].contains("has a section on risks"));
}

/// Only a parser of pages sees it, which the kernel does not have: whoever hands in the exhibits does.
#[test]
fn a_page_with_an_id_twice_is_rejected_without_a_model() {
    let page = anchor("kind = \"invariants\"\nMUST = [{ kind = \"predicate\", predicate = \"well_formed_html\" }]\n");
    let play = play(page, settings(&["skeptic"]), &["Plan", "<p id=a>One<p id=a>Two", "<p id=a>One<p id=b>Two"]);
    let transcript = play.transcript();
    let rejected: Vec<&str> = transcript.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(rejected.len(), 1, "{transcript}");
    assert!(rejected[0].contains("id=\"a\" again (line 1"), "{transcript}");
}

#[test]
fn a_should_needs_a_justification() {
    let wants_numbers = || anchor("kind = \"invariants\"\nSHOULD = [\"r\"]\n");
    let vague = r#"{"ballot": [{"id": "R1", "says": "broken", "quote": "Plan", "why": "vague"}]}"#;
    let fine = r#"{"ballot": [{"id": "R1", "says": "met", "quote": "Plan for us all"}]}"#;
    let (first, last) = ("Plan for us all", "Plan for us all, again");
    let play = play(wants_numbers(), settings(&["skeptic"]), &[first, fine, "Plan b", vague, last, fine, last, fine]);
    let told = play.transcript();
    assert!(told.contains("sent back: SHOULD: r (unjustified)"), "{told}");
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{told}");

    let justified = r#"{"draft": "Plan e", "justifications": {"r": "there are none yet"}}"#;
    let play = self::play(wants_numbers(), settings(&["skeptic"]), &[first, vague, justified, vague, justified, vague]);
    assert!(!play.transcript().contains("unjustified"), "{}", play.transcript());
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged, "{}", play.transcript());
}

#[test]
fn only_rules_that_need_an_opinion_reach_a_linter() {
    let anchor = anchor(
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"Plan\", rule = \"names the plan\" }, \"be brief\"]\n",
    );
    let play = play(anchor, settings(&["skeptic"]), &["Plan"]);
    let lint = &play.prompts[1];
    assert!(lint.contains("R1: MUST: be brief") && !lint.contains("names the plan"), "{lint}");
}

#[test]
fn of_two_summons_in_a_round_one_is_heard_now_and_one_waits() {
    let plan = "Plan/## Risks";
    let poor = anchor(
        "kind = \"acceptance\"\nitems = [{ question = \"Who pays?\", done_when = \"a payer is named\", rule = { kind = \"pattern\", pattern = \"pays\", rule = \"a payer is named\" } }]\n",
    );
    let settings = Settings { plateau_rounds: 9, max_rounds: 3, ..settings(&["skeptic", "editor"]) };
    let ask = |text: &str, who: &str| format!("{plan}/{text} | hm | {who}: look at {text}");
    let play = play(
        poor,
        settings,
        &[plan, &ask("a", "dba"), "Plan/## Risks/dba", &ask("b", "security"), "Plan/## Risks/polished"],
    );
    let run = play.run();
    let waiting: Vec<String> = snowball::queue(&run).iter().map(|request| request.summon.specialist.clone()).collect();
    assert!(play.transcript().contains("dba attempt 1"), "{}", play.transcript());
    assert!(waiting.is_empty(), "the second round has begun, and security is speaking: {waiting:?}");
    let last = run.in_flight().last().unwrap();
    assert_eq!((last.seat.as_str(), last.round), ("security", Round(2)));
}

#[test]
fn whom_nobody_sits_for_is_shown_and_keeps_nobody_waiting() {
    let plan = "Plan/## Risks";
    let rubric = anchor("kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 1 }]\n");
    let settings = Settings { plateau_rounds: 9, max_rounds: 3, ..settings(&["skeptic", "editor"]) };
    let score = r#"{"scores": [{"name": "clarity", "score": 5}]}"#;
    let ask = |who: &str| format!("{plan}/{who} | hm | {who}: look");
    let play = play(rubric, settings, &[plan, score, &ask("cfo"), score, &ask("dba"), score]);
    let run = play.run();
    assert_eq!(run.in_flight().last().unwrap().seat.as_str(), "dba");
    let vacant: Vec<&str> = snowball::queue(&run).iter().map(|request| request.summon.specialist.as_str()).collect();
    assert_eq!(vacant, ["cfo"]);
}

#[test]
fn a_first_draft_that_nobody_can_judge_is_judged_by_nobody() {
    let opinion = anchor("kind = \"invariants\"\nMUST = [\"be brief\"]\n");
    let no = ["{}", "{}", "{}"];
    let answers: Vec<&str> =
        ["Plan"].into_iter().chain(no).chain(["Plan"]).chain(no).chain(["Plan"]).chain(no).collect();
    let play = play(opinion, Settings { max_rounds: 1, ..settings(&["skeptic"]) }, &answers);
    let end = play.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::NeedsHuman, "{}", play.transcript());
    assert_eq!(end.reason, "the rounds are used up; undecided: `be brief`");
}

#[test]
fn who_is_rejected_too_often_is_skipped_and_the_run_needs_attention() {
    let play = play(risks(), settings(&["skeptic"]), &["Plan/## Risks", "a", "b", "c", "Plan/## Risks/polished"]);
    let run = play.run();
    let tally = run.rounds()[0].tally.as_ref().unwrap();
    assert_eq!(
        (tally.missing.as_slice(), tally.warnings.as_slice()),
        (&[SeatName::new("skeptic")][..], &["needs_attention".to_owned()][..])
    );
    assert_eq!(run.end().unwrap().outcome, Outcome::Converged);
    assert_eq!(accepted(&play), "Plan\n## Risks\npolished");
}

#[test]
fn a_rubric_takes_no_draft_that_falls_back() {
    let rubric =
        anchor("kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 2 }, { name = \"depth\", weight = 3 }]\n");
    let scores = |clarity: u32, depth: u32| {
        format!(r#"{{"scores": [{{"name": "clarity", "score": {clarity}}}, {{"name": "depth", "score": {depth}}}]}}"#)
    };
    let (seed, better, worse) = (scores(5, 5), scores(8, 8), scores(13, 3));
    let play = play(
        rubric,
        settings(&["skeptic"]),
        &["Plan", &seed, "Plan b", &worse, "Plan c", &better, "Plan d", &worse, "Plan e", &worse, "Plan f", &worse],
    );
    let told = play.transcript();
    assert!(told.contains("sent back: depth falls from 5 to 3"), "{told}");
    assert_eq!(accepted(&play), "Plan c");
}

/// Drafts that are scored, and a trail that is put into few words.
pub(crate) fn with_few_words() -> Play {
    let settings =
        Settings { compaction_threshold: 2, plateau_rounds: 9, max_rounds: 4, ..settings(&["skeptic", "editor"]) };
    let rubric = anchor("kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 1 }]\n");
    let score = r#"{"scores": [{"name": "clarity", "score": 5}]}"#;
    play(
        rubric,
        settings,
        &[
            "Plan",
            score,
            "Plan b | too vague",
            score,
            "Plan c | too long",
            score,
            r#"{"resolved_decisions": ["Say who pays."]}"#,
            "Plan d",
            score,
        ],
    )
}

#[test]
fn the_talk_is_put_into_few_words() {
    let play = with_few_words();
    let run = play.run();
    assert_eq!(snowball::resolved(&run), ["Say who pays."]);
    assert!(snowball::trail(&run).is_empty());
    let next = play.prompts.last().unwrap();
    assert!(next.contains("Say who pays.") && !next.contains("too vague"), "{next}");
}

#[test]
fn a_directive_reaches_every_seat_that_is_asked_from_then_on() {
    let mut play = play(risks(), settings(&["skeptic"]), &["Plan"]);
    assert!(!play.prompts.last().unwrap().contains("A person who watches"));
    play.record(Event::DirectiveGiven { by: "ada".into(), text: "Mention the budget.".into() });
    play.play(&[&rewrite("Plan/## Risks")]);
    assert_eq!(play.run().acknowledged(), 1);
    assert!(play.prompts.last().unwrap().contains("- Mention the budget."));
}

#[test]
fn another_anchor_counts_from_then_on() {
    let mut play = play(risks(), settings(&["skeptic"]), &["Plan"]);
    let by_words = anchor(
        "kind = \"assertions\"\nchecks = [{ description = \"short\", predicate = { kind = \"predicate\", predicate = \"word_count\", max = 3 } }]\n",
    );
    play.record(Event::Reanchored { by: "ada".into(), anchor: Box::new(by_words) });
    // The draft that stands is judged again, before anything is compared with it.
    let short = r#"{"votes": [{"item": "short", "says": "met"}]}"#;
    play.play(&[&rewrite("One two three four"), &rewrite("One two three"), short, &rewrite("One two three")]);
    assert_eq!(accepted(&play), "One two three");
    assert!(play.transcript().contains("reanchored"));
}

#[test]
fn cut_anywhere_the_joust_goes_on_as_if_it_had_not_been() {
    let answers: Vec<String> =
        ["Plan", "Bad", "Plan/## Risks | vague | dba: check it", "Plan/## Risks/dba", "worse", "Plan/## Risks/end"]
            .iter()
            .map(|short| rewrite(short))
            .collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let mut whole = Play::new(spec(risks(), settings(&["skeptic"])));
    whole.play(&answers);
    assert!(whole.run().end().is_some(), "{}", whole.transcript());
    for cut in 1..=whole.entries.len() {
        let mut again = Play::new(spec(risks(), settings(&["skeptic"])));
        again.texts = whole.texts.clone();
        again.entries = whole.entries[..cut].to_vec();
        let used =
            again.entries.iter().filter(|entry| matches!(entry.event.name(), "turn_answered" | "turn_failed")).count();
        again.play(&answers[used..]);
        assert_eq!(again.entries, whole.entries, "cut after {cut}");
        assert_eq!(snowball::history(&again.run(), false), [Score::points(1)]);
    }
}
