//! What came of checking files.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use tribunal_anchors::LintResult;
use tribunal_anchors::report::{FileReport, ReportLevel, ReportTotals, ReportedFinding, Standing};
use tribunal_checks::{Eye, Measurement, RoleReport, rule};

use super::dim_object;

/// What came of it.
#[derive(Debug)]
pub struct CheckedFiles {
    pub files: Vec<CheckedFile>,
    /// How many files were left out because nothing in them changed.
    pub unchanged: usize,
}

/// What was found in one file.
#[derive(Debug)]
pub struct CheckedFile {
    pub report: FileReport,
    /// Scores of the roles; their findings are in the report.
    pub scores: Vec<RoleReport>,
    pub linted: Option<LintResult>,
    /// Its path below the root.
    pub(super) below: String,
}

impl CheckedFiles {
    /// Whether everything passes, if findings up to this level fail it.
    pub fn passes(&self, fails: Option<ReportLevel>) -> bool {
        self.files.iter().all(|file| file.report.passes(fails))
    }

    /// Who looked at pages, in a line; nothing where no page has a look.
    pub fn looked(&self) -> Option<String> {
        let dims = || self.files.iter().flat_map(|file| &file.scores).flat_map(|report| &report.dims);
        let of = |eye: Eye| -> BTreeSet<&str> {
            let needs_a_look = |dim: &&Measurement| matches!(dim.dimension, "contrast" | "focus" | "targets");
            dims().filter(needs_a_look).filter(|dim| dim.eye == eye).map(|dim| dim.dimension).collect()
        };
        let told = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
        match (of(Eye::Browser), of(Eye::Static)) {
            (seen, not_seen) if seen.is_empty() && not_seen.is_empty() => None,
            (seen, not_seen) if not_seen.is_empty() => Some(format!("seen by a browser: {}", told(seen))),
            (seen, not_seen) if seen.is_empty() => Some(format!("measured without a browser: {}", told(not_seen))),
            (seen, not_seen) => {
                Some(format!("seen by a browser: {}; also measured without one: {}", told(seen), told(not_seen)))
            }
        }
    }

    /// Everything as an object.
    pub fn object(&self, fails: Option<ReportLevel>) -> Value {
        let reports: Vec<&FileReport> = self.files.iter().map(|file| &file.report).collect();
        let ReportTotals { files, must, should, notes, undecided, known, excused, .. } = ReportTotals::of(reports);
        let mut object = json!({
            "passed": self.passes(fails),
            "totals": {
                "files": files, "unchanged": self.unchanged, "must_fix": must, "should": should, "notes": notes,
                "undecided": undecided, "known": known, "excused": excused,
            },
            "files": self.files.iter().map(CheckedFile::object).collect::<Vec<_>>(),
        });
        let mut anchored = self.files.iter().filter_map(|file| file.linted.as_ref()).peekable();
        if anchored.peek().is_some() {
            object["valid"] = json!(anchored.all(|result| result.valid));
        }
        object
    }
}

impl CheckedFile {
    fn object(&self) -> Value {
        let of = |role: &'static str, dimension: &'static str| {
            let found = self.report.findings.iter().filter(|finding| finding.measured == Some((role, dimension)));
            found.map(finding_object).collect::<Vec<_>>()
        };
        let reports: Vec<Value> = self
            .scores
            .iter()
            .map(|report| {
                let role = report.role.as_str();
                let dims = report.dims.iter().map(|dim| {
                    let mut object = dim_object(dim);
                    object["findings"] = json!(of(role, dim.dimension));
                    object
                });
                json!({ "role": role, "score": report.score, "dims": dims.collect::<Vec<_>>() })
            })
            .collect();
        let others = self.report.findings.iter().filter(|finding| finding.measured.is_none() && is_own(finding));
        let mut file = json!({
            "file": self.report.path, "reports": reports, "findings": others.map(finding_object).collect::<Vec<_>>(),
        });
        if let (Some(linted), Some(fields)) = (&self.linted, file.as_object_mut()) {
            fields.insert("path".to_owned(), json!(self.report.path));
            fields.insert("passed".to_owned(), json!(linted.is_passed()));
            if let Ok(Value::Object(more)) = serde_json::to_value(linted) {
                fields.extend(more);
            }
        }
        file
    }
}

/// Whether it is about the check itself, and not a rule of the anchor.
fn is_own(finding: &ReportedFinding) -> bool {
    rule(&finding.rule).is_some_and(|rule| rule.role.is_none())
}

/// A finding as an object.
pub fn finding_object(finding: &ReportedFinding) -> Value {
    let weight = match finding.level {
        ReportLevel::Must => "must_fix",
        ReportLevel::Should => "should",
        ReportLevel::Note => "note",
    };
    let mut object = json!({
        "code": finding.rule, "weight": weight, "text": finding.message, "evidence": finding.evidence,
        "line": finding.span.as_ref().map(|span| span.line), "column": finding.span.as_ref().map(|span| span.column),
        "selector": finding.selector,
    });
    let standing = match &finding.standing {
        Standing::Open => None,
        Standing::New => Some("new"),
        Standing::Known => Some("known"),
        Standing::Excused { .. } => Some("excused"),
    };
    if let Some(file) = &finding.file {
        object["file"] = json!(file);
    }
    if let Some(standing) = standing {
        object["standing"] = json!(standing);
    }
    if let Standing::Excused { reason, .. } = &finding.standing {
        object["reason"] = json!(reason);
    }
    object
}
