//! Copy: how the words read, measured.

mod actions;
pub(crate) mod filler;
mod reading;
mod sentence;
pub(crate) mod words;

use words::Language;

use crate::{
    document::{Body, Document},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
    passage::{Passage, Role, passages},
    placeholder::placeholders,
};

pub fn copy(document: &Document) -> Vec<Measurement> {
    let passages = passages(document);
    let language = language(document, &passages);
    [
        reading::ease(document, &passages, language),
        reading::length(document, &passages),
        reading::voice(document, &passages, language),
        filler::measure(document, &passages, language),
        actions::verbs(document, &passages, language),
        actions::headings(document, &passages),
        actions::calls(document, &passages, language),
        unfinished(document, &passages),
        repeated(document, &passages),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What the page says its language is, or what its words say.
pub(crate) fn language(document: &Document, passages: &[Passage]) -> Language {
    if let Body::Html(page) = &document.body
        && let Some(tag) = &page.language
    {
        return Language::of_tag(tag);
    }
    let text: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    Language::guess(&text.join(" "))
}

fn unfinished(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    if passages.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("finished");
    for passage in passages {
        for found in placeholders(&passage.text, false) {
            gauge.findings.add("copy.placeholder", || MeasuredFinding {
                code: "copy.placeholder",
                weight: Weight::MustFix,
                text: "write what belongs here".to_owned(),
                place: passage.place(document, found.at),
                evidence: found.word.to_owned(),
            });
        }
    }
    let left = gauge.findings.count("copy.placeholder");
    gauge.says(count(left, "placeholder"));
    Some(gauge.finish(if left == 0 { 10.0 } else { 0.0 }))
}

/// Words written twice in a row. Some languages double words on purpose, but then they have no space between.
fn repeated(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    if passages.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("repetition");
    for passage in passages.iter().filter(|passage| passage.role != Role::Other) {
        let mut before: Option<(usize, &str)> = None;
        for (at, word) in words::words(&passage.text) {
            let twice = before.is_some_and(|(end, last)| {
                last.eq_ignore_ascii_case(word) && passage.text[end..at].chars().all(char::is_whitespace)
            });
            // "had had" and "die, die" are right; so are numbers.
            let fine = matches!(word.to_lowercase().as_str(), "had" | "that" | "die" | "das" | "sie" | "der" | "bla");
            if twice && !fine && word.chars().all(char::is_alphabetic) {
                gauge.findings.add("copy.repeated", || MeasuredFinding {
                    code: "copy.repeated",
                    weight: Weight::Should,
                    text: format!("say `{word}` once"),
                    place: passage.place(document, at),
                    evidence: format!("{word} {word}"),
                });
            }
            before = Some((at + word.len(), word));
        }
    }
    let twice = gauge.findings.count("copy.repeated");
    gauge.says(format!("{} written twice", count(twice, "word")));
    Some(gauge.finish(beyond(twice, 0, 2.0)))
}
