//! What of composition a Markdown document decides: its outline and the length of its parts.

use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    markdown::Markdown,
    measure::{Gauge, Measurement, count, share},
    passage::{Role, passages},
};

/// Paragraphs of more words are walls.
const LONG_PARAGRAPH: usize = 120;

pub(crate) fn measure(document: &Document, markdown: &Markdown) -> Vec<Measurement> {
    [Some(hierarchy(document, markdown)), rhythm(document)].into_iter().flatten().collect()
}

fn hierarchy(document: &Document, markdown: &Markdown) -> Measurement {
    let mut gauge = Gauge::new("hierarchy");
    let tops: Vec<_> = markdown.headings.iter().filter(|heading| heading.level == 1).collect();
    gauge.says(format!("{} h1, {}", tops.len(), count(markdown.headings.len(), "heading")));
    let score = match tops[..] {
        [_] => 10.0,
        [] => {
            gauge.findings.add("hierarchy.no-h1", || MeasuredFinding {
                code: "hierarchy.no-h1",
                weight: Weight::Should,
                text: "let one heading of the first level say what the text is about".to_owned(),
                place: markdown.headings.first().map(|heading| document.place_at(heading.span)),
                evidence: "no heading of the first level".to_owned(),
            });
            4.0
        }
        [_, second, ..] => {
            gauge.findings.add("hierarchy.many-h1", || MeasuredFinding {
                code: "hierarchy.many-h1",
                weight: Weight::Should,
                text: "keep one heading of the first level".to_owned(),
                place: Some(document.place_at(second.span)),
                evidence: format!("{} of the first level", tops.len()),
            });
            6.0
        }
    };
    gauge.finish(score)
}

fn rhythm(document: &Document) -> Option<Measurement> {
    let mut gauge = Gauge::new("rhythm");
    let (mut all, mut good, mut longest) = (0, 0, 0);
    for passage in passages(document).iter().filter(|passage| matches!(passage.role, Role::Prose | Role::Item)) {
        let words = passage.text.split_whitespace().count();
        all += 1;
        longest = longest.max(words);
        if words <= LONG_PARAGRAPH {
            good += 1;
            continue;
        }
        gauge.findings.add("rhythm.wall", || MeasuredFinding {
            code: "rhythm.wall",
            weight: Weight::Should,
            text: "break the paragraph where its thought turns".to_owned(),
            place: passage.place(document, 0),
            evidence: format!("{words} words, {LONG_PARAGRAPH} at most"),
        });
    }
    gauge.says(format!("{}, the longest of {longest} words", count(all, "paragraph")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}
