//! Sentences, syllables and the passive voice.

use super::words::{Language, words};

/// A sentence and where it begins in its passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sentence<'t> {
    pub(crate) at: usize,
    pub(crate) text: &'t str,
}

/// Abbreviations that end with a point and no sentence.
const SHORT: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "mr", "mrs", "ms", "dr", "st", "no", "approx", "inc", "fig", "z.b", "bzw", "usw", "ca",
    "d.h", "u.a", "nr", "abs", "str", "ggf", "evtl",
];

pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut list = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '.' | '!' | '?' | '\u{2026}' | '。' | '！' | '？') {
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let closes =
            next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\u{201d}' | '\u{201c}' | ')'));
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

/// Whether somebody is left out: a form of *to be* or *werden* with a participle.
pub(crate) fn is_passive(sentence: &str, language: Language, participles: &[&str]) -> bool {
    let list: Vec<String> = words(sentence).map(|(_, word)| word.to_lowercase()).collect();
    match language {
        Language::English => list.iter().enumerate().any(|(at, word)| {
            matches!(word.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
                // An adverb or two may stand between.
                && list[at + 1..].iter().take(3).take_while(|next| next.ends_with("ly") || *next == "not" || is_participle(next, participles))
                    .any(|next| is_participle(next, participles))
        }),
        Language::German => {
            let becomes = list.iter().any(|word| {
                matches!(word.as_str(), "wird" | "werden" | "wurde" | "wurden" | "worden" | "werde" | "würde" | "würden")
            });
            becomes && list.iter().any(|word| is_german_participle(word, participles))
        }
        Language::Other => false,
    }
}

fn is_participle(word: &str, participles: &[&str]) -> bool {
    (word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")) || participles.contains(&word)
}

fn is_german_participle(word: &str, participles: &[&str]) -> bool {
    let shaped = word.len() > 5 && word.starts_with("ge") && (word.ends_with('t') || word.ends_with("en"));
    shaped || participles.contains(&word)
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

    #[test]
    fn the_passive_is_heard() {
        let english = Language::English.participles();
        let german = Language::German.participles();
        for (text, language, want) in [
            ("The report was written by us.", Language::English, true),
            ("Mistakes were quickly corrected.", Language::English, true),
            ("We wrote the report.", Language::English, false),
            ("She is tired of red tape but is here.", Language::English, true),
            ("It is indeed here.", Language::English, false),
            ("Der Bericht wird gelesen.", Language::German, true),
            ("Wir lesen den Bericht.", Language::German, false),
            ("Es wird kalt.", Language::German, false),
        ] {
            let list = if language == Language::German { &german } else { &english };
            assert_eq!(is_passive(text, language, list), want, "{text}");
        }
    }
}
