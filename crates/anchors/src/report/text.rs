//! One line a violation, as editors and people read them.

use std::fmt::Write;

use crate::result::Violation;

use super::LintedFile;

/// `path:line:column: message (rule)`, then one line that sums it up.
pub fn text(checked: &[LintedFile]) -> String {
    let mut out = String::new();
    let (mut broken, mut should, mut pending) = (0, 0, 0);
    for (path, result) in checked {
        for (word, list) in
            [("", &result.violations), ("open: ", &result.open), ("should: ", &result.should_violations)]
        {
            for violation in list {
                line(&mut out, path, word, violation);
            }
        }
        for pending in &result.pending {
            let _ = writeln!(out, "{path}: undecided: {}", pending.rule.name());
        }
        let is_silent = result.violations.is_empty() && result.open.is_empty() && result.pending.is_empty();
        if is_silent && !result.is_passed() {
            let _ = writeln!(out, "{path}: undecided: the anchor asks for nothing that can be decided without a run");
        }
        for note in &result.notes {
            let _ = writeln!(out, "{path}: note: {note}");
        }
        broken += result.violations.len();
        should += result.should_violations.len() + result.open.len();
        pending += result.pending.len();
    }
    let mut parts = vec![count(broken, "violation")];
    parts.extend((should > 0).then(|| count(should, "warning")));
    parts.extend((pending > 0).then(|| format!("{} undecided", count(pending, "rule"))));
    let _ = writeln!(out, "{} in {}", parts.join(", "), count(checked.len(), "file"));
    out
}

fn line(out: &mut String, path: &str, word: &str, Violation { rule, message, span }: &Violation) {
    let place = span.as_ref().map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
    // A rule that says it in its own words is not said twice.
    let rule = if message.contains(rule.as_str()) { String::new() } else { format!(" ({rule})") };
    let _ = writeln!(out, "{path}{place}: {word}{message}{rule}");
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
