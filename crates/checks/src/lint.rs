//! The last look before anything ships: nothing left to do, no filler text, no dead local links.

use crate::{
    address::{Addresses, Destination, percent_decode},
    dom::{Dom, Element, Kind, NodeId},
    finding::{Findings, MeasuredFinding, Weight},
    markdown::{Markdown, Role},
    parse,
    place::{Lines, SourceLocation},
    placeholder::{self, About, placeholders},
    surroundings::{Anchors, KnownFiles, Surroundings},
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
/// decoded, without dots, query and fragment, and never one that leads above the document's folder or starts with `/`.
pub fn lint(text: &str, format: DocumentFormat, exists: &dyn Fn(&str) -> bool) -> Vec<MeasuredFinding> {
    lint_at(text, format, &Addresses::default(), &KnownFiles(exists))
}

/// The same for a document of which it is known where it lies and what is around it.
pub fn lint_at(
    text: &str,
    format: DocumentFormat,
    addresses: &Addresses,
    around: &dyn Surroundings,
) -> Vec<MeasuredFinding> {
    let lines = Lines::new(text);
    let mut lint = Lint { text, lines, findings: Findings::default() };
    match format {
        DocumentFormat::Html => html(&mut lint, &parse::parse(text), addresses, around),
        DocumentFormat::Markdown => markdown(&mut lint, &Markdown::read(text), addresses, around),
        DocumentFormat::Plain => lint.words(text, Some(0), Weight::MustFix, About::default(), &|| None),
    }
    lint.findings.finish()
}

/// The addresses that an element loads or leads to, with the attribute they stand in.
pub(crate) fn named_by(element: &Element) -> Vec<(&'static str, String)> {
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
        about: About,
        selector: &dyn Fn() -> Option<String>,
    ) {
        for found in placeholders(text, about) {
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
        if let Judged::Wrong { code, weight, text } = reach.judge(address) {
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
    pub(crate) addresses: &'r Addresses,
    pub(crate) own: &'r Anchors,
    pub(crate) around: &'r dyn Surroundings,
}

/// What is to be said of an address.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Judged {
    Fine,
    Wrong {
        code: &'static str,
        weight: Weight,
        text: String,
    },
    /// Nobody here can tell, and why.
    Open(String),
}

impl Reach<'_> {
    pub(crate) fn judge(&self, address: &str) -> Judged {
        self.judge_from(self.addresses, address)
    }

    /// The same for an address in another file, such as a style sheet.
    pub(crate) fn judge_from(&self, addresses: &Addresses, address: &str) -> Judged {
        match addresses.resolve(address) {
            Destination::Fragment(fragment) if !self.own.has(&fragment) => dead_anchor("here", &fragment),
            Destination::File { path, .. } if !self.around.exists(&path) => Judged::Wrong {
                code: "link.dead",
                weight: Weight::MustFix,
                text: format!("there is no file `{path}`: correct the path or add the file"),
            },
            Destination::File { path, fragment: Some(fragment) } => match self.around.anchors(&path) {
                Some(anchors) if !anchors.has(&fragment) => dead_anchor(&format!("in `{path}`"), &fragment),
                _ => Judged::Fine,
            },
            Destination::Nowhere => Judged::Wrong {
                code: "link.nowhere",
                weight: Weight::Should,
                text: "the link leads nowhere: give it an address".to_owned(),
            },
            Destination::Site(path) => Judged::Open(format!("whether the site has `{path}`")),
            Destination::Outside => {
                Judged::Open("addresses that lead out of the root: what lies there is not looked at".to_owned())
            }
            Destination::File { .. } | Destination::Fragment(_) | Destination::Data | Destination::Elsewhere => {
                Judged::Fine
            }
        }
    }
}

fn dead_anchor(whose: &str, fragment: &str) -> Judged {
    let id = percent_decode(fragment);
    Judged::Wrong {
        code: "link.dead-anchor",
        weight: Weight::MustFix,
        text: format!("nothing {whose} has the id `{id}`: correct the link or add the id"),
    }
}

/// The document's addresses, after its first `<base>` if it has one.
pub(crate) fn based(dom: &Dom, addresses: &Addresses) -> Addresses {
    let base = dom.elements().find_map(|(_, element)| (&*element.name == "base").then(|| element.attr("href"))?);
    base.map_or_else(|| addresses.clone(), |href| addresses.based(href))
}

fn html(lint: &mut Lint<'_>, dom: &Dom, addresses: &Addresses, around: &dyn Surroundings) {
    let (own, based) = (Anchors::of_dom(dom), based(dom, addresses));
    let reach = Reach { addresses: &based, own: &own, around };
    let about = about(dom);
    for id in dom.descendants(NodeId::DOCUMENT) {
        match &dom.node(id).kind {
            Kind::Text { text, span } => {
                let parent = dom.node(id).parent.unwrap_or(NodeId::DOCUMENT);
                let Some(weight) = text_weight(dom, parent) else { continue };
                let about = About { todo_is_a_word: says_todo(dom, parent), ..about };
                // Entities move what follows them: the piece's start is near enough then.
                let exact = span.of(lint.text).starts_with(text.as_str());
                let selector = || Some(dom.selector(parent));
                if exact {
                    lint.words(text, Some(span.start), weight, about, &selector);
                } else {
                    lint.words(span.of(lint.text), Some(span.start), weight, about, &selector);
                }
            }
            Kind::Comment { span } => {
                lint.words(span.of(lint.text), Some(span.start), Weight::Should, about, &|| None);
            }
            Kind::Element(element) => {
                let at = element.open.map(|open| open.start);
                for name in ["alt", "title", "placeholder", "aria-label", "content", "value"] {
                    if let Some(value) = element.attr(name).filter(|_| is_shown(element, name)) {
                        let found = element.open.and_then(|open| Some(open.start + open.of(lint.text).find(value)?));
                        lint.words(value, found, Weight::MustFix, about, &|| Some(dom.selector(id)));
                    }
                }
                for (attr, address) in named_by(element) {
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

/// Values that only programs read may be called whatever they like.
fn is_shown(element: &Element, attr: &str) -> bool {
    match attr {
        "value" => {
            &*element.name == "input"
                && !matches!(element.kind().as_deref(), Some("hidden" | "checkbox" | "radio" | "range" | "color"))
        }
        "content" => element.attr("name").or(element.attr("property")).is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name.ends_with("description") || name.ends_with("title")
        }),
        _ => true,
    }
}

/// What the nearest `lang` says of the word.
fn says_todo(dom: &Dom, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(dom.ancestors(id))
        .find_map(|node| dom.attr(node, "lang"))
        .is_some_and(placeholder::says_todo)
}

/// What a page is about, by its language, title and headings.
pub(crate) fn about(dom: &Dom) -> About {
    let language = dom.elements().find_map(|(_, element)| element.attr("lang"));
    let named = dom.elements().filter(|(_, element)| matches!(&*element.name, "title" | "h1" | "h2"));
    let headings: Vec<String> = named.map(|(id, _)| dom.text(id)).collect();
    About::new(language, headings.iter().map(String::as_str))
}

/// What a text is about, by its front matter and headings.
pub(crate) fn about_text(markdown: &Markdown) -> About {
    About::new(markdown.language(), markdown.headings.iter().map(|heading| heading.text.as_str()))
}

fn markdown(lint: &mut Lint<'_>, markdown: &Markdown, addresses: &Addresses, around: &dyn Surroundings) {
    let own = Anchors::of_markdown(markdown);
    let reach = Reach { addresses, own: &own, around };
    let about = about_text(markdown);
    for run in markdown.runs.iter().filter(|run| !matches!(run.role, Role::Code | Role::Break)) {
        let weight =
            if run.role == Role::Html && run.text.starts_with("<!--") { Weight::Should } else { Weight::MustFix };
        lint.words(run.span.of(lint.text), Some(run.span.start), weight, about, &|| None);
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
