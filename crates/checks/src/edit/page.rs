//! Fixes of the page's frame: doctype, language, title, pictures, zoom, labels.

use std::collections::BTreeSet;

use super::proposal::{Proposal, attribute};
use crate::{
    DesignTokens,
    a11y::{images, names},
    copy::{self, words::Language},
    document::{Document, Page, attr_value},
    dom::{Element, Kind, NodeId},
    passage::passages,
    place::Span,
    tag::attributes,
};

pub(super) fn doctype(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    // A fragment without a root is put into a page elsewhere.
    if page.dom.doctype.is_some() || page.find("html").is_none_or(|(_, html)| html.open.is_none()) {
        return Vec::new();
    }
    let at = start(document);
    let why = "browsers imitate old ones without it";
    let doubt = "browsers lay the page out differently then";
    vec![Proposal::new("markup.doctype", why, at, "<!doctype html>\n").doubted(Some(doubt))]
}

/// The start of the text, behind a mark of byte order.
fn start(document: &Document) -> Span {
    let at = if document.source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Span::new(at, at)
}

pub(super) fn language(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    if page.language.is_some() {
        return Vec::new();
    }
    let passages = passages(document);
    let said: Vec<String> = passages
        .iter()
        .flat_map(|passage| passage.text.split_whitespace())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let tag = match copy::language(document, &passages) {
        Language::English => "en",
        Language::German => "de",
        // Which other language it is, a person has to say.
        Language::Other => return Vec::new(),
    };
    let why = format!("the words of the page are {}", if tag == "en" { "English" } else { "German" });
    let change = match page.find("html") {
        Some((_, html)) if html.open.is_some() => with_attr(document, html, "lang", tag),
        _ => {
            let line = format!("<html lang=\"{tag}\">");
            Some(match page.dom.doctype {
                Some(doctype) => (Span::new(doctype.end, doctype.end), format!("\n{line}")),
                None => (start(document), format!("{line}\n")),
            })
        }
    };
    let telling: &[&str] = if tag == "en" { &["the", "and"] } else { &["und", "der", "die", "das", "ist"] };
    let told = telling.iter().filter(|word| said.iter().any(|said| said == *word)).count();
    let is_clear = said.len() >= CLEAR && (said.len() < LONG || told >= 2) && told >= 1;
    let doubt = (!is_clear).then_some("few words tell which language it is");
    change.map(|(span, text)| Proposal::new("page.lang", why, span, text).doubted(doubt)).into_iter().collect()
}

/// So many words make it clear which language they are, if there is one among them that its neighbours do not have.
const CLEAR: usize = 12;
/// A text of so many words has more than one of those.
const LONG: usize = 60;

pub(super) fn title(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let title = page.find("title");
    if title.is_some_and(|(id, _)| !page.dom.text(id).is_empty()) {
        return Vec::new();
    }
    let tops: Vec<NodeId> = page.dom.elements().map(|(id, _)| id).filter(|id| page.dom.name(*id) == "h1").collect();
    let Some(first) = tops.first().filter(|first| page.is_heard(**first)) else { return Vec::new() };
    let heading = attribute(&page.dom.text(*first));
    if heading.is_empty() {
        return Vec::new();
    }
    let (at, text) = if let Some((_, element)) = title {
        let Some(open) = element.open else { return Vec::new() };
        (Span::new(open.end, open.end), heading)
    } else {
        let head = page.find("head").and_then(|(_, head)| head.open);
        let html = page.find("html").and_then(|(_, html)| html.open);
        let at =
            head.or(html).or(page.dom.doctype).map_or_else(|| start(document), |span| Span::new(span.end, span.end));
        (at, format!("\n<title>{heading}</title>"))
    };
    let doubt = (tops.len() > 1).then_some("there are several headings of the first level");
    vec![Proposal::new("page.title", "the first heading names the page", at, text).doubted(doubt)]
}

pub(super) fn pictures(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let missing = page.dom.elements().filter(|(id, element)| {
        page.dom.name(*id) == "img"
            && element.attr("alt").is_none_or(images::is_blank)
            && names::name(page, *id).is_empty()
            && page.is_rendered(*id)
    });
    missing
        .filter_map(|(id, element)| {
            let (alt, why, doubt) = picture_text(page, id, element)?;
            let (span, text) = with_attr(document, element, "alt", &alt)?;
            Some(Proposal::new("image.alt", why, span, text).doubted(doubt))
        })
        .collect()
}

/// What the surroundings say of a picture, and why somebody has to look at it.
fn picture_text(page: &Page, id: NodeId, element: &Element) -> Option<(String, &'static str, Option<&'static str>)> {
    // What can be used, or says more of itself, is no decoration.
    let acts = element.attrs.iter().any(|attr| {
        attr.name.starts_with("aria-")
            || attr.name.starts_with("on")
            || matches!(&*attr.name, "tabindex" | "usemap" | "ismap")
    });
    let acts = acts.then_some("the picture can be used, or says something of itself");
    let outer = page.dom.ancestors(id).find(|node| {
        let role = page.dom.attr(*node, "role");
        matches!(page.dom.name(*node), "a" | "button" | "summary" | "label")
            || matches!(role, Some("button" | "link" | "tab" | "menuitem"))
    });
    if let Some(outer) = outer {
        // Inside of a link or a button the picture is the name, and an empty one would hide it.
        let named = !names::text(page, outer).is_empty();
        return named.then(|| (String::new(), "the words beside it say what it is for", acts));
    }
    let figure = page.dom.ancestors(id).find(|node| page.dom.name(*node) == "figure");
    let caption = figure.and_then(|figure| {
        let caption = page.dom.descendants(figure).find(|node| page.dom.name(*node) == "figcaption")?;
        Some(page.dom.text(caption)).filter(|text| !text.is_empty())
    });
    if caption.is_some() {
        return Some((String::new(), "the caption says what it shows", acts));
    }
    let doubt = "nobody said whether the picture only decorates";
    Some((String::new(), "an empty `alt` says that it only decorates: say what it shows if it does more", Some(doubt)))
}

pub(super) fn zoom(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let is_kept_small = crate::a11y(document).iter().any(|one| one.findings.iter().any(|f| f.code == "page.zoom"));
    if !is_kept_small {
        return Vec::new();
    }
    let viewport = page.dom.elements().map(|(_, element)| element).find(|element| {
        &*element.name == "meta" && element.attr("name").is_some_and(|name| name.eq_ignore_ascii_case("viewport"))
    });
    let Some(viewport) = viewport else { return Vec::new() };
    let (Some(content), Some(span)) = (viewport.attr("content"), attr_value(&document.source, viewport, "content"))
    else {
        return Vec::new();
    };
    let keeps = |part: &&str| {
        let name = part.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        !matches!(name.as_str(), "user-scalable" | "maximum-scale")
    };
    let parts: Vec<&str> = content.split(',').map(str::trim).collect();
    let kept: Vec<&str> = parts.iter().copied().filter(keeps).collect();
    if kept.len() == parts.len() {
        return Vec::new();
    }
    vec![Proposal::new("page.zoom", "people may need it larger", span, kept.join(", "))]
}

pub(super) fn labels(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let labelled: BTreeSet<&str> = page
        .dom
        .elements()
        .filter(|(id, _)| page.dom.name(*id) == "label")
        .filter_map(|(_, label)| label.attr("for"))
        .collect();
    let mut list = Vec::new();
    for (id, element) in page.dom.elements() {
        let bare = names::is_field(element)
            && page.is_heard(id)
            && !["aria-label", "aria-labelledby", "title"].iter().any(|attr| element.has(attr))
            && !element.attr("id").is_some_and(|id| labelled.contains(id))
            && !page.dom.ancestors(id).any(|node| page.dom.name(node) == "label");
        if !bare {
            continue;
        }
        list.extend(label_before(document, page, id, element).or_else(|| {
            let placeholder = element.attr("placeholder").map(str::trim).filter(|text| !text.is_empty())?;
            let (span, text) = with_attr(document, element, "aria-label", placeholder)?;
            let why = "the placeholder vanishes with the first letter, the label stays";
            let doubt = "nobody wrote a label: a placeholder may be an example";
            Some(Proposal::new("form.placeholder", why, span, text).doubted(Some(doubt)))
        }));
    }
    list
}

/// A label that stands right before its field but is not tied to it.
fn label_before(document: &Document, page: &Page, id: NodeId, element: &Element) -> Option<Proposal> {
    // The words for a box to tick stand behind it.
    let is_ticked = |element: &Element| matches!(element.kind().as_deref(), Some("checkbox" | "radio"));
    if is_ticked(element) {
        return None;
    }
    let before = neighbour_before(page, id)?;
    let label = page.dom.element(before)?;
    let holds_field = page.dom.descendants(before).any(|node| page.dom.element(node).is_some_and(names::is_field));
    if page.dom.name(before) != "label" || label.has("for") || page.dom.text(before).is_empty() || holds_field {
        return None;
    }
    // Then the label may be that of the box before it.
    if neighbour_before(page, before).and_then(|other| page.dom.element(other)).is_some_and(is_ticked) {
        return None;
    }
    let mut changes = Vec::new();
    if let Some(own) = element.attr("id") {
        changes.push(with_attr(document, label, "for", own)?);
    } else {
        let mut name: String =
            page.dom.text(before).to_lowercase().chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        name.insert_str(0, "field-");
        if page.ids.contains_key(&name) {
            return None;
        }
        changes.push(with_attr(document, label, "for", &name)?);
        changes.push(with_attr(document, element, "id", &name)?);
    }
    let why = "the label stands before the field but was not tied to it".to_owned();
    Some(Proposal { changes, ..Proposal::new("form.label", why, Span::new(0, 0), "") })
}

/// The element before, with nothing but white space between.
fn neighbour_before(page: &Page, id: NodeId) -> Option<NodeId> {
    let before = std::iter::successors(page.dom.node(id).prev, |node| page.dom.node(*node).prev)
        .find(|node| !matches!(&page.dom.node(*node).kind, Kind::Text { text, .. } if text.trim().is_empty()))?;
    page.dom.element(before).map(|_| before)
}

/// The start tag with an attribute set: the value replaced, or the attribute put behind the name.
fn with_attr(document: &Document, element: &Element, name: &str, value: &str) -> Option<(Span, String)> {
    let open = element.open?;
    let tag = open.of(&document.source);
    let value = attribute(value);
    let present = attributes(tag).into_iter().find(|attr| attr.name.eq_ignore_ascii_case(name));
    let text = if let Some(attr) = present {
        format!("{}{name}=\"{value}\"{}", &tag[..attr.whole.start], &tag[attr.whole.end..])
    } else {
        let at = 1 + element.name.len();
        format!("{} {name}=\"{value}\"{}", tag.get(..at)?, tag.get(at..)?)
    };
    Some((open, text))
}
