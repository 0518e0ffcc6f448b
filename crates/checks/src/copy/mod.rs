//! Copy: how the words read, measured.

mod actions;
pub(crate) mod filler;
pub(crate) mod guard;
mod lists;
mod reading;
pub(crate) mod repetition;
mod sentence;
mod voice;
pub(crate) mod words;

pub use lists::WordLists;

use words::Language;

use crate::{
    document::{Body, Document},
    finding::{MeasuredFinding, Weight},
    lint,
    measure::{Gauge, Measurement, count},
    passage::{Passage, passages},
    placeholder::{Kind, placeholders},
};

/// Measures the words by the lists that come with the program.
pub fn copy(document: &Document) -> Vec<Measurement> {
    copy_with(document, &WordLists::default())
}

/// Measures the words, by the lists of a project too.
pub fn copy_with(document: &Document, lists: &WordLists) -> Vec<Measurement> {
    let (mut passages, language, untold) = spoken(document);
    lists.guard(&mut passages);
    let mut list: Vec<Measurement> = [
        reading::ease(document, &passages, language),
        reading::length(document, &passages),
        reading::voice(document, &passages),
        filler::measure(document, &passages),
        actions::verbs(document, &passages),
        actions::headings(document, &passages),
        actions::calls(document, &passages),
        lists::measure(document, &passages, lists),
        unfinished(document, &passages),
        repetition::measure(document, &passages),
    ]
    .into_iter()
    .flatten()
    .collect();
    // What has no rules is said once, where it is read first.
    if let Some(first) = list.first_mut() {
        first.undecided.extend(untold);
    }
    list
}

/// The passages with their languages, the language of the document, and what is undecided on its account.
pub(crate) fn spoken(document: &Document) -> (Vec<Passage>, Language, Option<String>) {
    let mut passages = passages(document);
    let declared = declared(document);
    let text: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    let text = text.join(" ");
    let (language, why) = match declared {
        Some(tag) => match Language::of_tag(tag) {
            Language::Other => (Language::Other, Some(format!("the page is in `{tag}`"))),
            said if said.is_spoken_in(&text) => (said, None),
            said => (Language::Other, Some(format!("the page says `{tag}`, but its words are not {}", said.name()))),
        },
        None => match Language::guess(&text) {
            Language::Other => (Language::Other, Some("nothing says which language this is".to_owned())),
            guessed => (guessed, None),
        },
    };
    let said = declared.map(Language::of_tag);
    for passage in &mut passages {
        // A claim that the words contradict is no claim.
        let own = passage.language.filter(|own| said.is_none_or(|said| said == language || said != *own));
        passage.language = Some(own.unwrap_or(language));
    }
    let foreign = passages.iter().filter(|passage| passage.language == Some(Language::Other)).count();
    let rest = "the rules for words are for English and German, so only lengths and placeholders were measured";
    let untold = match why {
        Some(why) if !passages.is_empty() => Some(format!("{why}: {rest}")),
        None if foreign > 0 => Some(format!("{} in other languages: {rest}", count(foreign, "passage"))),
        _ => None,
    };
    (passages, language, untold)
}

/// What the page says its language is, or what its words say.
pub(crate) fn language(document: &Document, passages: &[Passage]) -> Language {
    if let Some(tag) = declared(document) {
        return Language::of_tag(tag);
    }
    let text: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    Language::guess(&text.join(" "))
}

fn declared(document: &Document) -> Option<&str> {
    match &document.body {
        Body::Html(page) => page.language.as_deref(),
        Body::Markdown(markdown) => markdown.language(),
    }
}

fn unfinished(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    if passages.is_empty() {
        return None;
    }
    let about = match &document.body {
        Body::Html(page) => lint::about(&page.dom),
        Body::Markdown(markdown) => lint::about_text(markdown),
    };
    let mut gauge = Gauge::new("finished");
    for passage in passages {
        for found in placeholders(&passage.text, about) {
            // What somebody else said of a marker is theirs; filler text may be set as anything.
            if found.kind == Kind::Marker && passage.guards(found.at, found.at + found.word.len()) {
                continue;
            }
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
