//! Brand: the page's values against the tokens of a design file.

pub(crate) mod colors;
mod json;
mod kind;
mod prose;
mod scan;
mod tokens;
mod values;

pub use tokens::{DesignTokens, Forbidden, UnreadDesign, UnreadLine};

use crate::{document::Document, measure::Measurement};

/// Lines of a design file that were not understood are listed up to this number.
const MAX_UNREAD: usize = 10;

/// Measures against the tokens; without any, against those that the page declares for itself.
/// A Markdown document has no look of its own: there is nothing to measure.
pub fn brand(document: &Document, tokens: &DesignTokens) -> Vec<Measurement> {
    let Some(page) = document.page() else { return Vec::new() };
    let own;
    let file = tokens;
    let tokens = if file.has_values() {
        file
    } else {
        own = DesignTokens::of_page(document);
        &own
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
    if !file.has_values() {
        let why = if file.given { "nothing in the design file was understood" } else { "no design file" };
        for measurement in &mut list {
            measurement.undecided.push(format!("{why}: measured against the page's own custom properties"));
        }
    }
    if let Some(first) = list.first_mut() {
        first.undecided.extend(file.unread.iter().take(MAX_UNREAD).map(ToString::to_string));
        if file.unread.len() > MAX_UNREAD {
            let more = file.unread.len() - MAX_UNREAD;
            first.undecided.push(format!("{more} more lines of the design file were not understood"));
        }
    }
    list
}
