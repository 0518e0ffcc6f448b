//! Accessibility, after WCAG 2.2 AA: what a browser would show and a screen reader would say.

pub(crate) mod contrast;
pub(crate) mod focus;
pub(crate) mod grounds;
pub(crate) mod images;
pub(crate) mod lists;
mod markdown;
mod motion;
pub(crate) mod names;
pub(crate) mod pair;
mod structure;
mod targets;

use crate::{
    document::{Body, Document},
    measure::Measurement,
};

/// Measures what applies to the document; a page without forms has no measurement of labels.
pub fn a11y(document: &Document) -> Vec<Measurement> {
    let page = match &document.body {
        Body::Html(page) => page,
        Body::Markdown(markdown) => return markdown::measure(document, markdown),
    };
    [
        contrast::measure(document, page),
        Some(structure::headings(document, page)),
        images::measure(document, page),
        names::labels(document, page),
        names::controls(document, page),
        focus::focus(document, page),
        Some(structure::language(document, page)),
        Some(structure::title(document, page)),
        Some(structure::landmarks(document, page)),
        lists::lists(document, page),
        targets::targets(document, page),
        motion::motion(document, page),
        structure::zoom(document, page),
    ]
    .into_iter()
    .flatten()
    .collect()
}
