//! Whether two findings of different judges mean the same: by rule, by place, by words.
//!
//! To take two faults for one is the mistake that matters: judges would seem to agree, and little would seem to be left. So
//! whatever is not clearly the same is two.

use std::collections::BTreeSet;

use super::sighting::Sighting;

/// The part of what they say besides the place that two findings about the same place share, to mean the same.
const ALIKE_IN_PLACE: f64 = 0.25;
/// Where nobody says a place, the words of one are among those of the other: so many, and such a part of them.
const ALIKE: f64 = 0.6;
const ENOUGH_ALIKE: usize = 3;
/// So many words say where something is; of fewer it could be anywhere.
const ENOUGH_WORDS: usize = 2;
/// Words that say nothing of what is wrong.
const COMMON: [&str; 40] = [
    "the", "and", "for", "this", "that", "with", "are", "was", "not", "but", "has", "have", "should", "must", "too",
    "its", "there", "here", "from", "into", "than", "then", "very", "more", "needs", "need", "fix", "please", "your",
    "you", "our", "they", "them", "all", "any", "can", "will", "would", "which", "what",
];

/// What a finding says, made ready to be compared.
#[derive(Debug, Clone)]
pub(super) struct Wording {
    /// What it breaks: the name of an item, or the judge's own code.
    pub(super) rule: Option<String>,
    /// The words of the text that it is about.
    pub(super) places: Vec<String>,
    /// Its words, without marks and in lower case.
    pub(super) words: String,
    telling: BTreeSet<String>,
}

impl Wording {
    pub(super) fn of(sighting: &Sighting<'_>) -> Self {
        let finding = sighting.finding;
        let rule = finding.code.as_deref().or(finding.target.as_deref()).map(plain).filter(|rule| !rule.is_empty());
        let quoted = sighting.quote.into_iter().chain(quotations(&finding.text));
        let places: Vec<String> = quoted.map(plain).filter(|place| word_count(place) >= ENOUGH_WORDS).collect();
        let words = plain(&finding.text);
        let of_place: BTreeSet<&str> = places.iter().flat_map(|place| place.split(' ')).collect();
        let is_telling = |word: &&str| {
            let is_long = word.chars().count() > 2 || word.contains(char::is_numeric);
            is_long && !COMMON.contains(word) && !of_place.contains(word)
        };
        let telling = words.split(' ').filter(is_telling).map(str::to_owned).collect();
        Self { rule, places, words, telling }
    }

    /// Whether both mean the same fault of the same text.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let has_places = !self.places.is_empty() && !other.places.is_empty();
        let is_same_place = has_places && self.shares_place(other);
        if has_places && !is_same_place {
            return false;
        }
        match (&self.rule, &other.rule) {
            (Some(rule), Some(others)) if rule == others => true,
            // Under other names it may still be the same: judges choose their codes freely.
            _ if is_same_place => self.words == other.words || self.overlap(other) >= ALIKE_IN_PLACE,
            _ => self.words == other.words || self.says_as_much(other) || other.says_as_much(self),
        }
    }

    /// Whether the other one says nothing but what this one says: where each has a word of its own, those may be the fault.
    fn says_as_much(&self, other: &Self) -> bool {
        let is_part = ENOUGH_ALIKE <= other.telling.len() && other.telling.is_subset(&self.telling);
        is_part && self.overlap(other) >= ALIKE
    }

    fn shares_place(&self, other: &Self) -> bool {
        let is_in = |one: &str, other: &str| format!(" {other} ").contains(&format!(" {one} "));
        self.places.iter().any(|one| other.places.iter().any(|other| is_in(one, other) || is_in(other, one)))
    }

    /// The part of the words of both that both have.
    fn overlap(&self, other: &Self) -> f64 {
        let shared = self.telling.intersection(&other.telling).count();
        let all = self.telling.union(&other.telling).count();
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }
}

/// The words alone: a comma or a capital letter makes no other finding.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn word_count(plain: &str) -> usize {
    plain.split(' ').filter(|word| !word.is_empty()).count()
}

/// What stands between two quotation marks of a kind.
fn quotations(text: &str) -> Vec<&str> {
    const MARKS: [(char, char); 7] =
        [('"', '"'), ('`', '`'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』')];
    let mut found = Vec::new();
    for (open, close) in MARKS {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((quote, behind)) = behind.split_once(close) else { break };
            found.push(quote);
            rest = behind;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, FindingId, Round, RunId, SeatName, Severity};
    use uuid::Uuid;

    fn wording((code, quote, text): (&str, &str, &str)) -> Wording {
        let finding = Finding {
            id: FindingId(Uuid::nil()),
            severity: Severity::MustFix,
            text: text.into(),
            code: (!code.is_empty()).then(|| code.into()),
            target: None,
            contested: false,
        };
        let quote = (!quote.is_empty()).then_some(quote);
        let (run, round, seat) = (RunId(Uuid::nil()), Round(1), &SeatName::new("critic"));
        Wording::of(&Sighting { run, round, seat, finding: &finding, quote })
    }

    #[test]
    fn what_is_the_same_and_what_is_not() {
        let rows = [
            // The same words, whatever the marks.
            (("", "", "Say when we move."), ("", "", "say when we move"), true),
            // One rule, and at most one says where.
            (("dates", "", "no date"), ("Dates", "in the summer", "vague"), true),
            (("dates", "in the summer", "vague"), ("dates", "in the summer of", "when?"), true),
            (("dates", "in the summer", "vague"), ("dates", "some other day", "vague"), false),
            // The same place, and the same said of it under another name or none.
            (("vague", "", "`in the summer` is a vague date"), ("", "", "The date \"in the summer\" is vague"), true),
            (("", "", "“in the summer” is vague"), ("", "", "\"in the summer\" is misspelled"), false),
            (("typo", "in the sumer", "a typo"), ("false", "in the sumer", "we move in winter"), false),
            // No place: nearly the same words.
            (("", "", "the pricing table lacks a currency"), ("", "", "pricing table: currency is lacking"), false),
            (("", "", "the pricing table has no currency"), ("", "", "pricing table without currency"), true),
            (("", "", "the pricing table lacks a currency"), ("", "", "the pricing table lacks a caption"), false),
            (("", "", "say more about line 5"), ("", "", "say more about line 6"), false),
            (("", "", "say more about line 5"), ("", "", "say more about line"), true),
            (("", "", "too long"), ("", "", "too short"), false),
            (("a", "", "too long"), ("b", "", "misleading title"), false),
            (("", "", ""), ("", "", "!"), true),
        ];
        for (one, other, expected) in rows {
            assert_eq!(wording(one).is_like(&wording(other)), expected, "{one:?} and {other:?}");
            assert_eq!(wording(other).is_like(&wording(one)), expected, "{other:?} and {one:?}");
        }
    }
}
