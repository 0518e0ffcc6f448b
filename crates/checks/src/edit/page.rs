//! Fixes of the page's frame: doctype, language, title, pictures, zoom, labels.

use super::{Proposal, attribute};
use crate::{
    DesignTokens,
    a11y::{images, names},
    copy::{self, words::Language},
    document::{Document, Page, attr_value},
    dom::{Element, NodeId},
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
    vec![Proposal::new("markup.doctype", "browsers imitate old ones without it", Span::new(0, 0), "<!doctype html>\n")]
}

pub(super) fn language(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    if page.language.is_some() {
        return Vec::new();
    }
    let tag = match copy::language(document, &passages(document)) {
        Language::English => "en",
        Language::German => "de",
        // Which other language it is, a person has to say.
        Language::Other => return Vec::new(),
    };
    let why = format!("the words of the page are {}", if tag == "en" { "English" } else { "German" });
    let change = match page.find("html") {
        Some((_, html)) if html.open.is_some() => with_attr(document, html, "lang", tag),
        _ => {
            let at = page.dom.doctype.map_or(0, |span| span.end);
            let line = if at == 0 { format!("<html lang=\"{tag}\">\n") } else { format!("\n<html lang=\"{tag}\">") };
            Some((Span::new(at, at), line))
        }
    };
    change.map(|(span, text)| Proposal::new("page.lang", why, span, text)).into_iter().collect()
}

pub(super) fn title(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let title = page.find("title");
    if title.is_some_and(|(id, _)| !page.dom.text(id).is_empty()) {
        return Vec::new();
    }
    let heading = page.find("h1").map(|(id, _)| page.dom.text(id)).filter(|text| !text.is_empty());
    let Some(heading) = heading.map(|text| attribute(&text)) else { return Vec::new() };
    let why = "the first heading names the page";
    let (at, text) = if let Some((_, element)) = title {
        let Some(open) = element.open else { return Vec::new() };
        (open.end, heading)
    } else {
        let head = page.find("head").and_then(|(_, head)| head.open);
        let html = page.find("html").and_then(|(_, html)| html.open);
        let at = head.or(html).or(page.dom.doctype).map_or(0, |span| span.end);
        (at, format!("\n<title>{heading}</title>"))
    };
    vec![Proposal::new("page.title", why, Span::new(at, at), text)]
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
            let (alt, why) = picture_text(page, id)?;
            let (span, text) = with_attr(document, element, "alt", &alt)?;
            Some(Proposal::new("image.alt", why, span, text))
        })
        .collect()
}

/// What the surroundings say of a picture.
fn picture_text(page: &Page, id: NodeId) -> Option<(String, &'static str)> {
    let figure = page.dom.ancestors(id).find(|node| page.dom.name(*node) == "figure");
    let caption = figure.and_then(|figure| {
        let caption = page.dom.descendants(figure).find(|node| page.dom.name(*node) == "figcaption")?;
        Some(page.dom.text(caption)).filter(|text| !text.is_empty())
    });
    if let Some(caption) = caption {
        return Some((caption, "the caption says what it shows"));
    }
    // Inside a link or a button the picture is the name, and an empty one would hide it.
    let acts = page.dom.ancestors(id).find(|node| matches!(page.dom.name(*node), "a" | "button"));
    match acts {
        Some(outer) if names::name(page, outer).is_empty() => None,
        _ => Some((String::new(), "left empty, which says that it only decorates: say what it shows if it does more")),
    }
}

pub(super) fn zoom(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
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
    let mut list = Vec::new();
    for (id, element) in page.dom.elements() {
        let bare = names::is_field(element)
            && page.is_rendered(id)
            && !["aria-label", "aria-labelledby", "title", "id"].iter().any(|attr| element.has(attr))
            && !page.dom.ancestors(id).any(|node| page.dom.name(node) == "label");
        if !bare {
            continue;
        }
        list.extend(label_before(document, page, id, element).or_else(|| {
            let placeholder = element.attr("placeholder").map(str::trim).filter(|text| !text.is_empty())?;
            let (span, text) = with_attr(document, element, "aria-label", placeholder)?;
            Some(Proposal::new(
                "form.placeholder",
                "the placeholder vanishes with the first letter, the label stays",
                span,
                text,
            ))
        }));
    }
    list
}

/// A label that stands right before its field but is not tied to it.
fn label_before(document: &Document, page: &Page, id: NodeId, element: &Element) -> Option<Proposal> {
    let before = std::iter::successors(page.dom.node(id).prev, |node| page.dom.node(*node).prev)
        .find(|node| page.dom.element(*node).is_some())?;
    let label = page.dom.element(before)?;
    if page.dom.name(before) != "label" || label.has("for") || page.dom.text(before).is_empty() {
        return None;
    }
    let mut name: String =
        page.dom.text(before).to_lowercase().chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    name.insert_str(0, "field-");
    if page.ids.contains_key(&name) {
        return None;
    }
    let changes = vec![with_attr(document, label, "for", &name)?, with_attr(document, element, "id", &name)?];
    Some(Proposal {
        code: "form.label",
        why: "the label stands before the field but was not tied to it".to_owned(),
        changes,
    })
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
