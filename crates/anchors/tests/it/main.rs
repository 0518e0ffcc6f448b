//! The crate as its users see it: files and drafts in, results and reports out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod cases;
mod files;
mod kinds;
mod limits;
mod merging;
mod noise;
mod reports;
mod rules;

use tribunal_anchors::{Anchor, LintResult, Syntax, lint};
use tribunal_checks::Inspector;

fn anchor(toml: &str) -> Anchor {
    Anchor::read(toml, Syntax::Toml).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// An invariants anchor with one MUST.
fn must(rule: &str) -> Anchor {
    anchor(&format!("kind = \"invariants\"\nMUST = [{rule}]"))
}

fn check(anchor: &Anchor, draft: &str) -> LintResult {
    lint(anchor, draft, None, &|path| path == "there.md", &Inspector)
}

/// Every violation on a line, with its place.
fn shown(result: &LintResult) -> String {
    let lines = result.violations.iter().map(|violation| match &violation.span {
        Some(span) => {
            let place = format!("{}:{}-{}:{}", span.line, span.column, span.end_line, span.end_column);
            format!("{place} {} [{}]", violation.message, span.quote)
        }
        None => violation.message.clone(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
