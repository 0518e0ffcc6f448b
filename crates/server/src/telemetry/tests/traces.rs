//! Whole runs as trees of spans.

use insta::assert_snapshot;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::plays::{self, Play};
use crate::telemetry::{SpanId, SpanStatus, TraceSpan, Tracer};

pub(super) fn spans(play: &Play) -> Vec<TraceSpan> {
    let (mut tracer, mut spans) = (Tracer::default(), Vec::new());
    play.each(|run, entry| spans.extend(tracer.fold(run, entry)));
    spans
}

/// What would make a tree hard to read. How many tokens a turn has that was cancelled is an estimate.
const HIDDEN: [&str; 7] = ["input_tokens", "output_tokens", "cached_tokens", "tokens", "task", "attempt", "seq"];

/// The spans as a tree: since when, how long, and what is said of them.
fn tree(spans: &[TraceSpan]) -> String {
    let mut text = String::new();
    let zero = spans.iter().map(|span| span.start.0).min().unwrap();
    branch(spans, None, zero, 0, &mut text);
    text
}

fn branch(spans: &[TraceSpan], parent: Option<SpanId>, zero: u64, depth: usize, text: &mut String) {
    let mut children: Vec<&TraceSpan> = spans.iter().filter(|span| span.parent == parent).collect();
    children.sort_by_key(|span| (span.start, span.end));
    for span in children {
        let (at, took) = (span.start.0 - zero, span.end.0 - span.start.0);
        let mark = if span.status == SpanStatus::Error { " !" } else { "" };
        let said: Vec<String> = span
            .attributes
            .iter()
            .filter(|(name, _)| !HIDDEN.contains(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let indent = "  ".repeat(depth);
        let _ = writeln!(
            text,
            "{indent}{}{mark} {}s +{}s  {}",
            span.name,
            at as f64 / 1e3,
            took as f64 / 1e3,
            said.join(" ")
        );
        branch(spans, Some(span.id), zero, depth + 1, text);
    }
}

#[test]
fn a_theater_as_a_tree() {
    assert_snapshot!(tree(&spans(&plays::theater())), @r"
    run 0s +40.5s  loop=theater agent=writer rounds=2 turns=11 usd=0.11 outcome=shipped
      round 0s +19s  round=1 outcome=continue
        turn 0s +12s  seat=designer round=1 agent=writer model=opus elapsed_ms=12000 outcome=answered usd=0.01
          parse 12s +0s  outcome=ok
          persist 12s +0s  
        turn 12s +6s  seat=critic round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +6s  seat=a11y round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +6s  seat=copy round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +7s  seat=brand round=1 agent=judge model=default elapsed_ms=7000 outcome=answered usd=0.01
          parse 19s +0s  outcome=ok
          persist 19s +0s  
        score 19s +0s  round=1 outcome=continue composite=6.2 must_fix=2
      round 19s +21.5s  round=2 outcome=shipped
        turn 19s +12s  seat=designer round=2 agent=writer model=opus elapsed_ms=12000 outcome=answered usd=0.01
          parse 31s +0s  outcome=ok
          persist 31s +0s  
        turn ! 31s +1s  seat=brand round=2 agent=judge model=default elapsed_ms=1000 outcome=misfit usd=0.01
          parse ! 32s +0s  outcome=misfit
          persist 32s +0s  
        turn 31s +8s  seat=copy round=2 agent=judge model=default elapsed_ms=8000 outcome=answered usd=0.01
          parse 39s +0s  outcome=ok
          persist 39s +0s  
        turn 31s +8.5s  seat=a11y round=2 agent=judge model=default elapsed_ms=8500 outcome=answered usd=0.01
          parse 39.5s +0s  outcome=ok
          persist 39.5s +0s  
        turn 31s +9s  seat=critic round=2 agent=judge model=default elapsed_ms=9000 outcome=answered usd=0.01
          parse 40s +0s  outcome=ok
          persist 40s +0s  
        turn 32s +8.5s  seat=brand round=2 agent=judge model=default elapsed_ms=8500 outcome=answered usd=0.01
          parse 40.5s +0s  outcome=ok
          persist 40.5s +0s  
        score 40.5s +0s  round=2 outcome=shipped composite=8.6 must_fix=0
      ship 40.5s +0s  round=2 outcome=shipped composite=8.6
    ");
}

#[test]
fn a_panel_in_one_stream_outlives_its_rounds() {
    assert_snapshot!(tree(&spans(&plays::single())), @r"
    run 0s +17s  loop=theater agent=writer rounds=2 turns=1 usd=0.01 outcome=shipped
      round 0s +8s  round=1 outcome=continue
        score 8s +0s  round=1 outcome=continue composite=6.2 must_fix=2
      turn 0s +17s  seat=panel round=1 agent=writer model=opus elapsed_ms=17000 outcome=answered usd=0.01
        parse 2s +15s  outcome=ok
        persist 17s +0s  
      round 8s +9s  round=2 outcome=shipped
        score 17s +0s  round=2 outcome=shipped composite=8.6 must_fix=0
      ship 17s +0s  round=2 outcome=shipped composite=8.6
    ");
}

#[test]
fn a_stream_that_breaks_is_an_error_where_it_was_read() {
    assert_snapshot!(tree(&spans(&plays::broken())), @r"
    run 0s +20s  loop=theater agent=writer rounds=2 turns=2 usd=0.02 outcome=degraded
      round 0s +8s  round=1 outcome=continue
        score 8s +0s  round=1 outcome=continue composite=6.2 must_fix=2
      turn 0s +17s  seat=panel round=1 agent=writer model=opus elapsed_ms=17000 outcome=answered usd=0.01
        parse ! 2s +15s  outcome=malformed_block
        persist 17s +0s  
      round 8s +12s  round=2 outcome=degraded
        turn 17s +3s  seat=panel round=2 agent=writer model=opus elapsed_ms=3000 outcome=answered usd=0.01
          parse 20s +0s  outcome=ok
          persist 20s +0s  
      ship 20s +0s  round=2 outcome=degraded
    ");
}

#[test]
fn a_resumed_run_goes_on_in_its_trace() {
    assert_snapshot!(tree(&spans(&plays::resumed())), @r"
    run 0s +30s  loop=theater agent=writer rounds=2 turns=6 usd=0.05 outcome=interrupted
      round 0s +19s  round=1 outcome=continue
        turn 0s +12s  seat=designer round=1 agent=writer model=opus elapsed_ms=12000 outcome=answered usd=0.01
          parse 12s +0s  outcome=ok
          persist 12s +0s  
        turn 12s +6s  seat=critic round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +6s  seat=a11y round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +6s  seat=copy round=1 agent=judge model=default elapsed_ms=6000 outcome=answered usd=0.01
          parse 18s +0s  outcome=ok
          persist 18s +0s  
        turn 12s +7s  seat=brand round=1 agent=judge model=default elapsed_ms=7000 outcome=answered usd=0.01
          parse 19s +0s  outcome=ok
          persist 19s +0s  
        score 19s +0s  round=1 outcome=continue composite=6.2 must_fix=2
      round 19s +11s  round=2 outcome=interrupted
        turn 19s +11s  seat=designer round=2 agent=writer model=opus elapsed_ms=11000 outcome=cancelled
          persist 30s +0s  
      ship 30s +0s  round=1 outcome=interrupted composite=6.2
    run 3630s +21s  loop=theater agent=writer rounds=2 turns=11 usd=0.1 outcome=shipped
      round 3630s +21s  round=2 outcome=shipped
        turn 3630s +12s  seat=designer round=2 agent=writer model=opus elapsed_ms=12000 outcome=answered usd=0.01
          parse 3642s +0s  outcome=ok
          persist 3642s +0s  
        turn 3642s +8s  seat=copy round=2 agent=judge model=default elapsed_ms=8000 outcome=answered usd=0.01
          parse 3650s +0s  outcome=ok
          persist 3650s +0s  
        turn 3642s +8.5s  seat=brand round=2 agent=judge model=default elapsed_ms=8500 outcome=answered usd=0.01
          parse 3650.5s +0s  outcome=ok
          persist 3650.5s +0s  
        turn 3642s +8.5s  seat=a11y round=2 agent=judge model=default elapsed_ms=8500 outcome=answered usd=0.01
          parse 3650.5s +0s  outcome=ok
          persist 3650.5s +0s  
        turn 3642s +9s  seat=critic round=2 agent=judge model=default elapsed_ms=9000 outcome=answered usd=0.01
          parse 3651s +0s  outcome=ok
          persist 3651s +0s  
        score 3651s +0s  round=2 outcome=shipped composite=8.6 must_fix=0
      ship 3651s +0s  round=2 outcome=shipped composite=8.6
    ");
}

#[test]
fn spans_have_one_trace_ids_of_their_own_and_parents_that_are_there() {
    for (name, play) in plays::all() {
        let spans = spans(&play);
        let ids: BTreeSet<SpanId> = spans.iter().map(|span| span.id).collect();
        assert_eq!(ids.len(), spans.len(), "{name}: no id twice");
        for span in &spans {
            assert_eq!(span.trace, spans[0].trace, "{name}");
            assert!(span.start <= span.end, "{name}: {span:?}");
            assert!(span.parent.is_none_or(|parent| ids.contains(&parent)), "{name}: {span:?}");
            assert_eq!(span.parent.is_none(), span.name == "run", "{name}: {span:?}");
        }
        assert_eq!(self::spans(&play), spans, "{name}: the same log gives the same spans");
    }
}

#[test]
fn many_entries_at_once_give_the_same_spans() {
    for (name, play) in plays::all() {
        let (mut tracer, mut late) = (Tracer::default(), Vec::new());
        play.each_late(|run, entry| late.extend(tracer.fold(run, entry)));
        // Of a run that was resumed, the first session's beginning is not known any more.
        if name != "resumed" {
            assert_eq!(late, spans(&play), "{name}");
        }
    }
}

#[test]
fn a_server_that_starts_in_the_middle_goes_on_with_the_trace() {
    let play = plays::theater();
    for missed in 0..play.0.len() {
        let (mut tracer, mut late, mut seen) = (Tracer::default(), Vec::new(), 0);
        play.each(|run, entry| {
            seen += 1;
            if seen > missed {
                late.extend(tracer.fold(run, entry));
            }
        });
        assert!(spans(&play).ends_with(&late), "{missed}");
    }
}

#[test]
fn nothing_is_remembered_of_runs_that_are_over_or_forgotten() {
    for (name, play) in plays::all() {
        let mut tracer = Tracer::default();
        play.each(|run, entry| drop(tracer.fold(run, entry)));
        assert!(format!("{tracer:?}").contains("{}"), "{name}: {tracer:?}");
    }
    let play = plays::single();
    let mut tracer = Tracer::default();
    let half = Play(play.0[..play.0.len() - 3].to_vec());
    half.each(|run, entry| drop(tracer.fold(run, entry)));
    assert!(!format!("{tracer:?}").contains("{}"), "{tracer:?}");
    half.each_late(|run, _| tracer.forget(run.spec().run));
    assert!(format!("{tracer:?}").contains("{}"), "{tracer:?}");
}
