//! The word lists of a language, and how a document's language is told.

use std::{borrow::Cow, collections::BTreeMap};

/// Languages that have word lists. Everything else is measured by what every language has: lengths and repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    Other,
}

/// A phrase that can go, and what takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filler {
    pub(crate) phrase: &'static str,
    /// `None` when a person has to decide.
    pub(crate) replacement: Option<&'static str>,
}

impl Language {
    pub(crate) fn of_tag(tag: &str) -> Self {
        match tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "en" => Self::English,
            "de" => Self::German,
            _ => Self::Other,
        }
    }

    /// The language whose little words are in the text. A text too short to tell is no language's.
    pub(crate) fn guess(text: &str) -> Self {
        const ENGLISH: &[&str] = &["the", "and", "of", "to", "is", "you", "with", "for", "that", "it", "are", "your"];
        const GERMAN: &[&str] =
            &["der", "die", "das", "und", "ist", "nicht", "sie", "mit", "für", "ein", "eine", "wir"];
        const SAMPLE: usize = 2000;
        let (mut english, mut german, mut all) = (0, 0, 0);
        for word in text.split_whitespace().take(SAMPLE) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            all += 1;
            english += usize::from(ENGLISH.contains(&word.as_str()));
            german += usize::from(GERMAN.contains(&word.as_str()));
        }
        let enough = |hits: usize| hits >= 2 && hits * 16 >= all;
        match (enough(english), enough(german)) {
            (true, _) if english > german => Self::English,
            (_, true) if german > english => Self::German,
            _ => Self::Other,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "German",
            Self::Other => "a language without word lists",
        }
    }

    pub(crate) fn fillers(self) -> Vec<Filler> {
        let text = match self {
            Self::English => include_str!("../../data/en/filler.txt"),
            Self::German => include_str!("../../data/de/filler.txt"),
            Self::Other => "",
        };
        entries(text)
            .map(|line| match line.split_once("=>") {
                Some((phrase, replacement)) => Filler { phrase: phrase.trim(), replacement: Some(replacement.trim()) },
                None => Filler { phrase: line, replacement: None },
            })
            .collect()
    }

    pub(crate) fn stock(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/stock.txt"), include_str!("../../data/de/stock.txt"))
    }

    pub(crate) fn weak(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/weak.txt"), include_str!("../../data/de/weak.txt"))
    }

    pub(crate) fn vague_actions(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/actions.txt"), include_str!("../../data/de/actions.txt"))
    }

    pub(crate) fn participles(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/passive.txt"), include_str!("../../data/de/passive.txt"))
    }

    fn list(self, english: &'static str, german: &'static str) -> Vec<&'static str> {
        match self {
            Self::English => entries(english).collect(),
            Self::German => entries(german).collect(),
            Self::Other => Vec::new(),
        }
    }
}

fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Phrases to look for all at once: filed under their first word, so that a text is read once.
#[derive(Debug)]
pub(crate) struct Phrases {
    by_first: BTreeMap<String, Vec<(usize, Vec<String>)>>,
}

impl Phrases {
    pub(crate) fn new<'p>(phrases: impl Iterator<Item = &'p str>) -> Self {
        let mut by_first: BTreeMap<String, Vec<(usize, Vec<String>)>> = BTreeMap::new();
        for (index, phrase) in phrases.enumerate() {
            let words: Vec<String> = words(phrase).map(|(_, word)| word.to_lowercase()).collect();
            if let Some(first) = words.first() {
                by_first.entry(first.clone()).or_default().push((index, words.clone()));
            }
        }
        Self { by_first }
    }

    /// Every phrase in the text: its index, and from where to where.
    pub(crate) fn find(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let all: Vec<(usize, Cow<'_, str>, usize)> =
            words(text).map(|(at, word)| (at, lower(word), at + word.len())).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let candidates = self.by_first.get(&*all[at].1).map_or(&[][..], Vec::as_slice);
            let hit = candidates
                .iter()
                .filter(|(_, phrase)| {
                    phrase.len() <= all.len() - at && phrase.iter().zip(&all[at..]).all(|(a, (_, b, _))| a == b)
                })
                .max_by_key(|(_, phrase)| phrase.len());
            match hit {
                Some((index, phrase)) => {
                    let last = at + phrase.len() - 1;
                    found.push((*index, all[at].0, all[last].2));
                    at = last + 1;
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Most words are in lower case already.
fn lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

/// The words of a text with where they begin. Hyphens and apostrophes join.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let joins = |c: char| matches!(c, '\'' | '\u{2019}' | '-');
    text.split(move |c: char| !(c.is_alphanumeric() || joins(c)))
        .map(move |word| word.trim_matches(joins))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}
