//! Custom properties: `var(--name, fallback)` replaced by what it stands for.

use std::collections::BTreeMap;

pub(crate) type Variables = BTreeMap<String, String>;

/// Variables that name each other stop here.
const MAX_DEPTH: usize = 32;
/// Values that double with each variable stop here.
const MAX_LENGTH: usize = 16 * 1024;
/// And so do variables that fail twice as often with each other variable.
const MAX_LOOKUPS: usize = 4096;

/// The value without `var()`; `None` when a variable is not defined and has no fallback, or when they go in circles.
pub(crate) fn substitute(value: &str, variables: &Variables) -> Option<String> {
    let mut out = String::new();
    let mut lookups = 0;
    replace(value, variables, 0, &mut lookups, &mut out)?;
    Some(out)
}

fn replace(value: &str, variables: &Variables, depth: usize, lookups: &mut usize, out: &mut String) -> Option<()> {
    *lookups += 1;
    if depth > MAX_DEPTH || *lookups > MAX_LOOKUPS || out.len() > MAX_LENGTH {
        return None;
    }
    let mut rest = value;
    while let Some(at) = rest.find("var(") {
        out.push_str(&rest[..at]);
        let inside = &rest[at + 4..];
        let end = closing(inside)?;
        let (name, fallback) = match inside[..end].split_once(',') {
            Some((name, fallback)) => (name.trim(), Some(fallback)),
            None => (inside[..end].trim(), None),
        };
        let before = out.len();
        let found =
            variables.get(name).is_some_and(|value| replace(value, variables, depth + 1, lookups, out).is_some());
        if !found {
            out.truncate(before);
            replace(fallback?.trim(), variables, depth + 1, lookups, out)?;
        }
        rest = &inside[end + 1..];
    }
    out.push_str(rest);
    (out.len() <= MAX_LENGTH).then_some(())
}

/// Where the parenthesis that is open closes.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced() {
        let variables: Variables = [
            ("--ink", "#111"),
            ("--text", "var(--ink)"),
            ("--loop", "var(--pool)"),
            ("--pool", "var(--loop)"),
            ("--shade", "rgb(0 0 0 / var(--part, 50%))"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        for (value, want) in [
            ("red", Some("red")),
            ("var(--ink)", Some("#111")),
            ("1px solid var( --text )", Some("1px solid #111")),
            ("var(--none, blue)", Some("blue")),
            ("var(--none, var(--ink))", Some("#111")),
            ("var(--none)", None),
            ("var(--loop)", None),
            ("var(--loop, green)", Some("green")),
            ("var(--shade)", Some("rgb(0 0 0 / 50%)")),
            ("var(--ink", None),
        ] {
            assert_eq!(substitute(value, &variables).as_deref(), want, "{value}");
        }
    }

    #[test]
    fn values_that_explode_are_refused() {
        let mut variables = Variables::new();
        variables.insert("--0".to_owned(), "x".repeat(64));
        for n in 1..30 {
            variables.insert(format!("--{n}"), format!("var(--{0}) var(--{0})", n - 1));
        }
        assert_eq!(substitute("var(--29)", &variables), None);
    }
}
