//! What a criterion names, and whether it asks for what is there already.
//!
//! One word does not say that: "keep the cache warm" and "keep-alive" are new, "keeps passing" is not. So a criterion is
//! about what was there only if it says so in a phrase, and everything that it names was there.

/// The most names that are looked for.
pub(super) const MOST_NAMES: usize = 40;
/// A shorter name is found everywhere.
const SHORTEST: usize = 3;

/// Words that say it alone.
const STILL: [&str; 7] = ["still", "remain", "remains", "unchanged", "untouched", "regression", "regressions"];
/// Words that say it with another one near behind them.
const PAIRS: [(&[&str], &[&str]); 4] = [
    (
        &["keep", "keeps", "continue", "continues"],
        &[
            "pass",
            "passes",
            "passing",
            "work",
            "works",
            "working",
            "compile",
            "compiling",
            "build",
            "building",
            "green",
        ],
    ),
    (&["existing"], &["test", "tests", "suite", "behaviour", "behavior", "checks", "callers"]),
    (
        &["lint", "lints", "linter", "linting", "formatter", "typecheck"],
        &["pass", "passes", "passing", "clean", "clear", "green", "succeeds"],
    ),
    (&["code", "sources", "files"], &["formatted", "compiles", "builds"]),
];
/// So many words may stand between the two.
const BETWEEN: usize = 3;

/// Whether the words of a criterion, in lower case with one blank between them, ask for what is there already.
pub(super) fn asks_for_old(folded: &str) -> bool {
    let words: Vec<&str> = folded.split(' ').collect();
    let is_pair = |at: usize| {
        let near = &words[at + 1..words.len().min(at + 2 + BETWEEN)];
        PAIRS.iter().any(|(first, second)| first.contains(&words[at]) && near.iter().any(|word| second.contains(word)))
    };
    words.iter().any(|word| STILL.contains(word)) || (0..words.len()).any(is_pair)
}

/// What a criterion names: words between backticks, and others that are no words of a language: `a_name`, `name()`,
/// `a/path`, `file.py`, `--option`.
pub(super) fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (number, part) in text.split('`').enumerate() {
        let is_code = number % 2 == 1;
        for word in part.split(|c: char| c.is_whitespace() || "()[]{}<>\"'=,;:|&$#!?*".contains(c)) {
            let word = word.trim_matches(|c: char| c == '.' || c == '/');
            let is_name = word.contains(['_', '/']) || word.starts_with("--") || has_ending(word) || has_hump(word);
            let is_long = word.len() >= SHORTEST && word.contains(char::is_alphabetic);
            if is_long && (is_code || is_name) && !names.iter().any(|name| name == word) {
                names.push(word.to_owned());
            }
        }
    }
    names.truncate(MOST_NAMES);
    names
}

/// `calc.py`, and not the end of a sentence.
fn has_ending(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() > 1 && (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// `camelCase`, `ValueError`.
fn has_hump(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_phrase_asks_for_what_is_there() {
        for (text, expected) in [
            ("the tests still pass", true),
            ("no regressions", true),
            ("output of add is unchanged", true),
            ("all existing tests pass", true),
            ("the suite keeps passing", true),
            ("the build continues to work", true),
            ("the linter is clean", true),
            ("lint passes", true),
            ("the code is formatted", true),
            ("keep the connection alive", false),
            ("keeps a backup of every file", false),
            ("continue after an error", false),
            ("an existing file is overwritten", false),
            ("a lint rule refuses tabs", false),
            ("the report is formatted as json", false),
            ("compiles templates", false),
            ("", false),
        ] {
            assert_eq!(asks_for_old(text), expected, "{text}");
        }
    }

    #[test]
    fn names_are_found_in_code_and_by_their_form() {
        for (text, expected) in [
            ("`divide(1, 0)` raises ValueError", "divide ValueError"),
            ("still writes out/report.json, with --quiet too.", "out/report.json --quiet"),
            ("keep_alive() keeps working", "keep_alive"),
            ("See calc.py. It adds e.g. numbers", "calc.py"),
            ("it adds", ""),
            ("`ab` is short", ""),
        ] {
            assert_eq!(names_in(text).join(" "), expected, "{text}");
        }
    }
}
