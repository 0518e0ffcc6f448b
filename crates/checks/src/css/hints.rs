//! What attributes ask for that are older than style sheets: `bgcolor`, `<font color>`, `<body text>`.

use super::sheet::Declaration;
use crate::dom::{Dom, Element, NodeId};

/// The declarations that an element's attributes stand for; every rule of an author outweighs them.
pub(crate) fn of(dom: &Dom, id: NodeId, element: &Element) -> Option<Vec<Declaration>> {
    let mut list = Vec::new();
    let mut say = |property: &str, value: String| list.push(Declaration::new(property, &value, false, None));
    let name = dom.name(id);
    let painted = matches!(
        name,
        "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "col" | "colgroup" | "marquee"
    );
    if painted && let Some(color) = element.attr("bgcolor").and_then(legacy) {
        say("background-color", color);
    }
    if matches!(name, "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th")
        && element.attr("background").is_some_and(|picture| !picture.trim().is_empty())
    {
        say("background-image", "url(x)".to_owned());
    }
    match name {
        "body" => {
            if let Some(color) = element.attr("text").and_then(legacy) {
                say("color", color);
            }
        }
        "font" => {
            if let Some(color) = element.attr("color").and_then(legacy) {
                say("color", color);
            }
            if let Some(size) = element.attr("size").and_then(font_size) {
                say("font-size", size.to_owned());
            }
        }
        // The colour of links is the body's to say.
        "a" if element.has("href") => {
            let body = dom.ancestors(id).find(|node| dom.name(*node) == "body");
            if let Some(color) = body.and_then(|body| dom.attr(body, "link")).and_then(legacy) {
                say("color", color);
            }
        }
        _ => {}
    }
    (!list.is_empty()).then_some(list)
}

/// Names, and hexadecimal digits with or without the mark.
fn legacy(value: &str) -> Option<String> {
    let value = value.trim();
    let digits = value.strip_prefix('#').unwrap_or(value);
    let is_hex = matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && (value.starts_with('#') || digits.len() == 6) {
        return Some(format!("#{digits}"));
    }
    (!value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphabetic())).then(|| value.to_owned())
}

fn font_size(value: &str) -> Option<&'static str> {
    let value = value.trim();
    let number: i32 = value.parse().ok()?;
    let size = if value.starts_with(['+', '-']) { 3 + number } else { number };
    Some(match size.clamp(1, 7) {
        1 => "x-small",
        2 => "small",
        3 => "medium",
        4 => "large",
        5 => "x-large",
        6 => "xx-large",
        _ => "48px",
    })
}
