//! What is a command, and what is only written where a command could be.
//!
//! In a code fence or in backticks nearly everything is a command. A bare line is one if it begins like a program
//! and does not read like a sentence; in doubt it is prose, and the test spec reports what it passed over.

use super::markdown::{bare, spans};

/// What a piece of text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextKind {
    Command(String),
    /// Something that was to be filled in: `TODO`, `<command>`, `none`.
    Placeholder,
    Prose,
    Nothing,
}

const PLACEHOLDERS: [&str; 17] = [
    "n/a",
    "na",
    "none",
    "nothing",
    "todo",
    "tbd",
    "tba",
    "fixme",
    "xxx",
    "not applicable",
    "not yet",
    "command",
    "your command",
    "your command here",
    "command here",
    "placeholder",
    "fill in",
];

/// Programs that bare lines begin with. Those that are English words, too, are held against [`SENTENCE`].
const PROGRAMS: [&str; 90] = [
    "[",
    "ansible",
    "ava",
    "awk",
    "bash",
    "bats",
    "bazel",
    "biome",
    "black",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "cat",
    "cd",
    "clang",
    "cmake",
    "composer",
    "ctest",
    "curl",
    "cypress",
    "deno",
    "diff",
    "docker",
    "dotnet",
    "echo",
    "eslint",
    "find",
    "flake8",
    "g++",
    "gcc",
    "git",
    "go",
    "golangci-lint",
    "gradle",
    "grep",
    "hadolint",
    "helm",
    "jest",
    "jq",
    "just",
    "kubectl",
    "ls",
    "make",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "perl",
    "php",
    "phpunit",
    "pip",
    "playwright",
    "pnpm",
    "poetry",
    "prettier",
    "prove",
    "pylint",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "ruby",
    "ruff",
    "rustc",
    "sbt",
    "sh",
    "shellcheck",
    "swift",
    "task",
    "terraform",
    "test",
    "timeout",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "uvx",
    "vitest",
    "wc",
    "yarn",
    "zig",
];

/// Words of sentences: a line with one of them, and with nothing of the shell in it, is prose.
const SENTENCE: [&str; 34] = [
    "a", "all", "an", "and", "are", "be", "before", "by", "code", "for", "from", "has", "have", "here", "in", "is",
    "it", "must", "no", "of", "on", "only", "or", "should", "sure", "that", "the", "this", "to", "we", "when", "will",
    "with", "you",
];

/// What a line outside of a fence says: a command in backticks, a bare command, or something else.
pub(super) fn in_line(text: &str) -> TextKind {
    let text = text.trim();
    if let Some(command) = text.strip_prefix("$ ") {
        return TextKind::Command(command.trim().to_owned());
    }
    if text.starts_with('`') && text.len() > 1 && spans(text).count() == 1 && text.ends_with('`') {
        return in_fence(bare_code(text));
    }
    if is_placeholder(text) {
        return TextKind::Placeholder;
    }
    let quoted: Vec<&str> = spans(text).filter(|span| is_runnable(span)).collect();
    if !quoted.is_empty() {
        return TextKind::Command(quoted.join(" && "));
    }
    if spans(text).next().is_none() && is_bare_command(text) {
        return TextKind::Command(text.to_owned());
    }
    if spans(text).any(is_placeholder) { TextKind::Placeholder } else { TextKind::Prose }
}

/// What a line of code says.
pub(super) fn in_fence(text: &str) -> TextKind {
    let text = text.trim();
    let comment = text.strip_prefix('#').or_else(|| text.strip_prefix("//"));
    match comment.unwrap_or(text) {
        "" => TextKind::Nothing,
        text if is_placeholder(text) => TextKind::Placeholder,
        _ if comment.is_some() => TextKind::Nothing,
        text => TextKind::Command(text.strip_prefix("$ ").unwrap_or(text).trim().to_owned()),
    }
}

/// Whether something is to be filled in here.
pub(super) fn is_placeholder(text: &str) -> bool {
    let core = text.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '<' | '>' | '[' | ']' | '{' | '}')));
    let inner = core.trim_matches(['<', '>', '[', ']', '{', '}']).trim();
    let is_wrapped = core.len() > inner.len() && (core.starts_with('<') || core.starts_with("{{"));
    let lower = if inner.len() <= LONGEST { inner.to_lowercase() } else { String::new() };
    let starts = |word: &str| lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', ' ']));
    !text.trim().is_empty() && inner.is_empty()
        || PLACEHOLDERS.contains(&lower.as_str())
        || ["todo", "tbd", "fixme"].into_iter().any(starts)
        || (is_wrapped && !inner.contains(['<', '>']))
        || has_slot(text)
}

/// A placeholder is short.
const LONGEST: usize = 200;

/// `pytest <path to tests>`: angle brackets around words are a slot, not two redirections.
fn has_slot(text: &str) -> bool {
    text.split('<').skip(1).any(|tail| {
        tail.split_once('>').is_some_and(|(slot, _)| {
            slot.starts_with(char::is_alphabetic)
                && !slot.ends_with(' ')
                && slot.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'))
        })
    })
}

/// Whether words in backticks are something to run, rather than the name of a file or a function.
fn is_runnable(text: &str) -> bool {
    !is_placeholder(text) && (is_bare_command(text) || begins_with_script(text))
}

fn begins_with_script(text: &str) -> bool {
    let first = program(text);
    first.starts_with("./") || (first.contains('/') && text.contains(char::is_whitespace))
}

/// Whether a line without any markup reads like a command.
pub(super) fn is_bare_command(text: &str) -> bool {
    let text = bare(text);
    let first = program(text);
    let is_path = first.starts_with("./") || is_script(first) || (first.contains('/') && !first.ends_with('/'));
    let is_known = PROGRAMS.binary_search(&first).is_ok();
    let has_flag = text.split_whitespace().skip(1).any(|word| {
        word.strip_prefix('-').is_some_and(|flag| flag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
            || matches!(word, "&&" | "||" | "|" | ">")
    });
    let begins_low = first.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '[' | '_'));
    begins_low && (is_path || is_known || has_flag) && !is_sentence(text, has_flag)
}

/// `check.sh`
fn is_script(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "sh" | "bash" | "bats"))
}

/// The program that a line starts, past the variables that are set for it.
fn program(text: &str) -> &str {
    let is_setting = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-', '"']));
    text.split_whitespace().find(|word| !is_setting(word)).unwrap_or_default()
}

fn is_sentence(text: &str, has_flag: bool) -> bool {
    let is_ended = text.ends_with(['?', '!', ','])
        || (text.ends_with('.') && !text.ends_with([' ', '/', '.']) && !ends_in_dot(text));
    let is_shell = has_flag || text.contains(['/', '"', '\'', '$', '=', '|', '&', '>', '*', '(']);
    let has_words = text.split_whitespace().any(|word| SENTENCE.contains(&word.to_lowercase().as_str()));
    is_ended || (has_words && !is_shell)
}

/// `ruff check .` and `go vet ./...` end in a dot, and are no sentences.
fn ends_in_dot(text: &str) -> bool {
    text.split_whitespace().next_back().is_some_and(|word| word.chars().all(|c| matches!(c, '.' | '/')))
}

/// The inside of a code span.
fn bare_code(text: &str) -> &str {
    text.trim_matches('`').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_sorted_for_the_search() {
        assert!(PROGRAMS.is_sorted());
    }
}
