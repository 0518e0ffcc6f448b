//! The contrast of every run of text, from the colours that a browser paints.

use std::collections::{BTreeMap, BTreeSet};

use super::rect::{Point, Rect};
use super::scene::{Glance, Met, Scene, color, opacity_of};
use super::snapshot::{Prop, SeenKind, Snapshot};
use super::source::Source;
use super::{View, said};
use crate::a11y::contrast::shown;
use crate::a11y::pair::{LARGE, NORMAL};
use crate::css::color::Rgba;
use crate::css::font_service::FontService;
use crate::finding::{MeasuredFinding, Weight};
use crate::measure::{Gauge, Measurement, count, share};

/// Lines of one text that are looked at; more of the same stand on the same ground.
const MAX_LINES: usize = 24;
/// Where a line is looked at: near both ends, and in the middle.
const PLACES: [f64; 3] = [0.1, 0.5, 0.9];
/// A shadow that is less blurred than this part of the letters' size is an outline, which only pixels can judge.
const OUTLINE: f64 = 0.2;
/// Ratios below this are one colour on itself: text that is hidden so, or drawn by something that we do not see.
const SAME: f64 = 1.01;

/// What is seen of one element's text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) node: usize,
    pub(crate) needs: f64,
    pub(crate) seen: Result<Met, Doubt>,
}

/// Why the contrast of a text is not known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Doubt {
    pub(crate) node: usize,
    pub(crate) why: &'static str,
}

impl Run {
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.seen.as_ref().ok().map(|met| met.text.contrast(met.ground))
    }

    fn passes(&self) -> bool {
        self.ratio().is_some_and(|ratio| ratio >= self.needs)
    }
}

/// Every element whose text asks for contrast, in the order of the page.
pub(crate) fn runs(scene: &Scene<'_>) -> Vec<Run> {
    let snapshot = scene.snapshot;
    // By element: the text that stands for it in the order of painting, and all lines.
    let mut texts: BTreeMap<usize, (usize, Vec<Rect>)> = BTreeMap::new();
    for (index, node) in snapshot.nodes.iter().enumerate() {
        let Some(layout) = &node.layout else { continue };
        if node.is_shadow || node.is_svg {
            continue;
        }
        match (node.kind, node.parent) {
            (SeenKind::Text, Some(parent)) if has_words(snapshot.text(index)) => {
                let (_, lines) = texts.entry(parent).or_insert((index, Vec::new()));
                lines.extend(layout.lines.iter().take(MAX_LINES));
            }
            (SeenKind::Element, _) if shows_value(snapshot, index) => {
                texts.entry(index).or_insert((index, Vec::new())).1.push(layout.bounds);
            }
            _ => {}
        }
    }
    let off = ids_that_are_off(snapshot);
    let has_icons = asks_for_icons(snapshot);
    let asking = texts.into_iter().filter(|(node, _)| is_seen(snapshot, *node) && !is_exempt(snapshot, *node, &off));
    let seen = asking.filter_map(|(node, (text, lines))| run(scene, node, text, &lines));
    let is_icon = |run: &Run| has_icons && snapshot.attr(run.node, "class").is_some_and(FontService::is_icon);
    // Without the letters of another site, which are not asked, a page shows the names of its icons.
    let known = seen.map(|run| {
        let seen = if is_icon(&run) { Err(Doubt { node: run.node, why: "the name of an icon" }) } else { run.seen };
        Run { seen, ..run }
    });
    known.collect()
}

/// Whether a style sheet with icons is asked for at a service for fonts.
fn asks_for_icons(snapshot: &Snapshot) -> bool {
    (0..snapshot.nodes.len())
        .filter(|at| snapshot.nodes[*at].name == "link")
        .any(|link| snapshot.attr(link, "href").and_then(FontService::of).is_some_and(FontService::has_icons))
}

fn run(scene: &Scene<'_>, node: usize, text: usize, lines: &[Rect]) -> Option<Run> {
    let snapshot = scene.snapshot;
    let needs = if is_large(snapshot, node) { LARGE } else { NORMAL };
    let letters = color(snapshot, node, Prop::TextFill);
    let mut worst: Option<Met> = None;
    let (mut passed, mut failed, mut doubt) = (0, 0, None);
    for line in lines.iter().filter_map(|line| scene.cut(text, *line)) {
        if line.width() < 1.0 || line.height() < 1.0 || line.right <= 0.0 || line.bottom <= 0.0 {
            continue;
        }
        for part in PLACES {
            let point = Point { x: line.left + line.width() * part, y: line.center().y };
            match scene.glance(text, letters, point) {
                Glance::Covered => {}
                Glance::Unknown(node, why) => doubt = Some(Doubt { node, why }),
                Glance::Met(met) => {
                    if met.text.contrast(met.ground) >= needs {
                        passed += 1;
                    } else {
                        failed += 1;
                    }
                    if worst.is_none_or(|worst| met.text.contrast(met.ground) < worst.text.contrast(worst.ground)) {
                        worst = Some(met);
                    }
                }
            }
        }
    }
    let unsure = |why: &'static str| Some(Run { node, needs, seen: Err(Doubt { node, why }) });
    if let Some(doubt) = doubt {
        return Some(Run { node, needs, seen: Err(doubt) });
    }
    let met = worst?;
    if passed > 0 && failed > 0 {
        return unsure("several grounds behind its text");
    }
    if failed > 0 {
        if snapshot.style(node, Prop::BackgroundClip) == "text" {
            return unsure("text that is painted with its background");
        }
        if met.text.contrast(met.ground) < SAME {
            return unsure("text in the colour of its ground");
        }
        if has_outline(snapshot, node) {
            return unsure("an outline of shadows around its letters");
        }
    }
    Some(Run { node, needs, seen: Ok(met) })
}

fn is_large(snapshot: &Snapshot, node: usize) -> bool {
    let points = (snapshot.number(node, Prop::FontSize) * 72.0).ceil() / 96.0;
    points >= if snapshot.number(node, Prop::FontWeight) >= 700.0 { 14.0 } else { 18.0 }
}

/// Fields that show words of their own: what the browser draws in them is in a tree of its own.
fn shows_value(snapshot: &Snapshot, node: usize) -> bool {
    match snapshot.nodes[node].name.as_str() {
        "input" => {
            let kind = snapshot.attr(node, "type").unwrap_or_default().to_ascii_lowercase();
            let is_wordless = matches!(
                kind.as_str(),
                "hidden" | "checkbox" | "radio" | "range" | "color" | "file" | "image" | "password"
            );
            !is_wordless && has_words(snapshot.input(node))
        }
        "textarea" => has_words(snapshot.input(node)),
        "select" => snapshot.below(node).any(|at| snapshot.nodes[at].name == "option"),
        _ => false,
    }
}

/// Dots, dashes and bars between words decorate, and so do the signs of symbol fonts.
fn has_words(text: &str) -> bool {
    let is_mark = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || c.is_ascii_punctuation()
            || matches!(c, '\u{2000}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '·' | '«' | '»' | '¡' | '¿' | '§' | '¶')
            || matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{f0000}'..='\u{10ffff}' | '\u{fe0f}')
    };
    text.chars().any(|c| !is_mark(c))
}

/// Whether a node is there for eyes.
pub(crate) fn is_seen(snapshot: &Snapshot, node: usize) -> bool {
    if snapshot.style(node, Prop::Visibility) != "visible" || opacity_of(snapshot, node) <= 0.0 {
        return false;
    }
    if snapshot.number(node, Prop::FontSize) <= 0.0 {
        return false;
    }
    !std::iter::once(node).chain(snapshot.above(node)).any(|at| is_clipped_away(snapshot, at))
}

/// `clip: rect(0 0 0 0)`, `clip-path: inset(50%)`, and boxes of no size that cut off what is in them.
fn is_clipped_away(snapshot: &Snapshot, node: usize) -> bool {
    let Some(layout) = &snapshot.nodes[node].layout else { return false };
    let positioned = matches!(snapshot.style(node, Prop::Position), "absolute" | "fixed");
    let clip = snapshot.style(node, Prop::Clip);
    if positioned && let Some(sides) = clip.strip_prefix("rect(").and_then(|rest| rest.strip_suffix(')')) {
        let sides: Vec<f64> =
            sides.split(',').filter_map(|side| side.trim().trim_end_matches("px").parse().ok()).collect();
        if let [top, right, bottom, left] = sides[..]
            && (bottom - top <= 1.0 || right - left <= 1.0)
        {
            return true;
        }
    }
    let path = snapshot.style(node, Prop::ClipPath);
    if let Some(inset) = path.strip_prefix("inset(")
        && inset.split(['%', ')']).next().and_then(|part| part.parse::<f64>().ok()).is_some_and(|part| part >= 50.0)
        && inset.contains('%')
    {
        return true;
    }
    let cuts = [Prop::OverflowX, Prop::OverflowY].map(|prop| matches!(snapshot.style(node, prop), "hidden" | "clip"));
    cuts == [true, true] && (layout.bounds.width() <= 1.0 || layout.bounds.height() <= 1.0)
}

/// Text that WCAG does not ask contrast of: controls that are off, with their labels, and what says of itself that it
/// decorates.
fn is_exempt(snapshot: &Snapshot, node: usize, off: &BTreeSet<&str>) -> bool {
    std::iter::once(node).chain(snapshot.above(node)).any(|at| {
        is_off(snapshot, at)
            || snapshot.attr(at, "inert").is_some()
            || is_unheard(snapshot, at)
            || matches!(snapshot.nodes[at].name.as_str(), "option" | "optgroup")
            || labels_what_is_off(snapshot, at, off)
    })
}

pub(crate) fn is_unheard(snapshot: &Snapshot, node: usize) -> bool {
    snapshot.attr(node, "aria-hidden") == Some("true")
}

fn is_off(snapshot: &Snapshot, node: usize) -> bool {
    let name = snapshot.nodes[node].name.as_str();
    let can_be = matches!(name, "button" | "input" | "select" | "textarea" | "fieldset" | "option" | "optgroup");
    (can_be && snapshot.attr(node, "disabled").is_some()) || snapshot.attr(node, "aria-disabled") == Some("true")
}

/// The ids of controls that are off; of several elements with one id, the first is meant.
fn ids_that_are_off(snapshot: &Snapshot) -> BTreeSet<&str> {
    let elements = (0..snapshot.nodes.len()).filter(|at| snapshot.nodes[*at].kind == SeenKind::Element);
    let mut known = BTreeSet::new();
    let named = elements.filter_map(|at| Some((at, snapshot.attr(at, "id")?)));
    named.filter(|(at, id)| known.insert(*id) && is_off(snapshot, *at)).map(|(_, id)| id).collect()
}

fn labels_what_is_off(snapshot: &Snapshot, node: usize, off: &BTreeSet<&str>) -> bool {
    if snapshot.nodes[node].name != "label" {
        return false;
    }
    match snapshot.attr(node, "for") {
        Some(id) => off.contains(id),
        None => snapshot.below(node).any(|at| is_off(snapshot, at)),
    }
}

/// Shadows that are as sharp as letters. One to one side alone, such as below, is no outline.
fn has_outline(snapshot: &Snapshot, node: usize) -> bool {
    let shadows = snapshot.style(node, Prop::TextShadow);
    if matches!(shadows, "none" | "") {
        return false;
    }
    let size = snapshot.number(node, Prop::FontSize);
    let mut sides = [false; 4];
    for shadow in shadows.split("px,") {
        let numbers: Vec<f64> = shadow
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|word| word.trim_end_matches("px").parse().ok())
            .collect();
        let [x, y, blur] = numbers[..] else { return true };
        if blur >= size * OUTLINE {
            continue;
        }
        if blur > size * 0.001 {
            return true;
        }
        for (side, is) in sides.iter_mut().zip([x > 0.5, -x > 0.5, y > 0.5, -y > 0.5]) {
            *side |= is;
        }
    }
    sides.iter().filter(|side| **side).count() > 1
}

/// The view, both colours, and whether the text is large.
type Pair = (usize, String, String, bool);

/// The measurement over all views of a page; the places are those of its source.
pub(crate) fn measure(source: &Source<'_>, views: &[View]) -> Option<Measurement> {
    let mut gauge = Gauge::new("contrast");
    let mut faint: BTreeMap<Pair, (Run, Met, usize)> = BTreeMap::new();
    let mut least: Option<(f64, Met, f64)> = None;
    let (mut all, mut good, mut undecided) = (0, 0, 0);
    for (number, view) in views.iter().enumerate() {
        let scene = Scene::of(&view.rest);
        for run in runs(&scene) {
            let met = match &run.seen {
                Ok(met) => *met,
                Err(doubt) => {
                    undecided += 1;
                    if gauge.has_room() {
                        let (name, at) = (source.named(view, run.node), source.named(view, doubt.node));
                        gauge.undecided(if run.node == doubt.node {
                            format!("`{name}` has {}", doubt.why)
                        } else {
                            format!("the text of `{name}` meets {} of `{at}`", doubt.why)
                        });
                    }
                    continue;
                }
            };
            all += 1;
            let ratio = met.text.contrast(met.ground);
            if least.is_none_or(|(least, _, needs)| ratio / run.needs < least / needs) {
                least = Some((ratio, met, run.needs));
            }
            if run.passes() {
                good += 1;
                continue;
            }
            let key = (number, met.text.hex(), met.ground.hex(), run.needs < NORMAL);
            faint.entry(key).or_insert((run, met, 0)).2 += 1;
        }
    }
    if all == 0 && undecided == 0 {
        return None;
    }
    let mut faint: Vec<_> = faint.into_iter().collect();
    let part = |run: &Run, met: &Met| met.text.contrast(met.ground) / run.needs;
    faint.sort_by(|(_, (a, left, _)), (_, (b, right, _))| part(a, left).total_cmp(&part(b, right)));
    // A pair that every width shows is told once.
    let mut told: Vec<(bool, Rgba, Rgba, f64)> = Vec::new();
    for ((number, ..), (run, met, places)) in &faint {
        let view = &views[*number];
        let pair = (view.dark, met.text, met.ground, run.needs);
        if told.contains(&pair) {
            continue;
        }
        told.push(pair);
        gauge.findings.add("contrast.text", || MeasuredFinding {
            code: "contrast.text",
            weight: Weight::MustFix,
            text: format!(
                "make the text readable: {} on {}{}{}",
                met.text.hex(),
                met.ground.hex(),
                said(views, view),
                if *places > 1 { format!(", here and in {} more", count(places - 1, "place")) } else { String::new() },
            ),
            place: source.place(view, run.node),
            evidence: format!("{}, needs {}:1", shown(met.text.contrast(met.ground)), run.needs),
        });
    }
    if let Some((ratio, met, _)) = least {
        gauge.says(format!("lowest {} ({} on {})", shown(ratio), met.text.hex(), met.ground.hex()));
    }
    gauge.says(format!("{good} of {} pass", count(all, "text")));
    if undecided > 0 {
        gauge.says(format!("{undecided} undecided"));
    }
    Some(gauge.finish(share(good, all)))
}
