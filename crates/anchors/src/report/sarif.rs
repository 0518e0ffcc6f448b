//! SARIF 2.1.0, which code hosts show beside the lines.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::{Value, json};

use crate::result::SourceSpan;

use super::{FileReport, ReportLevel, ReportedFinding, RuleHelp, Standing, UndecidedRule};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run with every rule that was decided and everything that was found as a result. `help` is what is known of rules.
pub fn sarif(files: &[FileReport], help: &[RuleHelp]) -> String {
    let mut rules: Vec<&str> = Vec::new();
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for name in files.iter().flat_map(names) {
        index.entry(name).or_insert_with(|| {
            rules.push(name);
            rules.len() - 1
        });
    }
    let mut results = Vec::new();
    for file in files {
        for level in [ReportLevel::Must, ReportLevel::Should, ReportLevel::Note] {
            let found = file.findings.iter().filter(|finding| finding.level == level);
            results.extend(found.map(|finding| one(&file.path, finding, index.get(&*finding.rule))));
        }
        results.extend(file.undecided.iter().map(|open| undecided(&file.path, open, index.get(&*open.rule))));
    }
    let rules: Vec<Value> = rules.into_iter().map(|name| described(name, help)).collect();
    let run = json!({
        "tool": { "driver": { "name": "tribunal", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    format!("{}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn names(file: &FileReport) -> impl Iterator<Item = &str> {
    let found = file.findings.iter().map(|finding| &*finding.rule);
    file.decided.iter().map(String::as_str).chain(found).chain(file.undecided.iter().map(|open| &*open.rule))
}

fn described(name: &str, help: &[RuleHelp]) -> Value {
    let Some(help) = help.iter().find(|help| help.id == name) else {
        return json!({ "id": name, "shortDescription": { "text": name } });
    };
    json!({
        "id": name,
        "name": name,
        "shortDescription": { "text": help.title },
        "fullDescription": { "text": help.text },
        "help": { "text": help.text, "markdown": help.markdown },
        "defaultConfiguration": { "level": level(help.level) },
        "properties": { "tags": help.tags },
    })
}

fn level(level: ReportLevel) -> &'static str {
    match level {
        ReportLevel::Must => "error",
        ReportLevel::Should => "warning",
        ReportLevel::Note => "note",
    }
}

fn one(page: &str, finding: &ReportedFinding, rule: Option<&usize>) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule.map_or(-1, |at| i64::try_from(*at).unwrap_or(-1)),
        "level": level(finding.level),
        "message": { "text": finding.told() },
    });
    let path = finding.path(page);
    // What is in no file has no location.
    if !path.is_empty() {
        let mut place = json!({ "artifactLocation": { "uri": uri(path) } });
        if let Some(span) = &finding.span {
            place["region"] = region(span);
        }
        let mut location = json!({ "physicalLocation": place });
        if let Some(selector) = &finding.selector {
            location["logicalLocations"] = json!([{ "fullyQualifiedName": selector, "kind": "element" }]);
        }
        result["locations"] = json!([location]);
    }
    if finding.measured.is_some() {
        result["partialFingerprints"] = json!({ "tribunal/v1": format!("{:016x}", finding.fingerprint) });
    }
    match &finding.standing {
        Standing::Open => {}
        Standing::New => result["baselineState"] = json!("new"),
        Standing::Known => result["baselineState"] = json!("unchanged"),
        Standing::Excused { reason, in_source } => {
            let kind = if *in_source { "inSource" } else { "external" };
            result["suppressions"] = json!([{ "kind": kind, "justification": reason }]);
        }
    }
    result
}

/// The format's own word for what nobody has decided.
fn undecided(path: &str, undecided: &UndecidedRule, index: Option<&usize>) -> Value {
    let UndecidedRule { rule, why, fails } = undecided;
    json!({
        "ruleId": rule,
        "ruleIndex": index.map_or(-1, |at| i64::try_from(*at).unwrap_or(-1)),
        "kind": "open",
        "level": "none",
        "message": { "text": if *fails { format!("undecided: {rule}") } else { format!("undecided: {why}") } },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }],
    })
}

fn region(span: &SourceSpan) -> Value {
    json!({
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "snippet": { "text": span.quote },
    })
}

/// A path as a relative reference: whatever has a meaning in addresses is encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b'\\' => out.push('/'),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
