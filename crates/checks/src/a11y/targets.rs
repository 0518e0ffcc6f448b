//! Hitting the targets: controls that are large enough, or stand far enough from others.

use crate::{
    css::{style::Style, value::Display},
    document::{Document, Page},
    dom::{Element, Kind, NodeId},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
};

use super::focus::is_focusable;

/// The least size of a target in pixels, and the size that is comfortable.
const LEAST: f64 = 24.0;
const COMFORTABLE: f64 = 44.0;
/// The font size of controls that nobody styled, as in `data/browser.css`.
const NATIVE_FONT: f64 = 13.333;
/// What browsers add to controls above and below.
const BORDERS: f64 = 4.0;
/// A link with more letters may take two lines, and is high enough then.
const ONE_LINE: usize = 24;
/// How high letters are at least, in parts of their size: no usual font is lower.
const LEAST_LETTERS: f64 = 1.1;

pub(crate) fn targets(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("targets");
    let unread = page.unread();
    let (mut all, mut good, mut least) = (0, 0, f64::INFINITY);
    let mut open = false;
    for (id, element) in page.dom.elements() {
        if !is_focusable(element) || !page.is_seen(id) || page.is_inert(id) || is_exempt(page, id, element) {
            continue;
        }
        if !unread.is_empty() {
            open = true;
            continue;
        }
        match size(page, id, element) {
            Size::Known(px) => {
                all += 1;
                least = least.min(px);
                if px >= LEAST {
                    good += 1;
                    continue;
                }
                gauge.findings.add("target.small", || MeasuredFinding {
                    code: "target.small",
                    weight: Weight::Should,
                    text: "make the target larger, or leave room around it: fingers miss it".to_owned(),
                    place: Some(document.place_of(page, id)),
                    evidence: format!("about {px:.0} px, needs {LEAST} px"),
                });
            }
            Size::Free => {}
            Size::Open => {
                open = true;
                if gauge.has_room() {
                    gauge.undecided(format!(
                        "the size of `{}` and the room around it need a layout",
                        page.dom.selector(id)
                    ));
                }
            }
        }
    }
    for reason in unread.iter().filter(|_| open) {
        gauge.undecided(reason);
    }
    if all == 0 {
        return open.then(|| gauge.leave_open());
    }
    gauge.says(format!("{good} of {} are {LEAST} px high or more", count(all, "target")));
    let comfort = if least < COMFORTABLE { "below" } else { "at least" };
    gauge.says(format!("the lowest has {least:.0} px, {comfort} {COMFORTABLE} px"));
    Some(gauge.finish(share(good, all)))
}

enum Size {
    /// The size that counts in pixels: its own, or the distance to the next target.
    Known(f64),
    /// In a line of text, where no size is asked for.
    Free,
    Open,
}

/// Sizes that are the browser's are nobody's fault.
fn is_exempt(page: &Page, id: NodeId, element: &Element) -> bool {
    matches!(element.kind().as_deref(), Some("checkbox" | "radio" | "range" | "file" | "color"))
        || !matches!(&*element.name, "a" | "button" | "input" | "select" | "summary")
        || is_native(element, page.styles.of(id))
}

/// Whether a control is as high as the browser makes it, which WCAG leaves to the browser.
fn is_native(element: &Element, style: &Style) -> bool {
    let padding = match &*element.name {
        "button" => 1.0,
        "input" if matches!(element.kind().as_deref(), Some("submit" | "button" | "reset")) => 1.0,
        "input" | "select" => 0.0,
        _ => return false,
    };
    let is = |value: f64, native: f64| (value - native).abs() < 0.01;
    let same = |side: usize| style.padding[side].is_some_and(|side| is(side, padding));
    let sized = style.height.or(style.min_height).or(style.line_height).is_some();
    !sized && is(style.font_size, NATIVE_FONT) && same(0) && same(2)
}

fn size(page: &Page, id: NodeId, element: &Element) -> Size {
    let style = page.styles.of(id);
    if style.display == Display::Inline {
        return inline(page, id);
    }
    let is_picture =
        element.kind().as_deref() == Some("image") || (&*element.name == "a" && page.dom.text(id).is_empty());
    let content = if is_picture { None } else { Some(style.line()) };
    let border = if matches!(&*element.name, "a" | "summary") { 0.0 } else { BORDERS };
    let height = style.height.or_else(|| Some(content? + style.padding[0]? + style.padding[2]? + border));
    let Some(height) = height.map(|height| height.max(style.min_height.unwrap_or(0.0))) else { return Size::Open };
    let across =
        style.width.map_or(height, |width| width + style.padding[1].unwrap_or(0.0) + style.padding[3].unwrap_or(0.0));
    let least = height.min(across);
    if least >= LEAST {
        return Size::Known(least);
    }
    // It may stand alone, which is enough: only a list of them says how near the next one is.
    match stacked(page, id, height) {
        Some(distance) => apart(distance, height),
        None if has_close_neighbour(page, id) => Size::Known(least),
        None => Size::Open,
    }
}

/// A link that is a line of its own is as far from the next one as its line is high.
fn inline(page: &Page, id: NodeId) -> Size {
    let dom = &page.dom;
    let Some(parent) = dom.node(id).parent else { return Size::Free };
    let is_alone = dom.children(parent).all(|child| match &dom.node(child).kind {
        Kind::Text { text, .. } => text.trim().is_empty(),
        Kind::Element(_) => child == id,
        _ => true,
    });
    if !is_alone || dom.name(parent) != "li" {
        return Size::Free;
    }
    match stacked(page, id, page.styles.of(parent).line()) {
        Some(distance) => apart(distance, page.styles.of(id).font_size * LEAST_LETTERS),
        None => Size::Free,
    }
}

/// Whether targets that stand so far from each other, and are so high, are far enough: the circle around the middle of
/// one must not meet the other, which the height decides, nor the circle of the other, which their widths do, too.
fn apart(distance: f64, height: f64) -> Size {
    if distance - height / 2.0 < LEAST / 2.0 {
        return Size::Known(distance.min(LEAST - 1.0));
    }
    if distance >= LEAST { Size::Known(distance) } else { Size::Open }
}

/// The distance to the next target, for what fills an item of a plain list.
fn stacked(page: &Page, id: NodeId, height: f64) -> Option<f64> {
    let dom = &page.dom;
    let item = dom.node(id).parent.filter(|parent| dom.name(*parent) == "li")?;
    let style = page.styles.of(item);
    let is_plain =
        |style: &Style| style.display == Display::Block && !style.placing.float && !style.placing.position.is_out();
    let list = page.styles.of(dom.node(item).parent?);
    let is_column = is_plain(style) && list.display == Display::Block;
    let is_short = dom.text(id).chars().count() <= ONE_LINE
        && dom.children(item).filter(|child| dom.element(*child).is_some()).count() == 1;
    let next =
        std::iter::successors(dom.node(item).next, |node| dom.node(*node).next).find(|node| dom.name(*node) == "li");
    let previous =
        std::iter::successors(dom.node(item).prev, |node| dom.node(*node).prev).find(|node| dom.name(*node) == "li");
    let other = next.or(previous)?;
    // Only what its item begins with stands right below or above. Two links to the same place are one target.
    let href = |node: NodeId| dom.attr(node, "href").map(str::trim);
    let begins = dom.children(other).find(|child| match &dom.node(*child).kind {
        Kind::Text { text, .. } => !text.trim().is_empty(),
        Kind::Element(_) => true,
        _ => false,
    });
    let links_too = begins.is_some_and(|child| {
        dom.element(child).is_some_and(is_focusable) && (href(child).is_none() || href(child) != href(id))
    });
    if !is_column || !is_short || !links_too {
        return None;
    }
    let room = style.padding[0]? + style.padding[2]? + style.margin[0]?.max(style.margin[2]?);
    Some(height + room)
}

/// Whether the next thing in the same line is a target, too, with nothing in between.
fn has_close_neighbour(page: &Page, id: NodeId) -> bool {
    let dom = &page.dom;
    let style = page.styles.of(id);
    let known = style.display == Display::InlineBox && style.width.is_some_and(|width| width < LEAST);
    let near = |from: Option<NodeId>, next: bool| {
        std::iter::successors(from, |node| if next { dom.node(*node).next } else { dom.node(*node).prev })
            .find(|node| match &dom.node(*node).kind {
                Kind::Text { text, .. } => !text.trim().is_empty(),
                Kind::Element(_) => true,
                _ => false,
            })
            .is_some_and(|node| {
                let other = page.styles.of(node);
                let is_flush = [1, 3].iter().all(|side| other.margin[*side] == Some(0.0));
                dom.element(node).is_some_and(is_focusable) && other.display == Display::InlineBox && is_flush
            })
    };
    let is_flush = [1, 3].iter().all(|side| style.margin[*side] == Some(0.0));
    known && is_flush && (near(dom.node(id).next, true) || near(dom.node(id).prev, false))
}
