//! The last look before anything ships: nothing left to do, no filler text, no dead local links.

use std::collections::BTreeSet;

use crate::{
    dom::{Dom, Element, Kind, NodeId},
    finding::{Findings, MeasuredFinding, Weight},
    markdown::{Markdown, Role},
    parse,
    place::{Lines, SourceLocation},
    placeholder::{self, placeholders},
    target::{Target, target},
};

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    Html,
    Markdown,
    Plain,
}

impl DocumentFormat {
    /// A text that may have links: HTML when it says so, and Markdown otherwise.
    pub(crate) fn of_page(text: &str) -> Self {
        if is_page(text) { Self::Html } else { Self::Markdown }
    }
}

/// Elements that a page, or a part of one, begins with. Others, such as `<div align="center">`, begin many a text in Markdown.
const PAGE_STARTS: [&str; 10] =
    ["!doctype", "html", "head", "body", "main", "nav", "section", "article", "aside", "footer"];

/// Whether a text is a page, whatever stands before its first element that nobody sees: blanks, marks without a width,
/// comments, a declaration of XML.
pub fn is_page(text: &str) -> bool {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}');
    let mut rest = text.trim_start_matches(is_blank);
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => rest.find("-->").map(|at| at + 3),
            _ if rest.starts_with("<?") => rest.find('>').map(|at| at + 1),
            _ => break,
        };
        let Some(end) = end else { break };
        rest = rest[end..].trim_start_matches(is_blank);
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric() && c != '!').next().unwrap_or_default();
    PAGE_STARTS.iter().any(|start| name.eq_ignore_ascii_case(start))
}

/// Finds what must not ship. `exists` says whether a path relative to the document is there: it gets the path
/// decoded, without query and fragment, and never one that starts with `/`, which only the site can answer for.
pub fn lint(text: &str, format: DocumentFormat, exists: &dyn Fn(&str) -> bool) -> Vec<MeasuredFinding> {
    let lines = Lines::new(text);
    let mut lint = Lint { text, lines, findings: Findings::default() };
    match format {
        DocumentFormat::Html => html(&mut lint, &parse::parse(text), exists),
        DocumentFormat::Markdown => markdown(&mut lint, &Markdown::read(text), exists),
        DocumentFormat::Plain => lint.words(text, Some(0), Weight::MustFix, false, &|| None),
    }
    lint.findings.finish()
}

/// The addresses that an element loads or leads to, with the attribute they stand in.
pub(crate) fn addresses(element: &Element) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut take = |attr: &'static str| found.extend(element.attr(attr).map(|value| (attr, value.to_owned())));
    match &*element.name {
        "a" | "area" | "use" | "image" => take("href"),
        "link" if !is_hint(element) => take("href"),
        "img" | "source" | "audio" | "video" | "track" | "script" | "iframe" | "embed" | "input" => take("src"),
        "object" => take("data"),
        "form" => take("action"),
        _ => {}
    }
    if &*element.name == "video" {
        take("poster");
    }
    if let Some(set) = element.attr("srcset") {
        // A candidate is an address and a size; data URLs have commas inside and are no files anyway.
        if !set.contains("data:") {
            let candidates = set.split(',').filter_map(|candidate| candidate.split_ascii_whitespace().next());
            found.extend(candidates.map(|address| ("srcset", address.to_owned())));
        }
    }
    found
}

/// Links that only advise the browser, or name a page without loading it.
fn is_hint(element: &Element) -> bool {
    element.attr("rel").is_some_and(|rel| {
        rel.split_ascii_whitespace().any(|rel| matches!(rel, "preconnect" | "dns-prefetch" | "canonical" | "alternate"))
    })
}

/// Every id and anchor name of a page.
pub(crate) fn anchors(dom: &Dom) -> BTreeSet<&str> {
    dom.elements()
        .flat_map(|(_, element)| {
            let name = (&*element.name == "a").then(|| element.attr("name")).flatten();
            element.attr("id").into_iter().chain(name)
        })
        .collect()
}

struct Lint<'t> {
    text: &'t str,
    lines: Lines,
    findings: Findings,
}

impl Lint<'_> {
    /// `at` is where `text` begins in the source, or `None` when it is not there word by word.
    fn words(
        &mut self,
        text: &str,
        at: Option<usize>,
        weight: Weight,
        todo_is_a_word: bool,
        selector: &dyn Fn() -> Option<String>,
    ) {
        for found in placeholders(text, todo_is_a_word) {
            let (code, advice) = match found.kind {
                placeholder::Kind::Marker => {
                    ("placeholder.todo", format!("finish what `{}` stands for, or take it out", found.word))
                }
                placeholder::Kind::Filler => {
                    ("placeholder.lorem", format!("replace the filler text (`{}`) with real words", found.word))
                }
            };
            let (source, lines) = (self.text, &self.lines);
            self.findings.add(code, || MeasuredFinding {
                code,
                weight,
                text: advice,
                place: at.map(|at| SourceLocation { selector: selector(), ..lines.place(source, at + found.at) }),
                evidence: excerpt(text, found.at),
            });
        }
    }

    fn link(&mut self, address: &str, at: Option<usize>, reach: &Reach<'_>, selector: &dyn Fn() -> Option<String>) {
        let (source, lines) = (self.text, &self.lines);
        if let Some((code, weight, text)) = reach.judge(address) {
            self.findings.add(code, || MeasuredFinding {
                code,
                weight,
                text,
                place: at.map(|at| SourceLocation { selector: selector(), ..lines.place(source, at) }),
                evidence: address.trim().to_owned(),
            });
        }
    }
}

/// What a document can tell of where its links lead.
pub(crate) struct Reach<'r> {
    pub(crate) anchor: &'r dyn Fn(&str) -> bool,
    pub(crate) exists: &'r dyn Fn(&str) -> bool,
}

impl Reach<'_> {
    pub(crate) fn judge(&self, address: &str) -> Option<(&'static str, Weight, String)> {
        match target(address) {
            Target::Anchor(anchor) if !self.has(&anchor) => Some((
                "link.dead-anchor",
                Weight::MustFix,
                format!("nothing here has the id `{anchor}`: correct the link or add the id"),
            )),
            Target::Local(path) if !(self.exists)(&path) => Some((
                "link.dead",
                Weight::MustFix,
                format!("there is no file `{path}`: correct the path or add the file"),
            )),
            Target::Nowhere => {
                Some(("link.nowhere", Weight::Should, "the link leads nowhere: give it an address".to_owned()))
            }
            _ => None,
        }
    }

    fn has(&self, anchor: &str) -> bool {
        // `#top` is the page's start by definition; `#:~:text=` names words instead of an id.
        anchor.eq_ignore_ascii_case("top") || anchor.starts_with(":~:") || (self.anchor)(anchor)
    }
}

fn html(lint: &mut Lint<'_>, dom: &Dom, exists: &dyn Fn(&str) -> bool) {
    let anchors = anchors(dom);
    let reach = Reach { anchor: &|anchor| anchors.contains(anchor), exists };
    let spanish = dom.elements().find_map(|(_, e)| e.attr("lang")).is_some_and(says_todo);
    for id in dom.descendants(NodeId::DOCUMENT) {
        match &dom.node(id).kind {
            Kind::Text { text, span } => {
                let parent = dom.node(id).parent.unwrap_or(NodeId::DOCUMENT);
                let Some(weight) = text_weight(dom, parent) else { continue };
                // Entities move what follows them: the piece's start is near enough then.
                let exact = span.of(lint.text).starts_with(text.as_str());
                let selector = || Some(dom.selector(parent));
                if exact {
                    lint.words(text, Some(span.start), weight, spanish, &selector);
                } else {
                    lint.words(span.of(lint.text), Some(span.start), weight, spanish, &selector);
                }
            }
            Kind::Comment { span } => {
                lint.words(span.of(lint.text), Some(span.start), Weight::Should, spanish, &|| None);
            }
            Kind::Element(element) => {
                let at = element.open.map(|open| open.start);
                for name in ["alt", "title", "placeholder", "aria-label", "content", "value"] {
                    if let Some(value) = element.attr(name) {
                        let found = element.open.and_then(|open| Some(open.start + open.of(lint.text).find(value)?));
                        lint.words(value, found, Weight::MustFix, spanish, &|| Some(dom.selector(id)));
                    }
                }
                for (attr, address) in addresses(element) {
                    if matches!(attr, "action") && address.trim().is_empty() {
                        continue;
                    }
                    lint.link(&address, at, &reach, &|| Some(dom.selector(id)));
                }
            }
            Kind::Document | Kind::Fragment => {}
        }
    }
}

/// How much a left-over word weighs where it stands: what readers see must go, code may speak of it.
fn text_weight(dom: &Dom, parent: NodeId) -> Option<Weight> {
    for node in std::iter::once(parent).chain(dom.ancestors(parent)) {
        match dom.name(node) {
            "code" | "pre" | "samp" | "kbd" => return None,
            "script" | "style" | "template" => return Some(Weight::Should),
            _ => {}
        }
    }
    Some(Weight::MustFix)
}

fn says_todo(lang: &str) -> bool {
    let lang = lang.to_ascii_lowercase();
    lang.starts_with("es") || lang.starts_with("pt")
}

fn markdown(lint: &mut Lint<'_>, markdown: &Markdown, exists: &dyn Fn(&str) -> bool) {
    let reach = Reach { anchor: &|anchor| markdown.has_anchor(anchor), exists };
    for run in &markdown.runs {
        let weight =
            if run.role == Role::Html && run.text.starts_with("<!--") { Weight::Should } else { Weight::MustFix };
        lint.words(run.span.of(lint.text), Some(run.span.start), weight, false, &|| None);
    }
    for link in &markdown.links {
        lint.link(&link.address, Some(link.span.start), &reach, &|| None);
    }
}

/// Some words around a position, for the evidence.
pub(crate) fn excerpt(text: &str, at: usize) -> String {
    let tail: String = text[at..].chars().take(60).collect();
    crate::dom::collapse(&tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_page_whatever_stands_before_it() {
        for page in [
            "<!doctype html><p>x",
            " \n<HTML lang=en>",
            "\u{feff}<html>",
            "\u{200b}<body>",
            "<!-- a note --><?xml version='1.0'?>\n<html>",
            "<main><p style='color:#ccc'>x</p></main>",
        ] {
            assert!(is_page(page), "{page:?}");
        }
        for text in
            ["", "# Plan", "<!-- only a note", "<!-- note --># Plan", "<div align=\"center\">", "<mainly>", "a <html>"]
        {
            assert!(!is_page(text), "{text:?}");
        }
    }
}
