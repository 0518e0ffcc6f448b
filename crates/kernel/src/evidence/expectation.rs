//! What a command is expected to do. Mostly to succeed; but that `divide(1, 0)` raises an error can be what is wanted.

use serde::{Deserialize, Serialize};

/// What has to be seen of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandExpectation {
    /// Exit code 0, and whatever its runner says of its tests.
    #[default]
    Success,
    Exit(i32),
    /// It fails, and this is in what it prints: `ValueError`.
    Error(String),
    /// It succeeds, and this is in what it prints.
    Output(String),
    /// It succeeds, and this is in what it prints at least so often.
    Count {
        word: String,
        least: u64,
    },
}

impl CommandExpectation {
    /// Whether nothing but success is expected.
    pub fn is_success(&self) -> bool {
        *self == Self::Success
    }

    /// Reads what stands after the arrow of a command: `exit 1`, `ValueError`, `output contains "X"`,
    /// `count PASSED >= 8`. What cannot be read is an error, never a guess.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_matches('`').trim();
        let unreadable = || format!("cannot read what is expected: `{text}`");
        let quoted = |text: &str| {
            let text = text.trim();
            let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            inner
                .or_else(|| text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')))
                .unwrap_or(text)
                .to_owned()
        };
        if text.is_empty() {
            return Ok(Self::Success);
        }
        if let Some(code) = text.strip_prefix("exit ") {
            let code = code.trim().trim_start_matches("code ").parse().map_err(|_| unreadable())?;
            return Ok(if code == 0 { Self::Success } else { Self::Exit(code) });
        }
        if let Some(rest) = text.strip_prefix("output contains ") {
            let wanted = quoted(rest);
            return if wanted.is_empty() { Err(unreadable()) } else { Ok(Self::Output(wanted)) };
        }
        if let Some(rest) = text.strip_prefix("count ") {
            let (word, least) = rest.split_once(">=").ok_or_else(unreadable)?;
            let (word, least) = (quoted(word), least.trim().parse().map_err(|_| unreadable())?);
            return if word.is_empty() || least == 0 { Err(unreadable()) } else { Ok(Self::Count { word, least }) };
        }
        let is_name =
            text.chars().all(|c| c.is_alphanumeric() || "_.:".contains(c)) && text.starts_with(char::is_uppercase);
        let is_error =
            ["Error", "Exception", "Panic", "Warning", "Exit", "Interrupt"].iter().any(|end| text.ends_with(end));
        if is_name && is_error { Ok(Self::Error(text.to_owned())) } else { Err(unreadable()) }
    }

    /// Why what was seen is not what was expected.
    pub fn unmet(&self, exit: Option<i32>, output: &str) -> Option<String> {
        let code = exit.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
        let failed = (exit != Some(0)).then(|| code.clone());
        match self {
            Self::Success => failed,
            Self::Exit(wanted) => (exit != Some(*wanted)).then(|| format!("{code}, and {wanted} is expected")),
            Self::Error(name) => match (exit, output.contains(name.as_str())) {
                (Some(0), _) => Some(format!("it succeeded, and {name} is expected")),
                (_, false) => Some(format!("{code} without {name}")),
                _ => None,
            },
            Self::Output(wanted) => failed
                .or_else(|| (!output.contains(wanted.as_str())).then(|| format!("`{wanted}` is not in its output"))),
            Self::Count { word, least } => failed.or_else(|| {
                let count = output.matches(word.as_str()).count() as u64;
                (count < *least).then(|| format!("`{word}` is in its output {count} times, and {least} are expected"))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read_or_refused() {
        for (text, exit, output, expected) in [
            ("", Some(0), "", "met"),
            ("", Some(1), "", "exit code 1"),
            ("", None, "", "no exit code"),
            ("exit 1", Some(1), "", "met"),
            ("exit 0", Some(2), "", "exit code 2"),
            ("exit 1", Some(0), "", "exit code 0, and 1 is expected"),
            ("ValueError", Some(1), "ValueError: no", "met"),
            ("`ValueError`", Some(1), "TypeError: no", "exit code 1 without ValueError"),
            ("ValueError", Some(0), "ValueError", "it succeeded, and ValueError is expected"),
            ("output contains \"a b\"", Some(0), "x a b y", "met"),
            ("output contains a", Some(0), "x", "`a` is not in its output"),
            ("count PASSED >= 2", Some(0), "PASSED PASSED", "met"),
            ("count PASSED >= 2", Some(0), "PASSED", "`PASSED` is in its output 1 times, and 2 are expected"),
            ("it should work", Some(0), "", "cannot read what is expected: `it should work`"),
            ("exit soon", Some(0), "", "cannot read what is expected: `exit soon`"),
            ("count PASSED >= 0", Some(0), "", "cannot read what is expected: `count PASSED >= 0`"),
        ] {
            let shown = match CommandExpectation::read(text) {
                Err(why) => why,
                Ok(expectation) => expectation.unmet(exit, output).unwrap_or_else(|| "met".into()),
            };
            assert_eq!(shown, expected, "{text}");
        }
    }
}
