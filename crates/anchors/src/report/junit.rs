//! JUnit's XML, which build servers show as tests: a suite for every file, a case for every rule.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use crate::result::{LintResult, Violation};

use super::LintedFile;

/// Rules that wait for a model or a command are skipped cases; a SHOULD is a failure only once it is a violation.
pub fn junit(checked: &[LintedFile]) -> String {
    let suites: Vec<Suite<'_>> = checked.iter().map(|(path, result)| Suite::of(path, result)).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failures: usize = suites.iter().map(Suite::failures).sum();
    let _ = writeln!(out, "<testsuites name=\"tribunal\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">");
    for suite in &suites {
        suite.write(&mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite<'r> {
    path: &'r str,
    cases: Vec<Case<'r>>,
}

enum Case<'r> {
    Decided { name: &'r str, faults: Vec<&'r Violation> },
    Skipped { name: &'r str, why: &'static str },
}

impl<'r> Suite<'r> {
    fn of(path: &'r str, result: &'r LintResult) -> Self {
        let scored = result.scores.iter().map(|score| score.name.as_str());
        let violated = result.violations.iter().map(|violation| violation.rule.as_str());
        let mut by_rule: BTreeMap<&str, Vec<&Violation>> = BTreeMap::new();
        for violation in &result.violations {
            by_rule.entry(&violation.rule).or_default().push(violation);
        }
        let mut seen = BTreeSet::new();
        let names = scored.chain(violated).filter(|name| seen.insert(*name));
        let mut cases: Vec<Case<'r>> =
            names.map(|name| Case::Decided { name, faults: by_rule.get(name).cloned().unwrap_or_default() }).collect();
        cases.extend(result.pending.iter().map(|pending| Case::Skipped {
            name: pending.rule.name(),
            why: if pending.rule.command().is_some() { "the command was not run" } else { "no model was asked" },
        }));
        Self { path, cases }
    }

    fn failures(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case, Case::Decided { faults, .. } if !faults.is_empty())).count()
    }

    fn skipped(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case, Case::Skipped { .. })).count()
    }

    fn write(&self, out: &mut String) {
        let (path, tests, failures, skipped) = (escape(self.path), self.cases.len(), self.failures(), self.skipped());
        let _ = writeln!(
            out,
            "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
        );
        for case in &self.cases {
            match case {
                Case::Decided { name, faults } if faults.is_empty() => {
                    let _ = writeln!(out, "    <testcase classname=\"{path}\" name=\"{}\"/>", escape(name));
                }
                Case::Decided { name, faults } => {
                    let _ = writeln!(out, "    <testcase classname=\"{path}\" name=\"{}\">", escape(name));
                    failure(out, self.path, faults);
                    out.push_str("    </testcase>\n");
                }
                Case::Skipped { name, why } => {
                    let _ = writeln!(out, "    <testcase classname=\"{path}\" name=\"{}\">", escape(name));
                    let _ = writeln!(out, "      <skipped message=\"{why}\"/>");
                    out.push_str("    </testcase>\n");
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
}

/// One failure for a case, because viewers show only the first; its text has a line for every place.
fn failure(out: &mut String, path: &str, faults: &[&Violation]) {
    let first = faults.first().map_or("", |fault| fault.message.as_str());
    let _ = write!(out, "      <failure message=\"{}\" type=\"violation\">", escape(first));
    for (at, fault) in faults.iter().enumerate() {
        let place = fault.span.as_ref().map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
        let end = if at + 1 == faults.len() { "" } else { "\n" };
        let _ = write!(out, "{}{end}", escape(&format!("{path}{place}: {}", fault.message)));
    }
    out.push_str("</failure>\n");
}

/// XML has no way to write most control characters, so they are shown instead.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
