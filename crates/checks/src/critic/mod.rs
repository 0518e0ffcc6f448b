//! The critic's eye, measured: hierarchy, type, contrast, rhythm and space.

mod hierarchy;
mod markdown;
pub(crate) mod rhythm;
mod space;
mod typeface;

use crate::{
    a11y::contrast,
    document::{Body, Document},
    finding::Weight,
    measure::Measurement,
};

pub fn critic(document: &Document) -> Vec<Measurement> {
    let page = match &document.body {
        Body::Html(page) => page,
        Body::Markdown(markdown) => return markdown::measure(document, markdown),
    };
    // The critic asks for the faintest text only; the list of all of it is accessibility's.
    let contrast = contrast::measure(document, page).map(|mut measured| {
        measured.findings.truncate(1);
        measured.findings.iter_mut().for_each(|finding| finding.weight = Weight::Should);
        measured
    });
    [
        Some(hierarchy::measure(document, page)),
        typeface::measure(page),
        contrast,
        rhythm::measure(document, page),
        space::measure(document, page),
    ]
    .into_iter()
    .flatten()
    .collect()
}
