//! Words that can go, and phrases that everybody uses.

use super::words::{Language, Phrases, words};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count},
    passage::{Passage, Role},
};

/// One word in a hundred that says nothing costs this much.
const COST: f64 = 2.0;
/// A short text is measured as if it had so many words, so that one slip does not sink it.
const LEAST_WORDS: usize = 100;

/// A filler in a passage: from, to, and what takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) replacement: Option<&'static str>,
}

/// Finds the fillers of a passage.
pub(crate) fn hits(phrases: &Phrases, fillers: &[super::words::Filler], text: &str) -> Vec<Hit> {
    phrases
        .find(text)
        .into_iter()
        .map(|(index, from, to)| {
            // The phrase may end with a comma, which goes with it.
            let comma = fillers[index].phrase.ends_with(',') && text[to..].starts_with(',');
            Hit { from, to: to + usize::from(comma), replacement: fillers[index].replacement }
        })
        .collect()
}

pub(crate) fn measure(document: &Document, passages: &[Passage], language: Language) -> Option<Measurement> {
    if language == Language::Other {
        return None;
    }
    let fillers = language.fillers();
    let phrases = Phrases::new(fillers.iter().map(|filler| filler.phrase));
    let stock = language.stock();
    let stock_phrases = Phrases::new(stock.iter().copied());
    let mut gauge = Gauge::new("filler");
    let mut all = 0;
    for passage in passages.iter().filter(|passage| passage.role != Role::Other) {
        all += words(&passage.text).count();
        for hit in hits(&phrases, &fillers, &passage.text) {
            let said = &passage.text[hit.from..hit.to];
            gauge.findings.add("copy.filler", || MeasuredFinding {
                code: "copy.filler",
                weight: if hit.replacement.is_some() { Weight::Should } else { Weight::Note },
                text: match hit.replacement {
                    Some("") => format!("drop \u{201c}{said}\u{201d}"),
                    Some(other) => format!("say \u{201c}{other}\u{201d}"),
                    None => format!("does \u{201c}{said}\u{201d} say anything here?"),
                },
                place: passage.place(document, hit.from),
                evidence: said.to_owned(),
            });
        }
        for (_, from, to) in stock_phrases.find(&passage.text) {
            gauge.findings.add("copy.stock", || MeasuredFinding {
                code: "copy.stock",
                weight: Weight::Should,
                text: "say what only you can say: everybody uses this phrase".to_owned(),
                place: passage.place(document, from),
                evidence: passage.text[from..to].to_owned(),
            });
        }
    }
    if all == 0 {
        return None;
    }
    let (fillers, stock) = (gauge.findings.count("copy.filler"), gauge.findings.count("copy.stock"));
    gauge.says(format!("{} and {} in {}", count(fillers, "filler"), count(stock, "stock phrase"), count(all, "word")));
    // A stock phrase says as little as two fillers.
    let rate = (fillers + 2 * stock) as f64 * 100.0 / all.max(LEAST_WORDS) as f64;
    Some(gauge.finish(10.0 - COST * rate))
}
