//! The worked cases of the review loop, each told as a transcript.

use crate::support::{Play, settings, spec};
use insta::assert_snapshot;
use std::collections::BTreeSet;
use tribunal_kernel::decision::DecisionField;
use tribunal_kernel::draft::text_digest;
use tribunal_kernel::review::{PriorIterations, SelectedContent, Settings};
use tribunal_kernel::{
    Decision, Digest, Draft, DraftId, Event, Format, Judgement, Limits, Outcome, Round, SeatName, Usage, Usd,
};
use uuid::Uuid;

fn transcript(settings: Settings, answers: &[&str]) -> String {
    Play::new(spec(settings)).play(answers).transcript()
}

/// Short for a creator's answer.
fn draft(content: &str, done: bool) -> String {
    format!(r#"{{"done": {done}, "candidate": {{"content": "{content}", "format": "plain"}}}}"#)
}

fn played(settings: Settings, answers: &[&str]) -> String {
    let answers: Vec<String> = answers
        .iter()
        .map(|answer| match answer.split_once(' ') {
            Some(("draft", content)) => draft(content, false),
            Some(("done", content)) => draft(content, true),
            _ if answer.starts_with(['{', '!']) => (*answer).to_owned(),
            _ => format!(r#"{{"verdict": "{answer}"}}"#),
        })
        .collect();
    transcript(settings, &answers.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn changes_requested_then_ok_and_done_converges() {
    assert_snapshot!(played(settings("description", 5), &["draft a", "changes_requested", "done b", "ok"]), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "a"
      reviewer attempt 1
        changes_requested
      go on
    iteration 2
      creator attempt 1
        candidate "b", done
      reviewer attempt 1
        ok
      converged: reviewer_ok_and_creator_done
    converged: reviewer_ok_and_creator_done
    "#);
}

#[test]
fn always_changes_requested_needs_a_human_at_the_limit() {
    let told = played(settings("description", 2), &["done a", "changes_requested", "done b", "changes_requested"]);
    assert!(told.ends_with("  needs_human: iteration_limit\nneeds_human: iteration_limit\n"), "{told}");
}

#[test]
fn a_needs_human_verdict_does_not_stop_the_loop_by_itself() {
    assert_snapshot!(played(settings("description", 2), &["done a", "needs_human", "done b", "needs_human"]), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "a", done
      reviewer attempt 1
        needs_human
      go on
    iteration 2
      creator attempt 1
        candidate "b", done
      reviewer attempt 1
        needs_human
      needs_human: iteration_limit
    needs_human: iteration_limit
    "#);
}

#[test]
fn unless_it_is_told_to_stop() {
    let settings = Settings { stop_on_needs_human: true, ..settings("description", 5) };
    let told = played(settings, &["done a", "needs_human"]);
    assert!(told.ends_with("needs_human: reviewer_needs_human\n"), "{told}");
}

#[test]
fn agreement_in_the_last_iteration_counts() {
    let told = played(settings("description", 2), &["draft a", "ok", "done b", "ok"]);
    assert!(told.ends_with("converged: reviewer_ok_and_creator_done\n"), "{told}");
}

#[test]
fn a_settled_decision_calls_nobody() {
    let mut settings = settings("description", 5);
    settings.given.decision = Some(Decision::terminal(Outcome::NeedsHuman, Round(3), "iteration_limit"));
    assert_snapshot!(played(settings, &[]), @"
    review of description
    needs_human: iteration_limit
    ");
}

#[test]
fn a_locked_reason_stays() {
    let mut settings = settings("description", 5);
    let locked = BTreeSet::from([DecisionField::Reason]);
    settings.given.decision = Some(Decision { reason: Some("human_hold".into()), locked, ..Decision::default() });
    let told = played(settings, &["done a", "ok"]);
    assert!(told.ends_with("  converged: human_hold\nconverged: human_hold\n"), "{told}");
}

#[test]
fn a_locked_selection_must_not_change() {
    let mut settings = settings("slug", 5);
    settings.given.selection =
        Some(SelectedContent { text: text_digest("locked"), file: "copy/selected/slug.md".into() });
    assert_snapshot!(played(settings, &["done x", "ok", "done locked", "ok"]), @r#"
    review of slug
    iteration 1
      creator attempt 1
        candidate "x", done
      reviewer attempt 1
        changes_requested locked_selection [said ok: locked_selection]
      go on
    iteration 2
      creator attempt 1
        candidate "locked", done
      reviewer attempt 1
        ok
      converged: reviewer_ok_and_creator_done
    converged: reviewer_ok_and_creator_done
    "#);
}

#[test]
fn a_complaint_about_the_locked_text_is_contested() {
    let mut settings = settings("slug", 1);
    settings.given.selection =
        Some(SelectedContent { text: text_digest("locked\n"), file: "copy/selected/slug.md".into() });
    let told = played(
        settings,
        &["done locked", r#"{"verdict":"changes_requested","issues":[{"message":"shorten it","code":"length"}]}"#],
    );
    assert!(told.contains("changes_requested length (contested)"), "{told}");
}

#[test]
fn ok_beside_an_error_counts_as_changes_requested() {
    let told = played(
        settings("description", 1),
        &["done a", r#"{"verdict":"ok","issues":[{"severity":"error","message":"typo","code":"typo"}]}"#],
    );
    assert!(told.contains("changes_requested typo [said ok: ok_with_errors]"), "{told}");
    let told = played(
        settings("description", 1),
        &["done a", r#"{"verdict":"ok","issues":[{"severity":"warning","message":"long","code":"long"}]}"#],
    );
    assert!(told.contains("    ok long\n") && told.ends_with("reviewer_ok_and_creator_done\n"), "{told}");
}

#[test]
fn an_answer_that_does_not_fit_is_tried_again_and_never_a_pass() {
    assert_snapshot!(played(settings("description", 3), &["done a", "{}", "!no key", r#"{"verdict":"fine"}"#]), @r#"
    review of description
    iteration 1
      creator attempt 1
        candidate "a", done
      reviewer attempt 1
        failed: no JSON object in the answer fits the schema: missing field `verdict`
      reviewer attempt 2
        failed: no key
      reviewer attempt 3
        failed: no JSON object in the answer fits the schema: unknown variant `fine`, expected one of `ok`, `changes_requested`, `needs_human`
    failed: reviewer brought no usable answer in 3 attempts: no JSON object in the answer fits the schema: unknown variant `fine`, expected one of `ok`, `changes_requested`, `needs_human`
    "#);
}

#[test]
fn a_seat_that_did_not_answer_has_judged_an_error() {
    let mut play = Play::new(spec(settings("description", 3)));
    play.play(&[&draft("a", true), "!gone", "!gone", "!gone"]);
    let run = play.run();
    let slot = |seat: &str, task| run.slot(Round(1), &SeatName::new(seat), task).judgement();
    assert_eq!(slot("reviewer", "review"), Some(Judgement::Error));
    assert_eq!(slot("creator", "draft"), Some(Judgement::Abstain));
    assert_eq!(slot("reviewer", "another"), None);
}

#[test]
fn the_object_that_fits_is_taken() {
    let told = played(settings("description", 3), &["done a", r#"{} then {"verdict":"ok"}"#]);
    assert!(told.ends_with("converged: reviewer_ok_and_creator_done\n"), "{told}");
}

#[test]
fn a_failed_run_tries_again_when_it_is_resumed() {
    let mut play = Play::new(spec(settings("description", 3)));
    play.play(&["!down", "!down", "!down"]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Failed);
    play.record(Event::RunResumed { limits: Limits::default() });
    play.play(&[&draft("a", true), r#"{"verdict":"ok"}"#]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::Converged);
}

#[test]
fn a_person_can_reopen_a_decision() {
    let mut play = Play::new(spec(settings("description", 1)));
    play.play(&[&draft("a", true), r#"{"verdict":"changes_requested"}"#]);
    assert_eq!(play.run().end().unwrap().outcome, Outcome::NeedsHuman);
    play.record(Event::DecisionReopened { by: "ada".into(), why: "one more try".into(), rounds: 2 });
    play.play(&[&draft("b", true), r#"{"verdict":"ok"}"#]);
    let run = play.run();
    assert_eq!(run.decision().final_round, Some(Round(2)));
    assert_eq!(run.end().unwrap().outcome, Outcome::Converged);
}

#[test]
fn a_run_counts_on_from_the_iterations_before_it() {
    let mut settings = settings("description", 3);
    let [protocol, review] = ["[]", "{}"].map(Digest::of);
    settings.given.prior = Some(PriorIterations { iterations: Round(3), protocol, review });
    settings.given.decision = Some(Decision::terminal(Outcome::NeedsHuman, Round(3), "iteration_limit"));
    let mut play = Play::new(spec(settings));
    play.texts.insert(review, "{}".into());
    play.play(&[]);
    play.record(Event::DecisionReopened { by: "ada".into(), why: "again".into(), rounds: 1 });
    play.play(&[&draft("b", true), r#"{"verdict":"ok"}"#]);
    assert_eq!(play.run().decision().final_round, Some(Round(4)));
}

#[test]
fn an_old_candidate_id_is_not_used_again() {
    let id = "01234567-89ab-4def-8123-456789abcdef";
    let taken = DraftId(Uuid::from_u128(5));
    let answer = |id: &str| format!(r#"{{"done":false,"candidate":{{"content":"a","candidate_id":"{id}"}}}}"#);
    let mut settings = settings("description", 3);
    settings.given.taken.insert(taken);
    let mut play = Play::new(spec(settings));
    let no = r#"{"verdict":"changes_requested"}"#;
    play.play(&[&answer(id), no, &answer(id), no, &answer(&taken.to_string()), no]);
    let ids: Vec<DraftId> = play.run().drafts().map(|draft| draft.id).collect();
    assert_eq!(ids[0].to_string(), id);
    assert!(!ids[1..].contains(&ids[0]) && ids[1] != ids[2] && ids[2] != taken);
}

#[test]
fn limits_are_checked_before_the_call_that_would_break_them() {
    let mut spec = spec(settings("description", 9));
    spec.limits.usd = Some(Usd(50));
    let mut play = Play::new(spec);
    play.usage = Usage { usd: Some(Usd(20)), ..Usage::default() };
    let no = r#"{"verdict":"changes_requested"}"#;
    play.play(&[&draft("a", false), no, &draft("b", false), no]);
    // Two calls cost 40; a third of the creator's would reach 60.
    assert_eq!(play.run().end().unwrap().outcome, Outcome::OverBudget);
    assert_eq!(play.run().budget().spent.usd, Usd(40));
}

#[test]
fn the_round_limit_of_the_run_holds_beside_the_loops_own() {
    let mut spec = spec(settings("description", 9));
    spec.limits.rounds = Some(1);
    let mut play = Play::new(spec);
    play.play(&[&draft("a", false), r#"{"verdict":"ok"}"#]);
    assert_eq!(play.run().end().unwrap().reason, "the limit of 1 rounds is reached");
}

#[test]
fn prompts_carry_what_each_seat_must_see() {
    let mut settings = settings("description", 3);
    let seed = "An older text.";
    settings.given.seed = Some(Draft::of(DraftId(Uuid::from_u128(9)), seed, Format::Markdown));
    let mut play = Play::new(spec(settings));
    play.texts.insert(Digest::of(seed), seed.into());
    play.play(&[
        &draft("First try", false),
        r#"{"verdict":"changes_requested","summary":"Too vague.","issues":[{"message":"name the guest","code":"guest"}]}"#,
        "not JSON",
        &draft("With Ada", true),
        r#"{"verdict":"ok"}"#,
    ]);
    assert_snapshot!("creator_first", play.prompts[0]);
    assert_snapshot!("reviewer_first", play.prompts[1]);
    assert_snapshot!("creator_second_after_a_misfit", play.prompts[3]);
    assert_snapshot!("reviewer_second", play.prompts[4]);
}
