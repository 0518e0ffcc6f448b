//! A page, as the house looks at it.

use std::sync::Arc;
use tribunal_checks::{DesignTokens, Document};
use tribunal_kernel::Format;
use tribunal_kernel::theater::PageInput;

use super::Files;

/// A page with its texts.
pub(super) type Page = PageInput<Arc<str>>;

/// The page as a document.
pub(super) fn document(page: &Page, files: &Files) -> Document {
    match format(page) {
        Format::Html => Document::html_at(&page.text, files.addresses(), &|path| files.sheet(path)),
        Format::Markdown | Format::Plain => Document::markdown_at(&page.text, files.addresses()),
    }
}

/// What it is, whatever its author calls it: a page that is called a text is a page.
pub(super) fn format(page: &Page) -> Format {
    if tribunal_checks::is_page(&page.text) { Format::Html } else { page.format }
}

/// What its design file asks for; nothing, if there is none.
pub(super) fn tokens(page: &Page) -> DesignTokens {
    page.design.as_deref().map(DesignTokens::from_markdown).unwrap_or_default()
}
