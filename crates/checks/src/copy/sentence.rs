//! Sentences and syllables.

use super::words::{Language, words};
use crate::passage::{BREAK, OBJECT};

/// A sentence and where it begins in its passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sentence<'t> {
    pub(crate) at: usize,
    pub(crate) text: &'t str,
}

/// Abbreviations that end with a point and no sentence.
const SHORT: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "cf", "etc", "vs", "mr", "mrs", "ms", "dr", "st", "no", "approx", "inc", "ltd", "corp",
    "fig", "figs", "sec", "ch", "vol", "eq", "al", "resp", "incl", "excl", "u.s", "u.k", "prof", "jr", "sr", "z.b",
    "bzw", "usw", "ca", "d.h", "u.a", "nr", "abs", "str", "ggf", "evtl", "inkl", "zzgl", "vgl", "sog", "o.ä", "u.ä",
];

pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut list = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == BREAK {
            push(&mut list, text, start, at);
            start = at + c.len_utf8();
            continue;
        }
        if !matches!(c, '.' | '!' | '?' | '\u{2026}' | '。' | '！' | '？') {
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        // `]` and a note's number may stand behind the point.
        let closes = next.is_none_or(|next| {
            next.is_whitespace()
                || matches!(next, '"' | '\'' | '\u{201d}' | '\u{201c}' | '\u{2019}' | ')' | ']' | '[' | OBJECT)
        });
        let wide = matches!(c, '。' | '！' | '？');
        if (closes || wide) && !(c == '.' && is_short(&text[start..at])) {
            let end = at + c.len_utf8();
            push(&mut list, text, start, end);
            start = end;
        }
    }
    push(&mut list, text, start, text.len());
    list
}

fn push<'t>(list: &mut Vec<Sentence<'t>>, text: &'t str, start: usize, end: usize) {
    let piece = &text[start..end];
    let trimmed = piece.trim_start();
    if words(trimmed).next().is_some() {
        list.push(Sentence { at: start + (piece.len() - trimmed.len()), text: trimmed.trim_end() });
    }
}

fn is_short(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches('(').to_lowercase();
    SHORT.contains(&last.as_str()) || (last.chars().count() == 1 && last.chars().all(char::is_alphabetic))
}

/// Syllables by groups of vowels, which is what reading-ease formulas were made with.
pub(crate) fn syllables(word: &str, language: Language) -> usize {
    let lower = word.to_lowercase();
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ä' | 'ö' | 'ü' | 'é' | 'è' | 'à');
    let mut groups = 0;
    let mut inside = false;
    for c in lower.chars() {
        groups += usize::from(is_vowel(c) && !inside);
        inside = is_vowel(c);
    }
    // A silent e is no syllable of English; `-le` is one.
    let silent = language == Language::English
        && groups > 1
        && ((lower.ends_with('e') && !lower.ends_with("le"))
            || (lower.ends_with("ed") && !lower.ends_with("ted") && !lower.ends_with("ded")));
    (groups - usize::from(silent)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        for (text, want) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("We ship, e.g. on Monday. Done", vec!["We ship, e.g. on Monday.", "Done"]),
            ("Version 2.5 is out.", vec!["Version 2.5 is out."]),
            ("Mr. A. Smith came.", vec!["Mr. A. Smith came."]),
            ("  \n ", vec![]),
            ("文です。次です。", vec!["文です。", "次です。"]),
            ("A line\u{2029}and another", vec!["A line", "and another"]),
            ("It works.[1] It lasts.\u{fffc} It is sold.", vec!["It works.", "[1] It lasts.", "\u{fffc} It is sold."]),
            ("He said \"go.\" Then he went.", vec!["He said \"go.", "\" Then he went."]),
            ("See Fig. 3 of Smith et al. for more.", vec!["See Fig. 3 of Smith et al. for more."]),
        ] {
            let got: Vec<&str> = sentences(text).iter().map(|sentence| sentence.text).collect();
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn syllables_are_counted() {
        for (word, language, want) in [
            ("cat", Language::English, 1),
            ("table", Language::English, 2),
            ("make", Language::English, 1),
            ("wanted", Language::English, 2),
            ("jumped", Language::English, 1),
            ("beautiful", Language::English, 3),
            ("Straße", Language::German, 2),
            ("Übergang", Language::German, 3),
            ("x", Language::English, 1),
        ] {
            assert_eq!(syllables(word, language), want, "{word}");
        }
    }
}
