//! The words of a document as passages: one block of text each, which knows where its pieces stand, and which of its words are
//! not to be judged.

use crate::{
    copy::{guard, words::Language},
    css::value::Display,
    document::{Body, Document, Page},
    dom::{Kind, NodeId},
    markdown::{Markdown, Role as Source},
    place::{SourceLocation, Span},
};

/// Stands in a passage for what is between words and is none: code, a picture, a field.
pub(crate) const OBJECT: char = '\u{fffc}';
/// Stands for a line's end that the author asked for.
pub(crate) const BREAK: char = '\u{2029}';

/// What a passage is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Heading,
    Prose,
    Item,
    /// A button or a link that looks like one.
    Action,
    /// What others said, and words that nobody may change: quotations, licences.
    Quote,
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
    /// What the markup says of its language.
    pub(crate) language: Option<Language>,
    pieces: Vec<Piece>,
    /// From where to where words are not the author's own, or no words: sorted, and apart from each other.
    guarded: Vec<(usize, usize)>,
    /// How many bytes are in links.
    linked: usize,
}

impl Passage {
    fn new(role: Role, node: Option<NodeId>, language: Option<Language>) -> Self {
        let text = String::new();
        Self { text, role, node, language, pieces: Vec::new(), guarded: Vec::new(), linked: 0 }
    }

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

    /// Whether anything from `from` to `to` is not to be judged.
    pub(crate) fn guards(&self, from: usize, to: usize) -> bool {
        let index = self.guarded.partition_point(|(_, end)| *end <= from);
        self.guarded.get(index).is_some_and(|(start, _)| *start < to)
    }

    /// Keeps more words from being judged.
    pub(crate) fn guard(&mut self, more: impl IntoIterator<Item = (usize, usize)>) {
        self.guarded.extend(more);
        self.guarded.sort_unstable();
        let mut apart: Vec<(usize, usize)> = Vec::with_capacity(self.guarded.len());
        for (start, end) in self.guarded.drain(..) {
            match apart.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => apart.push((start, end)),
            }
        }
        self.guarded = apart;
    }

    /// Whether nothing but white space is between two positions, in the source too: no tag, no comment, no code.
    pub(crate) fn touches(&self, from: usize, to: usize, source: &str) -> bool {
        if !guard::is_plain_gap(&self.text[from..to]) {
            return false;
        }
        let piece = |at: usize| self.pieces.partition_point(|piece| piece.at <= at).checked_sub(1);
        match (from.checked_sub(1).and_then(piece), piece(to)) {
            (Some(a), Some(b)) if a == b => true,
            (Some(a), Some(b)) => {
                let (a, b) = (&self.pieces[a], &self.pieces[b]);
                let (start, end) = (a.span.start + (from - a.at), b.span.start + (to - b.at));
                let between = source.get(start..end).unwrap_or("<");
                a.exact && b.exact && between.chars().all(char::is_whitespace)
            }
            _ => false,
        }
    }

    fn push(&mut self, text: &str, span: Span, source: &str) {
        let exact = span.of(source).starts_with(text);
        self.pieces.push(Piece { at: self.text.len(), span, exact });
        self.text.push_str(text);
    }

    fn push_mark(&mut self, mark: char, at: usize) {
        if !self.text.ends_with(mark) {
            self.pieces.push(Piece { at: self.text.len(), span: Span::new(at, at), exact: false });
            self.text.push(mark);
        }
    }

    fn end(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.span.end)
    }

    /// What can be said only when all its words are there.
    fn finished(mut self) -> Self {
        let more = guard::guarded(&self.text);
        self.guard(more);
        if matches!(self.role, Role::Prose | Role::Item) {
            if guard::is_legal(&self.text) {
                self.role = Role::Quote;
            } else if self.linked * 10 > self.text.trim().len() * 7 {
                self.role = Role::Other;
            }
        }
        self
    }
}

pub(crate) fn passages(document: &Document) -> Vec<Passage> {
    let list = match &document.body {
        Body::Html(page) => html(document, page),
        Body::Markdown(body) => markdown(document, body),
    };
    list.into_iter().map(Passage::finished).collect()
}

fn html(document: &Document, page: &Page) -> Vec<Passage> {
    let mut list: Vec<Passage> = Vec::new();
    let mut seen: Option<(NodeId, Shows)> = None;
    // What stood between the last words and the next ones.
    let mut mark: Option<char> = None;
    let mut closed = false;
    for id in page.dom.descendants(NodeId::DOCUMENT) {
        let (text, span) = match &page.dom.node(id).kind {
            Kind::Text { text, span } => (text, span),
            Kind::Element(element) => {
                match &*element.name {
                    "br" => mark = Some(BREAK),
                    "hr" => closed = true,
                    "img" | "svg" | "input" | "select" | "textarea" | "video" | "audio" | "iframe" | "object"
                    | "canvas" | "math" | "picture" => mark = mark.or(Some(OBJECT)),
                    _ => {}
                }
                continue;
            }
            _ => continue,
        };
        let Some(parent) = page.dom.node(id).parent else { continue };
        // Many pieces of one element share the answer.
        let shows = match seen {
            Some((node, shows)) if node == parent => shows,
            _ => shows(page, parent),
        };
        seen = Some((parent, shows));
        let empty = text.trim().is_empty();
        if shows == Shows::No || (empty && list.is_empty()) {
            continue;
        }
        let place = block(page, parent);
        let open = list.last_mut().filter(|last| last.node == Some(place.block) && !closed);
        match (open, shows) {
            (Some(_), Shows::Code) => mark = mark.or(Some(OBJECT)),
            (None, Shows::Code) => closed = true,
            (Some(last), _) => {
                if let Some(mark) = mark.take() {
                    last.push_mark(mark, span.start);
                }
                let from = last.text.len();
                last.push(text, *span, &document.source);
                last.linked += if place.linked { text.trim().len() } else { 0 };
                if place.guarded {
                    last.guarded.push((from, last.text.len()));
                }
            }
            (None, _) if empty => {}
            (None, _) => {
                (mark, closed) = (None, false);
                let mut passage = Passage::new(place.role, Some(place.block), spoken(page, place.block));
                passage.push(text, *span, &document.source);
                passage.linked = if place.linked { text.trim().len() } else { 0 };
                if place.guarded {
                    passage.guarded.push((0, passage.text.len()));
                }
                list.push(passage);
            }
        }
    }
    list
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    Words,
    Code,
    No,
}

/// Classes that tools give to code and formulas which are not marked up as such.
const CODE_CLASSES: &[&str] = &[
    "code",
    "codehilite",
    "console",
    "fragment",
    "programlisting",
    "screen",
    "terminal",
    "highlight",
    "hljs",
    "katex",
    "literal",
    "math",
    "mathjax",
    "mermaid",
    "notranslate-code",
    "prettyprint",
    "sig",
    "sig-name",
    "sig-param",
    "signature",
    "pl-s",
    "linenos",
];

fn shows(page: &Page, id: NodeId) -> Shows {
    if !page.is_rendered(id) {
        return Shows::No;
    }
    let mut answer = Shows::Words;
    for node in std::iter::once(id).chain(page.dom.ancestors(id)) {
        match page.dom.name(node) {
            "script" | "style" | "head" | "template" | "noscript" => return Shows::No,
            "code" | "pre" | "kbd" | "samp" | "var" | "tt" | "textarea" | "select" | "sup" | "object" | "rt" => {
                answer = Shows::Code;
            }
            _ => {}
        }
        if let Some(element) = page.dom.element(node) {
            let is_code = |class: &str| CODE_CLASSES.iter().any(|known| class.eq_ignore_ascii_case(known));
            if !element.is_html() || element.classes.iter().any(|class| is_code(class)) {
                answer = Shows::Code;
            }
        }
    }
    answer
}

/// The block that a piece of text belongs to, what the block is for, and what the markup says of the piece.
struct Standing {
    block: NodeId,
    role: Role,
    linked: bool,
    guarded: bool,
}

fn block(page: &Page, parent: NodeId) -> Standing {
    let mut block = None;
    let mut standing = Standing { block: parent, role: Role::Prose, linked: false, guarded: false };
    let mut tag: Option<&str> = None;
    for node in std::iter::once(parent).chain(page.dom.ancestors(parent)) {
        let Some(element) = page.dom.element(node) else { break };
        if is_action(page, node) {
            return Standing { block: node, role: Role::Action, ..standing };
        }
        let inside = block.is_none();
        if inside && is_block(page, node) {
            block = Some(node);
        }
        if inside && block.is_none() {
            tag = tag.or(element.attr("lang"));
            standing.guarded |= matches!(&*element.name, "q" | "cite" | "del" | "s");
        }
        standing.linked |= inside && &*element.name == "a" && element.has("href");
        standing.guarded |=
            element.attr("translate") == Some("no") || element.classes.iter().any(|class| &**class == "notranslate");
        match &*element.name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                (block, standing.role) = (Some(node), Role::Heading);
                break;
            }
            "blockquote" => standing.role = Role::Quote,
            "li" | "dd" if standing.role == Role::Prose => standing.role = Role::Item,
            "nav" | "table" | "label" | "footer" | "legend" | "figcaption" | "summary" | "dt" | "address"
                if standing.role != Role::Quote =>
            {
                standing.role = Role::Other;
            }
            _ => {}
        }
        let menu = matches!(element.attr("role"), Some("navigation" | "menu" | "menubar" | "tablist" | "toolbar"));
        if menu && standing.role != Role::Quote {
            standing.role = Role::Other;
        }
    }
    standing.block = block.unwrap_or(parent);
    // Words of another language than the sentence around them are somebody else's, or a name.
    let around = || spoken(page, standing.block);
    standing.guarded |= tag.is_some_and(|tag| around() != Some(Language::of_tag(tag)));
    standing
}

/// Whether words inside and words beside it stand apart. Parts of tables do, whatever a sheet makes of them.
fn is_block(page: &Page, id: NodeId) -> bool {
    page.styles.of(id).display != Display::Inline
        || matches!(
            page.dom.name(id),
            "div" | "td" | "th" | "tr" | "caption" | "tbody" | "thead" | "tfoot" | "dir" | "frameset" | "slot"
        )
}

/// The language that the nearest `lang` says.
fn spoken(page: &Page, id: NodeId) -> Option<Language> {
    let tag = std::iter::once(id)
        .chain(page.dom.ancestors(id))
        .find_map(|node| page.dom.attr(node, "lang").map(str::trim).filter(|tag| !tag.is_empty()))?;
    Some(Language::of_tag(tag))
}

/// A button, or a link that looks like one.
pub(crate) fn is_action(page: &Page, id: NodeId) -> bool {
    let Some(element) = page.dom.element(id) else { return false };
    match &*element.name {
        "button" => true,
        "a" => {
            let named = element.classes.iter().any(|class| {
                class.split(['-', '_']).any(|part| {
                    let part = part.to_ascii_lowercase();
                    matches!(part.as_str(), "btn" | "button" | "cta" | "btnlink" | "ctabutton" | "primarybutton")
                })
            });
            named || element.attr("role") == Some("button")
        }
        _ => false,
    }
}

fn markdown(document: &Document, markdown: &Markdown) -> Vec<Passage> {
    let mut list: Vec<(usize, Passage)> = Vec::new();
    let language = markdown.language().map(Language::of_tag);
    let mut mark = None;
    for run in &markdown.runs {
        let role = match run.role {
            Source::Heading => Role::Heading,
            Source::Prose => Role::Prose,
            Source::Item => Role::Item,
            Source::Cell => Role::Other,
            Source::Quote => Role::Quote,
            Source::Html => continue,
            Source::Alt | Source::Code => {
                mark = mark.or(Some((run.block, OBJECT)));
                continue;
            }
            Source::Break => {
                mark = Some((run.block, BREAK));
                continue;
            }
        };
        let mark = mark.take().filter(|(block, _)| *block == run.block);
        if !matches!(list.last(), Some((block, _)) if *block == run.block) {
            list.push((run.block, Passage::new(role, None, language)));
        }
        let Some((_, passage)) = list.last_mut() else { continue };
        // What stands between two runs is markup or a line's end, which readers take for a space.
        let between = document.source.get(passage.end()..run.span.start).filter(|_| !passage.text.is_empty());
        if let Some((_, mark)) = mark {
            passage.push_mark(mark, run.span.start);
        }
        if between.is_some_and(|between| between.contains(char::is_whitespace)) {
            passage.text.push(' ');
        }
        let from = passage.text.len();
        passage.push(&run.text, run.span, &document.source);
        if run.guarded {
            passage.guarded.push((from, passage.text.len()));
        }
    }
    list.into_iter().map(|(_, passage)| passage).collect()
}
