//! Verbs, headings and calls to action: the words that have to work alone.

use super::words::{Language, Phrases, is_named, words};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count, share},
    passage::{OBJECT, Passage, Role},
};

/// A heading says it in so many words, a call to action in so many.
const HEADING_WORDS: usize = 12;
const ACTION_WORDS: usize = 5;

pub(crate) fn verbs(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let lists =
        [Language::English, Language::German].map(|language| (language, Phrases::new(language.weak().into_iter())));
    let mut gauge = Gauge::new("verbs");
    let mut judged = false;
    for passage in passages.iter().filter(|passage| !matches!(passage.role, Role::Other | Role::Quote)) {
        let Some((language, phrases)) = lists.iter().find(|(language, _)| passage.language == Some(*language)) else {
            continue;
        };
        judged = true;
        for (_, from, to) in phrases.find(&passage.text) {
            if passage.guards(from, to) || is_named(&passage.text, from, to, *language) {
                continue;
            }
            gauge.findings.add("copy.weak-verb", || MeasuredFinding {
                code: "copy.weak-verb",
                weight: Weight::Note,
                text: "take a verb that says what is done".to_owned(),
                place: passage.place(document, from),
                evidence: passage.text[from..to].to_lowercase(),
            });
        }
    }
    let number = gauge.findings.count("copy.weak-verb");
    gauge.says(count(number, "weak verb"));
    judged.then(|| gauge.finish(beyond(number, 1, 1.0)))
}

pub(crate) fn headings(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let mut gauge = Gauge::new("heading-length");
    let (mut all, mut good, mut longest) = (0, 0, 0);
    for passage in passages.iter().filter(|passage| passage.role == Role::Heading) {
        let length = words(&passage.text).count();
        all += 1;
        longest = longest.max(length);
        // The heading of a function has its parameters in it.
        let coded =
            passage.text.contains(OBJECT) || passage.text.contains('(') || passage.guards(0, passage.text.len());
        if length <= HEADING_WORDS || coded {
            good += 1;
            continue;
        }
        gauge.findings.add("copy.long-heading", || MeasuredFinding {
            code: "copy.long-heading",
            weight: Weight::Should,
            text: "shorten the heading: it is read at a glance".to_owned(),
            place: passage.place(document, 0),
            evidence: format!("{length} words, {HEADING_WORDS} at most"),
        });
    }
    gauge.says(format!("{}, {longest} words at most", count(all, "heading")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}

pub(crate) fn calls(document: &Document, passages: &[Passage]) -> Option<Measurement> {
    let english = Language::English.vague_actions();
    let german = Language::German.vague_actions();
    let mut gauge = Gauge::new("actions");
    let (mut all, mut points) = (0, 0.0);
    for passage in passages.iter().filter(|passage| passage.role == Role::Action) {
        let text = crate::dom::collapse(&passage.text);
        let length = words(&text).count();
        // A symbol alone has its name elsewhere.
        if length == 0 {
            continue;
        }
        all += 1;
        let plain = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let vague = match passage.language {
            Some(Language::English) => &english[..],
            Some(Language::German) => &german[..],
            _ => &[],
        };
        let (code, advice) = if vague.contains(&plain.as_str()) {
            ("copy.vague-action", "say what happens when it is pressed")
        } else if length > ACTION_WORDS && !is_card(document, passage) {
            ("copy.long-action", "shorten it: a verb and its object are enough")
        } else {
            points += 1.0;
            continue;
        };
        points += 0.5;
        gauge.findings.add(code, || MeasuredFinding {
            code,
            weight: Weight::Should,
            text: advice.to_owned(),
            place: passage.place(document, 0),
            evidence: format!("\u{201c}{text}\u{201d}"),
        });
    }
    gauge.says(if all == 1 { "1 call to action".to_owned() } else { format!("{all} calls to action") });
    (all > 0).then(|| gauge.finish(10.0 * points / f64::from(all)))
}

/// A whole card that can be pressed has more to say than a button.
fn is_card(document: &Document, passage: &Passage) -> bool {
    let (Some(page), Some(node)) = (document.page(), passage.node) else { return false };
    page.dom.descendants(node).any(|id| {
        matches!(
            page.dom.name(id),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "li" | "div" | "article" | "br" | "small" | "table"
        )
    })
}
