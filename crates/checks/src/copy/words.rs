//! The word lists of a language, and how a document's language is told.

use std::{borrow::Cow, collections::BTreeMap};

use super::guard::is_plain_gap;
use crate::passage::BREAK;

/// Languages that have word lists. Everything else is measured by what every language has: lengths.
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
    conditions: &'static str,
}

impl Filler {
    fn read(line: &'static str) -> Self {
        let (rule, conditions) = line.split_once(';').unwrap_or((line, ""));
        match rule.split_once("=>") {
            Some((phrase, replacement)) => {
                Self { phrase: phrase.trim(), replacement: Some(replacement.trim()), conditions }
            }
            None => Self { phrase: rule.trim(), replacement: None, conditions },
        }
    }

    /// Whether the phrase says nothing between these two words; `None` is where a sentence, or a row of words, ends.
    pub(crate) fn applies(&self, before: Option<&str>, after: Option<&str>) -> bool {
        if before.is_some_and(negates) {
            return false;
        }
        self.conditions.split(';').map(str::trim).filter(|condition| !condition.is_empty()).all(|condition| {
            let mut words = condition.split_whitespace();
            let only = words.next() == Some("only");
            let side = if words.next() == Some("after") { before.unwrap_or("^") } else { after.unwrap_or("$") };
            let named = words.any(|word| match word.strip_prefix('-') {
                Some(ending) => side.ends_with(ending),
                None => word == side,
            });
            named == only
        })
    }
}

/// After these a filler is part of what is meant.
fn negates(word: &str) -> bool {
    matches!(word, "not" | "never" | "no" | "how" | "too" | "so" | "as" | "nicht" | "nie" | "kein" | "keine" | "wie")
        || word.ends_with("n't")
        || word.ends_with("n\u{2019}t")
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
        let (english, german, all) = little_words(text);
        // Names and numbers stand between the little words, most of all in the documentation of programs.
        let enough = |hits: usize| hits >= 2 && hits * 20 >= all;
        match (enough(english), enough(german)) {
            (true, _) if english > german => Self::English,
            (_, true) if german > english => Self::German,
            _ => Self::Other,
        }
    }

    /// Whether a text can be of this language. A short one can, unless it is plainly of another.
    pub(crate) fn is_spoken_in(self, text: &str) -> bool {
        const LEAST: usize = 60;
        let (english, german, all) = little_words(text);
        let (mine, others) = if self == Self::English { (english, german) } else { (german, english) };
        let unlike = all >= LEAST && mine * 40 < all;
        !super::reading::is_unspaced(text) && !unlike && (mine >= others || others * 20 < all)
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
        entries(text).map(Filler::read).collect()
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

    /// Words that look like participles and describe.
    pub(crate) fn adjectives(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/adjectives.txt"), include_str!("../../data/de/adjectives.txt"))
    }

    /// Words that may stand twice in a row.
    pub(crate) fn doubled(self) -> Vec<&'static str> {
        self.list(include_str!("../../data/en/doubled.txt"), include_str!("../../data/de/doubled.txt"))
    }

    fn list(self, english: &'static str, german: &'static str) -> Vec<&'static str> {
        match self {
            Self::English => entries(english).collect(),
            Self::German => entries(german).collect(),
            Self::Other => Vec::new(),
        }
    }
}

/// How many little words of English and of German a text has, and how many words in all.
fn little_words(text: &str) -> (usize, usize, usize) {
    const ENGLISH: &[&str] =
        &["the", "and", "of", "to", "is", "you", "with", "for", "that", "it", "are", "your", "a", "in", "this", "be"];
    const GERMAN: &[&str] =
        &["der", "die", "das", "und", "ist", "nicht", "sie", "mit", "für", "ein", "eine", "wir", "zu", "den", "auf"];
    const SAMPLE: usize = 2000;
    let (mut english, mut german, mut all) = (0, 0, 0);
    for word in text.split_whitespace().take(SAMPLE) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        all += 1;
        english += usize::from(ENGLISH.contains(&word.as_str()));
        german += usize::from(GERMAN.contains(&word.as_str()));
    }
    (english, german, all)
}

fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Phrases to look for all at once: filed under their first word, so that a text is read once.
#[derive(Debug)]
pub(crate) struct Phrases {
    by_first: BTreeMap<String, Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    index: usize,
    words: Vec<String>,
    /// Whether a comma may stand between its words.
    comma: bool,
}

impl Phrases {
    pub(crate) fn new<'p>(phrases: impl Iterator<Item = &'p str>) -> Self {
        let mut by_first: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for (index, phrase) in phrases.enumerate() {
            let words: Vec<String> = words(phrase).map(|(_, word)| word.to_lowercase()).collect();
            if let Some(first) = words.first() {
                let entry = Entry { index, comma: phrase.contains(','), words: words.clone() };
                by_first.entry(first.clone()).or_default().push(entry);
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
            let hit =
                candidates.iter().filter(|entry| entry.matches(text, &all[at..])).max_by_key(|entry| entry.words.len());
            match hit {
                Some(entry) => {
                    let last = at + entry.words.len() - 1;
                    found.push((entry.index, all[at].0, all[last].2));
                    at = last + 1;
                }
                None => at += 1,
            }
        }
        found
    }
}

impl Entry {
    fn matches(&self, text: &str, rest: &[(usize, Cow<'_, str>, usize)]) -> bool {
        let Some(mine) = rest.get(..self.words.len()) else { return false };
        self.words.iter().zip(mine).all(|(word, (_, other, _))| word == other)
            && mine.windows(2).all(|pair| {
                let gap = &text[pair[0].2..pair[1].0];
                is_plain_gap(if self.comma { gap.trim_start_matches(',') } else { gap })
            })
    }
}

/// The words on both sides of a stretch, in lower case; `None` where anything but white space comes first.
pub(crate) fn neighbours(text: &str, from: usize, to: usize) -> (Option<String>, Option<String>) {
    let before = words_back(&text[..from]).next().filter(|(end, _)| is_plain_gap(&text[*end..from]));
    let after = words(&text[to..]).next().filter(|(at, _)| is_plain_gap(&text[to..to + at]));
    (before.map(|(_, word)| word.to_lowercase()), after.map(|(_, word)| word.to_lowercase()))
}

/// The last word with where it ends.
fn words_back(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let tail = text.char_indices().rev().take(200).last().map_or(text.len(), |(at, _)| at);
    words(&text[tail..]).last().map(|(at, word)| (tail + at + word.len(), word)).into_iter()
}

/// Whether a sentence begins at `from`.
pub(crate) fn starts_sentence(text: &str, from: usize) -> bool {
    let before = text[..from].trim_end().chars().next_back();
    let broken = text[..from].ends_with(BREAK) || before == Some(BREAK);
    broken
        || before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, ',' | '\'' | '\u{2019}' | '(' | '&' | '/' | '%')))
}

/// Whether capitals make a name, or a title, of a phrase that is written in small letters otherwise.
pub(crate) fn is_named(text: &str, from: usize, to: usize, language: Language) -> bool {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    if !is_capital(&text[from..]) {
        return false;
    }
    if !starts_sentence(text, from) {
        return true;
    }
    // The first word of a title: the next one is in capitals, too. In German that is any noun.
    language == Language::English
        && words(&text[to..]).next().is_some_and(|(_, word)| is_capital(word) && word != "I" && !word.starts_with("I'"))
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
