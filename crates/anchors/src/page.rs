//! What only a parser of pages can tell of a draft, asked of whoever has one.
//!
//! Parsers of HTML and Markdown are large, and everything that is pure is built on this crate: so it does not have one.

use std::fmt::Debug;

/// Reads pages for the rules that need more than the text. Pure, like everything here: the same text gives the same
/// faults.
pub trait PageInspector: Debug + Send + Sync {
    /// Elements of an HTML page that stand where they must not, and ids that are given twice.
    fn misplaced(&self, html: &str) -> Vec<PageFault>;

    /// Links of an HTML page or a Markdown text that lead nowhere. `exists` says whether a path relative to it is there.
    fn dead_links(&self, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<PageFault>;
}

/// What is wrong with a page, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFault {
    pub message: String,
    /// Line and column, both from 1, where there is a place.
    pub at: Option<(u32, u32)>,
}
