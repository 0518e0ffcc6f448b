//! Words written twice in a row.

use super::words::{Language, words};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
    passage::{Passage, Role},
};

/// A word that is there twice: where the first ends, and where the second begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Double<'t> {
    pub(crate) word: &'t str,
    pub(crate) end: usize,
    pub(crate) at: usize,
}

/// Finds the doubled words of a passage. Other languages double words by their grammar.
pub(crate) fn doubles<'t>(passage: &'t Passage, source: &str, language: Language) -> Vec<Double<'t>> {
    if language == Language::Other || matches!(passage.role, Role::Other | Role::Quote) {
        return Vec::new();
    }
    let fine = language.doubled();
    let all: Vec<(usize, &str)> = words(&passage.text).collect();
    let same = |a: usize, b: usize| match (all.get(a), all.get(b)) {
        (Some((_, a)), Some((_, b))) => a.to_lowercase() == b.to_lowercase(),
        _ => false,
    };
    let mut found = Vec::new();
    for (index, pair) in all.windows(2).enumerate() {
        let ((first_at, first), (at, word)) = (pair[0], pair[1]);
        // Three in a row are on purpose, or an example.
        let thrice = same(index + 1, index + 2) || (index > 0 && same(index - 1, index));
        if !same(index, index + 1) || thrice || !is_word(word) || is_name(first, word) {
            continue;
        }
        let lower = word.to_lowercase();
        let end = first_at + first.len();
        let before = index.checked_sub(1).map(|before| all[before].1.to_lowercase());
        let kept = fine.contains(&lower.as_str()) || is_particle(&lower, before.as_deref());
        if !kept && passage.touches(end, at, source) && !passage.guards(first_at, at + word.len()) {
            found.push(Double { word, end, at });
        }
    }
    found
}

pub(crate) fn measure(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let mut gauge = Gauge::new("repetition");
    let mut judged = false;
    for passage in passages {
        let language = passage.language.unwrap_or(Language::Other);
        judged |= language != Language::Other;
        for Double { word, at, .. } in doubles(passage, &document.source, language) {
            gauge.findings.add("copy.repeated", || MeasuredFinding {
                code: "copy.repeated",
                weight: Weight::Should,
                text: format!("say `{word}` once"),
                place: passage.place(document, at),
                evidence: format!("{word} {word}"),
            });
        }
    }
    let twice = gauge.findings.count("copy.repeated");
    gauge.says(format!("{} written twice", count(twice, "word")));
    judged.then(|| gauge.finish(beyond(twice, 0, 2.0)))
}

/// Numbers and single letters are values; both may follow each other.
fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && (word.chars().count() > 1 || word.eq_ignore_ascii_case("a"))
}

/// *Duran Duran*, *The The*: the second word of a slip has no capital, unless all have.
fn is_name(first: &str, second: &str) -> bool {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let shouts = |word: &str| word.chars().count() > 1 && word.chars().all(char::is_uppercase);
    // "AND and OR" are operators and a word between them.
    is_capital(second) && !(shouts(first) && shouts(second)) || shouts(first) != shouts(second) || second == "A"
}

/// *Log in in the morning*, *based on on-site work*: the first belongs to the verb.
fn is_particle(word: &str, before: Option<&str>) -> bool {
    const VERBS: &[&str] = &[
        "add", "based", "build", "built", "carry", "check", "checked", "click", "drop", "fill", "filled", "focus",
        "go", "log", "logged", "logging", "logs", "move", "opt", "opted", "plug", "rely", "sign", "signed", "signing",
        "stay", "tap", "turn", "turned", "type", "work", "zoom", "comes", "come", "lock", "locked",
    ];
    matches!(word, "in" | "on" | "up" | "off" | "by" | "to") && before.is_some_and(|before| VERBS.contains(&before))
}
