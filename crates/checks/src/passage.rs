//! The words of a document as passages: one block of text each, which knows where its pieces stand.

use crate::{
    css::value::Display,
    document::{Body, Document, Page},
    dom::{Kind, NodeId},
    markdown::{Markdown, Role as Source},
    place::{SourceLocation, Span},
};

/// What a passage is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Heading,
    Prose,
    Item,
    /// A button or a link that looks like one.
    Action,
    /// Menus, tables, small print: words, but no sentences.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
struct Piece {
    /// Where it begins in the passage.
    at: usize,
    span: Span,
    /// Whether the source has it word by word.
    exact: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passage {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) node: Option<NodeId>,
    pieces: Vec<Piece>,
}

impl Passage {
    /// Where a part of the passage stands in the source, when it is one stretch of it.
    pub(crate) fn span(&self, from: usize, to: usize) -> Option<Span> {
        let index = self.pieces.partition_point(|piece| piece.at <= from).checked_sub(1)?;
        let piece = &self.pieces[index];
        let ends = self.pieces.get(index + 1).map_or(self.text.len(), |next| next.at);
        let start = piece.span.start + (from - piece.at);
        (piece.exact && to <= ends).then(|| Span::new(start, start + (to - from)))
    }

    /// Where to send a reader for something at `from`: exactly there, or to where its piece begins.
    pub(crate) fn place(&self, document: &Document, from: usize) -> Option<SourceLocation> {
        let index = self.pieces.partition_point(|piece| piece.at <= from).checked_sub(1)?;
        let piece = &self.pieces[index];
        let offset = if piece.exact { piece.span.start + (from - piece.at) } else { piece.span.start };
        let place = document.place_at(Span::new(offset, offset));
        let selector = self.node.and_then(|node| document.page().map(|page| page.dom.selector(node)));
        Some(SourceLocation { selector, ..place })
    }

    fn push(&mut self, text: &str, span: Span, source: &str) {
        let exact = span.of(source).starts_with(text);
        self.pieces.push(Piece { at: self.text.len(), span, exact });
        self.text.push_str(text);
    }
}

pub(crate) fn passages(document: &Document) -> Vec<Passage> {
    match &document.body {
        Body::Html(page) => html(document, page),
        Body::Markdown(body) => markdown(document, body),
    }
}

fn html(document: &Document, page: &Page) -> Vec<Passage> {
    let mut list: Vec<Passage> = Vec::new();
    let mut seen: Option<(NodeId, bool)> = None;
    for id in page.dom.descendants(NodeId::DOCUMENT) {
        let Kind::Text { text, span } = &page.dom.node(id).kind else { continue };
        let Some(parent) = page.dom.node(id).parent else { continue };
        // Many pieces of one element share the answer.
        let shows = match seen {
            Some((node, shows)) if node == parent => shows,
            _ => page.is_rendered(parent) && !is_code(page, parent),
        };
        seen = Some((parent, shows));
        if !shows || (text.trim().is_empty() && list.is_empty()) {
            continue;
        }
        let (block, role) = block(page, parent);
        match list.last_mut() {
            Some(last) if last.node == Some(block) => last.push(text, *span, &document.source),
            _ if text.trim().is_empty() => {}
            _ => {
                let mut passage = Passage { text: String::new(), role, node: Some(block), pieces: Vec::new() };
                passage.push(text, *span, &document.source);
                list.push(passage);
            }
        }
    }
    list
}

fn is_code(page: &Page, id: NodeId) -> bool {
    std::iter::once(id).chain(page.dom.ancestors(id)).any(|node| {
        matches!(
            page.dom.name(node),
            "code" | "pre" | "kbd" | "samp" | "script" | "style" | "textarea" | "select" | "head"
        ) || page.dom.element(node).is_some_and(|element| !element.is_html())
    })
}

/// The block that a piece of text belongs to, and what the block is for.
fn block(page: &Page, parent: NodeId) -> (NodeId, Role) {
    let mut block = None;
    let mut role = Role::Prose;
    for node in std::iter::once(parent).chain(page.dom.ancestors(parent)) {
        let Some(element) = page.dom.element(node) else { break };
        if is_action(page, node) {
            return (node, Role::Action);
        }
        if block.is_none() && page.styles.of(node).display != Display::Inline {
            block = Some(node);
        }
        match &*element.name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => return (node, Role::Heading),
            "li" | "dt" | "dd" if role == Role::Prose => role = Role::Item,
            "nav" | "table" | "label" | "footer" | "legend" | "figcaption" | "summary" => role = Role::Other,
            _ => {}
        }
    }
    (block.unwrap_or(parent), role)
}

/// A button, or a link that looks like one.
pub(crate) fn is_action(page: &Page, id: NodeId) -> bool {
    let Some(element) = page.dom.element(id) else { return false };
    match &*element.name {
        "button" => true,
        "a" => {
            let named = element.classes.iter().any(|class| {
                let class = class.to_ascii_lowercase();
                ["btn", "button", "cta"].iter().any(|word| class.contains(word))
            });
            named || element.attr("role") == Some("button")
        }
        _ => false,
    }
}

fn markdown(document: &Document, markdown: &Markdown) -> Vec<Passage> {
    let mut list: Vec<(usize, Passage)> = Vec::new();
    for run in &markdown.runs {
        let role = match run.role {
            Source::Heading => Role::Heading,
            Source::Prose => Role::Prose,
            Source::Item => Role::Item,
            Source::Cell => Role::Other,
            Source::Html => continue,
        };
        match list.last_mut() {
            Some((block, passage)) if *block == run.block => {
                // What stands between two runs is markup or a line's end, which readers take for a space.
                let gap = passage.pieces.last().is_none_or(|piece| piece.span.end < run.span.start);
                let joins = gap
                    && document
                        .source
                        .get(passage.end()..run.span.start)
                        .is_some_and(|s| s.contains(char::is_whitespace));
                if joins {
                    passage.text.push(' ');
                }
                passage.push(&run.text, run.span, &document.source);
            }
            _ => {
                let mut passage = Passage { text: String::new(), role, node: None, pieces: Vec::new() };
                passage.push(&run.text, run.span, &document.source);
                list.push((run.block, passage));
            }
        }
    }
    list.into_iter().map(|(_, passage)| passage).collect()
}

impl Passage {
    fn end(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.span.end)
    }
}
