//! The names of things: what a screen reader says for a field, a link or a button.

use std::collections::BTreeSet;

use crate::{
    document::{Document, Page},
    dom::{Element, Kind, NodeId, collapse},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
};

/// The name of an element, after the accessible name computation as far as pages use it.
pub(crate) fn name(page: &Page, id: NodeId) -> String {
    let Some(element) = page.dom.element(id) else { return String::new() };
    if let Some(named) = referred(page, element) {
        return named;
    }
    let said = |attr: &str| element.attr(attr).map(collapse).filter(|text| !text.is_empty());
    let from_attrs = said("aria-label").or_else(|| match &*element.name {
        "img" | "area" => said("alt"),
        "input" => match element.kind().as_deref() {
            Some("submit" | "reset") => said("value").or_else(|| Some("Submit".to_owned())),
            Some("button") => said("value"),
            Some("image") => said("alt"),
            _ => None,
        },
        _ => None,
    });
    if let Some(name) = from_attrs {
        return name;
    }
    let own = text(page, id);
    if own.is_empty() { said("title").unwrap_or_default() } else { own }
}

/// The words inside an element that a screen reader reads: text and the names of pictures.
///
/// What is hidden is not read, unless the element itself is: a hidden label still labels.
pub(crate) fn text(page: &Page, id: NodeId) -> String {
    let whole = !page.is_heard(id);
    let mut words = String::new();
    for node in page.dom.descendants(id) {
        match &page.dom.node(node).kind {
            Kind::Text { text, .. } => {
                let parent = page.dom.node(node).parent.unwrap_or(id);
                let read = (whole || page.is_heard(parent) || names_a_drawing(page, parent))
                    && !matches!(page.dom.name(parent), "style" | "script" | "option" | "textarea");
                if read {
                    words.push_str(text);
                }
            }
            Kind::Element(element) if whole || page.is_heard(node) => {
                // The title of a picture names it where it has no alternative at all: an empty one says that it decorates.
                let of_picture = || element.attr("alt").or_else(|| element.attr("title"));
                let said = element.attr("aria-label").or_else(|| (&*element.name == "img").then(of_picture).flatten());
                if let Some(said) = said {
                    words.push(' ');
                    words.push_str(said);
                    words.push(' ');
                }
            }
            _ => {}
        }
    }
    collapse(&words)
}

/// `<title>` inside an SVG is never shown, and is its name.
fn names_a_drawing(page: &Page, id: NodeId) -> bool {
    let is_title = page.dom.element(id).is_some_and(|element| !element.is_html() && &*element.name == "title");
    is_title && page.dom.node(id).parent.is_some_and(|drawing| page.is_heard(drawing))
}

/// What `aria-labelledby` refers to says; it may be hidden.
fn referred(page: &Page, element: &Element) -> Option<String> {
    let ids = element.attr("aria-labelledby")?.split_ascii_whitespace();
    let named: Vec<String> = ids.filter_map(|wanted| page.ids.get(wanted)).map(|id| text(page, *id)).collect();
    Some(collapse(&named.join(" "))).filter(|text| !text.is_empty())
}

/// Whether a field has a label, and what stands in for one.
pub(crate) fn labels(document: &Document, page: &Page) -> Option<Measurement> {
    let labels: BTreeSet<NodeId> = page
        .dom
        .elements()
        .map(|(id, _)| id)
        .filter(|id| page.dom.name(*id) == "label" && !text(page, *id).is_empty())
        .collect();
    let labelled: BTreeSet<&str> = labels.iter().filter_map(|id| page.dom.attr(*id, "for")).collect();
    let mut gauge = Gauge::new("labels");
    let (mut all, mut good) = (0, 0.0);
    for (id, element) in page.dom.elements() {
        if !is_field(element) || !page.is_heard(id) {
            continue;
        }
        all += 1;
        let has_label = element.attr("id").is_some_and(|id| labelled.contains(id))
            || page.dom.ancestors(id).any(|node| labels.contains(&node))
            || referred(page, element).is_some()
            || ["aria-label", "title"]
                .iter()
                .any(|attr| element.attr(attr).is_some_and(|value| !value.trim().is_empty()));
        if has_label {
            good += 1.0;
            continue;
        }
        let placeholder = element.attr("placeholder").filter(|text| !text.trim().is_empty());
        if placeholder.is_some() {
            good += 0.5;
        }
        let code = if placeholder.is_some() { "form.placeholder" } else { "form.label" };
        gauge.findings.add(code, || MeasuredFinding {
            code,
            weight: if placeholder.is_some() { Weight::Should } else { Weight::MustFix },
            text: "give the field a `<label>`: nobody else says what belongs into it".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: placeholder
                .map_or_else(|| "no label".to_owned(), |text| format!("only a placeholder, \u{201c}{text}\u{201d}")),
        });
    }
    gauge.says(count(all, "field"));
    (all > 0).then(|| gauge.finish(10.0 * good / all as f64))
}

pub(crate) fn is_field(element: &Element) -> bool {
    match &*element.name {
        "select" | "textarea" => true,
        "input" => !matches!(element.kind().as_deref(), Some("hidden" | "submit" | "reset" | "button" | "image")),
        _ => false,
    }
}

/// Words that do not say where a link leads.
const VAGUE: &[&str] = &[
    "click here",
    "here",
    "more",
    "read more",
    "learn more",
    "link",
    "this",
    "go",
    "hier",
    "hier klicken",
    "mehr",
    "mehr erfahren",
    "weiterlesen",
    "weiter",
];

pub(crate) fn controls(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("names");
    let (mut all, mut good) = (0, 0);
    for (id, element) in page.dom.elements() {
        let kind = match &*element.name {
            "a" if element.has("href") => "link",
            "button" | "summary" => "button",
            "input" if matches!(element.kind().as_deref(), Some("submit" | "button" | "reset")) => "button",
            _ if matches!(element.attr("role"), Some("button" | "link" | "tab" | "menuitem")) => "button",
            _ => continue,
        };
        if !page.is_heard(id) {
            continue;
        }
        all += 1;
        let name = name(page, id);
        if name.is_empty() {
            gauge.findings.add("name.missing", || MeasuredFinding {
                code: "name.missing",
                weight: Weight::MustFix,
                text: format!("give the {kind} words, or an `aria-label` when it shows a picture only"),
                place: Some(document.place_of(page, id)),
                evidence: format!("a {kind} without a name"),
            });
        } else if kind == "link" && is_vague(&name) {
            gauge.findings.add("name.vague", || MeasuredFinding {
                code: "name.vague",
                weight: Weight::Note,
                text: "say where the link leads: lists of links are read without their sentences".to_owned(),
                place: Some(document.place_of(page, id)),
                evidence: format!("\u{201c}{name}\u{201d}"),
            });
            good += 1;
        } else {
            good += 1;
        }
    }
    let vague = gauge.findings.count("name.vague");
    gauge.says(format!("{good} of {} have a name", count(all, "control")));
    (all > 0).then(|| gauge.finish(share(good, all) - (0.5 * vague as f64).min(3.0)))
}

pub(crate) fn is_vague(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    VAGUE.contains(&name.as_str())
}
