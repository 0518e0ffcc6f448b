//! What is said of whole runs.

use insta::assert_snapshot;

use super::plays::{self, Play, SECRET};
use crate::telemetry::journal::{JournalLine, lines};
use crate::telemetry::otlp::body;
use crate::telemetry::{Metrics, Tracer};

/// Without what a turn is estimated to have taken that did not say so itself: it follows the length of its prompt.
fn without_tokens(line: &JournalLine) -> String {
    let text = line.to_string();
    text.split_once(", tokens ").map_or_else(|| text.clone(), |(head, _)| format!("{head}, …)"))
}

fn told(play: &Play, how: impl Fn(&JournalLine) -> String) -> String {
    let mut text = String::new();
    play.each(|run, entry| lines(run, entry).iter().for_each(|line| text += &(how(line) + "\n")));
    text
}

#[test]
fn a_trial_in_lines_for_people() {
    assert_snapshot!(told(&plays::theater(), ToString::to_string), @r"
    2026-01-01T00:00:00.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) started on landing
    2026-01-01T00:00:19.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) round 1 closed after 19.0 s, composite 6.2, must-fix 2: continue
    2026-01-01T00:00:40.500Z info  00000000-0000-0000-0000-000000000001 (theater, writer) round 2 closed after 21.5 s, composite 8.6, must-fix 0: shipped
    2026-01-01T00:00:40.500Z info  00000000-0000-0000-0000-000000000001 (theater, writer) shipped, round 2 with 8.6 (40.5 s, turns 11, tokens 16500, $0.1100)
    ");
    assert_snapshot!(told(&plays::review(), ToString::to_string), @r"
    2026-01-01T00:00:00.000Z info  00000000-0000-0000-0000-000000000002 (review, writer) started on description
    2026-01-01T00:00:06.500Z info  00000000-0000-0000-0000-000000000002 (review, writer) round 1 closed after 6.5 s: continue
    2026-01-01T00:00:13.000Z info  00000000-0000-0000-0000-000000000002 (review, writer) round 2 closed after 6.5 s: converged
    2026-01-01T00:00:13.000Z info  00000000-0000-0000-0000-000000000002 (review, writer) converged (13.0 s, turns 4, tokens 6000, $0.0400)
    ");
}

#[test]
fn a_trial_in_lines_for_programs() {
    assert_snapshot!(told(&plays::broken(), JournalLine::json), @r#"
    {"time":"2026-01-01T00:00:00.000Z","level":"info","run":"00000000-0000-0000-0000-000000000001","loop":"theater","adapter":"writer","event":"run_started","subject":"landing"}
    {"time":"2026-01-01T00:00:02.000Z","level":"warn","run":"00000000-0000-0000-0000-000000000001","loop":"theater","adapter":"writer","event":"parser_recover","kind":"unknown_tag","position":26}
    {"time":"2026-01-01T00:00:08.000Z","level":"info","run":"00000000-0000-0000-0000-000000000001","loop":"theater","adapter":"writer","event":"round_closed","round":1,"seconds":8.0,"composite":6.2,"must_fix":2,"decision":"continue"}
    {"time":"2026-01-01T00:00:17.000Z","level":"warn","run":"00000000-0000-0000-0000-000000000001","loop":"theater","adapter":"writer","event":"degraded","reason":"malformed_block"}
    {"time":"2026-01-01T00:00:20.000Z","level":"info","run":"00000000-0000-0000-0000-000000000001","loop":"theater","adapter":"writer","event":"run_shipped","status":"degraded","round":2,"seconds":20.0,"turns":2,"tokens":3000,"usd":0.02}
    "#);
}

#[test]
fn an_end_without_success_says_why() {
    assert_snapshot!(told(&plays::failed(), without_tokens), @r"
    2026-01-01T00:00:00.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) started on landing
    2026-01-01T00:00:19.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) round 1 closed after 19.0 s, composite 6.2, must-fix 2: continue
    2026-01-01T00:00:24.000Z error 00000000-0000-0000-0000-000000000001 (theater, writer) failed: cli_exit_nonzero (24.0 s, turns 7, …)
    2026-01-01T00:00:24.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) failed, round 1 with 6.2 (24.0 s, turns 7, …)
    ");
    assert_snapshot!(told(&plays::interrupted(), without_tokens), @r"
    2026-01-01T00:00:00.000Z info  00000000-0000-0000-0000-000000000001 (theater, writer) started on landing
    2026-01-01T00:00:05.000Z warn  00000000-0000-0000-0000-000000000001 (theater, writer) interrupted (5.0 s, turns 1, …)
    ");
}

/// The stage has words for why a run failed, and lines have the same.
#[test]
fn a_failure_has_the_cause_that_the_stage_shows() {
    let play = plays::failed();
    let mut causes = Vec::new();
    play.each(|run, entry| {
        let shown = tribunal_kernel::theater::events(run, entry).into_iter().filter_map(|shown| match shown {
            tribunal_kernel::theater::TheaterEvent::Failed { cause, .. } => Some(cause),
            _ => None,
        });
        causes.extend(shown);
    });
    let [cause] = &causes[..] else { panic!("{causes:?}") };
    assert!(told(&play, JournalLine::json).contains(&format!("\"cause\":\"{cause}\"")));
}

#[test]
fn what_agents_are_told_and_what_they_write_is_not_passed_on() {
    for (name, play) in plays::all() {
        let (metrics, mut tracer, mut spans) = (Metrics::new(), Tracer::default(), Vec::new());
        play.each(|run, entry| {
            metrics.observe(run, entry);
            spans.extend(tracer.fold(run, entry));
        });
        let log = serde_json::to_string(&play.0).unwrap();
        for (what, text) in [
            ("metrics", metrics.render()),
            ("lines", told(&play, |line| format!("{line} {}", line.json()))),
            ("spans", body(&spans)),
        ] {
            assert!(!text.is_empty() && !text.contains(SECRET), "{name}: {what}");
        }
        assert!(name == "interrupted" || log.contains(SECRET), "{name}: the log has it");
    }
}

#[test]
fn many_entries_at_once_are_told_like_one_by_one() {
    for (name, play) in plays::all() {
        let mut late = String::new();
        play.each_late(|run, entry| lines(run, entry).iter().for_each(|line| late += &(line.json() + "\n")));
        if name != "resumed" {
            assert_eq!(late, told(&play, JournalLine::json), "{name}");
        }
    }
}
