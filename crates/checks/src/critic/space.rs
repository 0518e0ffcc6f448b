//! Space: padding that is even, lines that are neither too short nor too long.

use std::collections::BTreeSet;

use crate::{
    css::{media::Screen, value::Display},
    document::{Document, Page},
    dom::NodeId,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, band, count, mean, share},
};

/// Characters per line that read well, and those that do not read at all.
const BEST: (f64, f64) = (40.0, 80.0);
const WORST: (f64, f64) = (15.0, 150.0);
/// Shorter paragraphs do not fill a line.
const LONG_TEXT: usize = 120;
/// The width of a character as part of the font size, in the usual text faces.
const CHARACTER: f64 = 0.5;

pub(crate) fn measure(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("space");
    let scores: Vec<f64> =
        [symmetry(document, page, &mut gauge), lines(document, page, &mut gauge)].into_iter().flatten().collect();
    (!scores.is_empty()).then(|| gauge.finish(mean(&scores)))
}

fn symmetry(document: &Document, page: &Page, gauge: &mut Gauge) -> Option<f64> {
    let (mut all, mut good) = (0, 0);
    let mut seen = BTreeSet::new();
    for (id, element) in page.dom.elements() {
        let [Some(top), Some(right), Some(bottom), Some(left)] = page.styles.of(id).padding else { continue };
        // Lists are indented on one side by the browser itself.
        let listed = matches!(&*element.name, "ul" | "ol" | "menu" | "td" | "th");
        if listed || right + left + top + bottom <= 0.0 || !page.is_seen(id) {
            continue;
        }
        // Boxes of one kind count once.
        if !seen.insert((element.name.to_string(), element.classes.clone())) {
            continue;
        }
        all += 1;
        let even = (left - right).abs() < 0.5 && (top <= bottom + 0.5 || top <= 0.0);
        if even {
            good += 1;
            continue;
        }
        gauge.findings.add("space.uneven", || MeasuredFinding {
            code: "space.uneven",
            weight: Weight::Note,
            text: "even the padding out, or let it be clearly on purpose".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: format!("{top:.0} {right:.0} {bottom:.0} {left:.0} px"),
        });
    }
    gauge.says(format!(
        "{good} of {} padded evenly",
        if all == 1 { "1 kind of box".to_owned() } else { format!("{all} kinds of boxes") }
    ));
    (all > 0).then(|| share(good, all))
}

fn lines(document: &Document, page: &Page, gauge: &mut Gauge) -> Option<f64> {
    let mut scores = Vec::new();
    let mut longest: f64 = 0.0;
    for (id, _) in page.dom.elements() {
        if !matches!(page.dom.name(id), "p" | "li" | "dd" | "blockquote") || !page.is_seen(id) {
            continue;
        }
        if page.dom.text(id).chars().count() < LONG_TEXT {
            continue;
        }
        let Some(width) = width(page, id) else {
            if gauge.has_room() {
                gauge.undecided(format!("the width of `{}` needs a layout", page.dom.selector(id)));
            }
            continue;
        };
        let characters = width / (page.styles.of(id).font_size * CHARACTER).max(1.0);
        longest = longest.max(characters);
        scores.push(band(characters, BEST, WORST));
        if characters > BEST.1 || characters < BEST.0 {
            let code = if characters > BEST.1 { "space.long-lines" } else { "space.short-lines" };
            gauge.findings.add(code, || MeasuredFinding {
                code,
                weight: Weight::Should,
                text: format!("set lines of {} to {} characters (`max-width: 65ch`)", BEST.0, BEST.1),
                place: Some(document.place_of(page, id)),
                evidence: format!("about {characters:.0} characters in {width:.0} px"),
            });
        }
    }
    if scores.is_empty() {
        return None;
    }
    gauge.says(format!("{} of up to {longest:.0} characters a line", count(scores.len(), "paragraph")));
    Some(mean(&scores))
}

/// The width that a block has in a plain flow on the usual screen; columns and floats need a layout.
fn width(page: &Page, id: NodeId) -> Option<f64> {
    let chain: Vec<NodeId> =
        std::iter::once(id).chain(page.dom.ancestors(id)).filter(|node| page.dom.element(*node).is_some()).collect();
    let mut width = Screen::USUAL.width;
    for (at, node) in chain.iter().enumerate().rev() {
        let style = page.styles.of(*node);
        if style.placing.position.is_out() || style.display == Display::InlineBox || style.display == Display::Inline {
            return None;
        }
        width -= style.margin[1].unwrap_or(0.0) + style.margin[3].unwrap_or(0.0);
        width = style.width.unwrap_or(width);
        width = width.min(style.max_width.unwrap_or(f64::INFINITY));
        // A column may be narrower than its container, unless it says how wide it is.
        if matches!(style.display, Display::Flex | Display::Grid)
            && at > 0
            && page.styles.of(chain[at - 1]).width.is_none()
        {
            let child = page.styles.of(chain[at - 1]);
            child.max_width?;
        }
        width -= style.padding[1]? + style.padding[3]?;
    }
    (width > 0.0).then_some(width)
}
