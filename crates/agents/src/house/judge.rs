//! Measurements as a vote, or as evidence for others.

use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_anchors::report::ReportedFinding;
use tribunal_checks::{DocumentFormat, MeasuredFinding, Measurement, Role, SourceLocation, Weight};
use tribunal_kernel::last_look::{LastLookAnswer, MeasuredDemand};
use tribunal_kernel::theater::MeasureInput;
use tribunal_kernel::{Format, Score};

use super::measuring::{BROWSER_DIMENSIONS, MeasuredText, Measuring};
use super::page::{Page, PlacedPage, format};
use super::{PageSeen, files::Files};

/// A page to be measured, and on which scale.
pub(super) type Measured = MeasureInput<Arc<str>>;

/// A page that somebody looked at, if anybody could.
#[derive(Debug)]
pub(super) struct Exhibit<'e> {
    pub(super) page: &'e Page,
    pub(super) placed: &'e PlacedPage,
    pub(super) seen: &'e PageSeen,
    pub(super) measuring: &'e Measuring,
    pub(super) scale: Score,
}

impl Exhibit<'_> {
    fn text(&self) -> MeasuredText<'_> {
        let PlacedPage { file, around, document, is_markdown, .. } = self.placed;
        MeasuredText { name: "", document, is_markdown: *is_markdown, file, around, seen: self.seen }
    }

    /// What a role's measurements say: a judge's answer.
    pub(super) fn vote(&self, role: Role) -> String {
        let found = self.measuring.of_role(&self.text(), role, &self.placed.tokens);
        let report = found.scores.first();
        let dims: Vec<Value> = report.map(|report| self.dims(&report.dims, "")).unwrap_or_default();
        // What several roles look at is demanded by the one whose rule it is, and what is said of exceptions by none.
        let is_own = |finding: &&ReportedFinding| finding.measured.is_some_and(|(owner, _)| owner == role.as_str());
        let measured: Vec<MeasuredDemand> = found.must_fix().filter(is_own).map(demand).collect();
        let score = report.and_then(|report| report.score).map(|score| self.scaled(score));
        json!({ "score": score, "dims": dims, "measured": measured }).to_string()
    }

    /// Every role's measurements, for judges who cannot measure.
    pub(super) fn measure(&self) -> String {
        let mut dims = Vec::new();
        for role in Role::ALL {
            let report = self.measuring.measured(&self.text(), role, &self.placed.tokens);
            dims.extend(self.dims(&report.dims, &format!("{}.", role.as_str())));
        }
        json!({ "dims": dims }).to_string()
    }

    /// What must be fixed in a round, as a judge's answer.
    pub(super) fn lint(&self) -> String {
        json!({ "must_fix": [], "measured": self.demands() }).to_string()
    }

    /// The last look at a draft that would pass in any other loop.
    pub(super) fn last_look(&self) -> String {
        serde_json::to_string(&LastLookAnswer { must_fix: self.demands() }).expect("demands are plain JSON")
    }

    fn dims(&self, dims: &[Measurement], prefix: &str) -> Vec<Value> {
        let unseen = self.seen.unseen.as_deref();
        let dim = |dim: &Measurement| {
            let score = dim.decided.then(|| self.scaled(dim.score));
            json!({ "name": format!("{prefix}{}", dim.dimension), "score": score, "note": note(dim, unseen) })
        };
        dims.iter().map(dim).collect()
    }

    /// Measurements are out of ten.
    fn scaled(&self, score: f64) -> f64 {
        score * self.scale.as_f64() / 10.0
    }

    /// What must be fixed in exactly these bytes, as `check` lists it: whatever must be fixed by any measurement, and what
    /// was left unfinished where no measurement looks. It binds, whoever judged and whatever they call their dimensions.
    fn demands(&self) -> Vec<MeasuredDemand> {
        let format = match format(self.page) {
            Format::Html => DocumentFormat::Html,
            Format::Markdown => DocumentFormat::Markdown,
            Format::Plain => DocumentFormat::Plain,
        };
        let mut demands: Vec<(Option<u32>, MeasuredDemand)> = Vec::new();
        if format != DocumentFormat::Plain {
            let is_fragment = is_fragment(&self.page.text);
            let found = self.measuring.findings(&self.text(), &self.placed.tokens, &str::to_owned);
            let binding = found.must_fix().filter(|one| !(is_fragment && FRAME.contains(&&*one.rule)));
            demands.extend(binding.map(|one| (one.span.as_ref().map(|span| span.line), demand(one))));
        }
        let files: &Files = &self.placed.around.files;
        let last = tribunal_checks::lint_at(&self.page.text, format, files.addresses(), &self.placed.around);
        for finding in last.into_iter().filter(|finding| finding.weight == Weight::MustFix) {
            // The measurements have other names for the same, and may have been told to let it stand.
            let line = finding.place.as_ref().map(|place| place.line);
            let is_said = demands.iter().any(|(at, said)| {
                let is_kin = said.code == finding.code
                    || (said.code == "copy.placeholder" && finding.code.starts_with("placeholder."));
                is_kin && *at == line
            });
            if !is_said && !self.measuring.policy.lets_stand(&self.text(), &finding) {
                demands.push((line, of_lint(&finding)));
            }
        }
        let mut told: Vec<MeasuredDemand> = Vec::new();
        for (_, demand) in demands {
            if !told.contains(&demand) {
                told.push(demand);
            }
        }
        told
    }
}

/// What a page says of itself. A fragment is put into a page that says so.
const FRAME: [&str; 2] = ["page.lang", "page.title"];

/// Whether a text is a part of a page, and not one.
fn is_fragment(text: &str) -> bool {
    let start = text.get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
    !["<!doctype", "<html", "<head", "<title", "<body"].iter().any(|tag| start.contains(tag))
}

fn note(dim: &Measurement, unseen: Option<&str>) -> String {
    let undecided = dim.undecided.iter().map(|reason| format!("undecided: {reason}"));
    // Only what a browser looks at misses it.
    let unseen = unseen.filter(|_| BROWSER_DIMENSIONS.contains(&dim.dimension)).map(str::to_owned);
    dim.evidence.iter().cloned().chain(undecided).chain(unseen).collect::<Vec<_>>().join("; ")
}

fn demand(finding: &ReportedFinding) -> MeasuredDemand {
    let place = finding.span.as_ref().map(|span| SourceLocation {
        line: span.line,
        column: span.column,
        file: finding.file.clone(),
        selector: finding.selector.clone(),
    });
    told(&finding.rule, &finding.message, &finding.evidence, place.as_ref())
}

fn of_lint(finding: &MeasuredFinding) -> MeasuredDemand {
    told(finding.code, &finding.text, &finding.evidence, finding.place.as_ref())
}

fn told(code: &str, text: &str, evidence: &str, place: Option<&SourceLocation>) -> MeasuredDemand {
    let evidence = if evidence.is_empty() { String::new() } else { format!(" ({evidence})") };
    let place = place.map(|place| format!(", at {place}")).unwrap_or_default();
    MeasuredDemand { text: format!("{text}{evidence}{place}"), code: code.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::HouseSettings;
    use super::*;
    use tribunal_kernel::theater::PageInput;

    fn lint(html: &str, format: Format) -> Value {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method itself is not general enough")]
        exhibited(html, format, |exhibit| exhibit.lint())
    }

    fn exhibited(html: &str, format: Format, ask: impl Fn(&Exhibit<'_>) -> String) -> Value {
        let page = PageInput { text: html.into(), format, folder: None, file: None, design: None };
        let placed = PlacedPage::of(&page, &std::env::temp_dir(), &HouseSettings::default());
        let (seen, measuring) = (PageSeen::default(), Measuring::default());
        let exhibit =
            Exhibit { page: &page, placed: &placed, seen: &seen, measuring: &measuring, scale: Score::points(10) };
        serde_json::from_str(&ask(&exhibit)).unwrap()
    }

    #[test]
    fn lint_finds_what_must_not_ship() {
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
            let answer = lint(html, Format::Html);
            assert_eq!(answer["measured"].as_array().unwrap().len(), expected, "{html}: {answer}");
        }
    }

    #[test]
    fn a_page_is_measured_whatever_it_is_called() {
        let html =
            "<!doctype html><html lang=en><title>x</title><p style='color:#eee;background:#fff'>Too faint.</p></html>";
        for format in [Format::Html, Format::Markdown, Format::Plain] {
            let answer = lint(html, format);
            assert!(answer.to_string().contains("4.5"), "{format:?}: {answer}");
        }
    }

    #[test]
    fn a_vote_rests_on_what_was_measured() {
        let html = "<!doctype html><html lang=en><title>x</title><main><h1>Bread</h1>\
                    <p style='color:#999;background:#fff'>Too faint to read.</p></main></html>";
        let answer = exhibited(html, Format::Html, |exhibit| exhibit.vote(Role::A11y));
        let contrast = answer["dims"].as_array().unwrap().iter().find(|dim| dim["name"] == "contrast").unwrap();
        assert!(contrast["note"].as_str().unwrap().contains("2.8"), "{answer}");
        assert!(answer["measured"].to_string().contains("4.5"), "{answer}");
    }
}
