//! `@supports`: what a browser of today says it can do.

use std::{collections::BTreeSet, sync::LazyLock};

use super::{color::ColorValue, value::pieces};

/// Every property of a current Chromium.
static PROPERTIES: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| include_str!("../../data/properties.txt").split_ascii_whitespace().collect());

/// Conditions nest no deeper.
const MAX_NESTING: usize = 16;

/// Whether a condition holds; one that we cannot read does not.
pub(super) fn supports(condition: &str) -> bool {
    holds(condition, 0).unwrap_or(false)
}

fn holds(condition: &str, depth: usize) -> Option<bool> {
    if depth > MAX_NESTING {
        return None;
    }
    let condition = condition.trim();
    let parts = pieces(condition);
    if parts.first().is_some_and(|word| word.eq_ignore_ascii_case("not")) {
        return holds(condition[3..].trim_start(), depth + 1).map(|holds| !holds);
    }
    let joined = |word: &str| parts.iter().any(|part| part.eq_ignore_ascii_case(word));
    if joined("and") {
        let terms = parts.iter().filter(|part| !part.eq_ignore_ascii_case("and"));
        return terms.map(|term| holds(term, depth + 1)).try_fold(true, |all, one| Some(all & one?));
    }
    if joined("or") {
        let terms = parts.iter().filter(|part| !part.eq_ignore_ascii_case("or"));
        return terms.map(|term| holds(term, depth + 1)).try_fold(false, |any, one| Some(any | one?));
    }
    let lower = condition.to_ascii_lowercase();
    if let Some(selector) = lower.strip_prefix("selector(").and_then(|rest| rest.strip_suffix(')')) {
        return Some(!["-moz-", "-ms-", "-o-"].iter().any(|foreign| selector.contains(foreign)));
    }
    if lower.starts_with("font-format(") || lower.starts_with("font-tech(") {
        return Some(true);
    }
    let inner = condition.strip_prefix('(')?.strip_suffix(')')?.trim();
    match inner.split_once(':') {
        Some((name, value)) if !name.contains('(') => Some(is_supported(name.trim(), value.trim())),
        _ => holds(inner, depth + 1),
    }
}

fn is_supported(name: &str, value: &str) -> bool {
    if name.starts_with("--") {
        return true;
    }
    let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    if value.is_empty() || !PROPERTIES.contains(name.as_str()) {
        return false;
    }
    if ["-apple-", "-moz-", "-ms-", "-o-", "masonry", "grid-lanes"].iter().any(|foreign| value.contains(foreign)) {
        return false;
    }
    match name.as_str() {
        "display" => DISPLAYS.contains(&value.as_str()),
        "position" => ["static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"].contains(&value.as_str()),
        "color" | "background-color" => ColorValue::parse(&value).is_some() || value.contains('('),
        _ => true,
    }
}

const DISPLAYS: [&str; 22] = [
    "block",
    "inline",
    "inline-block",
    "flex",
    "inline-flex",
    "grid",
    "inline-grid",
    "table",
    "inline-table",
    "table-row",
    "table-cell",
    "table-caption",
    "table-column",
    "table-row-group",
    "list-item",
    "none",
    "contents",
    "flow-root",
    "-webkit-box",
    "-webkit-flex",
    "ruby",
    "math",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_answered_as_a_browser_does() {
        for (condition, want) in [
            ("(display: grid)", true),
            ("(display: grid) and (gap: 1px)", true),
            ("(display: masonry)", false),
            ("(grid-template-rows: masonry)", false),
            ("(color-of-the-moon: full)", false),
            ("not (color-of-the-moon: full)", true),
            ("not (display: grid)", false),
            ("(color-of-the-moon: full) or (display: flex)", true),
            ("((color-of-the-moon: full))", false),
            ("((display: flex) and (not (display: masonry)))", true),
            ("(-webkit-touch-callout: none)", false),
            ("(-moz-appearance: none)", false),
            ("(font: -apple-system-body)", false),
            ("(--css: variables)", true),
            ("(color: oklch(50% 0.1 200))", true),
            ("(color: mauvish)", false),
            ("selector(:has(a))", true),
            ("selector(:-moz-focusring)", false),
            ("nonsense", false),
            ("", false),
        ] {
            assert_eq!(supports(condition), want, "{condition}");
        }
    }
}
