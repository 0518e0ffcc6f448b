//! Rhythm: whether distances are steps of one grid.

use crate::{
    css::{
        length::{Length, Scale},
        sheet::Declaration,
        value::pieces,
    },
    document::{Document, Page},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
    place::Span,
};

/// The grid, and its coarser sibling that counts as well kept.
pub(crate) const GRID: f64 = 4.0;

/// A distance that an author wrote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distance {
    pub(crate) px: f64,
    pub(crate) text: String,
    pub(crate) span: Option<Span>,
}

pub(crate) fn measure(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("rhythm");
    let (mut all, mut good, mut eights) = (0, 0, 0);
    for (_, one) in page.declarations() {
        for distance in distances(one) {
            all += 1;
            if is_on_grid(distance.px) {
                good += 1;
                eights += usize::from(distance.px.abs() % 8.0 < 0.01);
                continue;
            }
            gauge.findings.add("rhythm.off-grid", || MeasuredFinding {
                code: "rhythm.off-grid",
                weight: Weight::Should,
                text: format!("set the distance to {} px, on the grid of {GRID} px", nearest(distance.px)),
                place: distance.span.map(|span| document.place_at(span)),
                evidence: format!("{}: {} ({} px)", one.name, distance.text, distance.px),
            });
        }
    }
    gauge.says(format!("{good} of {} on the grid of {GRID} px, {eights} on that of 8 px", count(all, "distance")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}

/// The distances in a declaration whose pixels are known without a layout.
pub(crate) fn distances(declaration: &Declaration) -> Vec<Distance> {
    let name = declaration.name.as_str();
    let spaces = name.starts_with("padding")
        || name.starts_with("margin")
        || matches!(name, "gap" | "row-gap" | "column-gap" | "grid-gap");
    if !spaces {
        return Vec::new();
    }
    let scale = Scale { em: 16.0, rem: 16.0, width: 0.0, height: 0.0, whole: None };
    let start = declaration.value.as_ptr() as usize;
    pieces(&declaration.value)
        .into_iter()
        .filter_map(|piece| {
            let px = match Length::parse(piece)? {
                length @ (Length::Px(_) | Length::Rem(_)) => length.px(&scale)?,
                _ => return None,
            };
            let at = piece.as_ptr() as usize - start;
            let span = declaration.span.map(|span| span.piece(at, piece.len()));
            (px.abs() > 0.01).then(|| Distance { px, text: piece.to_owned(), span })
        })
        .collect()
}

/// Hairlines of one and two pixels are no distances.
pub(crate) fn is_on_grid(px: f64) -> bool {
    let rest = px.abs() % GRID;
    rest < 0.01 || GRID - rest < 0.01 || px.abs() <= 2.0
}

pub(crate) fn nearest(px: f64) -> f64 {
    let steps = (px / GRID).round();
    if steps == 0.0 { GRID.copysign(px) } else { steps * GRID }
}
