//! Pages for the rules of anchors: what is misplaced in them, and which of their links lead nowhere.

use tribunal_anchors::{PageFault, PageInspector};

use crate::{
    a11y::lists::lists,
    document::Document,
    finding::MeasuredFinding,
    lint::{DocumentFormat, lint},
    production,
};

/// Reads pages with the parsers that measurements use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inspector;

impl PageInspector for Inspector {
    fn misplaced(&self, html: &str) -> Vec<PageFault> {
        let page = Document::html(html, &|_address| None);
        let lists = page.page().and_then(|inner| lists(&page, inner));
        let found = lists.into_iter().chain(production(&page, &|_path| true)).flat_map(|one| one.findings);
        found
            .filter(|finding| matches!(finding.code, "list.nesting" | "markup.nesting" | "markup.duplicate-id"))
            .map(|finding| fault(finding.evidence.clone(), &finding))
            .collect()
    }

    fn dead_links(&self, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<PageFault> {
        let found = lint(text, DocumentFormat::of_page(text), exists).into_iter();
        found
            .filter(|finding| matches!(finding.code, "link.dead" | "link.dead-anchor"))
            .map(|finding| fault(format!("`{}` leads nowhere: {}", finding.evidence, finding.text), &finding))
            .collect()
    }
}

fn fault(message: String, finding: &MeasuredFinding) -> PageFault {
    PageFault { message, at: finding.place.as_ref().map(|place| (place.line, place.column)) }
}
