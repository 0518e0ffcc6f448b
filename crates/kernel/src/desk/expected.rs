//! What stands after the arrow of a command: `python3 -c "divide(1, 0)" → ValueError`.
//!
//! What cannot be read is never dropped: a command that was to fail, and is run as if it were to succeed, proves the
//! opposite of what its author wanted.

use crate::evidence::CommandExpectation;

/// A command, and what its author expects of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected<'t> {
    pub(super) command: &'t str,
    /// Nothing, if nothing is said.
    pub(super) expects: Option<Result<CommandExpectation, String>>,
}

const ARROWS: [&str; 3] = ["→", "->", "=>"];

/// Takes what is expected off the end of a line.
pub(super) fn expected(text: &str) -> Expected<'_> {
    let plain = Expected { command: text, expects: None };
    let Some((before, after)) = last_arrow(text) else { return plain };
    if before.trim().is_empty() || after.trim().is_empty() {
        return plain;
    }
    match CommandExpectation::read(after) {
        Ok(expects) => Expected { command: before.trim_end(), expects: Some(Ok(expects)) },
        // Inside of quotes an arrow is a part of the command, or of a criterion's words.
        Err(_) if is_quoted(before) => plain,
        Err(why) => Expected { command: before.trim_end(), expects: Some(Err(why)) },
    }
}

/// The last arrow with blanks around it.
fn last_arrow(text: &str) -> Option<(&str, &str)> {
    let arrows = ARROWS.iter().flat_map(|arrow| text.match_indices(arrow));
    let stands_alone = |(at, arrow): &(usize, &str)| {
        let after = &text[at + arrow.len()..];
        text[..*at].ends_with(char::is_whitespace) && (after.is_empty() || after.starts_with(char::is_whitespace))
    };
    let (at, arrow) = arrows.filter(stands_alone).max_by_key(|(at, _)| *at)?;
    Some((&text[..at], &text[at + arrow.len()..]))
}

/// Whether a quotation is open at the end of a text.
fn is_quoted(text: &str) -> bool {
    let mut open = None;
    let mut is_escaped = false;
    for c in text.chars() {
        match open {
            _ if is_escaped => is_escaped = false,
            None if matches!(c, '"' | '\'' | '`') => open = Some(c),
            Some(mark) if mark == c => open = None,
            _ => is_escaped = c == '\\',
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrow_at_the_end_says_what_is_expected() {
        for (text, command, expects) in [
            ("pytest -q", "pytest -q", "nothing"),
            ("python3 -c \"divide(1, 0)\" → ValueError", "python3 -c \"divide(1, 0)\"", "Error(\"ValueError\")"),
            ("`sh calc.sh 1 0` -> exit 2", "`sh calc.sh 1 0`", "Exit(2)"),
            ("pytest -v => count PASSED >= 8", "pytest -v", "Count { word: \"PASSED\", least: 8 }"),
            ("sh a.sh → output contains \"a->b\"", "sh a.sh", "Output(\"a->b\")"),
            ("sh a.sh → exit 0", "sh a.sh", "Success"),
            ("sh a.sh → ValueErorr", "sh a.sh", "refused"),
            ("sh a.sh -> it works", "sh a.sh", "refused"),
            // A part of the command.
            ("node -e 'f = () => 1'", "node -e 'f = () => 1'", "nothing"),
            ("python3 -c \"def f() -> int: pass\"", "python3 -c \"def f() -> int: pass\"", "nothing"),
            ("sh a.sh →", "sh a.sh →", "nothing"),
            ("→ exit 1", "→ exit 1", "nothing"),
        ] {
            let found = expected(text);
            let shown = match &found.expects {
                None => "nothing".to_owned(),
                Some(Ok(expects)) => format!("{expects:?}"),
                Some(Err(_)) => "refused".to_owned(),
            };
            assert_eq!((found.command, shown.as_str()), (command, expects), "{text}");
        }
    }
}
