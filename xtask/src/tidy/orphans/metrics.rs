//! Every metric is on the dashboard, and a test knows it.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use syn::LitStr;
use syn::visit::Visit;

use super::corpus::Corpus;
use super::rust::words;
use super::{Fault, Item};

const SERVER: &str = "crates/server";
const TELEMETRY: &str = "crates/server/src/telemetry";
const DASHBOARDS: &str = "docs/grafana";
const PREFIX: &str = "tribunal_";

/// What a registry appends to the name that it is given, by the metric's kind.
const ENDINGS: &[&str] = &["", "_total", "_bucket", "_count", "_sum"];

pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    if !corpus.repo.has(TELEMETRY) {
        return Ok(Vec::new());
    }
    let metrics = registered(corpus);
    if metrics.is_empty() {
        return Ok(vec![Fault::file(TELEMETRY, format!("no metric in here whose name begins with `{PREFIX}`"))]);
    }
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for file in corpus.repo.files(&[".json"])?.into_iter().filter(|file| file.starts_with(DASHBOARDS)) {
        shown.extend(words(&corpus.repo.read(&file)?).map(str::to_owned));
    }
    // A snapshot of what a scraper gets is a test as good as any.
    let mut tested: BTreeSet<String> = BTreeSet::new();
    for source in corpus.sources.iter().filter(|source| source.path.starts_with(SERVER)) {
        let mut all = Texts(Vec::new());
        source.tests.items.iter().for_each(|item| all.visit_item(item));
        tested.extend(all.0.iter().flat_map(|text| words(text)).map(str::to_owned));
    }
    for file in corpus.repo.files(&[".snap"])?.into_iter().filter(|file| file.starts_with(SERVER)) {
        tested.extend(words(&corpus.repo.read(&file)?).map(str::to_owned));
    }

    let has = |known: &BTreeSet<String>, name: &str| ENDINGS.iter().any(|end| known.contains(&format!("{name}{end}")));
    let mut faults = Vec::new();
    for item in metrics.values() {
        if !has(&shown, &item.name) {
            faults.push(item.fault("is on no dashboard in docs/grafana"));
        }
        if !has(&tested, &item.name) {
            faults.push(item.fault("is in no test of crates/server"));
        }
    }
    Ok(faults)
}

/// Every string that is a metric's name and nothing else.
fn registered(corpus: &Corpus<'_>) -> BTreeMap<String, Item> {
    let mut found = BTreeMap::new();
    for (file, part) in corpus.production(TELEMETRY) {
        let mut names = Metrics { file: file.to_owned(), found: &mut found };
        part.items.iter().for_each(|item| names.visit_item(item));
    }
    found
}

struct Metrics<'f> {
    file: PathBuf,
    found: &'f mut BTreeMap<String, Item>,
}

impl Visit<'_> for Metrics<'_> {
    fn visit_attribute(&mut self, _: &syn::Attribute) {}

    fn visit_lit_str(&mut self, literal: &LitStr) {
        let name = literal.value();
        let is_name = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if is_name && name.len() > PREFIX.len() && name.starts_with(PREFIX) {
            let item = Item::new(&name, &self.file, literal.span().start().line);
            self.found.entry(name).or_insert(item);
        }
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        for expression in super::rust::expressions(call) {
            self.visit_expr(&expression);
        }
    }
}

/// All literals, those of inline snapshots included.
struct Texts(Vec<String>);

impl Visit<'_> for Texts {
    fn visit_attribute(&mut self, _: &syn::Attribute) {}

    fn visit_lit_str(&mut self, literal: &LitStr) {
        self.0.push(literal.value());
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.0.push(call.tokens.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const METRICS: &str = "
        //! Not a metric: tribunal_documented.
        fn register(r: &mut Registry) {
            r.register(\"tribunal_rounds\", \"how many tribunal_rounds\", a);
            for (name, kind) in [(\"tribunal_turn_duration_seconds\", b)] { r.register(name, kind) }
        }
    ";
    const TEST: &str = "#[test] fn t() { assert_snapshot!(text, @\"
        tribunal_rounds_total 1
        tribunal_turn_duration_seconds_bucket{le=\\\"1\\\"} 1\"); }
    ";
    const BOARD: &str = r#"{"expr": "rate(tribunal_rounds_total[5m]) / tribunal_turn_duration_seconds_sum"}"#;

    fn said(test: &str, board: &str) -> Vec<String> {
        let files = [
            ("crates/server/src/telemetry/metrics.rs", METRICS),
            ("crates/server/tests/it/metrics.rs", test),
            ("docs/grafana/tribunal.json", board),
        ];
        orphans(rule, &files)
    }

    #[test]
    fn metrics_on_the_dashboard_and_in_a_test_are_good() {
        assert_eq!(said(TEST, BOARD), Vec::<String>::new());
        assert_eq!(orphans(rule, &[("README.md", "")]), Vec::<String>::new());
    }

    #[test]
    fn a_metric_that_nobody_sees_is_named() {
        assert_eq!(
            said(TEST, &BOARD.replace("rounds_total", "rounds_old_total")),
            ["crates/server/src/telemetry/metrics.rs:4: `tribunal_rounds` is on no dashboard in docs/grafana"]
        );
    }

    #[test]
    fn a_metric_without_a_test_is_named() {
        assert_eq!(
            said(&TEST.replace("seconds_bucket", "millis_bucket"), BOARD),
            [
                "crates/server/src/telemetry/metrics.rs:5: `tribunal_turn_duration_seconds` is in no test of crates/server"
            ]
        );
    }

    #[test]
    fn a_folder_without_metrics_is_named() {
        let empty = [("crates/server/src/telemetry/mod.rs", "fn f() {}")];
        assert_eq!(
            orphans(rule, &empty),
            ["crates/server/src/telemetry: no metric in here whose name begins with `tribunal_`"]
        );
    }
}
