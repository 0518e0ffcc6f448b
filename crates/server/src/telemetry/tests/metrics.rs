//! What is counted of whole runs.

use insta::assert_snapshot;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tribunal_kernel::grade::{Cycle, Grades, Played};
use tribunal_kernel::theater::{Panel, Settings};
use tribunal_kernel::{Outcome, Time};

use super::plays::{self, Play};
use crate::telemetry::Metrics;
use crate::telemetry::metrics::{CONTENT_TYPE, OpenRuns, ROUND_BUCKETS};

pub(super) fn counted(plays: &[Play]) -> Metrics {
    let metrics = Metrics::new();
    for play in plays {
        play.each(|run, entry| metrics.observe(run, entry));
    }
    metrics
}

/// What is rendered, a line for each series, in order; a histogram as its count, its sum and the buckets that have
/// something in them.
fn table(metrics: &Metrics) -> String {
    let mut series = BTreeMap::<String, String>::new();
    let mut below = BTreeMap::<String, u64>::new();
    for line in metrics.render().lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let (family, labels) =
            name.split_once('{').map_or((name, ""), |(family, rest)| (family, rest.trim_end_matches('}')));
        if let Some(family) = family.strip_suffix("_bucket") {
            let (le, labels) = labels.split_once(',').unwrap();
            let (key, count) = (format!("{family}{{{labels}}}"), value.parse().unwrap());
            let before = below.insert(key.clone(), count).unwrap_or_default();
            if count > before {
                let _ = write!(series.get_mut(&key).unwrap(), "  {le}: {}", count - before);
            }
        } else if let Some(family) = family.strip_suffix("_sum") {
            series.insert(format!("{family}{{{labels}}}"), format!("sum {value}"));
        } else if let Some(family) = family.strip_suffix("_count") {
            let _ = write!(series.get_mut(&format!("{family}{{{labels}}}")).unwrap(), " of {value}");
        } else {
            series.insert(name.to_owned(), value.to_owned());
        }
    }
    // That they begin at zero is another test's.
    let begins =
        ["tribunal_runs_total", "tribunal_rounds_total", "tribunal_interrupted_total", "tribunal_degraded_total"];
    series.retain(|name, value| value != "0" || !begins.iter().any(|family| name.starts_with(family)));
    let lines: Vec<String> = series.into_iter().map(|(name, value)| format!("{name}  {value}\n")).collect();
    lines.concat()
}

#[test]
fn four_loops_are_counted() {
    let metrics = counted(&[plays::theater(), plays::review(), plays::joust(), plays::desk()]);
    assert_snapshot!(table(&metrics), @r#"
    tribunal_composite_score{adapter="writer",loop="desk"}  sum 10.0 of 1  le="10.0": 1
    tribunal_composite_score{adapter="writer",loop="joust"}  sum 10.0 of 1  le="10.0": 1
    tribunal_composite_score{adapter="writer",loop="theater"}  sum 14.8 of 2  le="7.0": 1  le="9.0": 1
    tribunal_cost_usd_total{adapter="judge",model="default"}  0.13
    tribunal_cost_usd_total{adapter="judge",model="sonnet"}  0.01
    tribunal_cost_usd_total{adapter="tribunal/desk",model="default"}  0.02
    tribunal_cost_usd_total{adapter="writer",model="haiku"}  0.01
    tribunal_cost_usd_total{adapter="writer",model="opus"}  0.06
    tribunal_must_fix_total{panelist="brand",adapter="judge"}  1
    tribunal_must_fix_total{panelist="critic",adapter="judge"}  1
    tribunal_must_fix_total{panelist="reviewer",adapter="judge"}  1
    tribunal_otlp_dropped_total  0
    tribunal_parser_errors_total{kind="unusable_answer",adapter="judge"}  2
    tribunal_protocol_version{version="1"}  1
    tribunal_round_duration_seconds{adapter="writer",loop="desk"}  sum 36.5 of 1  le="45.0": 1
    tribunal_round_duration_seconds{adapter="writer",loop="joust"}  sum 26.0 of 1  le="30.0": 1
    tribunal_round_duration_seconds{adapter="writer",loop="review"}  sum 13.0 of 2  le="10.0": 2
    tribunal_round_duration_seconds{adapter="writer",loop="theater"}  sum 40.5 of 2  le="20.0": 1  le="30.0": 1
    tribunal_rounds_total{adapter="writer",loop="desk"}  1
    tribunal_rounds_total{adapter="writer",loop="joust"}  1
    tribunal_rounds_total{adapter="writer",loop="review"}  2
    tribunal_rounds_total{adapter="writer",loop="theater"}  2
    tribunal_runs_total{status="converged",adapter="writer",loop="desk"}  1
    tribunal_runs_total{status="converged",adapter="writer",loop="joust"}  1
    tribunal_runs_total{status="converged",adapter="writer",loop="review"}  1
    tribunal_runs_total{status="shipped",adapter="writer",loop="theater"}  1
    tribunal_sse_dropped_total  0
    tribunal_sse_subscribers  0
    tribunal_tokens_total{adapter="judge",model="default",kind="cached"}  2600
    tribunal_tokens_total{adapter="judge",model="default",kind="input"}  13000
    tribunal_tokens_total{adapter="judge",model="default",kind="output"}  3900
    tribunal_tokens_total{adapter="judge",model="sonnet",kind="cached"}  200
    tribunal_tokens_total{adapter="judge",model="sonnet",kind="input"}  1000
    tribunal_tokens_total{adapter="judge",model="sonnet",kind="output"}  300
    tribunal_tokens_total{adapter="tribunal/desk",model="default",kind="cached"}  400
    tribunal_tokens_total{adapter="tribunal/desk",model="default",kind="input"}  2000
    tribunal_tokens_total{adapter="tribunal/desk",model="default",kind="output"}  600
    tribunal_tokens_total{adapter="writer",model="haiku",kind="cached"}  200
    tribunal_tokens_total{adapter="writer",model="haiku",kind="input"}  1000
    tribunal_tokens_total{adapter="writer",model="haiku",kind="output"}  300
    tribunal_tokens_total{adapter="writer",model="opus",kind="cached"}  1200
    tribunal_tokens_total{adapter="writer",model="opus",kind="input"}  6000
    tribunal_tokens_total{adapter="writer",model="opus",kind="output"}  1800
    tribunal_turn_duration_seconds{adapter="judge",model="default"}  sum 78.0 of 13  le="1.0": 1  le="2.5": 2  le="10.0": 10
    tribunal_turn_duration_seconds{adapter="judge",model="sonnet"}  sum 9.0 of 1  le="10.0": 1
    tribunal_turn_duration_seconds{adapter="tribunal/desk",model="default"}  sum 2.5 of 2  le="0.5": 1  le="2.5": 1
    tribunal_turn_duration_seconds{adapter="writer",model="haiku"}  sum 25.0 of 1  le="30.0": 1
    tribunal_turn_duration_seconds{adapter="writer",model="opus"}  sum 45.0 of 6  le="5.0": 3  le="10.0": 1  le="20.0": 2
    "#);
}

#[test]
fn what_goes_wrong_is_counted_where_it_belongs() {
    for (name, play, word, expected) in [
        (
            "a stream that breaks",
            plays::broken(),
            "tribunal_degraded",
            r#"_total{reason="malformed_block",adapter="writer"}  1"#,
        ),
        (
            "and what was odd in it",
            plays::broken(),
            "tribunal_parser_errors",
            r#"_total{kind="malformed_block",adapter="writer"}  1, _total{kind="unknown_tag",adapter="writer"}  1"#,
        ),
        (
            "a run that degraded",
            plays::broken(),
            "tribunal_runs",
            r#"_total{status="degraded",adapter="writer",loop="theater"}  1"#,
        ),
        (
            "what a panel demands",
            plays::single(),
            "tribunal_must_fix",
            r#"_total{panelist="brand",adapter="writer"}  1, _total{panelist="critic",adapter="writer"}  1"#,
        ),
        (
            "an agent that dies",
            plays::failed(),
            "tribunal_runs",
            r#"_total{status="failed",adapter="writer",loop="theater"}  1"#,
        ),
        ("nothing odd in its answers", plays::failed(), "tribunal_parser_errors", ""),
        ("an interrupt", plays::interrupted(), "tribunal_interrupted", r#"_total{adapter="writer"}  1"#),
        ("a turn that was cancelled", plays::interrupted(), "tribunal_turn_duration", ""),
        (
            "a run that ends twice",
            plays::resumed(),
            "tribunal_runs",
            r#"_total{status="interrupted",adapter="writer",loop="theater"}  1, _total{status="shipped",adapter="writer",loop="theater"}  1"#,
        ),
        (
            "the hour between is not part of the round",
            plays::resumed(),
            "tribunal_round_duration",
            r#"_seconds{adapter="writer",loop="theater"}  sum 40.0 of 2  le="20.0": 1  le="30.0": 1"#,
        ),
    ] {
        let table = table(&counted(&[play]));
        let found: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix(word)).collect();
        assert_eq!(found.join(", "), expected, "{name}");
    }
}

#[test]
fn many_entries_at_once_are_counted_like_one_by_one() {
    for (name, play) in plays::all() {
        let late = Metrics::new();
        play.each_late(|run, entry| late.observe(run, entry));
        // Of a run that was resumed, the first session's end is not known any more.
        if name != "resumed" {
            assert_eq!(table(&late), table(&counted(&[play])), "{name}");
        }
    }
}

#[test]
fn series_begin_at_zero_when_a_run_is_opened() {
    let play = plays::theater();
    let metrics = Metrics::new();
    let opened = &play.0[0];
    metrics.observe(&tribunal_kernel::Run::open(opened.clone()).unwrap(), opened);
    let page = metrics.render();
    for series in [
        r#"tribunal_runs_total{status="failed",adapter="writer",loop="theater"} 0"#,
        r#"tribunal_runs_total{status="shipped",adapter="writer",loop="theater"} 0"#,
        r#"tribunal_rounds_total{adapter="writer",loop="theater"} 0"#,
        r#"tribunal_interrupted_total{adapter="writer"} 0"#,
        r#"tribunal_degraded_total{reason="malformed_block",adapter="writer"} 0"#,
    ] {
        assert!(page.contains(series), "{series}: {page}");
    }
}

#[test]
fn a_scrape_says_how_many_runs_are_open() {
    let metrics = Metrics::new();
    metrics.open_runs(OpenRuns { running: 2, parked: 1, ..Default::default() });
    metrics.open_runs(OpenRuns { running: 1, queued: 3, ..Default::default() });
    let page = metrics.render();
    for (state, count) in [("running", 1), ("queued", 3), ("parked", 0), ("waiting", 0), ("stopped", 0)] {
        assert!(page.contains(&format!("tribunal_runs_open{{state=\"{state}\"}} {count}\n")), "{state}: {page}");
    }
}

#[test]
fn a_scrape_has_a_type_and_help_for_every_family_and_an_end() {
    let metrics = Metrics::new();
    metrics.sse_subscribers.set(2);
    metrics.sse_dropped.inc();
    metrics.http_request("/api/runs/{id}", 200);
    assert_snapshot!(metrics.render(), @r#"
    # HELP tribunal_protocol_version Versions of the panel protocol that are spoken.
    # TYPE tribunal_protocol_version gauge
    tribunal_protocol_version{version="1"} 1
    # HELP tribunal_http_requests Requests that were answered.
    # TYPE tribunal_http_requests counter
    tribunal_http_requests_total{route="/api/runs/{id}",status="200"} 1
    # HELP tribunal_sse_subscribers Readers of event streams that are connected.
    # TYPE tribunal_sse_subscribers gauge
    tribunal_sse_subscribers 2
    # HELP tribunal_sse_dropped Readers of event streams that fell behind.
    # TYPE tribunal_sse_dropped counter
    tribunal_sse_dropped_total 1
    # HELP tribunal_otlp_dropped Spans that no collector took.
    # TYPE tribunal_otlp_dropped counter
    tribunal_otlp_dropped_total 0
    # EOF
    "#);
    assert!(CONTENT_TYPE.starts_with("application/openmetrics-text"));
}

/// One who passed, and one who missed the bars twice.
pub(super) fn graded() -> Grades {
    let cycle = |at: u64, is_well: bool| Cycle {
        at: Time(at),
        tribunal: "0.1.0".into(),
        program: None,
        played: vec![Played {
            template: "minimal".into(),
            outcome: if is_well { Outcome::Shipped } else { Outcome::BelowThreshold },
            attempts: 1,
            degraded: None,
            trouble: vec![],
            elapsed_ms: 1,
        }],
    };
    let mut grades = Grades::default();
    grades.entry("claude", Some("opus")).take(cycle(1_000_000, true));
    for at in [1_000_000, 2_000_000] {
        grades.entry("local", None).take(cycle(at, false));
    }
    grades
}

#[test]
fn agents_stand_as_they_were_graded_last() {
    let metrics = Metrics::new();
    let shown = |grades: &Grades| {
        metrics.grades(grades);
        let agents = table(&metrics);
        agents.split_inclusive('\n').filter(|line| line.starts_with("tribunal_agent")).collect::<String>()
    };
    assert_eq!(shown(&Grades::default()), "", "nobody was graded");
    let mut grades = graded();
    assert_snapshot!(shown(&grades), @r#"
    tribunal_agent_conformance{adapter="claude",model="opus"}  1
    tribunal_agent_conformance{adapter="local",model="default"}  0
    tribunal_agent_marked_until_timestamp_seconds{adapter="claude",model="opus"}  0
    tribunal_agent_marked_until_timestamp_seconds{adapter="local",model="default"}  88400
    "#);
    grades.records.retain(|record| record.agent == "claude");
    assert!(!shown(&grades).contains("local"), "who is gone is not shown any more");
}

#[test]
fn a_round_that_ran_into_its_timeout_is_told_from_a_longer_one() {
    let settings = Settings::new("shop", "landing", Panel::Seats);
    for ms in [settings.per_round_timeout_ms, settings.total_timeout_ms] {
        let timeout = ms as f64 / 1000.0;
        assert!(ROUND_BUCKETS.contains(&timeout), "{timeout}");
        assert!(ROUND_BUCKETS.iter().any(|bucket| *bucket > timeout), "{timeout}");
    }
}
