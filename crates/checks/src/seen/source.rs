//! From what a browser shows back to where it is written.

use super::View;
use super::snapshot::SeenKind;
use crate::document::{Document, Page};
use crate::dom::NodeId;
use crate::place::SourceLocation;

/// The source of a page that was seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'d> {
    document: &'d Document,
    page: &'d Page,
}

impl<'d> Source<'d> {
    pub(crate) fn of(document: &'d Document) -> Option<Self> {
        Some(Self { document, page: document.page()? })
    }

    /// Where an element is written; for one that a script made, where the nearest element above it is.
    pub(crate) fn place(&self, view: &View, node: usize) -> Option<SourceLocation> {
        let snapshot = &view.rest;
        let mut chain = std::iter::once(node).chain(snapshot.above(node));
        chain.find_map(|at| Some((at, self.written(view, at)?))).map(|(at, id)| {
            let place = self.document.place_of(self.page, id);
            if at == node { place } else { SourceLocation { selector: Some(named(view, node)), ..place } }
        })
    }

    /// A selector for people.
    pub(crate) fn named(&self, view: &View, node: usize) -> String {
        match self.written(view, node) {
            Some(id) => self.page.dom.selector(id),
            None => named(view, node),
        }
    }

    /// The element of the source that is the same: in the same place, with the same name and id.
    fn written(&self, view: &View, node: usize) -> Option<NodeId> {
        let snapshot = &view.rest;
        let dom = &self.page.dom;
        let mut at = NodeId::DOCUMENT;
        for step in snapshot.path(node)? {
            at = dom.children(at).filter(|child| dom.element(*child).is_some()).nth(step)?;
        }
        let element = dom.element(at)?;
        let same = (*element.name).eq_ignore_ascii_case(&snapshot.nodes[node].name)
            && element.attr("id") == snapshot.attr(node, "id");
        same.then_some(at)
    }
}

/// A selector from the snapshot alone.
pub(super) fn named(view: &View, node: usize) -> String {
    let snapshot = &view.rest;
    let mut steps = Vec::new();
    for at in std::iter::once(node).chain(snapshot.above(node)) {
        let seen = &snapshot.nodes[at];
        if !matches!(seen.kind, SeenKind::Element | SeenKind::Pseudo) {
            continue;
        }
        if seen.kind == SeenKind::Pseudo {
            steps.push(format!("::{}", seen.name));
            continue;
        }
        match snapshot.attr(at, "id").filter(|id| !id.is_empty() && !id.contains(char::is_whitespace)) {
            Some(id) => {
                steps.push(format!("{}#{id}", seen.name));
                break;
            }
            None => steps.push(seen.name.clone()),
        }
        if steps.len() == 4 {
            break;
        }
    }
    steps.reverse();
    steps.join(" > ").replace(" > ::", "::")
}
