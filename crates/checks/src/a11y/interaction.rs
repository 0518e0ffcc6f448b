//! Using the page: seeing the focus, hitting the targets, asking for less motion.

use std::collections::BTreeMap;

use crate::{
    css::{
        cascade::Book,
        media::Screen,
        select::Matcher,
        sheet::Declaration,
        style::Style,
        value::{Display, Set, sets},
        variables::substitute,
    },
    document::{Document, Page},
    dom::{Element, NodeId},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
};

/// The least height of a target in pixels, and the height that is comfortable.
const LEAST: f64 = 24.0;
const COMFORTABLE: f64 = 44.0;
/// The font size of controls that nobody styled, as in `data/browser.css`.
const NATIVE_FONT: f64 = 13.333;
/// What browsers add to controls above and below.
const BORDERS: f64 = 4.0;

pub(crate) fn is_focusable(element: &Element) -> bool {
    let native = match &*element.name {
        "a" | "area" => element.has("href"),
        "button" | "select" | "textarea" => !element.has("disabled"),
        "input" => !element.has("disabled") && element.attr("type") != Some("hidden"),
        "summary" => true,
        _ => false,
    };
    let index = element.attr("tabindex").and_then(|index| index.trim().parse::<i32>().ok());
    index.map_or(native, |index| index >= 0)
}

pub(crate) fn focus(document: &Document, page: &Page) -> Option<Measurement> {
    let book = Book::new(&page.sheets, Screen::USUAL);
    let mut matcher = Matcher::default();
    // Elements that match the same rules show the focus in the same way.
    let mut known: BTreeMap<(Vec<u32>, Vec<u32>), bool> = BTreeMap::new();
    let mut gauge = Gauge::new("focus");
    let (mut all, mut good) = (0, 0);
    for (id, element) in page.dom.elements() {
        if !is_focusable(element) || !page.is_rendered(id) {
            continue;
        }
        all += 1;
        let rest = book.matching(&page.dom, id, &mut matcher, false, None);
        let focused = book.matching(&page.dom, id, &mut matcher, true, None);
        let inline = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let shows = || shows_focus(page, id, &book.declarations(&rest, inline), &book.declarations(&focused, inline));
        let shows = if inline.is_empty() {
            *known.entry((rest.clone(), focused.clone())).or_insert_with(shows)
        } else {
            shows()
        };
        if shows {
            good += 1;
            continue;
        }
        gauge.findings.add("focus.hidden", || MeasuredFinding {
            code: "focus.hidden",
            weight: Weight::MustFix,
            text: "show the focus: the outline is taken away and nothing takes its place".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: "outline: none".to_owned(),
        });
    }
    gauge.says(format!("{good} of {} show the focus", count(all, "control")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}

/// Whether the browser's outline stays, or something else changes with the focus.
fn shows_focus(page: &Page, id: NodeId, rest: &[&Declaration], focused: &[&Declaration]) -> bool {
    let variables = &page.styles.of(id).variables;
    let read = |one: &Declaration| {
        if !one.uses_variables {
            return one.sets.clone();
        }
        substitute(&one.value, variables).map_or_else(Vec::new, |value| sets(&one.name, value.trim()))
    };
    let mut outline = true;
    for set in focused.iter().flat_map(|one| read(one)) {
        if let Set::OutlineNone(none) = set {
            outline = !none;
        }
    }
    let is_new = |one: &&&Declaration| !rest.iter().any(|other| std::ptr::eq(*other, **one));
    outline
        || focused.iter().filter(is_new).flat_map(|one| read(one)).any(|set| {
            matches!(set, Set::Ring(true) | Set::OutlineNone(false) | Set::Background(_) | Set::Image(Some(_)))
        })
}

/// Whether a control is as high as the browser makes it, which WCAG leaves to the browser.
fn is_native(element: &Element, style: &Style) -> bool {
    let padding = match &*element.name {
        "button" => 1.0,
        "input" if matches!(element.attr("type"), Some("submit" | "button" | "reset")) => 1.0,
        "input" | "select" => 0.0,
        _ => return false,
    };
    let is = |value: f64, native: f64| (value - native).abs() < 0.01;
    let same = |side: usize| style.padding[side].is_some_and(|side| is(side, padding));
    let sized = style.height.or(style.min_height).or(style.line_height).is_some();
    !sized && is(style.font_size, NATIVE_FONT) && same(0) && same(2)
}

pub(crate) fn targets(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("targets");
    let (mut all, mut good, mut least) = (0, 0, f64::INFINITY);
    for (id, element) in page.dom.elements() {
        if !is_focusable(element) || !page.is_seen(id) {
            continue;
        }
        let style = page.styles.of(id);
        // A link in a line of text cannot be higher than its line, and some sizes are the browser's.
        let exempt = style.display == Display::Inline
            || matches!(element.attr("type"), Some("checkbox" | "radio" | "range" | "file" | "color"))
            || !matches!(&*element.name, "a" | "button" | "input" | "select" | "summary")
            || is_native(element, style);
        if exempt {
            continue;
        }
        // A picture is as high as its file says.
        let is_picture =
            element.attr("type") == Some("image") || (&*element.name == "a" && page.dom.text(id).is_empty());
        let content = if is_picture { None } else { Some(style.line()) };
        let border = if &*element.name == "a" || &*element.name == "summary" { 0.0 } else { BORDERS };
        let height = style.height.or_else(|| Some(content? + style.padding[0]? + style.padding[2]? + border));
        let Some(height) = height.map(|height| height.max(style.min_height.unwrap_or(0.0))) else {
            if gauge.has_room() {
                gauge.undecided(format!("the height of `{}` needs a layout", page.dom.selector(id)));
            }
            continue;
        };
        all += 1;
        least = least.min(height);
        if height >= LEAST {
            good += 1;
            continue;
        }
        gauge.findings.add("target.small", || MeasuredFinding {
            code: "target.small",
            weight: Weight::Should,
            text: "make the target higher: fingers miss it".to_owned(),
            place: Some(document.place_of(page, id)),
            evidence: format!("about {height:.0} px high, needs {LEAST} px"),
        });
    }
    gauge.says(format!("{good} of {} are {LEAST} px high or more", count(all, "target")));
    if all > 0 {
        let comfort = if least < COMFORTABLE { "below" } else { "at least" };
        gauge.says(format!("the lowest has {least:.0} px, {comfort} {COMFORTABLE} px"));
    }
    (all > 0).then(|| gauge.finish(share(good, all)))
}

pub(crate) fn motion(document: &Document, page: &Page) -> Option<Measurement> {
    let mut moving = page.declarations().filter(|(_, one)| {
        matches!(one.name.as_str(), "animation" | "animation-name")
            && !one.value.to_ascii_lowercase().starts_with("none")
    });
    let first = moving.next()?;
    let moving = 1 + moving.count();
    let asks =
        page.authored().iter().flat_map(|sheet| &sheet.media).any(|query| query.contains("prefers-reduced-motion"));
    let mut gauge = Gauge::new("motion");
    gauge.says(count(moving, "animation"));
    if asks {
        gauge.says("prefers-reduced-motion is respected");
        return Some(gauge.finish(10.0));
    }
    gauge.findings.add("motion.reduced", || MeasuredFinding {
        code: "motion.reduced",
        weight: Weight::Should,
        text: "stop the animation for those who ask for less motion (`prefers-reduced-motion`)".to_owned(),
        place: first.1.span.map(|span| document.place_at(span)),
        evidence: format!("{}: {}", first.1.name, first.1.value),
    });
    Some(gauge.finish(4.0))
}
