//! A document ready to be measured: source, tree, sheets and styles.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    css::{
        cascade::Styles,
        media::Screen,
        sheet::{self, Declaration, Sheet},
        value::Display,
    },
    dom::{Dom, Element, Kind, NodeId},
    lint::DocumentFormat,
    markdown::Markdown,
    parse,
    place::{Lines, SourceLocation, Span},
    target::{Target, target},
};

/// Sheets that import sheets stop here.
const MAX_SHEETS: usize = 64;

/// A document ready to be measured.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) source: String,
    pub(crate) lines: Lines,
    pub(crate) body: Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Html(Box<Page>),
    Markdown(Markdown),
}

/// An HTML page with everything that its look depends on.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) dom: Dom,
    /// The browser's own sheet comes first.
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) inline: BTreeMap<NodeId, Vec<Declaration>>,
    pub(crate) styles: Styles,
    shown: Vec<Shown>,
    /// Style sheets that could not be read, by address.
    pub(crate) missing: Vec<String>,
    /// The sheets that were found, so that an edited page can be read without asking again.
    texts: BTreeMap<String, String>,
    pub(crate) language: Option<String>,
    /// The first element of every id.
    pub(crate) ids: BTreeMap<String, NodeId>,
}

impl Document {
    /// Reads a page. `stylesheets` gives the text of a linked or imported sheet by its address as written, or by its
    /// address relative to the page for sheets that other sheets import.
    pub fn html(source: &str, stylesheets: &dyn Fn(&str) -> Option<String>) -> Self {
        let dom = parse::parse(source);
        let page = Page::new(source, dom, stylesheets);
        Self { source: source.to_owned(), lines: Lines::new(source), body: Body::Html(Box::new(page)) }
    }

    pub fn markdown(source: &str) -> Self {
        Self { source: source.to_owned(), lines: Lines::new(source), body: Body::Markdown(Markdown::read(source)) }
    }

    /// The same document with another text: linked style sheets stay what they were.
    pub fn revised(&self, source: &str) -> Self {
        match &self.body {
            Body::Html(page) => Self::html(source, &|address| page.texts.get(address).cloned()),
            Body::Markdown(_) => Self::markdown(source),
        }
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn format(&self) -> DocumentFormat {
        match self.body {
            Body::Html(_) => DocumentFormat::Html,
            Body::Markdown(_) => DocumentFormat::Markdown,
        }
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        match &self.body {
            Body::Html(page) => Some(page),
            Body::Markdown(_) => None,
        }
    }

    /// Where a node stands; an inferred element stands where its first written ancestor does.
    pub(crate) fn place_of(&self, page: &Page, id: NodeId) -> SourceLocation {
        let offset = std::iter::once(id).chain(page.dom.ancestors(id)).find_map(|id| match &page.dom.node(id).kind {
            Kind::Element(element) => element.open.map(|open| open.start),
            Kind::Text { span, .. } | Kind::Comment { span } => Some(span.start),
            _ => None,
        });
        let element = if page.dom.element(id).is_some() { Some(id) } else { page.dom.node(id).parent };
        SourceLocation {
            selector: element.map(|id| page.dom.selector(id)).filter(|selector| !selector.is_empty()),
            ..self.lines.place(&self.source, offset.unwrap_or(0))
        }
    }

    pub(crate) fn place_at(&self, span: Span) -> SourceLocation {
        self.lines.place(&self.source, span.start)
    }
}

impl Page {
    fn new(source: &str, dom: Dom, stylesheets: &dyn Fn(&str) -> Option<String>) -> Self {
        let browser = Sheet { browser: true, ..Sheet::read(include_str!("../data/browser.css"), None, None) };
        let mut shelf = Shelf {
            stylesheets,
            sheets: vec![browser],
            missing: Vec::new(),
            texts: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        let mut inline = BTreeMap::new();
        let mut ids = BTreeMap::new();
        for (id, element) in dom.elements() {
            match dom.name(id) {
                "style" => shelf.embedded(source, &dom, id, element),
                "link" => shelf.linked(element),
                _ => {}
            }
            if let Some(name) = element.attr("id") {
                ids.entry(name.to_owned()).or_insert(id);
            }
            if let Some(style) = element.attr("style") {
                inline.insert(id, sheet::inline(style, attr_value(source, element, "style").map(|span| span.start)));
            }
        }
        let Shelf { sheets, missing, texts, .. } = shelf;
        let styles = Styles::compute(&dom, &sheets, &inline, Screen::USUAL);
        let language = dom.elements().find(|(id, _)| dom.name(*id) == "html").and_then(|(_, html)| html.attr("lang"));
        let language = language.map(str::trim).filter(|lang| !lang.is_empty()).map(str::to_owned);
        Self { shown: shown(&dom, &styles), sheets, inline, styles, missing, texts, language, ids, dom }
    }

    /// The sheets that authors wrote.
    pub(crate) fn authored(&self) -> &[Sheet] {
        self.sheets.get(1..).unwrap_or_default()
    }

    pub(crate) fn find(&self, name: &str) -> Option<(NodeId, &Element)> {
        self.dom.elements().find(|(id, _)| self.dom.name(*id) == name)
    }

    /// Every declaration of the authors, with the selector or `style` attribute that it stands in.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = (Where<'_>, &Declaration)> + '_ {
        let sheets = self.authored().iter().flat_map(|sheet| {
            sheet
                .rules
                .iter()
                .flat_map(|rule| rule.declarations.iter().map(move |one| (Where::Rule { selector: &rule.text }, one)))
        });
        let inline = self.inline.values().flat_map(|list| list.iter().map(|one| (Where::Attribute, one)));
        sheets.chain(inline)
    }

    /// Whether the element is on the page: neither it nor anything above is `display: none`, and it is not hidden.
    pub(crate) fn is_rendered(&self, id: NodeId) -> bool {
        self.shown[id.index()].displayed && !self.styles.of(id).hidden
    }

    /// Whether the element is there for eyes: rendered, not clipped away, not fully transparent.
    pub(crate) fn is_seen(&self, id: NodeId) -> bool {
        self.is_rendered(id) && self.shown[id.index()].clear
    }

    /// Whether the element is there for screen readers: rendered, and neither it nor anything above is `aria-hidden`.
    pub(crate) fn is_heard(&self, id: NodeId) -> bool {
        self.is_rendered(id) && self.shown[id.index()].heard
    }
}

/// What an element and everything above it say of being visible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    displayed: bool,
    clear: bool,
    heard: bool,
}

impl Shown {
    const WHOLLY: Self = Self { displayed: true, clear: true, heard: true };
}

fn shown(dom: &Dom, styles: &Styles) -> Vec<Shown> {
    let mut list = vec![Shown::WHOLLY; dom.nodes.len()];
    for (id, element) in dom.elements() {
        let style = styles.of(id);
        let parent = dom.node(id).parent;
        let above = parent.map_or(Shown::WHOLLY, |parent| list[parent.index()]);
        let folded = parent.is_some_and(|parent| {
            dom.name(parent) == "details" && dom.attr(parent, "open").is_none() && dom.name(id) != "summary"
        });
        list[id.index()] = Shown {
            displayed: above.displayed && style.display != Display::None && !folded,
            clear: above.clear && !style.clipped && style.opacity > 0.0,
            heard: above.heard && element.attr("aria-hidden") != Some("true"),
        };
    }
    list
}

/// Where a declaration stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Where<'p> {
    Rule { selector: &'p str },
    Attribute,
}

/// The place of an attribute's value in the source, without quotes; `None` when entities make it differ.
pub(crate) fn attr_value(source: &str, element: &Element, name: &str) -> Option<Span> {
    let open = element.open?;
    let span =
        crate::tag::attributes(open.of(source)).into_iter().find(|attr| attr.name.eq_ignore_ascii_case(name))?.value?;
    let span = Span::new(open.start + span.start, open.start + span.end);
    (span.of(source) == element.attr(name)?).then_some(span)
}

struct Shelf<'l> {
    stylesheets: &'l dyn Fn(&str) -> Option<String>,
    sheets: Vec<Sheet>,
    missing: Vec<String>,
    texts: BTreeMap<String, String>,
    seen: BTreeSet<String>,
}

impl Shelf<'_> {
    fn embedded(&mut self, source: &str, dom: &Dom, id: NodeId, element: &Element) {
        let media = element.attr("media").unwrap_or_default().to_owned();
        for child in dom.children(id) {
            if let Kind::Text { span, .. } = &dom.node(child).kind {
                // The source itself, not the decoded text: line ends differ, and places must not.
                let sheet = Sheet::read(span.of(source), Some(span.start), None);
                self.put(sheet, &media, "");
            }
        }
    }

    fn linked(&mut self, element: &Element) {
        let is_sheet = element.attr("rel").is_some_and(|rel| {
            let mut words = rel.split_ascii_whitespace();
            words.clone().any(|word| word.eq_ignore_ascii_case("stylesheet")) && !words.any(|word| word == "alternate")
        });
        if let (true, Some(address)) = (is_sheet, element.attr("href")) {
            self.fetch(address.trim(), element.attr("media").unwrap_or_default(), "");
        }
    }

    fn fetch(&mut self, address: &str, media: &str, base: &str) {
        let address = join(base, address);
        // A sheet that was read is not read again: that ends import circles.
        if self.sheets.len() >= MAX_SHEETS || !self.seen.insert(address.clone()) {
            return;
        }
        match (self.stylesheets)(&address) {
            Some(text) => {
                let sheet = Sheet::read(&text, None, Some(address.clone()));
                self.texts.insert(address.clone(), text);
                self.put(sheet, media, &address);
            }
            None => self.missing.push(address),
        }
    }

    /// Imports come before the sheet that imports them.
    fn put(&mut self, mut sheet: Sheet, media: &str, base: &str) {
        for import in std::mem::take(&mut sheet.imports) {
            self.fetch(&import.address, &import.media, base);
        }
        if !media.trim().is_empty() {
            sheet.media.push(media.to_owned());
            let index = sheet.media.len() - 1;
            sheet.rules.iter_mut().for_each(|rule| rule.media.push(index));
        }
        self.sheets.push(sheet);
    }
}

/// An address inside a sheet, relative to the page: sheets of other folders import and show what is beside them.
pub(crate) fn join(base: &str, address: &str) -> String {
    match (target(address), base.rsplit_once('/')) {
        (Target::Local(path), Some((folder, _))) => {
            let mut parts: Vec<&str> = folder.split('/').collect();
            for part in path.split('/') {
                match part {
                    ".." if !parts.is_empty() => drop(parts.pop()),
                    "." => {}
                    part => parts.push(part),
                }
            }
            parts.join("/")
        }
        (Target::Local(path), None) => path,
        _ => address.to_owned(),
    }
}
