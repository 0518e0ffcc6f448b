//! What somebody excused, and how grave rules are here: in the text, and in the configuration.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use tribunal_anchors::SourceSpan;
use tribunal_anchors::report::{FileReport, ReportLevel, ReportedFinding, Standing, fingerprint};
use tribunal_checks::{Exception, SourceLocation, nearest_rule, rule};
use tribunal_config::{CheckLevel, Config};
use tribunal_kernel::waiver::Waiver;

use super::UNREADABLE;
use crate::error::AppError;

/// Findings about exceptions themselves.
const NO_REASON: &str = "ignore.no-reason";
const UNKNOWN: &str = "ignore.unknown";
const UNUSED: &str = "ignore.unused";

/// What the configuration says of rules.
#[derive(Debug)]
pub(super) struct CheckPolicy {
    levels: BTreeMap<String, CheckLevel>,
    excused: Vec<ExcusedPath>,
    waivers: Vec<Waiver>,
}

#[derive(Debug)]
struct ExcusedPath {
    paths: Gitignore,
    rules: Vec<String>,
    reason: String,
}

impl CheckPolicy {
    /// What a configuration says; `root` is the folder of its file.
    pub(super) fn of(config: &Config, root: &Path) -> Result<Self, AppError> {
        let known = |key: &str, id: &str| {
            if rule(id).is_some() {
                return Ok(());
            }
            let meant = nearest_rule(id).map(|near| format!("did you mean `{near}`?"));
            Err(AppError::misconfigured(
                format!("`{key}`: there is no rule `{id}`"),
                meant.unwrap_or_else(|| "`tribunal explain` lists all rules".to_owned()),
            ))
        };
        for id in config.checks.levels.keys() {
            known("checks.levels", id)?;
        }
        let mut excused = Vec::new();
        for (name, ignore) in &config.checks.ignore {
            for id in &ignore.rules {
                known(&format!("checks.ignore.{name}.rules"), id)?;
            }
            let invalid = |error: ignore::Error| {
                AppError::misconfigured(
                    format!("`checks.ignore.{name}.path` is not a glob: {error}"),
                    "write one such as `vendor/**`".to_owned(),
                )
            };
            let mut paths = GitignoreBuilder::new(root);
            paths.add_line(None, &ignore.path).map_err(invalid)?;
            let paths = paths.build().map_err(invalid)?;
            excused.push(ExcusedPath { paths, rules: ignore.rules.clone(), reason: ignore.reason.clone() });
        }
        let waivers = config.waive.values().map(|waiver| Waiver {
            code: waiver.code.clone(),
            target: waiver.target.clone(),
            why: waiver.why.clone(),
        });
        Ok(Self { levels: config.checks.levels.clone(), excused, waivers: waivers.collect() })
    }

    /// Gives every finding the level that it has here, and excuses what is excused. What is switched off is gone. `file` is
    /// where the page is, and `exceptions` are those in its text.
    pub(super) fn apply(&self, file: &Path, exceptions: &[Exception], report: &mut FileReport) {
        report.findings.retain(|finding| self.levels.get(&*finding.rule) != Some(&CheckLevel::Off));
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
        report
            .findings
            .extend(own.into_iter().filter(|finding| self.levels.get(&*finding.rule) != Some(&CheckLevel::Off)));
    }

    fn level(&self, id: &str, level: ReportLevel) -> ReportLevel {
        match self.levels.get(id) {
            Some(CheckLevel::Must) => ReportLevel::Must,
            Some(CheckLevel::Should) => ReportLevel::Should,
            Some(CheckLevel::Note) => ReportLevel::Note,
            Some(CheckLevel::Off) | None => level,
        }
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
