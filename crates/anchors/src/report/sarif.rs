//! SARIF 2.1.0, which code hosts show beside the lines.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::{Value, json};

use crate::result::{LintResult, SourceSpan, Violation};

use super::LintedFile;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run with every rule that was decided and every violation as a result.
pub fn sarif(checked: &[LintedFile]) -> String {
    let mut rules: Vec<&str> = Vec::new();
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for name in checked.iter().flat_map(|(_, result)| names(result)) {
        index.entry(name).or_insert_with(|| {
            rules.push(name);
            rules.len() - 1
        });
    }
    let mut results = Vec::new();
    for (path, result) in checked {
        for (level, list) in
            [("error", &result.violations), ("warning", &result.should_violations), ("note", &result.open)]
        {
            let found = list.iter().map(|violation| one(path, violation, level, index.get(violation.rule.as_str())));
            results.extend(found);
        }
        results.extend(result.pending.iter().map(|pending| undecided(path, pending.rule.name())));
    }
    let rules: Vec<Value> =
        rules.into_iter().map(|name| json!({ "id": name, "shortDescription": { "text": name } })).collect();
    let run = json!({
        "tool": { "driver": { "name": "tribunal", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    format!("{}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn names(result: &LintResult) -> impl Iterator<Item = &str> {
    let scored = result.scores.iter().map(|score| score.name.as_str());
    let lists = [&result.violations, &result.should_violations, &result.open];
    scored.chain(lists.into_iter().flatten().map(|violation| violation.rule.as_str()))
}

fn one(path: &str, violation: &Violation, level: &str, rule: Option<&usize>) -> Value {
    let mut result = json!({
        "ruleId": violation.rule,
        "ruleIndex": rule.map_or(-1, |at| i64::try_from(*at).unwrap_or(-1)),
        "level": level,
        "message": { "text": violation.message },
    });
    // What is in no file has no location.
    if !path.is_empty() {
        let mut place = json!({ "artifactLocation": { "uri": uri(path) } });
        if let (Some(span), Some(place)) = (&violation.span, place.as_object_mut()) {
            place.insert("region".to_owned(), region(span));
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    result
}

/// The format's own word for what nobody has decided.
fn undecided(path: &str, rule: &str) -> Value {
    json!({
        "ruleId": rule,
        "kind": "open",
        "level": "none",
        "message": { "text": format!("undecided: {rule}") },
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
