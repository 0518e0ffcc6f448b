//! Brand: the page's values against the tokens of a design file.

pub(crate) mod colors;
mod tokens;
mod values;

pub use tokens::{DesignTokens, Forbidden};

use crate::{document::Document, measure::Measurement};

/// Measures against the tokens; without any, against those that the page declares for itself.
/// A Markdown document has no look of its own: there is nothing to measure.
pub fn brand(document: &Document, tokens: &DesignTokens) -> Vec<Measurement> {
    let Some(page) = document.page() else { return Vec::new() };
    let own;
    let (tokens, given) = if tokens.is_empty() {
        own = DesignTokens::of_page(document);
        (&own, false)
    } else {
        (tokens, true)
    };
    let mut list: Vec<Measurement> = [
        colors::measure(document, page, tokens),
        values::fonts(document, page, tokens),
        values::radii(document, page, tokens),
        values::spacing(document, page, tokens),
        values::rules(document, page, tokens),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !given {
        for measurement in &mut list {
            measurement.undecided.push("no design file: measured against the page's own custom properties".to_owned());
        }
    }
    list
}
