//! The document tree: an arena of nodes that know where in the source they stand.

use std::{borrow::Cow, collections::BTreeMap, sync::OnceLock};

use html5ever::{LocalName, Namespace, local_name, ns};

use crate::place::Span;

/// A node's index in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) const DOCUMENT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Attr {
    pub(crate) name: LocalName,
    pub(crate) value: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: LocalName,
    pub(crate) namespace: Namespace,
    pub(crate) attrs: Vec<Attr>,
    /// The names in `class`, as atoms: selectors compare them most of all.
    pub(crate) classes: Vec<LocalName>,
    /// The start tag; `None` for elements that the parser inferred.
    pub(crate) open: Option<Span>,
    /// The end tag, where there is one.
    pub(crate) close: Option<Span>,
}

impl Element {
    pub(crate) fn attr(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|attr| &*attr.name == name).map(|attr| attr.value.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// Its `type`, in small letters: HTML takes them in any.
    pub(crate) fn kind(&self) -> Option<Cow<'_, str>> {
        let kind = self.attr("type")?;
        let is_small = !kind.contains(|c: char| c.is_ascii_uppercase());
        Some(if is_small { Cow::Borrowed(kind) } else { Cow::Owned(kind.to_ascii_lowercase()) })
    }

    pub(crate) fn is_html(&self) -> bool {
        self.namespace == ns!(html)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Document,
    /// A template's contents, which are no part of the page.
    Fragment,
    Element(Element),
    /// Decoded text and the source it was read from.
    Text {
        text: String,
        span: Span,
    },
    Comment {
        span: Span,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) parent: Option<NodeId>,
    pub(crate) prev: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
    pub(crate) first: Option<NodeId>,
    pub(crate) last: Option<NodeId>,
}

#[derive(Debug, Clone)]
pub(crate) struct Dom {
    pub(crate) nodes: Vec<Node>,
    /// Why part of the source is not in the tree, if so.
    pub(crate) cut: Option<&'static str>,
    pub(crate) doctype: Option<Span>,
    /// How many elements have an id, counted when somebody asks for it after the tree is made.
    ids: OnceLock<BTreeMap<String, u32>>,
}

impl Dom {
    pub(crate) fn new() -> Self {
        let mut dom = Self { nodes: Vec::new(), cut: None, doctype: None, ids: OnceLock::new() };
        dom.create(Kind::Document);
        dom
    }

    pub(crate) fn create(&mut self, kind: Kind) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("the parser stops long before 2^32 nodes"));
        self.nodes.push(Node { kind, parent: None, prev: None, next: None, first: None, last: None });
        id
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(crate) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.node(id).kind {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The name of an HTML element; other vocabularies have none that we would mistake.
    pub(crate) fn name(&self, id: NodeId) -> &str {
        self.element(id).filter(|element| element.is_html()).map_or("", |element| &element.name)
    }

    pub(crate) fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attr(name)
    }

    pub(crate) fn detach(&mut self, id: NodeId) {
        let &Node { parent, prev, next, .. } = self.node(id);
        let Some(parent) = parent else { return };
        match prev {
            Some(prev) => self.node_mut(prev).next = next,
            None => self.node_mut(parent).first = next,
        }
        match next {
            Some(next) => self.node_mut(next).prev = prev,
            None => self.node_mut(parent).last = prev,
        }
        let node = self.node_mut(id);
        (node.parent, node.prev, node.next) = (None, None, None);
    }

    pub(crate) fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.node(parent).last;
        let node = self.node_mut(child);
        (node.parent, node.prev) = (Some(parent), last);
        match last {
            Some(last) => self.node_mut(last).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
        self.node_mut(parent).last = Some(child);
    }

    pub(crate) fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let Some(parent) = self.node(sibling).parent else { return };
        let prev = self.node(sibling).prev;
        let node = self.node_mut(child);
        (node.parent, node.prev, node.next) = (Some(parent), prev, Some(sibling));
        self.node_mut(sibling).prev = Some(child);
        match prev {
            Some(prev) => self.node_mut(prev).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).first, |child| self.node(*child).next)
    }

    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).parent, |node| self.node(*node).parent)
    }

    /// Every node below `root` in document order, without recursion.
    pub(crate) fn descendants(&self, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut next = self.node(root).first;
        std::iter::from_fn(move || {
            let current = next?;
            next = self.following(current, root);
            Some(current)
        })
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = (NodeId, &Element)> + '_ {
        self.descendants(NodeId::DOCUMENT).filter_map(|id| Some((id, self.element(id)?)))
    }

    /// The text below a node, white space collapsed.
    pub(crate) fn text(&self, id: NodeId) -> String {
        let mut text = String::new();
        for node in self.descendants(id) {
            if let Kind::Text { text: piece, .. } = &self.node(node).kind {
                text.push_str(piece);
            }
        }
        collapse(&text)
    }

    /// A selector that a person recognises and that finds this element alone: from its id, or the nearest one above
    /// it, or from the page's root, step by step.
    pub(crate) fn selector(&self, id: NodeId) -> String {
        let mut steps = Vec::new();
        for node in std::iter::once(id).chain(self.ancestors(id)) {
            let Some(element) = self.element(node) else { break };
            let own = element.attr("id").filter(|id| is_plain(id) && self.is_single(id));
            if let Some(id) = own {
                steps.push(format!("{}#{id}", name_of(element)));
                break;
            }
            // There is one body, and nothing else that could be meant.
            let is_body = element.is_html() && matches!(&*element.name, "body" | "head" | "html");
            if is_body && (!steps.is_empty() || element.name == local_name!("html")) {
                steps.extend((&*element.name != "html" || steps.is_empty()).then(|| element.name.to_string()));
                break;
            }
            steps.push(self.step(node, element));
        }
        steps.reverse();
        steps.join(" > ")
    }

    fn step(&self, id: NodeId, element: &Element) -> String {
        let name = name_of(element);
        let Some(parent) = self.node(id).parent else { return name };
        let class = element.attr("class").and_then(|class| class.split_ascii_whitespace().find(|c| is_plain(c)));
        let is_same = |other: &Element| other.name == element.name && other.namespace == element.namespace;
        let mut same = self.children(parent).filter(|child| self.element(*child).is_some_and(is_same)).enumerate();
        let Some((before, _)) = same.by_ref().find(|(_, child)| *child == id) else { return name };
        let alone = before == 0 && same.next().is_none();
        match class {
            Some(class) if alone => format!("{name}.{class}"),
            _ if alone => name,
            Some(class) => format!("{name}.{class}:nth-of-type({})", before + 1),
            None => format!("{name}:nth-of-type({})", before + 1),
        }
    }

    /// Whether one element, and no more, has this id.
    fn is_single(&self, id: &str) -> bool {
        let counts = self.ids.get_or_init(|| {
            let mut counts = BTreeMap::new();
            for (_, element) in self.elements() {
                if let Some(id) = element.attr("id") {
                    *counts.entry(id.to_owned()).or_insert(0_u32) += 1;
                }
            }
            counts
        });
        counts.get(id) == Some(&1)
    }

    fn following(&self, node: NodeId, root: NodeId) -> Option<NodeId> {
        if let Some(first) = self.node(node).first {
            return Some(first);
        }
        let mut node = node;
        while node != root {
            if let Some(next) = self.node(node).next {
                return Some(next);
            }
            node = self.node(node).parent?;
        }
        None
    }
}

/// White space collapsed and trimmed, as a page shows it.
pub(crate) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// An element's name as a selector has it.
fn name_of(element: &Element) -> String {
    let mut name = String::new();
    let _ = cssparser::serialize_identifier(&element.name, &mut name);
    name
}

fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
