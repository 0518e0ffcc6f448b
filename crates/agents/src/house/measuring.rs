//! What is found in a page: measured by whoever looked, with the words of the house, as far as it counts here.
//!
//! `check` prints it, the house judges and edits by it, and `fix` says by it what is left: one list for all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tribunal_anchors::report::{FileReport, ReportLevel, ReportedFinding, Standing, UndecidedRule, fingerprint};
use tribunal_checks::seen::measure_seen;
use tribunal_checks::{
    DesignTokens, Document, Measurement, Role, RoleReport, Surroundings, WordLists, copy_with, exceptions, report, rule,
};

use super::finding::{LinkedText, SourceText, reported};
use super::{PageFiles, PagePolicy, PageSeen};

/// What a browser looks at where there is one.
pub(super) const BROWSER_DIMENSIONS: [&str; 3] = ["contrast", "focus", "targets"];

/// The rule that a page breaks which never comes to rest in a browser.
const UNSETTLED: &str = "page.unsettled";

/// What a page is measured by.
#[derive(Debug, Clone, Default)]
pub struct Measuring {
    pub words: Arc<WordLists>,
    pub policy: Arc<PagePolicy>,
}

/// A page that is measured.
#[derive(Debug)]
pub struct MeasuredText<'p> {
    /// As results name it.
    pub name: &'p str,
    pub document: &'p Document,
    pub is_markdown: bool,
    /// Where it lies, for what is excused by path.
    pub file: &'p Path,
    pub around: &'p PageFiles,
    pub seen: &'p PageSeen,
}

impl MeasuredText<'_> {
    /// How the page kept a browser from seeing it. What runs nothing is what its source says, however slow a browser is.
    fn hangs(&self) -> Option<&str> {
        self.seen.hangs.as_deref().filter(|_| self.document.runs_scripts())
    }
}

/// What was found in a page.
#[derive(Debug, Default)]
pub struct PageFindings {
    /// Every finding once.
    pub report: FileReport,
    /// The scores of the roles, without their findings.
    pub scores: Vec<RoleReport>,
}

impl Measuring {
    /// Everything that is found in a page. Without tokens there is no brand to judge by. `shown` says how results name a
    /// file below the root.
    pub fn findings(
        &self,
        page: &MeasuredText<'_>,
        tokens: &DesignTokens,
        shown: &dyn Fn(&str) -> String,
    ) -> PageFindings {
        let roles = Role::ALL.into_iter().filter(|role| *role != Role::Brand || !tokens.is_empty());
        self.of_roles(page, roles, tokens, shown)
    }

    /// What one role finds.
    pub fn of_role(&self, page: &MeasuredText<'_>, role: Role, tokens: &DesignTokens) -> PageFindings {
        self.of_roles(page, [role], tokens, &str::to_owned)
    }

    /// What a role measures, before anything is excused.
    pub fn measured(&self, page: &MeasuredText<'_>, role: Role, tokens: &DesignTokens) -> RoleReport {
        let around: &dyn Surroundings = page.around;
        match role {
            Role::Copy => report(role, copy_with(page.document, &self.words)),
            _ if page.hangs().is_some() => never_seen(measure_seen(role, page.document, tokens, around, &[])),
            _ => measure_seen(role, page.document, tokens, around, &page.seen.views),
        }
    }

    fn of_roles(
        &self,
        page: &MeasuredText<'_>,
        roles: impl IntoIterator<Item = Role>,
        tokens: &DesignTokens,
        shown: &dyn Fn(&str) -> String,
    ) -> PageFindings {
        let mut found = PageFindings {
            report: FileReport { path: page.name.to_owned(), ..FileReport::default() },
            scores: Vec::new(),
        };
        if let Some(why) = &page.seen.unseen {
            let undecided = UndecidedRule { rule: "browser".to_owned(), why: why.clone(), fails: false };
            found.report.undecided.push(undecided);
        }
        found.report.findings.extend(page.hangs().map(|why| unsettled(page.name, why)));
        let files = &page.around.files;
        let read = |file: &str| LinkedText { shown: shown(file), text: files.sheet(file).unwrap_or_default() };
        let source = SourceText::new(page.document.source(), page.is_markdown);
        let mut texts = PageTexts { source, sheets: BTreeMap::new(), read: &read };
        for role in roles {
            let mut measured = self.measured(page, role, tokens);
            measured.must_fix.clear();
            for dim in &mut measured.dims {
                texts.take(&mut found.report, role.as_str(), dim);
            }
            found.scores.push(measured);
        }
        let excused = exceptions(page.document.source(), page.is_markdown);
        self.policy.apply(page.file, &excused, &mut found.report);
        found
    }
}

/// What the source says against a page that never came to rest counts; what it says for it does not: nobody saw it.
fn never_seen(mut measured: RoleReport) -> RoleReport {
    let is_seen_by_browsers = |dim: &&mut Measurement| BROWSER_DIMENSIONS.contains(&dim.dimension);
    for dim in measured.dims.iter_mut().filter(is_seen_by_browsers).filter(|dim| dim.findings.is_empty()) {
        (dim.decided, dim.score) = (false, 0.0);
        dim.undecided.push("nobody has seen the page at rest".to_owned());
    }
    report(measured.role, measured.dims)
}

/// A page that keeps a browser from answering does not pass on what nobody could see of it.
fn unsettled(path: &str, why: &str) -> ReportedFinding {
    ReportedFinding {
        rule: Cow::Borrowed(UNSETTLED),
        level: ReportLevel::Must,
        message: "let the page come to rest: no browser can show it".to_owned(),
        evidence: why.to_owned(),
        measured: None,
        file: None,
        span: None,
        selector: None,
        source: None,
        fingerprint: fingerprint([UNSETTLED, path]),
        standing: Standing::Open,
    }
}

impl PageFindings {
    /// What keeps the page from passing.
    pub fn must_fix(&self) -> impl Iterator<Item = &ReportedFinding> {
        self.report.findings.iter().filter(|finding| finding.level == ReportLevel::Must && counts(finding))
    }
}

/// Whether nobody excused it.
pub fn counts(finding: &ReportedFinding) -> bool {
    !matches!(finding.standing, Standing::Excused { .. } | Standing::Known)
}

/// The text of a page, and those that it links.
struct PageTexts<'t> {
    source: SourceText<'t>,
    sheets: BTreeMap<String, LinkedText>,
    read: &'t dyn Fn(&str) -> LinkedText,
}

impl PageTexts<'_> {
    /// What a dimension found, unless another role found the same.
    fn take(&mut self, report: &mut FileReport, role: &'static str, dim: &mut Measurement) {
        for finding in std::mem::take(&mut dim.findings) {
            // Several roles look at contrast; its rule belongs to one of them.
            let owner = rule(finding.code).and_then(|rule| rule.role).map_or(role, Role::as_str);
            let file = finding.place.as_ref().and_then(|place| place.file.as_deref());
            let linked = file.map(|file| &*self.sheets.entry(file.to_owned()).or_insert_with(|| (self.read)(file)));
            let finding = reported(&report.path, &self.source, linked, (owner, dim.dimension), &finding);
            let is_same = |other: &ReportedFinding| is_same(other, &finding);
            if owner == role || !report.findings.iter().any(is_same) {
                report.findings.retain(|other| owner != role || !is_same(other));
                report.findings.push(finding);
            }
        }
        for why in &dim.undecided {
            let undecided = UndecidedRule { rule: dim.dimension.to_owned(), why: why.clone(), fails: false };
            if !report.undecided.contains(&undecided) {
                report.undecided.push(undecided);
            }
        }
    }
}

fn is_same(one: &ReportedFinding, other: &ReportedFinding) -> bool {
    one.rule == other.rule && one.file == other.file && one.span == other.span && one.message == other.message
}
