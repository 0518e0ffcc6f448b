//! Words that are not to be judged: quotations, addresses, identifiers, and texts that nobody may change.

use crate::passage::{BREAK, OBJECT};

/// Whether words on both sides of the gap follow each other: white space, and no break that the author asked for.
pub(crate) fn is_plain_gap(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() && c != BREAK)
}

/// From where to where a text quotes, or has something that only looks like words.
pub(crate) fn guarded(text: &str) -> Vec<(usize, usize)> {
    let mut list = quotations(text);
    list.extend(technical(text));
    list
}

/// Phrases that only licences and their like have: their words are fixed.
const LEGAL: &[&str] = &[
    "hereby granted",
    "as is\u{201d}",
    "\"as is\"",
    "without warranty",
    "without warranties",
    "all copies or substantial",
    "redistribution and use",
    "licensed under the",
    "shall the authors",
    "permission notice",
    "warranties of",
    "without limitation the rights",
    "any contribution intentionally submitted",
    "all rights reserved",
];

pub(crate) fn is_legal(text: &str) -> bool {
    let lower = text.to_lowercase();
    LEGAL.iter().any(|phrase| lower.contains(phrase))
}

/// What stands between quotation marks, the marks included. A mark that nobody closes opens a quotation that goes on in
/// the next paragraph, so it reaches to the end.
pub(crate) fn quotations(text: &str) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        match open {
            Some((start, mark)) if closes(mark, c, before, after) => {
                list.push((start, at + c.len_utf8()));
                open = None;
            }
            None if opens(c, before, after) => open = Some((at, c)),
            _ => {}
        }
        before = Some(c);
    }
    match open {
        // A straight mark alone may be an inch, and an apostrophe a letter that was left out.
        Some((start, mark)) if !matches!(mark, '"' | '\'' | '\u{2018}' | '\u{2019}') => list.push((start, text.len())),
        _ => {}
    }
    list
}

fn opens(c: char, before: Option<char>, after: Option<char>) -> bool {
    let starts = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | ',' | '!' | '?' | OBJECT))
        && after.is_some_and(|c| !c.is_whitespace());
    match c {
        '\u{201c}' | '\u{201e}' | '\u{201a}' | '\u{ab}' | '\u{300c}' => true,
        '\u{bb}' | '"' | '\'' | '\u{2018}' => starts,
        _ => false,
    }
}

fn closes(mark: char, c: char, before: Option<char>, after: Option<char>) -> bool {
    let ends = before.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_alphanumeric());
    match mark {
        '\u{201c}' => matches!(c, '\u{201d}'),
        '\u{201e}' => matches!(c, '\u{201c}' | '\u{201d}'),
        '\u{201a}' => c == '\u{2018}',
        '\u{ab}' => c == '\u{bb}',
        '\u{bb}' => c == '\u{ab}',
        '\u{300c}' => c == '\u{300d}',
        '\u{2018}' => c == '\u{2019}' && ends,
        _ => c == mark && ends,
    }
}

/// Addresses, paths, identifiers and the like: pieces between white space that nobody writes in a sentence of words.
fn technical(text: &str) -> Vec<(usize, usize)> {
    let start = text.as_ptr() as usize;
    text.split(|c: char| c.is_whitespace() || c == OBJECT || c == BREAK)
        .filter(|piece| is_technical(piece.trim_matches(['(', ')', ',', '.', ';', ':', '!', '?', '"', '[', ']', '*'])))
        .map(|piece| {
            let at = piece.as_ptr() as usize - start;
            (at, at + piece.len())
        })
        .collect()
}

fn is_technical(piece: &str) -> bool {
    if piece.is_empty() || piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return false;
    }
    let inner = piece.trim_start_matches(['-', '@', '#', '/', '$', '.']);
    piece.contains("://")
        || piece.contains(['_', '@', '\\', '=', '<', '>', '{', '}', '`', '$', '|'])
        || piece.contains("::")
        || piece.contains("()")
        || piece.contains("](")
        || (piece.starts_with(['-', '@', '#', '/', '$', '.']) && !inner.is_empty())
        || (piece.contains('.') && has_inner_point(piece))
        || (piece.contains('/') && !piece.contains(char::is_whitespace))
}

/// `file.txt`, `example.org`, `1.2.3`, but neither `e.g` nor the end of a sentence.
fn has_inner_point(piece: &str) -> bool {
    piece.split('.').filter(|part| part.chars().count() > 1 || part.chars().any(char::is_numeric)).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<&str> {
        guarded(text).into_iter().map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn quotations_and_identifiers_are_kept() {
        for (name, text, want) in [
            ("nothing", "We sell lamps, and they're good.", vec![]),
            ("curly", "He said \u{201c}it was made\u{201d} twice.", vec!["\u{201c}it was made\u{201d}"]),
            ("straight", "He said \"it was made\", once.", vec!["\"it was made\""]),
            ("single", "The 'very best' lamp's cord", vec!["'very best'"]),
            ("apostrophes", "The lamps' cords aren't the dogs' toys", vec![]),
            ("curly apostrophes", "don\u{2019}t say \u{2018}very\u{2019} here", vec!["\u{2018}very\u{2019}"]),
            ("German", "Er sagte \u{201e}wirklich gut\u{201c} dazu.", vec!["\u{201e}wirklich gut\u{201c}"]),
            ("guillemets", "\u{bb}quasi\u{ab} und \u{ab}quasi\u{bb}", vec!["\u{bb}quasi\u{ab}", "\u{ab}quasi\u{bb}"]),
            ("it goes on", "She: \u{201c}It was made", vec!["\u{201c}It was made"]),
            ("an inch", "A 5\" pipe is very long", vec![]),
            (
                "addresses and paths",
                "see https://a.org/very, src/just.rs and very_long or foo::really()",
                vec!["https://a.org/very,", "src/just.rs", "very_long", "foo::really()"],
            ),
            ("an option", "pass --very-verbose now", vec!["--very-verbose"]),
            ("abbreviations", "e.g. this, i.e. that.", vec![]),
            ("a file", "open README.md now.", vec!["README.md"]),
        ] {
            assert_eq!(kept(text), want, "{name}");
        }
    }

    #[test]
    fn the_words_of_licences_are_fixed() {
        assert!(is_legal("Permission is hereby granted, free of charge, to any person"));
        assert!(!is_legal("You may use it for anything."));
    }
}
