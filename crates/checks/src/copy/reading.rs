//! How easily a text reads: ease, the length of sentences, and who acts in them.

use super::{
    sentence::{Sentence, sentences, syllables},
    voice::Voice,
    words::{Language, words},
};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, band, count, mean, share},
    passage::{OBJECT, Passage, Role},
};

/// Formulas of reading ease mean nothing for less text.
const LEAST_WORDS: usize = 80;
/// Reading ease that everybody manages, and that nobody does.
const EASE_BEST: (f64, f64) = (50.0, 121.0);
const EASE_WORST: (f64, f64) = (0.0, 130.0);
/// Words per sentence on average, and the sentence that is too long by itself.
const LENGTH_BEST: (f64, f64) = (6.0, 20.0);
const LENGTH_WORST: (f64, f64) = (1.0, 40.0);
const LONG: usize = 30;
/// So many words without an end are a row of labels, or several lines that only markup keeps apart.
const UNENDED: usize = 60;
/// The part of sentences that may be passive, and the part at which nobody acts any more.
const PASSIVE_FREE: f64 = 0.15;
const PASSIVE_WORST: f64 = 0.6;

/// The sentences of running text.
fn running(passages: &[Passage]) -> impl Iterator<Item = (&Passage, Sentence<'_>)> {
    passages
        .iter()
        .filter(|passage| matches!(passage.role, Role::Prose | Role::Item))
        .flat_map(|passage| sentences(&passage.text).into_iter().map(move |sentence| (passage, sentence)))
}

pub(crate) fn ease(_: &Document, passages: &[Passage], language: Language) -> Option<Measurement> {
    let (mut sentence_count, mut word_count, mut syllable_count) = (0_usize, 0_usize, 0_usize);
    let spoken = running(passages).filter(|(passage, _)| passage.language == Some(language));
    for (_, sentence) in spoken {
        sentence_count += 1;
        for (_, word) in words(sentence.text) {
            word_count += 1;
            syllable_count += syllables(word, language);
        }
    }
    if word_count < LEAST_WORDS {
        return None;
    }
    let length = word_count as f64 / sentence_count as f64;
    let weight = syllable_count as f64 / word_count as f64;
    let ease = match language {
        Language::English => 206.835 - 1.015 * length - 84.6 * weight,
        Language::German => 180.0 - length - 58.5 * weight,
        Language::Other => return None,
    };
    let mut gauge = Gauge::new("readability");
    gauge.says(format!("reading ease {ease:.0} ({})", language.name()));
    gauge.says(format!("{length:.1} words a sentence, {weight:.2} syllables a word"));
    if ease < EASE_BEST.0 {
        gauge.findings.add("copy.hard", || MeasuredFinding {
            code: "copy.hard",
            weight: Weight::Should,
            text: "write shorter sentences and shorter words".to_owned(),
            place: None,
            evidence: format!("reading ease {ease:.0}, {} is plain", EASE_BEST.0),
        });
    }
    Some(gauge.finish(band(ease, EASE_BEST, EASE_WORST)))
}

pub(crate) fn length(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let mut gauge = Gauge::new("sentences");
    let (mut all, mut total, mut good, mut longest) = (0, 0, 0, 0);
    for (passage, sentence) in running(passages) {
        // Words that nothing separates cannot be counted.
        if is_unspaced(sentence.text) {
            gauge.undecided("the length of sentences: this script has no spaces between words");
            continue;
        }
        let length = words(sentence.text).count();
        all += 1;
        total += length;
        longest = longest.max(length);
        let quoted = || passage.guards(sentence.at, sentence.at + 1);
        if length <= LONG || !reads(sentence.text, length) || quoted() {
            good += 1;
            continue;
        }
        gauge.findings.add("copy.long-sentence", || MeasuredFinding {
            code: "copy.long-sentence",
            weight: Weight::Should,
            text: "cut the sentence in two".to_owned(),
            place: passage.place(document, sentence.at),
            evidence: format!("{length} words, {LONG} at most"),
        });
    }
    if all == 0 {
        return None;
    }
    let average = f64::from(u32::try_from(total).unwrap_or(u32::MAX)) / all as f64;
    gauge.says(format!("{}, {average:.1} words on average, {longest} at most", count(all, "sentence")));
    // Two or three short lines are a style, not a flaw.
    let even = if all < 3 { 10.0 } else { band(average, LENGTH_BEST, LENGTH_WORST) };
    Some(gauge.finish(mean(&[even, share(good, all)])))
}

pub(crate) fn voice(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let voices = [Language::English, Language::German].map(|language| (language, Voice::new(language)));
    let mut gauge = Gauge::new("voice");
    let (mut all, mut passive) = (0, 0);
    for (passage, sentence) in running(passages) {
        let Some((_, voice)) = voices.iter().find(|(language, _)| passage.language == Some(*language)) else {
            continue;
        };
        all += 1;
        let found = voice.passive(sentence.text).map(|(from, to)| (sentence.at + from, sentence.at + to));
        if let Some((from, to)) = found.filter(|(from, to)| !passage.guards(*from, *to)) {
            passive += 1;
            gauge.findings.add("copy.passive", || MeasuredFinding {
                code: "copy.passive",
                weight: Weight::Note,
                text: "say who does it".to_owned(),
                place: passage.place(document, from),
                evidence: crate::dom::collapse(&passage.text[from..to]),
            });
        }
    }
    if all < 3 {
        return None;
    }
    let part = f64::from(passive) / all as f64;
    gauge.says(format!("{passive} of {} passive", count(all, "sentence")));
    Some(gauge.finish(band(part, (0.0, PASSIVE_FREE), (-1.0, PASSIVE_WORST))))
}

/// Whether most letters are of a script that writes words without spaces.
pub(crate) fn is_unspaced(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let unspaced = letters().filter(|c| {
        matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{2ffff}')
    });
    unspaced.count() * 2 > letters().count()
}

/// Whether it is a sentence at all. A row of names or values is long by what it lists, and what a program prints has no
/// little words and no end.
fn reads(sentence: &str, words: usize) -> bool {
    let is_mark = |c: &char| matches!(*c, ',' | ';' | '|' | '\u{2022}' | '\u{b7}' | '=' | ':' | '[' | '/' | OBJECT);
    let marks = sentence.chars().filter(is_mark).count();
    let ends = sentence.ends_with(|c: char| c.is_ascii_punctuation() || matches!(c, '\u{2026}' | '\u{201d}' | '。'));
    marks * 4 <= words && (ends || words <= UNENDED)
}
