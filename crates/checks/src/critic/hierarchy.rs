//! Hierarchy: one thing comes first, and sizes say what follows.

use crate::{
    document::{Document, Page},
    dom::NodeId,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, band, mean},
};

/// How much larger the first heading may be than the text: clearly, but not absurdly.
const BEST: (f64, f64) = (1.6, 4.5);
const WORST: (f64, f64) = (1.0, 9.0);

pub(crate) fn measure(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("hierarchy");
    let sizes: Vec<Option<(NodeId, f64)>> = (1..=6).map(|level| largest(page, &format!("h{level}"))).collect();
    let text = text_size(page);
    let tops: Vec<NodeId> =
        page.dom.elements().map(|(id, _)| id).filter(|id| page.dom.name(*id) == "h1" && page.is_seen(*id)).collect();

    let first = match tops[..] {
        [_] => 10.0,
        [] => {
            gauge.findings.add("hierarchy.no-h1", || MeasuredFinding {
                code: "hierarchy.no-h1",
                weight: Weight::Should,
                text: "let one h1 say what the page is about".to_owned(),
                place: page.find("body").map(|(id, _)| document.place_of(page, id)),
                evidence: "no h1 in sight".to_owned(),
            });
            4.0
        }
        [_, second, ..] => {
            gauge.findings.add("hierarchy.many-h1", || MeasuredFinding {
                code: "hierarchy.many-h1",
                weight: Weight::Should,
                text: "keep one h1: a second one competes with it".to_owned(),
                place: Some(document.place_of(page, second)),
                evidence: format!("{} h1", tops.len()),
            });
            6.0
        }
    };
    gauge.says(format!("{} h1", tops.len()));
    let mut scores = vec![first];

    if let Some((id, size)) = sizes[0] {
        let ratio = size / text;
        gauge.says(format!("h1 {size:.0} px to text {text:.0} px, {ratio:.2} times"));
        if ratio < BEST.0 || ratio > BEST.1 {
            gauge.findings.add("hierarchy.ratio", || MeasuredFinding {
                code: "hierarchy.ratio",
                weight: Weight::Should,
                text: format!("set the h1 between {} and {} times the text", BEST.0, BEST.1),
                place: Some(document.place_of(page, id)),
                evidence: format!("{ratio:.2} times"),
            });
        }
        scores.push(band(ratio, BEST, WORST));
    }

    let present: Vec<(usize, NodeId, f64)> =
        sizes.iter().enumerate().filter_map(|(at, size)| size.map(|(id, px)| (at + 1, id, px))).collect();
    let steps = present.len().saturating_sub(1);
    let mut wrong = 0;
    for pair in present.windows(2) {
        let ((above, _, large), (level, id, small)) = (pair[0], pair[1]);
        if small >= large {
            wrong += 1;
            gauge.findings.add("hierarchy.order", || MeasuredFinding {
                code: "hierarchy.order",
                weight: Weight::Should,
                text: format!("make h{level} smaller than h{above}"),
                place: Some(document.place_of(page, id)),
                evidence: format!("h{level} {small:.0} px, h{above} {large:.0} px"),
            });
        }
    }
    if steps > 0 {
        scores.push(crate::measure::share(steps - wrong, steps));
    }
    gauge.finish(mean(&scores))
}

fn largest(page: &Page, name: &str) -> Option<(NodeId, f64)> {
    page.dom
        .elements()
        .map(|(id, _)| id)
        .filter(|id| page.dom.name(*id) == name && page.is_seen(*id))
        .map(|id| (id, page.styles.of(id).font_size))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The size of running text: that of the paragraphs, or else of the body.
pub(crate) fn text_size(page: &Page) -> f64 {
    let mut sizes: Vec<f64> = page
        .dom
        .elements()
        .map(|(id, _)| id)
        .filter(|id| page.dom.name(*id) == "p")
        .map(|id| page.styles.of(id).font_size)
        .collect();
    sizes.sort_by(f64::total_cmp);
    let middle = sizes.get(sizes.len() / 2).copied();
    middle.or_else(|| page.find("body").map(|(id, _)| page.styles.of(id).font_size)).unwrap_or(16.0).max(1.0)
}
