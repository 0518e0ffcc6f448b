//! Seeing the focus: whether anything on the page changes when a control gets it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    css::{
        cascade::Book,
        media::Screen,
        select::Matcher,
        sheet::Declaration,
        value::pieces,
        variables::{Variables, substitute},
    },
    document::{Document, Page},
    dom::{Element, NodeId},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
};

/// How far around a control is looked for what changes with its focus.
const MAX_ABOVE: usize = 6;
const MAX_BESIDE: usize = 4;

pub(crate) fn is_focusable(element: &Element) -> bool {
    let native = match &*element.name {
        "a" | "area" => element.has("href"),
        "button" | "select" | "textarea" => !element.has("disabled"),
        "input" => !element.has("disabled") && element.kind().as_deref() != Some("hidden"),
        "summary" => true,
        _ => false,
    };
    let index = element.attr("tabindex").and_then(|index| index.trim().parse::<i32>().ok());
    index.map_or(native, |index| index >= 0 && !element.has("disabled"))
}

pub(crate) fn focus(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("focus");
    let unread = page.unread();
    let mut eye = Eye::on(page);
    let (mut all, mut good, mut open) = (0, 0, 0);
    for (id, element) in page.dom.elements() {
        if !is_focusable(element) || !page.is_rendered(id) || page.is_inert(id) {
            continue;
        }
        if !unread.is_empty() || page.styles.of(id).unsure {
            open += 1;
            continue;
        }
        all += 1;
        let Some(taken) = eye.hidden_by(id) else {
            good += 1;
            continue;
        };
        gauge.findings.add("focus.hidden", || MeasuredFinding {
            code: "focus.hidden",
            weight: Weight::MustFix,
            text: "show the focus: the outline is taken away and nothing takes its place".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: taken,
        });
    }
    if open > 0 {
        for reason in &unread {
            gauge.undecided(reason);
        }
        if unread.is_empty() {
            gauge.undecided(format!("{} with rules that depend on a layout (`@container`)", count(open, "control")));
        }
    }
    if all == 0 && open > 0 {
        gauge.says(format!("{} undecided", count(open, "control")));
        return Some(gauge.leave_open());
    }
    gauge.says(format!("{good} of {} show the focus", count(all, "control")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}

/// The controls whose focus nothing shows, for the editor; none where the look of the page is not known.
pub(crate) fn unseen(page: &Page) -> BTreeSet<NodeId> {
    if !page.unread().is_empty() {
        return BTreeSet::new();
    }
    let mut eye = Eye::on(page);
    let controls = page.dom.elements().filter(|(id, element)| {
        is_focusable(element) && page.is_rendered(*id) && !page.is_inert(*id) && !page.styles.of(*id).unsure
    });
    controls.map(|(id, _)| id).filter(|id| eye.hidden_by(*id).is_some()).collect()
}

/// What a rule sets that eyes can tell apart, by property.
type Look = BTreeMap<String, String>;

struct Eye<'p> {
    page: &'p Page,
    book: Book<'p>,
    beside: Book<'p>,
    matcher: Matcher,
    /// Elements that match the same rules show the focus in the same way, as long as it is a matter of their own.
    known: BTreeMap<(Vec<u32>, Vec<u32>), Option<String>>,
    /// Whether any rule speaks of something beside the control that has the focus.
    reaches: bool,
}

impl<'p> Eye<'p> {
    fn on(page: &'p Page) -> Self {
        Self {
            page,
            book: Book::new(&page.sheets, Screen::USUAL),
            beside: Book::of_pseudo_elements(&page.sheets, Screen::USUAL),
            matcher: Matcher::default(),
            known: BTreeMap::new(),
            reaches: reaches_others(page),
        }
    }

    /// What takes the focus away, if nothing shows it.
    fn hidden_by(&mut self, id: NodeId) -> Option<String> {
        let inline = self.page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let rest = self.book.matching(&self.page.dom, id, &mut self.matcher, false, None);
        let focused = self.book.matching(&self.page.dom, id, &mut self.matcher, true, None);
        let key = (rest, focused);
        let variables = &self.page.styles.of(id).variables;
        let own = if let Some(known) = self.known.get(&key).filter(|_| inline.is_empty()) {
            known.clone()
        } else {
            let before = look(&self.book.declarations(&key.0, inline), variables);
            let after = look(&self.book.declarations(&key.1, inline), variables);
            let own = outline_taken(&after).filter(|_| !differs(&before, &after));
            if inline.is_empty() {
                self.known.insert(key, own.clone());
            }
            own
        };
        own.filter(|_| !self.shows_nearby(id))
    }

    /// Whether something around the control, or a pseudo-element of it, changes with its focus.
    fn shows_nearby(&mut self, id: NodeId) -> bool {
        if !self.reaches {
            return false;
        }
        let dom = &self.page.dom;
        let mut near: Vec<NodeId> =
            dom.ancestors(id).filter(|node| dom.element(*node).is_some()).take(MAX_ABOVE).collect();
        let after = std::iter::successors(dom.node(id).next, |node| dom.node(*node).next);
        near.extend(after.filter(|node| dom.element(*node).is_some()).take(MAX_BESIDE));
        near.extend(dom.children(id).filter(|node| dom.element(*node).is_some()).take(MAX_BESIDE));
        let changes = |book: &Book<'_>, matcher: &mut Matcher, node: NodeId| {
            let rest = book.matching_while(dom, node, matcher, None, None);
            let focused = book.matching_while(dom, node, matcher, Some(id), None);
            let variables = &self.page.styles.of(node).variables;
            rest != focused
                && differs(
                    &look(&book.declarations(&rest, &[]), variables),
                    &look(&book.declarations(&focused, &[]), variables),
                )
        };
        changes(&self.beside, &mut self.matcher, id)
            || near.into_iter().any(|node| {
                changes(&self.book, &mut self.matcher, node) || changes(&self.beside, &mut self.matcher, node)
            })
    }
}

/// Whether a focus anywhere may change something elsewhere: most pages have no such rule, and many controls.
fn reaches_others(page: &Page) -> bool {
    let reaches = |one: &str| {
        let after = one.split_once(":focus").map_or("", |(_, after)| after);
        let after = after.strip_prefix("-visible").unwrap_or(after);
        one.contains(":focus")
            && (after.starts_with("-within") || after.contains([' ', '>', '+', '~']) || after.contains("::"))
            || one.contains(":has(")
            || [":before", ":after"].iter().any(|old| after.contains(old))
    };
    let rules = page.authored().iter().flat_map(|sheet| &sheet.rules);
    rules.into_iter().any(|rule| rule.text.contains(":focus") && rule.text.split(',').any(reaches))
}

/// Collects what declarations make of a box, the weightiest last.
fn look(declarations: &[&Declaration], variables: &Variables) -> Look {
    let mut look = Look::new();
    for one in declarations {
        let name = one.name.as_str();
        if !is_visible(name) {
            continue;
        }
        let value = if one.uses_variables { substitute(&one.value, variables) } else { Some(one.value.clone()) };
        let value = value.unwrap_or_default().trim().to_ascii_lowercase();
        match name {
            "outline" => outline(&value, &mut look),
            // A shorthand undoes what its parts said.
            "border" | "background" | "text-decoration" | "font" => {
                look.retain(|known, _| !known.starts_with(&format!("{name}-")));
                look.insert(name.to_owned(), value);
            }
            _ => drop(look.insert(name.to_owned(), value)),
        }
    }
    look
}

fn is_visible(name: &str) -> bool {
    const PARTS: [&str; 5] = ["outline", "border", "background", "text-decoration", "box-shadow"];
    PARTS.iter().any(|part| name.starts_with(part)) && !name.ends_with("radius") && name != "outline-offset"
        || matches!(
            name,
            "color"
                | "opacity"
                | "transform"
                | "filter"
                | "font-weight"
                | "text-shadow"
                | "fill"
                | "stroke"
                | "clip"
                | "clip-path"
                | "visibility"
                | "width"
                | "height"
                | "left"
                | "top"
                | "scale"
                | "translate"
                | "content"
        )
}

fn outline(value: &str, look: &mut Look) {
    let parts = pieces(value);
    if let [word @ ("inherit" | "initial" | "unset" | "revert")] = parts[..] {
        let style = if word == "revert" { "auto" } else { "none" };
        look.insert("outline-style".to_owned(), style.to_owned());
        return;
    }
    let styles =
        ["none", "auto", "hidden", "dotted", "dashed", "solid", "double", "groove", "ridge", "inset", "outset"];
    let style = parts.iter().find(|part| styles.contains(part)).copied().unwrap_or("none");
    let is_width = |part: &&&str| {
        part.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            || matches!(**part, "thin" | "medium" | "thick")
            || part.starts_with("calc(")
    };
    let width = parts.iter().find(is_width).copied().unwrap_or("medium");
    let color = parts.iter().find(|part| !styles.contains(part) && !is_width(part)).copied().unwrap_or("auto");
    for (part, value) in [("outline-style", style), ("outline-width", width), ("outline-color", color)] {
        look.insert(part.to_owned(), value.to_owned());
    }
}

/// How the browser's outline was taken away, if it was.
fn outline_taken(look: &Look) -> Option<String> {
    let of = |part: &str| look.get(part).map(String::as_str);
    let said = |part: &str| of(part).map(|value| format!("{part}: {value}"));
    if matches!(of("outline-style"), Some("none" | "hidden" | "initial" | "unset")) {
        return Some("outline: none".to_owned());
    }
    let is_nothing = |width: &str| width.trim_end_matches(|c: char| c.is_ascii_alphabetic()) == "0";
    if of("outline-width").is_some_and(is_nothing) {
        return said("outline-width");
    }
    let is_clear = |color: &str| {
        color == "transparent" || crate::css::color::Rgba::parse(color).is_some_and(|color| color.alpha <= 0.0)
    };
    of("outline-color").filter(|color| is_clear(color)).and_then(|_| said("outline-color"))
}

/// Whether eyes can tell two looks apart; the outline is looked at elsewhere.
fn differs(before: &Look, after: &Look) -> bool {
    let is_nothing =
        |value: Option<&String>| value.is_none_or(|value| matches!(value.as_str(), "none" | "0" | "0px" | ""));
    let mut names: Vec<&String> =
        before.keys().chain(after.keys()).filter(|name| !name.starts_with("outline")).collect();
    names.sort();
    names.dedup();
    names.into_iter().any(|name| {
        let (a, b) = (before.get(name), after.get(name));
        a != b && !(is_nothing(a) && is_nothing(b))
    })
}
