//! Lists whose items are items, and items that are in a list.

use crate::{
    document::{Document, Page},
    dom::{Kind, NodeId},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
};

pub(crate) fn lists(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("lists");
    let mut all = 0;
    for (id, _) in page.dom.elements() {
        if !matches!(page.dom.name(id), "ul" | "ol" | "dl" | "li" | "dt" | "dd") || !page.is_heard(id) {
            continue;
        }
        all += usize::from(matches!(page.dom.name(id), "ul" | "ol" | "dl"));
        let Some(problem) = problem(page, id) else { continue };
        gauge.findings.add("list.nesting", || MeasuredFinding {
            code: "list.nesting",
            weight: Weight::Should,
            text: "put items, and nothing else, right into the list: screen readers count them".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: problem,
        });
    }
    let wrong = gauge.findings.count("list.nesting");
    gauge.says(format!("{}, {wrong} broken", count(all, "list")));
    (all + wrong > 0).then(|| gauge.finish(beyond(wrong, 0, 2.0)))
}

fn problem(page: &Page, id: NodeId) -> Option<String> {
    let dom = &page.dom;
    let name = dom.name(id);
    let role = dom.attr(id, "role").map(str::trim).filter(|role| !role.is_empty());
    let parent = dom.node(id).parent?;
    let parent_role = dom.attr(parent, "role").map(str::trim).filter(|role| !role.is_empty());
    match name {
        // Another role makes it something else than a list.
        "ul" | "ol" if role.is_none_or(|role| role == "list") => stranger(page, id, &["li"], "listitem"),
        "dl" if role.is_none() => stranger(page, id, &["dt", "dd", "div"], "").or_else(|| half(page, id)),
        "li" if role.is_none_or(|role| role == "listitem") => {
            let is_list = match parent_role {
                Some(role) => role == "list",
                None => matches!(dom.name(parent), "ul" | "ol" | "menu"),
            };
            (!is_list).then(|| format!("li in {}", named(page, parent)))
        }
        "dt" | "dd" if role.is_none() => {
            let around = if dom.name(parent) == "div" { dom.node(parent).parent? } else { parent };
            (dom.name(around) != "dl").then(|| format!("{name} in {}", named(page, parent)))
        }
        _ => None,
    }
}

/// Terms without a description, or the other way round, are no pairs.
fn half(page: &Page, list: NodeId) -> Option<String> {
    let dom = &page.dom;
    let groups = dom.children(list).flat_map(|child| {
        let inner = (dom.name(child) == "div").then(|| dom.children(child));
        std::iter::once(child).chain(inner.into_iter().flatten())
    });
    let items: Vec<&str> = groups.map(|node| dom.name(node)).filter(|name| matches!(*name, "dt" | "dd")).collect();
    let lacks = |name: &str| !items.is_empty() && !items.contains(&name);
    match (lacks("dd"), lacks("dt")) {
        (true, _) => Some("dl without dd".to_owned()),
        (_, true) => Some("dl without dt".to_owned()),
        _ => None,
    }
}

/// What stands in a list and is no item.
fn stranger(page: &Page, list: NodeId, items: &[&str], item_role: &str) -> Option<String> {
    let dom = &page.dom;
    dom.children(list).find_map(|child| match &dom.node(child).kind {
        Kind::Element(element) => {
            let is_silent = matches!(&*element.name, "script" | "template" | "style") || !page.is_heard(child);
            let role = element.attr("role").map(str::trim).filter(|role| !role.is_empty());
            let fits = match role {
                Some(role) => role == item_role,
                None => items.contains(&dom.name(child)),
            };
            (!is_silent && !fits).then(|| format!("{} in {}", named(page, child), named(page, list)))
        }
        Kind::Text { text, .. } if !text.trim().is_empty() => Some(format!("text in {}", named(page, list))),
        _ => None,
    })
}

fn named(page: &Page, id: NodeId) -> String {
    let name = page.dom.element(id).map_or("the page", |element| &element.name);
    match page.dom.attr(id, "role") {
        Some(role) => format!("{name} with the role {role}"),
        None => name.to_owned(),
    }
}
