//! A document ready to be measured: source, tree, sheets and styles.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    address::{Addresses, Destination},
    css::{
        cascade::{Sources, Styles},
        font_service::FontService,
        hints,
        media::Screen,
        placing::{FAR, Offset, Position},
        select::{count_matches, parse_list},
        sheet::{self, Declaration, Sheet},
        style::Style,
        value::Display,
    },
    dom::{Dom, Element, Kind, NodeId},
    lint::{DocumentFormat, based},
    markdown::Markdown,
    parse,
    place::{Lines, SourceLocation, Span},
};

/// Sheets that import sheets stop here.
const MAX_SHEETS: usize = 64;

/// A document ready to be measured.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) source: String,
    pub(crate) lines: Lines,
    pub(crate) body: Body,
    /// Where it lies.
    pub(crate) addresses: Addresses,
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
    /// What old attributes such as `bgcolor` ask for.
    hints: BTreeMap<NodeId, Vec<Declaration>>,
    pub(crate) styles: Styles,
    shown: Vec<Shown>,
    /// Style sheets that could not be read.
    pub(crate) missing: Vec<Unread>,
    /// The sheets that were found, in the order of the numbers that spans name them by.
    pub(crate) linked: Vec<LinkedSheet>,
    pub(crate) language: Option<String>,
    /// The first element of every id.
    pub(crate) ids: BTreeMap<String, NodeId>,
}

/// A style sheet of a file of its own.
#[derive(Debug, Clone)]
pub(crate) struct LinkedSheet {
    /// Its path below the root.
    pub(crate) path: String,
    pub(crate) text: Arc<str>,
    lines: Lines,
}

/// A style sheet that could not be read: how the page would look is not known then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    /// Its path below the root, or its address where it has none.
    pub(crate) address: String,
    why: &'static str,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the style sheet `{}` {}", self.address, self.why)
    }
}

impl Document {
    /// Reads a page that lies at the root. `stylesheets` gives the text of a linked or imported sheet by its path below
    /// the root.
    pub fn html(source: &str, stylesheets: &dyn Fn(&str) -> Option<String>) -> Self {
        Self::html_at(source, &Addresses::default(), stylesheets)
    }

    /// Reads a page of which it is known where it lies.
    pub fn html_at(source: &str, addresses: &Addresses, stylesheets: &dyn Fn(&str) -> Option<String>) -> Self {
        let dom = parse::parse(source);
        let page = Page::new(source, dom, addresses, stylesheets);
        let body = Body::Html(Box::new(page));
        Self { source: source.to_owned(), lines: Lines::new(source), body, addresses: addresses.clone() }
    }

    pub fn markdown(source: &str) -> Self {
        Self::markdown_at(source, &Addresses::default())
    }

    /// Reads a text of which it is known where it lies.
    pub fn markdown_at(source: &str, addresses: &Addresses) -> Self {
        let body = Body::Markdown(Markdown::read(source));
        Self { source: source.to_owned(), lines: Lines::new(source), body, addresses: addresses.clone() }
    }

    /// The same document with another text: linked style sheets stay what they were.
    pub fn revised(&self, source: &str) -> Self {
        self.rewritten(source, &BTreeMap::new())
    }

    /// The same document with another text, and with other texts of some of its linked style sheets, by path.
    pub fn rewritten(&self, source: &str, sheets: &BTreeMap<String, String>) -> Self {
        match &self.body {
            Body::Html(page) => {
                let linked = |path: &str| page.linked.iter().find(|sheet| sheet.path == path);
                let text = |path: &str| linked(path).map(|sheet| sheet.text.to_string());
                Self::html_at(source, &self.addresses, &|path| sheets.get(path).cloned().or_else(|| text(path)))
            }
            Body::Markdown(_) => Self::markdown_at(source, &self.addresses),
        }
    }

    /// The text of a linked style sheet, by its path.
    pub fn sheet_text(&self, path: &str) -> Option<&str> {
        self.page()?.linked.iter().find(|sheet| sheet.path == path).map(|sheet| &*sheet.text)
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

    /// How many elements a selector finds; none in Markdown, or where it is no selector.
    pub fn matches(&self, selector: &str) -> usize {
        let list = parse_list(&mut cssparser::Parser::new(selector), false);
        self.page().zip(list).map_or(0, |(page, list)| count_matches(&page.dom, &list))
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

    /// Where a span begins, in the document or in a linked sheet.
    pub(crate) fn place_at(&self, span: Span) -> SourceLocation {
        match self.linked(span) {
            Some(sheet) => {
                SourceLocation { file: Some(sheet.path.clone()), ..sheet.lines.place(&sheet.text, span.start) }
            }
            None => self.lines.place(&self.source, span.start),
        }
    }

    /// The linked sheet that a span lies in, unless it lies in the document itself.
    pub(crate) fn linked(&self, span: Span) -> Option<&LinkedSheet> {
        let number = usize::try_from(span.sheet).ok()?.checked_sub(1)?;
        self.page()?.linked.get(number)
    }
}

impl Page {
    fn new(source: &str, dom: Dom, addresses: &Addresses, stylesheets: &dyn Fn(&str) -> Option<String>) -> Self {
        let browser = Sheet { browser: true, ..Sheet::read(include_str!("../data/browser.css"), None, None) };
        let mut shelf = Shelf {
            stylesheets,
            sheets: vec![browser],
            missing: Vec::new(),
            linked: Vec::new(),
            seen: BTreeSet::new(),
            addresses: based(&dom, addresses),
        };
        let mut inline = BTreeMap::new();
        let mut hints = BTreeMap::new();
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
            if let Some(hinted) = hints::of(&dom, id, element) {
                hints.insert(id, hinted);
            }
            if let Some(style) = element.attr("style") {
                inline.insert(id, sheet::inline(style, attr_value(source, element, "style")));
            }
        }
        let Shelf { sheets, missing, linked, .. } = shelf;
        let sources = Sources { dom: &dom, sheets: &sheets, hints: &hints, inline: &inline };
        let styles = Styles::compute(&sources, Screen::USUAL);
        let language = dom.elements().find(|(id, _)| dom.name(*id) == "html").and_then(|(_, html)| html.attr("lang"));
        let language = language.map(str::trim).filter(|lang| !lang.is_empty()).map(str::to_owned);
        Self { shown: shown(&dom, &styles), sheets, inline, hints, styles, missing, linked, language, ids, dom }
    }

    /// The styles on another screen.
    pub(crate) fn styles_on(&self, screen: Screen) -> Styles {
        let sources = Sources { dom: &self.dom, sheets: &self.sheets, hints: &self.hints, inline: &self.inline };
        Styles::compute(&sources, screen)
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
        self.is_rendered(id) && self.shown[id.index()].clear && self.styles.of(id).indent.abs() < FAR
    }

    /// Whether nobody can use the element, because it or something above it is `inert`.
    pub(crate) fn is_inert(&self, id: NodeId) -> bool {
        self.shown[id.index()].inert
    }

    /// Why the look of the page is not known, if so: measurements of it are undecided then.
    pub(crate) fn unread(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        if self.styles.incomplete {
            reasons.push("the page is too large for all of its style rules: some of them were left out".to_owned());
        }
        reasons
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
    inert: bool,
}

impl Shown {
    const WHOLLY: Self = Self { displayed: true, clear: true, heard: true, inert: false };
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
            clear: above.clear && !style.clipped && style.opacity > 0.0 && !is_shut(style) && !is_far(style),
            heard: above.heard && element.attr("aria-hidden") != Some("true") && !element.has("inert"),
            inert: above.inert || element.has("inert"),
        };
    }
    list
}

/// A box without room that lets nothing out of it.
fn is_shut(style: &Style) -> bool {
    let at_most = |length: Option<f64>, limit: f64| length.is_some_and(|length| length <= limit);
    let is_flat = at_most(style.height, 0.0) && !style.min_height.is_some_and(|least| least > 0.0)
        || at_most(style.placing.max_height, 0.0)
        || at_most(style.width, 0.0);
    style.placing.cut && (is_flat || (at_most(style.height, 1.0) && at_most(style.width, 1.0)))
}

/// A box that is put where nobody looks: far off, or pinned beside the window, where nobody scrolls to.
fn is_far(style: &Style) -> bool {
    let placing = &style.placing;
    let is_off = |side: usize| match placing.offsets[side] {
        Offset::Px(px) if px <= -FAR => true,
        Offset::Px(px) if placing.position == Position::Fixed => {
            let size = if side.is_multiple_of(2) { style.height } else { style.width };
            size.is_some_and(|size| size > 0.0 && px <= -size)
        }
        _ => false,
    };
    placing.position.is_out() && (0..4).any(is_off)
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
    missing: Vec<Unread>,
    linked: Vec<LinkedSheet>,
    seen: BTreeSet<String>,
    addresses: Addresses,
}

impl Shelf<'_> {
    fn embedded(&mut self, source: &str, dom: &Dom, id: NodeId, element: &Element) {
        let media = element.attr("media").unwrap_or_default().to_owned();
        for child in dom.children(id) {
            if let Kind::Text { span, .. } = &dom.node(child).kind {
                // The source itself, not the decoded text: line ends differ, and places must not.
                let sheet = Sheet::read(span.of(source), Some(*span), None);
                self.put(sheet, std::slice::from_ref(&media), None, None);
            }
        }
    }

    fn linked(&mut self, element: &Element) {
        let is_sheet = element.attr("rel").is_some_and(|rel| {
            let mut words = rel.split_ascii_whitespace();
            words.clone().any(|word| word.eq_ignore_ascii_case("stylesheet"))
                && !words.any(|word| word.eq_ignore_ascii_case("alternate"))
        });
        // A sheet that a script or an event puts to use once it is there will be in use.
        let later = element.attr("onload").is_some_and(|code| code.contains("this.rel") || code.contains("this.media"));
        let is_sheet = is_sheet || (later && element.attr("as") == Some("style"));
        let media = if later { "" } else { element.attr("media").unwrap_or_default() };
        if let (true, false, Some(address)) = (is_sheet, element.has("disabled"), element.attr("href")) {
            self.fetch(address, &[media.to_owned()], None, None);
        }
    }

    /// Reads a sheet that the page links, or that the sheet `from` imports.
    fn fetch(&mut self, address: &str, media: &[String], layer: Option<&str>, from: Option<&str>) {
        // What is for print alone is of no use here, read or not.
        let is_shown = |screen: Screen| media.iter().all(|query| screen.holds(query));
        if !is_shown(Screen::USUAL) && !is_shown(Screen::DARK) && media.iter().any(|query| is_print(query)) {
            return;
        }
        let moved = from.map(|path| self.addresses.from_file(path));
        let unread = |address: String, why: &'static str| Unread { address, why };
        let path = match moved.as_ref().unwrap_or(&self.addresses).resolve(address) {
            Destination::File { path, .. } => path,
            // An empty address loads nothing.
            Destination::Nowhere | Destination::Fragment(_) => return,
            Destination::Outside => return self.miss(unread(address.to_owned(), "lies outside of the root")),
            Destination::Site(path) => {
                return self.miss(unread(path, "is at the site's root, and nobody said where that is"));
            }
            Destination::Elsewhere => {
                let Some(service) = FontService::of(address) else {
                    return self.miss(unread(address.to_owned(), "is of another site, which is not asked"));
                };
                if let Some(rules) = service.unsure_rules() {
                    self.put(Sheet::read(&rules, None, None), media, layer, None);
                }
                return;
            }
            Destination::Data => {
                return self.miss(unread("data:…".to_owned(), "stands in its address, which is not read"));
            }
        };
        // A sheet that was read is not read again: that ends import circles.
        if self.sheets.len() >= MAX_SHEETS {
            return self.miss(unread(path, "is one too many"));
        }
        if !self.seen.insert(path.clone()) {
            return;
        }
        let Some(text) = (self.stylesheets)(&path) else {
            return self.miss(unread(path, "was not there to read"));
        };
        let number = u32::try_from(self.linked.len() + 1).unwrap_or(u32::MAX);
        let base = Span { sheet: number, ..Span::new(0, 0) };
        let sheet = Sheet::read(&text, Some(base), Some(path.clone()));
        self.linked.push(LinkedSheet { path: path.clone(), lines: Lines::new(&text), text: text.into() });
        self.put(sheet, media, layer, Some(&path));
    }

    fn miss(&mut self, unread: Unread) {
        if !self.missing.contains(&unread) {
            self.missing.push(unread);
        }
    }

    /// Imports come before the sheet that imports them.
    fn put(&mut self, mut sheet: Sheet, media: &[String], layer: Option<&str>, from: Option<&str>) {
        for import in std::mem::take(&mut sheet.imports) {
            let queries: Vec<String> = media.iter().chain([&import.media]).cloned().collect();
            let inner = match (layer, import.layer) {
                (Some(outer), Some(inner)) => Some(format!("{outer}.{inner}")),
                (outer, inner) => inner.or_else(|| outer.map(str::to_owned)),
            };
            self.fetch(&import.address, &queries, inner.as_deref(), from);
        }
        for query in media.iter().filter(|query| !query.trim().is_empty()) {
            sheet.media.push(query.clone());
            let index = sheet.media.len() - 1;
            sheet.rules.iter_mut().for_each(|rule| rule.media.push(index));
        }
        if let Some(layer) = layer {
            sheet.layers.iter_mut().for_each(|name| *name = format!("{layer}.{name}"));
            sheet.layers.insert(0, layer.to_owned());
            for rule in &mut sheet.rules {
                rule.layer =
                    Some(rule.layer.as_ref().map_or_else(|| layer.to_owned(), |name| format!("{layer}.{name}")));
            }
        }
        self.sheets.push(sheet);
    }
}

fn is_print(query: &str) -> bool {
    query.trim().to_ascii_lowercase().starts_with("print")
}
