//! GitLab's code quality report: a list of issues, each with a fingerprint of its own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{FileReport, ReportLevel, ReportedFinding};

/// Everything that counts. GitLab needs a file and a line: what has none is at the first one.
pub fn gitlab(files: &[FileReport]) -> String {
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let mut issues: Vec<Value> = Vec::new();
    for file in files {
        issues.extend(file.counting().map(|finding| issue(&file.path, finding, &mut seen)));
        for undecided in file.undecided.iter().filter(|undecided| undecided.fails) {
            let print = super::fingerprint([undecided.rule.as_str(), &file.path, "undecided"]);
            issues.push(json!({
                "description": format!("undecided: {}", undecided.why),
                "check_name": undecided.rule,
                "fingerprint": format!("{print:016x}"),
                "severity": "major",
                "location": { "path": file.path, "lines": { "begin": 1 } },
            }));
        }
    }
    format!("{:#}\n", Value::Array(issues))
}

fn issue(page: &str, finding: &ReportedFinding, seen: &mut BTreeMap<u64, usize>) -> Value {
    // The same twice in a file has to be told apart.
    let again = seen.entry(finding.fingerprint).and_modify(|times| *times += 1).or_insert(0);
    let print = if *again == 0 {
        format!("{:016x}", finding.fingerprint)
    } else {
        format!("{:016x}-{again}", finding.fingerprint)
    };
    let path = finding.path(page);
    json!({
        "description": finding.told(),
        "check_name": finding.rule,
        "fingerprint": print,
        "severity": match finding.level {
            ReportLevel::Must => "critical",
            ReportLevel::Should => "minor",
            ReportLevel::Note => "info",
        },
        "location": {
            "path": if path.is_empty() { "." } else { path },
            "lines": { "begin": finding.span.as_ref().map_or(1, |span| span.line) },
        },
    })
}
