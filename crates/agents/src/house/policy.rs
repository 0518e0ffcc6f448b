//! What somebody excused, in the text and by path, and how grave rules are here.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use tribunal_anchors::SourceSpan;
use tribunal_anchors::report::{FileReport, ReportLevel, ReportedFinding, Standing, fingerprint};
use tribunal_checks::{Exception, MeasuredFinding, SourceLocation, exceptions, nearest_rule, rule};
use tribunal_kernel::waiver::Waiver;

use super::finding::{SourceText, reported};
use super::measuring::MeasuredText;

/// The rule that a file breaks which could not be looked at. Nobody is excused from it.
pub const UNREADABLE: &str = "file.unreadable";
/// Findings about exceptions themselves.
const NO_REASON: &str = "ignore.no-reason";
const UNKNOWN: &str = "ignore.unknown";
const UNUSED: &str = "ignore.unused";

/// What is thought of rules here, and what is excused from them.
#[derive(Debug, Clone, Default)]
pub struct PagePolicy {
    /// How grave findings of a rule are; nothing for a rule that is switched off.
    pub levels: BTreeMap<String, Option<ReportLevel>>,
    pub excused: Vec<ExcusedPath>,
    /// What a person waived. A run waives by itself what its spec says.
    pub waivers: Vec<Waiver>,
}

/// Files that are excused from rules.
#[derive(Debug, Clone)]
pub struct ExcusedPath {
    paths: Gitignore,
    rules: Vec<String>,
    reason: String,
}

impl ExcusedPath {
    /// `glob` is seen from the folder `root`. The error says what is wrong with it.
    pub fn new(root: &Path, glob: &str, rules: Vec<String>, reason: String) -> Result<Self, String> {
        let mut paths = GitignoreBuilder::new(root);
        paths.add_line(None, glob).map_err(|error| error.to_string())?;
        Ok(Self { paths: paths.build().map_err(|error| error.to_string())?, rules, reason })
    }
}

impl PagePolicy {
    /// Gives every finding the level that it has here, and excuses what is excused. What is switched off is gone. `file` is
    /// where the page is, and `exceptions` are those in its text.
    pub fn apply(&self, file: &Path, exceptions: &[Exception], report: &mut FileReport) {
        report.findings.retain(|finding| !self.is_off(&finding.rule));
        let mut used = vec![false; exceptions.len()];
        for finding in report.findings.iter_mut().filter(|finding| finding.rule != UNREADABLE) {
            finding.level = self.level(&finding.rule, finding.level);
            self.excuse(file, finding);
            let place = place(finding);
            for (exception, used) in exceptions.iter().zip(&mut used) {
                let Some(reason) = exception.reason.as_ref().filter(|_| exception.rule == finding.rule) else {
                    continue;
                };
                // A place in another file is not in this text.
                if finding.file.is_none() && exception.covers(place.as_ref()) {
                    *used = true;
                    finding.standing = Standing::Excused { reason: reason.clone(), in_source: true };
                }
            }
        }
        let own = exceptions.iter().zip(used).filter_map(|(exception, used)| about(exception, used));
        let own: Vec<ReportedFinding> = own.map(|(id, text)| self.own(report, id, &text.1, &text.0)).collect();
        report.findings.extend(own.into_iter().filter(|finding| !self.is_off(&finding.rule)));
    }

    /// Whether something that only the last look finds does not hold a page up here.
    pub(super) fn lets_stand(&self, page: &MeasuredText<'_>, finding: &MeasuredFinding) -> bool {
        // What measurements call by another name is excused by that name, too.
        let is_filler = finding.code.starts_with("placeholder.");
        let other = is_filler.then(|| MeasuredFinding { code: "copy.placeholder", ..finding.clone() });
        let exceptions = exceptions(page.document.source(), page.is_markdown);
        let source = SourceText::new(page.document.source(), page.is_markdown);
        [Some(finding), other.as_ref()].into_iter().flatten().any(|finding| {
            let mut report = FileReport { path: page.name.to_owned(), ..FileReport::default() };
            report.findings.push(reported(page.name, &source, None, ("", ""), finding));
            self.apply(page.file, &exceptions, &mut report);
            let holds = |one: &ReportedFinding| {
                one.rule == finding.code && one.level == ReportLevel::Must && one.standing == Standing::Open
            };
            !report.findings.iter().any(holds)
        })
    }

    fn is_off(&self, id: &str) -> bool {
        self.levels.get(id) == Some(&None)
    }

    fn level(&self, id: &str, level: ReportLevel) -> ReportLevel {
        self.levels.get(id).copied().flatten().unwrap_or(level)
    }

    fn excuse(&self, file: &Path, finding: &mut ReportedFinding) {
        let is_named = |excused: &&ExcusedPath| {
            excused.rules.iter().any(|id| *id == finding.rule)
                && excused.paths.matched_path_or_any_parents(file, false).is_ignore()
        };
        let place = finding.span.as_ref().map(|span| format!(", at {}:{}", span.line, span.column)).unwrap_or_default();
        let selector = finding.selector.as_deref().unwrap_or_default();
        let text = format!("{}{place} {selector}", finding.told());
        let path = || self.excused.iter().find(is_named).map(|excused| excused.reason.clone());
        let waived =
            || self.waivers.iter().find(|waiver| waiver.covers(&finding.rule, &text)).map(|waiver| waiver.why.clone());
        // A glob outside of the folder of the configuration fits nothing, and `ignore` would not have it asked.
        let reason = if file.is_absolute() && self.excused.iter().any(|excused| !file.starts_with(excused.paths.path()))
        {
            waived()
        } else {
            path().or_else(waived)
        };
        if let Some(reason) = reason {
            finding.standing = Standing::Excused { reason, in_source: false };
        }
    }

    /// A finding about an exception.
    fn own(&self, report: &FileReport, id: &'static str, message: &str, place: &SourceLocation) -> ReportedFinding {
        let level = rule(id).map_or(ReportLevel::Note, |rule| super::finding::level(rule.weight));
        ReportedFinding {
            rule: Cow::Borrowed(id),
            level: self.level(id, level),
            message: message.to_owned(),
            evidence: String::new(),
            measured: None,
            file: None,
            span: Some(SourceSpan {
                line: place.line,
                column: place.column,
                end_line: place.line,
                end_column: place.column,
                quote: String::new(),
            }),
            selector: None,
            source: None,
            fingerprint: fingerprint([id, &report.path, message]),
            standing: Standing::Open,
        }
    }
}

/// What is wrong with an exception, and where.
fn about(exception: &Exception, used: bool) -> Option<(&'static str, (SourceLocation, String))> {
    let Exception { rule: id, reason, place, .. } = exception;
    let (code, text) = if rule(id).is_none() {
        let meant = nearest_rule(id).map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        let text = if id.is_empty() {
            "name the rule to excuse".to_owned()
        } else {
            format!("there is no rule `{id}`{meant}")
        };
        (UNKNOWN, text)
    } else if reason.is_none() {
        (NO_REASON, format!("say why `{id}` is excused here, behind a colon"))
    } else if used {
        return None;
    } else {
        (UNUSED, format!("take it out: nothing of `{id}` is found here"))
    };
    Some((code, (place.clone(), text)))
}

fn place(finding: &ReportedFinding) -> Option<SourceLocation> {
    let span = finding.span.as_ref()?;
    Some(SourceLocation { line: span.line, column: span.column, ..SourceLocation::default() })
}
