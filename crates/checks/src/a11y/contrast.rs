//! The contrast of every run of text, from the colours that the cascade gives.

use std::collections::BTreeMap;

use crate::{
    css::{cascade::Styles, media::Screen},
    document::{Document, Page},
    dom::{Element, Kind, NodeId},
    finding::{MeasuredFinding, Weight},
    layout::Layers,
    measure::{Gauge, Measurement, count, share},
    place::SourceLocation,
};

use super::pair::{NORMAL, Pair, Unknown, letters, pair};

/// A run of text that is too faint, with the element that shows it.
#[derive(Debug, Clone)]
pub(crate) struct Faint {
    pub(crate) element: NodeId,
    pub(crate) pair: Pair,
    /// How many elements show the same pair.
    pub(crate) places: usize,
    pub(crate) dark: bool,
}

pub(crate) fn measure(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("contrast");
    let mut survey = Survey::default();
    survey.walk(page, &page.styles, false, &mut gauge);
    let dark = has_dark_scheme(page);
    if dark {
        let styles = in_the_dark(page);
        survey.walk(page, &styles, true, &mut gauge);
    }
    if survey.all == 0 && survey.undecided == 0 {
        return None;
    }
    let unread = page.unread();
    if !unread.is_empty() {
        // Whatever was worked out, the sheets that are not here may say otherwise.
        return Some(open(&unread, survey.all + survey.undecided));
    }
    // The faintest first.
    let mut faint: Vec<&Faint> = survey.faint.values().collect();
    faint.sort_by(|a, b| (a.pair.ratio() / a.pair.needs).total_cmp(&(b.pair.ratio() / b.pair.needs)));
    for Faint { element, pair, places, dark } in faint {
        gauge.findings.add("contrast.text", || MeasuredFinding {
            code: "contrast.text",
            weight: Weight::MustFix,
            text: format!(
                "make the text readable: {} on {}{}{}",
                pair.text.hex(),
                pair.ground.hex(),
                if *dark { " in the dark scheme" } else { "" },
                if *places > 1 { format!(", here and in {} more", count(places - 1, "place")) } else { String::new() },
            ),
            place: Some(document.place_of(page, *element)),
            evidence: format!("{}, needs {}:1", shown(pair.ratio()), pair.needs),
        });
    }
    if let Some(least) = survey.least {
        gauge.says(format!("lowest {} ({} on {})", shown(least.ratio()), least.text.hex(), least.ground.hex()));
    }
    gauge.says(format!("{} of {} pass", survey.good, count(survey.all, "text")));
    if dark {
        gauge.says("light and dark scheme");
    }
    if survey.undecided > 0 {
        gauge.says(format!("{} undecided", survey.undecided));
    }
    if survey.all == 0 {
        return Some(gauge.leave_open());
    }
    Some(gauge.finish(share(survey.good, survey.all)))
}

fn open(reasons: &[String], texts: usize) -> Measurement {
    let mut gauge = Gauge::new("contrast");
    gauge.says(format!("{} undecided", count(texts, "text")));
    for reason in reasons {
        gauge.undecided(reason);
    }
    gauge.leave_open()
}

fn has_dark_scheme(page: &Page) -> bool {
    page.authored().iter().flat_map(|sheet| &sheet.media).any(|query| query.contains("color-scheme"))
}

fn in_the_dark(page: &Page) -> Styles {
    page.styles_on(Screen::DARK)
}

/// The contrast of one element's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    pub place: SourceLocation,
    /// The ratio, or why it is not known.
    pub ratio: Result<f64, String>,
    /// What the text needs; nothing while the ratio is not known.
    pub needs: Option<f64>,
    pub dark: bool,
}

/// What the measurement rests on, element by element: findings show every pair of colours once.
pub fn contrasts(document: &Document) -> Vec<Contrast> {
    let Some(page) = document.page() else { return Vec::new() };
    let unread = page.unread().into_iter().next();
    let of = |styles: &Styles, dark: bool| -> Vec<Contrast> {
        let layers = Layers::new(page, styles);
        let runs = runs(page, styles, &layers).map(|(element, pair)| {
            let ratio = pair.as_ref().map(Pair::ratio).map_err(|unknown| unknown.say(page));
            let ratio = unread.clone().map_or(ratio, Err);
            let needs = if ratio.is_ok() { pair.ok().map(|pair| pair.needs) } else { None };
            Contrast { place: document.place_of(page, element), ratio, needs, dark }
        });
        runs.collect()
    };
    let mut list = of(&page.styles, false);
    if has_dark_scheme(page) {
        list.extend(of(&in_the_dark(page), true));
    }
    list
}

/// Cut, not rounded: 4.499 must not look like a pass.
pub(crate) fn shown(ratio: f64) -> String {
    format!("{:.2}:1", (ratio * 100.0).floor() / 100.0)
}

/// Every pair that is too faint, for the editor.
pub(crate) fn faint(page: &Page) -> Vec<Faint> {
    if !page.unread().is_empty() {
        return Vec::new();
    }
    let mut survey = Survey::default();
    survey.walk(page, &page.styles, false, &mut Gauge::new("contrast"));
    survey.faint.into_values().collect()
}

/// The colours of every run of text, for the editor: as usual, in the dark scheme where there is one, and in a narrow
/// window. Nothing where they are not known.
pub(crate) fn on_screens(page: &Page) -> Vec<(NodeId, u8, Option<Pair>)> {
    let is_read = page.unread().is_empty();
    let of = |styles: &Styles, screen: u8| -> Vec<(NodeId, u8, Option<Pair>)> {
        let layers = Layers::new(page, styles);
        let runs = runs(page, styles, &layers);
        runs.map(|(element, pair)| (element, screen, pair.ok().filter(|_| is_read))).collect()
    };
    let mut list = of(&page.styles, 0);
    if has_dark_scheme(page) {
        list.extend(of(&in_the_dark(page), 1));
    }
    list.extend(of(&page.styles_on(Screen::NARROW), 2));
    list
}

#[derive(Debug, Default)]
struct Survey {
    all: usize,
    good: usize,
    undecided: usize,
    unknown: Vec<Unknown>,
    least: Option<Pair>,
    faint: BTreeMap<(bool, String, String, bool), Faint>,
}

impl Survey {
    fn walk(&mut self, page: &Page, styles: &Styles, dark: bool, gauge: &mut Gauge) {
        let layers = Layers::new(page, styles);
        for (element, pair) in runs(page, styles, &layers) {
            match pair {
                Ok(pair) => self.take(element, pair, dark),
                Err(unknown) => {
                    self.undecided += 1;
                    if self.unknown.last() != Some(&unknown) && gauge.has_room() {
                        gauge.undecided(unknown.say(page));
                        self.unknown.push(unknown);
                    }
                }
            }
        }
    }

    fn take(&mut self, element: NodeId, pair: Pair, dark: bool) {
        self.all += 1;
        if self.least.is_none_or(|least| pair.ratio() / pair.needs < least.ratio() / least.needs) {
            self.least = Some(pair);
        }
        if pair.passes() {
            self.good += 1;
            return;
        }
        let key = (dark, pair.text.hex(), pair.ground.hex(), pair.needs < NORMAL);
        self.faint.entry(key).or_insert(Faint { element, pair, places: 0, dark }).places += 1;
    }
}

/// Every element whose text asks for contrast, in the order of the page.
fn runs<'p>(
    page: &'p Page,
    styles: &'p Styles,
    layers: &'p Layers,
) -> impl Iterator<Item = (NodeId, Result<Pair, Unknown>)> + 'p {
    let mut last = None;
    let texts = page.dom.descendants(NodeId::DOCUMENT).filter_map(|id| text_of(page, id));
    // One element with many pieces of text is one run.
    let elements = texts.filter(move |element| last.replace(*element) != Some(*element));
    let seen = elements.filter(|element| page.is_seen(*element) && styles.of(*element).font_size > 0.0);
    // Letters without colour are not there for eyes.
    // Letters without a colour are not seen, unless the ground shows through them.
    let shown = seen.filter(|element| {
        let style = styles.of(*element);
        letters(style).alpha > 0.0 || style.clip_text
    });
    let asking = shown.filter(|element| !is_exempt(page, *element));
    asking.map(|element| (element, pair(page, styles, layers, element)))
}

/// The element whose text a node is, when it is text that shows.
fn text_of(page: &Page, id: NodeId) -> Option<NodeId> {
    match &page.dom.node(id).kind {
        Kind::Text { text, .. } if has_words(text) => page.dom.node(id).parent,
        Kind::Element(element) => match &*element.name {
            "input" => (!is_wordless(element) && element.attr("value").is_some_and(has_words)).then_some(id),
            // A list that is folded shows the chosen option in the colours of its own.
            "select" => {
                (!element.has("multiple") && !element.has("size") && has_words(&page.dom.text(id))).then_some(id)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Fields that show something other than their value.
fn is_wordless(element: &Element) -> bool {
    let kind = element.attr("type").unwrap_or_default().to_ascii_lowercase();
    matches!(kind.as_str(), "hidden" | "checkbox" | "radio" | "range" | "color" | "file" | "image" | "password")
}

/// Dots, dashes and bars between words decorate: they say nothing that somebody could miss.
fn has_words(text: &str) -> bool {
    let is_mark = |c: char| {
        c.is_whitespace()
            || c.is_ascii_punctuation()
            || matches!(c, '\u{2000}'..='\u{206f}' | '·' | '«' | '»' | '¡' | '¿')
    };
    text.chars().any(|c| !is_mark(c))
}

/// Text that WCAG does not ask contrast of: controls that are off with their labels, and pictures made of text.
/// The options of a list are drawn by the browser.
fn is_exempt(page: &Page, element: NodeId) -> bool {
    std::iter::once(element).chain(page.dom.ancestors(element)).any(|id| {
        page.dom.element(id).is_some_and(|element| {
            !element.is_html()
                || is_off(element)
                || element.has("inert")
                || &*element.name == "option"
                || labels_what_is_off(page, id, element)
        })
    })
}

fn is_off(element: &Element) -> bool {
    element.has("disabled") || element.attr("aria-disabled") == Some("true")
}

/// How far into a label its field is looked for: a page inside a label must not be read for each of its words.
const LABEL_REACH: usize = 32;

fn labels_what_is_off(page: &Page, id: NodeId, element: &Element) -> bool {
    if &*element.name != "label" {
        return false;
    }
    let off = |field: NodeId| page.dom.element(field).is_some_and(is_off);
    match element.attr("for") {
        Some(field) => page.ids.get(field).is_some_and(|field| off(*field)),
        None => page.dom.descendants(id).take(LABEL_REACH).any(off),
    }
}
