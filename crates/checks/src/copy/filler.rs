//! Words that can go, and phrases that everybody uses.

use super::words::{Filler, Language, Phrases, is_named, neighbours, words};
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

/// Finds the fillers of a text. Whether the text's author said them is for the passage to know.
pub(crate) fn hits(phrases: &Phrases, fillers: &[Filler], text: &str) -> Vec<Hit> {
    phrases
        .find(text)
        .into_iter()
        .filter(|(index, from, to)| {
            let (before, after) = neighbours(text, *from, *to);
            fillers[*index].applies(before.as_deref(), after.as_deref())
                && !is_named(text, *from, *to, Language::English)
        })
        .map(|(index, from, to)| {
            // The phrase may end with a comma, which goes with it.
            let comma = fillers[index].phrase.ends_with(',') && text[to..].starts_with(',');
            Hit { from, to: to + usize::from(comma), replacement: fillers[index].replacement }
        })
        .collect()
}

/// The lists of one language, ready to be looked for.
struct Lists {
    language: Language,
    fillers: Vec<Filler>,
    phrases: Phrases,
    stock: Phrases,
}

impl Lists {
    fn new(language: Language) -> Self {
        let fillers = language.fillers();
        let phrases = Phrases::new(fillers.iter().map(|filler| filler.phrase));
        Self { language, phrases, fillers, stock: Phrases::new(language.stock().into_iter()) }
    }
}

pub(crate) fn measure(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let lists = [Language::English, Language::German].map(Lists::new);
    let mut gauge = Gauge::new("filler");
    let mut all = 0;
    for passage in passages.iter().filter(|passage| !matches!(passage.role, Role::Other | Role::Quote)) {
        let Some(lists) = lists.iter().find(|lists| passage.language == Some(lists.language)) else { continue };
        all += words(&passage.text).count();
        for hit in hits(&lists.phrases, &lists.fillers, &passage.text) {
            if passage.guards(hit.from, hit.to) {
                continue;
            }
            let said = crate::dom::collapse(&passage.text[hit.from..hit.to]);
            gauge.findings.add("copy.filler", || MeasuredFinding {
                code: "copy.filler",
                weight: if hit.replacement.is_some() { Weight::Should } else { Weight::Note },
                text: match hit.replacement {
                    Some("") => format!("drop \u{201c}{said}\u{201d}"),
                    Some(other) => format!("say \u{201c}{other}\u{201d}"),
                    None => format!("does \u{201c}{said}\u{201d} say anything here?"),
                },
                place: passage.place(document, hit.from),
                evidence: said,
            });
        }
        for (_, from, to) in lists.stock.find(&passage.text) {
            if passage.guards(from, to) || is_named(&passage.text, from, to, lists.language) {
                continue;
            }
            gauge.findings.add("copy.stock", || MeasuredFinding {
                code: "copy.stock",
                weight: Weight::Should,
                text: "say what only you can say: everybody uses this phrase".to_owned(),
                place: passage.place(document, from),
                evidence: crate::dom::collapse(&passage.text[from..to]),
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
