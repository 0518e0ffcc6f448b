//! A rule as Markdown: the page in `docs/rules/`, and the help that code hosts show.

use std::fmt::Write as _;

use super::CheckRule;
use crate::finding::Weight;

/// What there is to say of a rule, below its title.
pub fn markdown(rule: &CheckRule) -> String {
    let mut out = String::new();
    let level = match rule.weight {
        Weight::MustFix => "must fix",
        Weight::Should => "should",
        Weight::Note => "note",
    };
    let measured = rule.role.map_or_else(String::new, |role| match rule.dimension {
        Some(dimension) => format!("; measured as `{}.{dimension}`", role.as_str()),
        None => "; looked for before anything ships".to_owned(),
    });
    let _ = writeln!(out, "Level: {level}{measured}.");
    if !rule.wcag.is_empty() {
        let criteria: Vec<String> = rule.wcag.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "WCAG 2.2: {}.", criteria.join(", "));
    }
    for (title, text) in [("What it finds", rule.finds), ("Why it matters", rule.why), ("How to fix it", rule.fix)] {
        let _ = writeln!(out, "\n## {title}\n\n{}", sentences(text));
    }
    for (title, text) in [("Found", rule.example.bad), ("Not found", rule.example.good)] {
        let _ = writeln!(out, "\n## {title}\n\n```{}\n{}\n```", rule.example.language, text.trim_end());
    }
    out
}

/// One thought a line.
fn sentences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(". ") {
        out.push_str(&rest[..=at]);
        out.push('\n');
        rest = &rest[at + 2..];
    }
    out + rest
}
