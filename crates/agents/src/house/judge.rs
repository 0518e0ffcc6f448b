//! Measurements as a vote, or as evidence for others.

use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_checks::{MeasuredFinding, Measurement, Role, Weight};
use tribunal_kernel::last_look::{LastLookAnswer, MeasuredDemand};
use tribunal_kernel::theater::MeasureInput;
use tribunal_kernel::{Format, Score};

use super::Files;
use super::page::{document, format, tokens};

/// A page to be measured, and on which scale.
pub(super) type Measured = MeasureInput<Arc<str>>;

/// What a role's measurements say: a judge's answer.
pub(super) fn vote(role: Role, Measured { page, scale }: &Measured, files: &Files) -> String {
    let report = tribunal_checks::measure_in(role, &document(page, files), &tokens(page), files);
    let scaled = |score: f64| scaled(score, *scale);
    let dims: Vec<Value> = report
        .dims
        .iter()
        .map(|dim| json!({ "name": dim.dimension, "score": dim.decided.then(|| scaled(dim.score)), "note": note(dim) }))
        .collect();
    let measured: Vec<MeasuredDemand> = report.must_fix.iter().map(demand).collect();
    json!({ "score": report.score.map(scaled), "dims": dims, "measured": measured }).to_string()
}

/// Every role's measurements, for judges who cannot measure.
pub(super) fn measure(Measured { page, scale }: &Measured, files: &Files) -> String {
    let (document, tokens) = (document(page, files), tokens(page));
    let mut dims = Vec::new();
    for role in Role::ALL {
        let report = tribunal_checks::measure_in(role, &document, &tokens, files);
        dims.extend(report.dims.iter().map(|dim| {
            let name = format!("{}.{}", role.as_str(), dim.dimension);
            json!({ "name": name, "score": dim.decided.then(|| scaled(dim.score, *scale)), "note": note(dim) })
        }));
    }
    json!({ "dims": dims }).to_string()
}

/// What a page says of itself. A fragment is put into a page that says so.
const FRAME: [&str; 2] = ["page.lang", "page.title"];

/// The last look before an artifact ships, as a judge's answer.
pub(super) fn lint(measured: &Measured, files: &Files) -> String {
    json!({ "must_fix": [], "measured": demands(measured, files) }).to_string()
}

/// The last look at a draft that would pass in any other loop.
pub(super) fn last_look(measured: &Measured, files: &Files) -> String {
    serde_json::to_string(&LastLookAnswer { must_fix: demands(measured, files) }).expect("demands are plain JSON")
}

/// What must be fixed in exactly these bytes, as `check` lists it: whatever must be fixed by any measurement, and what was
/// left unfinished where no measurement looks. It binds, whoever judged and whatever they call their dimensions.
fn demands(Measured { page, .. }: &Measured, files: &Files) -> Vec<MeasuredDemand> {
    let format = match format(page) {
        Format::Html => tribunal_checks::DocumentFormat::Html,
        Format::Markdown => tribunal_checks::DocumentFormat::Markdown,
        Format::Plain => tribunal_checks::DocumentFormat::Plain,
    };
    let mut found: Vec<MeasuredFinding> = Vec::new();
    if format != tribunal_checks::DocumentFormat::Plain {
        let (document, tokens) = (document(page, files), tokens(page));
        let is_fragment = is_fragment(&page.text);
        for role in Role::ALL {
            let report = tribunal_checks::measure_in(role, &document, &tokens, files);
            found.extend(report.must_fix.into_iter().filter(|one| !(is_fragment && FRAME.contains(&one.code))));
        }
    }
    let last = tribunal_checks::lint_at(&page.text, format, files.addresses(), files);
    for finding in last.into_iter().filter(|finding| finding.weight == Weight::MustFix) {
        // The measurements have other names for the same.
        let is_said = found.iter().any(|said| {
            let is_kin = said.code == finding.code
                || (said.code == "copy.placeholder" && finding.code.starts_with("placeholder."));
            is_kin && said.place.as_ref().map(|place| place.line) == finding.place.as_ref().map(|place| place.line)
        });
        if !is_said {
            found.push(finding);
        }
    }
    let mut demands: Vec<MeasuredDemand> = Vec::new();
    for demand in found.iter().map(demand) {
        if !demands.contains(&demand) {
            demands.push(demand);
        }
    }
    demands
}

/// Whether a text is a part of a page, and not one.
fn is_fragment(text: &str) -> bool {
    let start = text.get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
    !["<!doctype", "<html", "<head", "<title", "<body"].iter().any(|tag| start.contains(tag))
}

/// Measurements are out of ten.
fn scaled(score: f64, scale: Score) -> f64 {
    score * scale.as_f64() / 10.0
}

fn note(dim: &Measurement) -> String {
    let undecided = dim.undecided.iter().map(|reason| format!("undecided: {reason}"));
    dim.evidence.iter().cloned().chain(undecided).collect::<Vec<_>>().join("; ")
}

fn demand(finding: &MeasuredFinding) -> MeasuredDemand {
    let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
    let text = match &finding.place {
        Some(place) => format!("{}{evidence}, at {place}", finding.text),
        None => format!("{}{evidence}", finding.text),
    };
    MeasuredDemand { text, code: finding.code.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::theater::PageInput;

    fn page(html: &str) -> Measured {
        let page = PageInput { text: html.into(), format: Format::Html, folder: None, design: None };
        Measured { page, scale: Score::points(10) }
    }

    #[test]
    fn lint_finds_what_must_not_ship() {
        let files = Files::new(std::env::temp_dir());
        for (html, expected) in [
            ("<p>Done.</p>", 0),
            ("<p>TODO: say more</p>", 1),
            ("<p>Lorem ipsum dolor sit amet</p>", 1),
            ("<a href='no-such-page.html'>x</a>", 1),
            ("<a href='#nowhere'>x</a>", 1),
            ("<a href='../../etc/passwd'>x</a>", 0),
            ("<p style='color:#999;background:#fff'>Too faint to read.</p>", 1),
            ("<!doctype html><html><p>Done.</p></html>", 2),
        ] {
            let answer = lint(&page(html), &files);
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["measured"].as_array().unwrap().len(), expected, "{html}: {answer}");
        }
    }

    #[test]
    fn a_page_is_measured_whatever_it_is_called() {
        let files = Files::new(std::env::temp_dir());
        let html =
            "<!doctype html><html lang=en><title>x</title><p style='color:#eee;background:#fff'>Too faint.</p></html>";
        for format in [Format::Html, Format::Markdown, Format::Plain] {
            let page = PageInput { text: html.into(), format, folder: None, design: None };
            let answer = lint(&Measured { page, scale: Score::points(10) }, &files);
            assert!(answer.contains("4.5"), "{format:?}: {answer}");
        }
    }

    #[test]
    fn a_vote_rests_on_what_was_measured() {
        let files = Files::new(std::env::temp_dir());
        let html = "<!doctype html><html lang=en><title>x</title><main><h1>Bread</h1>\
                    <p style='color:#999;background:#fff'>Too faint to read.</p></main></html>";
        let answer = vote(Role::A11y, &page(html), &files);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let contrast = answer["dims"].as_array().unwrap().iter().find(|dim| dim["name"] == "contrast").unwrap();
        assert!(contrast["note"].as_str().unwrap().contains("2.8"), "{answer}");
        assert!(answer["measured"].to_string().contains("4.5"), "{answer}");
    }
}
