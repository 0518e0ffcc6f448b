//! How easily a text reads: ease, the length of sentences, and who acts in them.

use super::{
    sentence::{Sentence, is_passive, sentences, syllables},
    words::{Language, words},
};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, band, count, mean, share},
    passage::{Passage, Role},
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
    for (_, sentence) in running(passages) {
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
        let length = words(sentence.text).count();
        all += 1;
        total += length;
        longest = longest.max(length);
        if length <= LONG {
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

pub(crate) fn voice(document: &Document, passages: &[Passage], language: Language) -> Option<Measurement> {
    if language == Language::Other {
        return None;
    }
    let participles = language.participles();
    let mut gauge = Gauge::new("voice");
    let (mut all, mut passive) = (0, 0);
    for (passage, sentence) in running(passages) {
        all += 1;
        if is_passive(sentence.text, language, &participles) {
            passive += 1;
            gauge.findings.add("copy.passive", || MeasuredFinding {
                code: "copy.passive",
                weight: Weight::Note,
                text: "say who does it".to_owned(),
                place: passage.place(document, sentence.at),
                evidence: sentence.text.chars().take(80).collect(),
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
