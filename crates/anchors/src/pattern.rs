//! A regular expression as a rule, and the limits that keep every expression cheap.

use regex::{Regex, RegexBuilder};
use regex_automata::{nfa::thompson, util::syntax};
use serde::Serialize;

/// Nobody reads a longer expression.
pub(crate) const MAX_PATTERN_BYTES: usize = 4096;
/// What an expression may take in memory once it is compiled: `\w{3,30}` fits, `\w{500}` does not.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// What the search may remember. Nothing is taken that is not used.
const SEARCH_CACHE_BYTES: usize = 16 << 20;
const MAX_NESTING: u32 = 50;

/// An expression, whether it must or must not match, and where it looks.
///
/// `^` and `$` are the ends of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pattern {
    pub pattern: String,
    pub must_match: bool,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Document,
    /// Every heading's words, each by itself.
    Heading,
    /// What stands under the headings of this name, with everything below them.
    Section(String),
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    pub(crate) regex: Regex,
    /// How many states a search may have to keep up with: the factor on the draft's length in the worst case.
    pub(crate) states: u64,
    /// The expression without its word boundaries, where it has any: it matches wherever the expression does, and a
    /// text with letters beyond ASCII does not slow it down.
    pub(crate) relaxed: Option<String>,
}

impl Pattern {
    /// Says in words why the expression cannot be used.
    pub(crate) fn compile(&self) -> Result<Compiled, String> {
        compile(&self.pattern)
    }
}

pub(crate) fn compile(pattern: &str) -> Result<Compiled, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("it has {} bytes, and {MAX_PATTERN_BYTES} are allowed", pattern.len()));
    }
    let regex = RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(SEARCH_CACHE_BYTES)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| why(&error))?;
    let nfa = thompson(&[pattern]).map_err(|_| "it is too large once compiled".to_owned())?;
    Ok(Compiled { regex, states: nfa.states().len() as u64, relaxed: relaxed(pattern) })
}

/// Several expressions as one machine that finds out in one pass which of them match.
pub(crate) fn thompson(patterns: &[&str]) -> Result<thompson::NFA, Box<thompson::BuildError>> {
    thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .which_captures(thompson::WhichCaptures::None)
                .nfa_size_limit(Some(MAX_COMPILED_BYTES * patterns.len())),
        )
        .syntax(syntax::Config::new().multi_line(true).crlf(true).nest_limit(MAX_NESTING))
        .build_many(patterns)
        .map_err(Box::new)
}

fn why(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large once compiled".to_owned(),
        error => {
            // The message draws the expression and points at it; its last line says what is wrong.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    }
}

/// Takes the word boundaries out. That can only make an expression match more.
fn relaxed(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len());
    let mut found = false;
    let mut rest = pattern;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at..];
        let length = boundary(escape);
        if length > 0 {
            found = true;
            out.push_str("(?:)");
            rest = &escape[length..];
        } else {
            let next = escape.chars().nth(1).map_or(0, char::len_utf8);
            out.push_str(&escape[..=next]);
            rest = &escape[1 + next..];
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// How many bytes of a word boundary the text begins with.
fn boundary(escape: &str) -> usize {
    for form in ["\\b{start-half}", "\\b{end-half}", "\\b{start}", "\\b{end}", "\\b", "\\B", "\\<", "\\>"] {
        if escape.starts_with(form) {
            return form.len();
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_boundaries_are_taken_out() {
        for (pattern, want) in [
            (r"\bjava\b", Some("(?:)java(?:)")),
            (r"\\b", None),
            (r"\b{start}x\.", Some(r"(?:)x\.")),
            (r"plain", None),
            (r"\é", None),
        ] {
            assert_eq!(relaxed(pattern).as_deref(), want, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_said_in_words() {
        for (name, pattern, want) in [
            ("unclosed group", "(a", "unclosed group"),
            ("look-around", "(?=a)", "look-around, including look-ahead and look-behind, is not supported"),
            ("backreference", r"(a)\1", "backreferences are not supported"),
            ("huge", r"(?:\w{200}){200}", "it is too large once compiled"),
            ("long", &"a".repeat(5000), "it has 5000 bytes, and 4096 are allowed"),
        ] {
            assert_eq!(compile(pattern).unwrap_err(), want, "{name}");
        }
    }
}
