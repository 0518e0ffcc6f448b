//! The dashboard asks for what there is, and shows all of it.

use serde_json::Value as Json;
use std::collections::BTreeSet;

use super::metrics::{counted, graded};
use super::plays;
use crate::telemetry::metrics::OpenRuns;

const DASHBOARD: &str = include_str!("../../../../../docs/grafana/tribunal.json");
/// The page for users names every metric, too.
const PAGE: &str = include_str!("../../../../../docs/observability.md");

/// Every metric that there is, as a query names it: a histogram by what it is made of.
fn rendered() -> BTreeSet<String> {
    let plays: Vec<_> = plays::all().into_iter().map(|(_, play)| play).collect();
    let metrics = counted(&plays);
    metrics.http_request("/metrics", 200);
    metrics.grades(&graded());
    metrics.open_runs(OpenRuns::default());
    let page = metrics.render();
    let samples = page.lines().filter(|line| !line.starts_with('#'));
    samples.map(|line| line.split(['{', ' ']).next().unwrap().to_owned()).collect()
}

/// The queries of a dashboard, wherever they stand in it.
fn queries(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::Object(map) => {
            for (key, value) in map {
                match value {
                    Json::String(text) if key == "expr" || (key == "query" && text.contains("tribunal_")) => {
                        found.push(text.clone());
                    }
                    _ => queries(value, found),
                }
            }
        }
        Json::Array(list) => list.iter().for_each(|value| queries(value, found)),
        _ => {}
    }
}

/// The metrics that a text names.
fn names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_part(c));
    words.filter(|word| word.starts_with("tribunal_")).map(str::to_owned).collect()
}

/// What a part of a histogram is a part of.
fn family(name: &str) -> &str {
    ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part)).unwrap_or(name)
}

fn dashboard() -> Json {
    serde_json::from_str(DASHBOARD).unwrap()
}

#[test]
fn every_query_asks_for_what_there_is_and_everything_is_asked_for() {
    let rendered = rendered();
    let mut found = Vec::new();
    queries(&dashboard(), &mut found);
    let asked: BTreeSet<String> = found.iter().flat_map(|query| names(query)).collect();
    let unknown: Vec<_> = asked.difference(&rendered).collect();
    assert!(unknown.is_empty(), "no such metric: {unknown:?}");
    let shown: BTreeSet<&str> = asked.iter().map(|name| family(name)).collect();
    let hidden: Vec<_> = rendered.iter().map(|name| family(name)).filter(|name| !shown.contains(name)).collect();
    assert!(hidden.is_empty(), "on no panel: {hidden:?}");
}

#[test]
fn the_page_names_every_metric_and_no_other() {
    let rendered = rendered();
    let families: BTreeSet<String> = rendered.iter().map(|name| family(name).to_owned()).collect();
    let told: BTreeSet<String> = names(PAGE).iter().map(|name| family(name).to_owned()).collect();
    assert_eq!(told, families);
}

/// What a query groups or filters by are labels that the metric has.
#[test]
fn every_label_that_is_asked_for_is_there() {
    let plays: Vec<_> = plays::all().into_iter().map(|(_, play)| play).collect();
    let metrics = counted(&plays);
    metrics.http_request("/metrics", 200);
    metrics.grades(&graded());
    metrics.open_runs(OpenRuns::default());
    let page = metrics.render();
    let labels_of = |family: &str| -> BTreeSet<String> {
        let sample = page.lines().find(|line| line.starts_with(family) && line[family.len()..].starts_with('{'));
        let labels = sample.and_then(|line| Some(line.split_once('{')?.1.rsplit_once('}')?.0)).unwrap_or_default();
        labels.split("\",").filter_map(|label| Some(label.split_once('=')?.0.to_owned())).collect()
    };
    let mut found = Vec::new();
    queries(&dashboard(), &mut found);
    for query in found {
        let known: BTreeSet<String> = names(&query).iter().flat_map(|name| labels_of(name)).collect();
        let grouped = query.split("by (").skip(1).filter_map(|rest| rest.split_once(')')).map(|(labels, _)| labels);
        for label in grouped.flat_map(|labels| labels.split(", ")) {
            assert!(known.contains(label), "{query}: no label `{label}`");
        }
        for matcher in query.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(matchers, _)| matchers) {
            for label in matcher.split("\", ").filter_map(|it| it.split(['=', '!']).next()) {
                assert!(known.contains(label), "{query}: no label `{label}`");
            }
        }
    }
}

#[test]
fn there_are_three_views_and_every_panel_is_in_its_place() {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap();
    let rows: Vec<&str> =
        panels.iter().filter(|panel| panel["type"] == "row").map(|row| row["title"].as_str().unwrap()).collect();
    assert_eq!(rows, ["Quality", "Adapter health", "Throughput"]);
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "no id twice");
    let mut taken = BTreeSet::new();
    for panel in panels {
        let at = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        assert!(at("x") + at("w") <= 24, "{}", panel["title"]);
        for place in (at("y")..at("y") + at("h")).flat_map(|y| (at("x")..at("x") + at("w")).map(move |x| (x, y))) {
            assert!(taken.insert(place), "{} covers another panel", panel["title"]);
        }
    }
}
