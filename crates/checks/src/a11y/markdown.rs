//! What of accessibility a Markdown document decides: headings, pictures and links.

use super::{images::says_nothing, names::is_vague};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    markdown::{Link, Markdown},
    measure::{Gauge, Measurement, beyond, count, share},
};

pub(crate) fn measure(document: &Document, markdown: &Markdown) -> Vec<Measurement> {
    [Some(headings(document, markdown)), pictures(document, markdown), links(document, markdown)]
        .into_iter()
        .flatten()
        .collect()
}

fn headings(document: &Document, markdown: &Markdown) -> Measurement {
    let mut gauge = Gauge::new("headings");
    let mut before = 0;
    for heading in &markdown.headings {
        let level = heading.level;
        if heading.text.is_empty() {
            gauge.findings.add("heading.empty", || MeasuredFinding {
                code: "heading.empty",
                weight: Weight::MustFix,
                text: "give the heading words, or take it out".to_owned(),
                place: Some(document.place_at(heading.span)),
                evidence: format!("level {level} without text"),
            });
        }
        if level > before + 1 && before > 0 {
            gauge.findings.add("heading.skipped", || MeasuredFinding {
                code: "heading.skipped",
                weight: Weight::Should,
                text: format!("make it level {}: a level is missing above it", before + 1),
                place: Some(document.place_at(heading.span)),
                evidence: format!("level {level} after level {before}"),
            });
        }
        before = level;
    }
    let outline: Vec<String> = markdown.headings.iter().take(12).map(|heading| format!("h{}", heading.level)).collect();
    gauge.says(if outline.is_empty() { "no headings".to_owned() } else { outline.join(" ") });
    let skipped = gauge.findings.count("heading.skipped");
    let empty = gauge.findings.count("heading.empty");
    gauge.finish(beyond(skipped, 0, 2.0) - 3.0 * empty as f64)
}

fn pictures(document: &Document, markdown: &Markdown) -> Option<Measurement> {
    let pictures: Vec<&Link> = markdown.links.iter().filter(|link| link.image).collect();
    let mut gauge = Gauge::new("alt");
    let mut good = 0;
    for picture in &pictures {
        if !picture.text.trim().is_empty() && !says_nothing(&picture.text) {
            good += 1;
            continue;
        }
        gauge.findings.add("image.alt-words", || MeasuredFinding {
            code: "image.alt-words",
            weight: Weight::Should,
            text: "say between the brackets what the picture tells".to_owned(),
            place: Some(document.place_at(picture.span)),
            evidence: format!("![{}]({})", picture.text, picture.address),
        });
    }
    gauge.says(format!("{good} of {} with text", count(pictures.len(), "picture")));
    (!pictures.is_empty()).then(|| gauge.finish(share(good, pictures.len())))
}

fn links(document: &Document, markdown: &Markdown) -> Option<Measurement> {
    let links: Vec<&Link> = markdown.links.iter().filter(|link| !link.image).collect();
    let mut gauge = Gauge::new("names");
    let mut good = 0;
    for link in &links {
        let (code, weight, text) = if link.text.trim().is_empty() {
            ("name.missing", Weight::MustFix, "give the link words")
        } else if is_vague(&link.text) {
            ("name.vague", Weight::Note, "say where the link leads: lists of links are read without their sentences")
        } else {
            good += 1;
            continue;
        };
        gauge.findings.add(code, || MeasuredFinding {
            code,
            weight,
            text: text.to_owned(),
            place: Some(document.place_at(link.span)),
            evidence: format!("[{}]({})", link.text, link.address),
        });
    }
    let vague = gauge.findings.count("name.vague");
    gauge.says(format!("{good} of {} say where they lead", count(links.len(), "link")));
    (!links.is_empty()).then(|| gauge.finish(share(good + vague, links.len()) - (0.5 * vague as f64).min(3.0)))
}
