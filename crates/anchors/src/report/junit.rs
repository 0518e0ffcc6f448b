//! JUnit's XML, which build servers show as tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::{FileReport, ReportLevel, ReportedFinding};

/// A suite for every file, a case for every rule. What waits for a model or a command is a skipped case; a SHOULD is a
/// failure only once it is a violation.
pub fn junit(files: &[FileReport]) -> String {
    written(&files.iter().map(Suite::of_rules).collect::<Vec<_>>())
}

/// One suite, and every file a case in it: it fails as [`FileReport::passes`] says.
pub fn files_as_cases(files: &[FileReport], fails: Option<ReportLevel>) -> String {
    written(&[Suite { name: "tribunal check", cases: files.iter().map(|file| Case::of_file(file, fails)).collect() }])
}

struct Suite<'r> {
    name: &'r str,
    cases: Vec<Case<'r>>,
}

struct Case<'r> {
    class: &'r str,
    name: &'r str,
    end: CaseEnd<'r>,
}

enum CaseEnd<'r> {
    Decided(Vec<(&'r str, &'r ReportedFinding)>),
    /// Why nobody could decide it, although it has to be.
    Open(String),
    Skipped(&'r str),
}

fn written(suites: &[Suite<'_>]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failures: usize = suites.iter().map(Suite::failures).sum();
    let _ = writeln!(out, "<testsuites name=\"tribunal\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">");
    for suite in suites {
        suite.write(&mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

impl<'r> Suite<'r> {
    fn of_rules(file: &'r FileReport) -> Self {
        let mut by_rule: BTreeMap<&str, Vec<(&str, &ReportedFinding)>> = BTreeMap::new();
        for finding in file.counting().filter(|finding| finding.level == ReportLevel::Must) {
            by_rule.entry(&finding.rule).or_default().push((&file.path, finding));
        }
        let must = file.counting().filter(|finding| finding.level == ReportLevel::Must).map(|finding| &*finding.rule);
        let mut seen = BTreeSet::new();
        let names = file.decided.iter().map(String::as_str).chain(must).filter(|name| seen.insert(*name));
        let class = file.path.as_str();
        let decided =
            |name| Case { class, name, end: CaseEnd::Decided(by_rule.get(name).cloned().unwrap_or_default()) };
        let mut cases: Vec<Case<'r>> = names.map(decided).collect();
        cases.extend(file.undecided.iter().map(|open| Case {
            class,
            name: &open.rule,
            end: CaseEnd::Skipped(&open.why),
        }));
        Self { name: &file.path, cases }
    }

    fn failures(&self) -> usize {
        self.cases.iter().filter(|case| case.has_failed()).count()
    }

    fn skipped(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.end, CaseEnd::Skipped(_))).count()
    }

    fn write(&self, out: &mut String) {
        let (name, tests, failures, skipped) = (escape(self.name), self.cases.len(), self.failures(), self.skipped());
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
        );
        for case in &self.cases {
            case.write(out);
        }
        out.push_str("  </testsuite>\n");
    }
}

impl<'r> Case<'r> {
    fn of_file(file: &'r FileReport, fails: Option<ReportLevel>) -> Self {
        let counts = |finding: &&ReportedFinding| fails.is_some_and(|worst| finding.level <= worst);
        let faults: Vec<_> = file.counting().filter(counts).map(|finding| (file.path.as_str(), finding)).collect();
        let open: Vec<String> = file
            .undecided
            .iter()
            .filter(|open| open.fails && fails.is_some())
            .map(|open| format!("undecided: {}: {}", open.rule, open.why))
            .collect();
        let end = if faults.is_empty() && !open.is_empty() {
            CaseEnd::Open(open.join("\n"))
        } else {
            CaseEnd::Decided(faults)
        };
        Self { class: "tribunal", name: &file.path, end }
    }

    fn has_failed(&self) -> bool {
        match &self.end {
            CaseEnd::Decided(faults) => !faults.is_empty(),
            CaseEnd::Open(_) => true,
            CaseEnd::Skipped(_) => false,
        }
    }

    fn write(&self, out: &mut String) {
        let head = format!("    <testcase classname=\"{}\" name=\"{}\"", escape(self.class), escape(self.name));
        let _ = match &self.end {
            CaseEnd::Decided(faults) if faults.is_empty() => {
                let _ = writeln!(out, "{head}/>");
                return;
            }
            CaseEnd::Decided(faults) => {
                let _ = writeln!(out, "{head}>");
                failure(out, faults);
                Ok(())
            }
            CaseEnd::Open(why) => {
                writeln!(
                    out,
                    "{head}>\n      <failure message=\"undecided\" type=\"undecided\">{}</failure>",
                    escape(why)
                )
            }
            CaseEnd::Skipped(why) => writeln!(out, "{head}>\n      <skipped message=\"{}\"/>", escape(why)),
        };
        out.push_str("    </testcase>\n");
    }
}

/// One failure for a case, because viewers show only the first; its text has a line for every place.
fn failure(out: &mut String, faults: &[(&str, &ReportedFinding)]) {
    let first = faults.first().map_or(String::new(), |(_, fault)| fault.told());
    let _ = write!(out, "      <failure message=\"{}\" type=\"violation\">", escape(&first));
    for (at, (page, fault)) in faults.iter().enumerate() {
        let place = fault.span.as_ref().map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
        let rule = if fault.measured.is_some() { format!(" [{}]", fault.rule) } else { String::new() };
        let end = if at + 1 == faults.len() { "" } else { "\n" };
        let _ = write!(out, "{}{end}", escape(&format!("{}{place}: {}{rule}", fault.path(page), fault.told())));
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
