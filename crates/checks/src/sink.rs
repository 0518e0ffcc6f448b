//! The sink that the HTML parser builds our tree with.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
};

use html5ever::{
    Attribute, LocalName, Namespace, QualName, local_name,
    tendril::StrTendril,
    tree_builder::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

use crate::{
    dom::{Attr, Dom, Element, Kind, NodeId},
    place::Span,
};

/// The tag that is being processed, which the elements it makes are placed at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tag {
    None,
    Start(LocalName, Span),
}

#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) dom: RefCell<Dom>,
    pub(crate) tag: RefCell<Tag>,
    /// Where the text that is being processed began.
    pub(crate) text_start: Cell<usize>,
    /// How far the tokenizer has been fed.
    pub(crate) fed: Cell<usize>,
    /// The element that the tag being processed made.
    pub(crate) made: Cell<Option<NodeId>>,
}

/// An element's name by value: the tree may change while the parser looks at it.
#[derive(Debug)]
pub(crate) struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl Sink {
    pub(crate) fn new() -> Self {
        Self {
            dom: RefCell::new(Dom::new()),
            tag: RefCell::new(Tag::None),
            text_start: Cell::new(0),
            fed: Cell::new(0),
            made: Cell::new(None),
        }
    }

    fn text_span(&self) -> Span {
        Span::new(self.text_start.get(), self.fed.get())
    }

    fn node(child: NodeOrText<NodeId>) -> Result<NodeId, StrTendril> {
        match child {
            NodeOrText::AppendNode(node) => Ok(node),
            NodeOrText::AppendText(text) => Err(text),
        }
    }

    /// Joins text to a text node that is already there, as the parser expects.
    fn join(&self, before: Option<NodeId>, text: &str) -> bool {
        let mut dom = self.dom.borrow_mut();
        let Some(before) = before else { return false };
        let end = self.fed.get();
        match &mut dom.node_mut(before).kind {
            Kind::Text { text: have, span } => {
                have.push_str(text);
                span.end = end;
                true
            }
            _ => false,
        }
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Dom;
    type ElemName<'a> = Name;

    fn finish(self) -> Dom {
        self.dom.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        let dom = self.dom.borrow();
        let element = dom.element(*target).expect("the parser asks elements only");
        Name(QualName::new(None, element.namespace.clone(), element.name.clone()))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let open = match &*self.tag.borrow() {
            Tag::Start(tag, span) if *tag == name.local => Some(*span),
            _ => None,
        };
        let attrs: Vec<Attr> =
            attrs.into_iter().map(|a| Attr { name: a.name.local, value: a.value.to_string() }).collect();
        let class = attrs.iter().find(|attr| attr.name == local_name!("class"));
        let element = Element {
            name: name.local,
            namespace: name.ns,
            classes: class
                .map_or_else(Vec::new, |class| class.value.split_ascii_whitespace().map(LocalName::from).collect()),
            attrs,
            open,
            close: None,
        };
        let mut dom = self.dom.borrow_mut();
        let id = dom.create(Kind::Element(element));
        if flags.template {
            // The contents hang under the template without being its children.
            let contents = dom.create(Kind::Fragment);
            dom.node_mut(id).last = Some(contents);
        }
        if open.is_some() {
            self.made.set(Some(id));
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        let span = self.text_span();
        self.dom.borrow_mut().create(Kind::Comment { span })
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> NodeId {
        self.create_comment(data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match Self::node(child) {
            Ok(node) => self.dom.borrow_mut().append(*parent, node),
            Err(text) => {
                let last = self.dom.borrow().node(*parent).last;
                if !self.join(last, &text) {
                    let span = self.text_span();
                    let mut dom = self.dom.borrow_mut();
                    let node = dom.create(Kind::Text { text: text.to_string(), span });
                    dom.append(*parent, node);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, prev_element: &NodeId, child: NodeOrText<NodeId>) {
        if self.dom.borrow().node(*element).parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        let span = self.text_span();
        self.dom.borrow_mut().doctype = Some(span);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.dom.borrow().node(*target).last.expect("a template is made with its contents")
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        match Self::node(child) {
            Ok(node) => self.dom.borrow_mut().insert_before(*sibling, node),
            Err(text) => {
                let prev = self.dom.borrow().node(*sibling).prev;
                if !self.join(prev, &text) {
                    let span = self.text_span();
                    let mut dom = self.dom.borrow_mut();
                    let node = dom.create(Kind::Text { text: text.to_string(), span });
                    dom.insert_before(*sibling, node);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        let open = match &*self.tag.borrow() {
            Tag::Start(name, span) => Some((name.clone(), *span)),
            Tag::None => None,
        };
        let mut dom = self.dom.borrow_mut();
        let Kind::Element(element) = &mut dom.node_mut(*target).kind else { return };
        for attr in attrs {
            if !element.has(&attr.name.local) {
                element.attrs.push(Attr { name: attr.name.local, value: attr.value.to_string() });
            }
        }
        // An inferred html or body whose tag comes late is written there after all.
        if let Some((name, span)) = open
            && element.open.is_none()
            && element.name == name
        {
            element.open = Some(span);
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.dom.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut dom = self.dom.borrow_mut();
        while let Some(child) = dom.node(*node).first {
            dom.append(*new_parent, child);
        }
    }
}
