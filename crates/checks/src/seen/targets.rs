//! The size of targets and the room around them, from their boxes (WCAG 2.2, 2.5.8).

use std::collections::{BTreeMap, BTreeSet};

use super::contrast::{is_seen, is_unheard};
use super::rect::Rect;
use super::rows::Rows;
use super::scene::Scene;
use super::snapshot::{Prop, SeenKind, Snapshot};
use super::source::Source;
use super::{View, said};
use crate::aria;
use crate::finding::{MeasuredFinding, Weight};
use crate::measure::{Gauge, Measurement, count, share};

/// The least width and height of a target in pixels, and the circle that it needs for itself otherwise.
const LEAST: f64 = 24.0;
/// Boxes are where the screen's pixels let them be.
const MARGIN: f64 = 0.05;
/// What a target is cut into by what lies over it.
const MAX_PIECES: usize = 1000;

/// What is seen of one target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    pub(crate) node: usize,
    pub(crate) size: (f64, f64),
    pub(crate) verdict: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    Large,
    /// Small, but nothing else is within its circle.
    Alone,
    /// Small, and so many pixels free around its middle.
    Small(f64),
    Unknown(&'static str),
}

/// Whether the Tab key reaches it.
pub(crate) fn is_in_tab_order(snapshot: &Snapshot, node: usize) -> bool {
    is_focusable(snapshot, node) && index(snapshot, node).is_none_or(|index| index >= 0)
}

fn index(snapshot: &Snapshot, node: usize) -> Option<i32> {
    snapshot.attr(node, "tabindex").and_then(|index| index.trim().parse().ok())
}

fn is_focusable(snapshot: &Snapshot, node: usize) -> bool {
    let seen = &snapshot.nodes[node];
    if seen.kind != SeenKind::Element || seen.is_shadow {
        return false;
    }
    let name = seen.name.as_str();
    let can_be_off = matches!(name, "button" | "select" | "textarea" | "input");
    let is_off = can_be_off && snapshot.attr(node, "disabled").is_some();
    let in_what_is_off = can_be_off
        && snapshot
            .above(node)
            .any(|at| snapshot.nodes[at].name == "fieldset" && snapshot.attr(at, "disabled").is_some());
    let is_inert = std::iter::once(node).chain(snapshot.above(node)).any(|at| snapshot.attr(at, "inert").is_some());
    if is_off || in_what_is_off || is_inert || snapshot.style(node, Prop::Visibility) != "visible" {
        return false;
    }
    let native = match name {
        "a" | "area" => snapshot.attr(node, "href").is_some(),
        "input" => !is_kind(snapshot, node, "hidden"),
        "button" | "select" | "textarea" => true,
        "summary" => seen.parent.is_some_and(|parent| snapshot.nodes[parent].name == "details"),
        _ => false,
    };
    native || index(snapshot, node).is_some()
}

fn is_kind(snapshot: &Snapshot, node: usize, kind: &str) -> bool {
    snapshot.attr(node, "type").is_some_and(|other| other.eq_ignore_ascii_case(kind))
}

/// Whether people operate something that can have the focus: by its role, or by what it is.
fn is_widget(snapshot: &Snapshot, node: usize) -> bool {
    if let Some(is_widget) = aria::is_widget(snapshot.attr(node, "role")) {
        return is_widget;
    }
    match snapshot.nodes[node].name.as_str() {
        "a" => snapshot.attr(node, "href").is_some(),
        "input" => !is_kind(snapshot, node, "hidden"),
        "button" | "select" | "textarea" | "summary" | "option" | "progress" => true,
        _ => false,
    }
}

/// Everything that people operate, by where it is.
struct Widgets {
    nodes: Vec<usize>,
    rows: Rows,
}

impl Widgets {
    fn of(snapshot: &Snapshot) -> Self {
        let nodes: Vec<usize> = (0..snapshot.nodes.len())
            .filter(|at| is_widget(snapshot, *at) && is_focusable(snapshot, *at) && rect(snapshot, *at).is_some())
            .filter(|at| snapshot.nodes[*at].name != "area" && !snapshot.nodes[*at].is_svg)
            .collect();
        let mut rows = Rows::default();
        for node in &nodes {
            if let Some(bounds) = rect(snapshot, *node) {
                rows.add(*node, bounds);
            }
        }
        Self { nodes, rows }
    }

    /// The others that meet these bounds, in the order of the page.
    fn meeting(&self, snapshot: &Snapshot, node: usize, bounds: Rect) -> impl Iterator<Item = usize> {
        let near = self.rows.near(bounds).into_iter();
        near.filter(move |other| *other != node && rect(snapshot, *other).is_some_and(|rect| rect.meets(bounds)))
    }

    /// Those that lie over a target and take what is aimed at it.
    fn over(&self, scene: &Scene<'_>, node: usize, bounds: Rect) -> impl Iterator<Item = usize> {
        let snapshot = scene.snapshot;
        self.meeting(snapshot, node, bounds).filter(move |other| {
            let shown = rect(snapshot, *other).and_then(|rect| scene.shown_beside(*other, rect, node));
            shown.is_some_and(|shown| shown.meets(bounds))
                && !snapshot.is_inside(node, *other)
                && scene.is_over(*other, node)
                && snapshot.style(*other, Prop::PointerEvents) != "none"
        })
    }
}

/// Every target that has to have a size, in the order of the page.
pub(crate) fn targets(scene: &Scene<'_>) -> Vec<Target> {
    let snapshot = scene.snapshot;
    let widgets = Widgets::of(snapshot);
    let mut lines = TextLines::default();
    let is_heard = |node: usize| !std::iter::once(node).chain(snapshot.above(node)).any(|at| is_unheard(snapshot, at));
    let asked = widgets.nodes.iter().copied().filter(|at| {
        is_heard(*at) && is_in_tab_order(snapshot, *at) && is_seen(snapshot, *at) && !lines.have(snapshot, *at)
    });
    asked.filter_map(|node| target(scene, node, &widgets)).collect()
}

fn rect(snapshot: &Snapshot, node: usize) -> Option<Rect> {
    snapshot.nodes[node].layout.as_ref().map(|layout| layout.bounds).filter(|bounds| !bounds.is_empty())
}

/// The boxes of a target, as far as they are there for another one beside it.
fn rects_beside(scene: &Scene<'_>, node: usize, other: usize) -> impl Iterator<Item = Rect> {
    rects(scene, node).into_iter().filter_map(move |rect| scene.shown_beside(node, rect, other))
}

/// The boxes of a target: one, or one a line.
fn rects(scene: &Scene<'_>, node: usize) -> Vec<Rect> {
    let snapshot = scene.snapshot;
    let whole = rect(snapshot, node).into_iter().collect();
    if snapshot.style(node, Prop::Display) != "inline" {
        return whole;
    }
    let mut lines: Vec<Rect> = Vec::new();
    // Blanks that only say where a line may break have a line of their own, wherever that is.
    let is_blank = |at: &usize| snapshot.nodes[*at].kind == SeenKind::Text && snapshot.text(*at).trim().is_empty();
    for at in snapshot.below(node).filter(|at| !is_blank(at)) {
        for line in snapshot.nodes[at].layout.iter().flat_map(|layout| &layout.lines) {
            match lines.iter_mut().find(|other| (other.top - line.top).abs() < other.height() / 2.0) {
                Some(other) => *other = other.union(*line),
                None => lines.push(*line),
            }
        }
    }
    if lines.len() < 2 { whole } else { lines }
}

fn target(scene: &Scene<'_>, node: usize, widgets: &Widgets) -> Option<Target> {
    let snapshot = scene.snapshot;
    let own = scene.cut(node, rect(snapshot, node)?)?;
    if own.right <= 0.0 || own.bottom <= 0.0 {
        return None;
    }
    let bounds = rect(snapshot, node)?;
    let size = (bounds.width(), bounds.height());
    let told = |verdict: Reach| Some(Target { node, size, verdict });
    let over: Vec<usize> =
        widgets.over(scene, node, bounds).filter(|other| !leads_the_same_way(snapshot, node, *other)).collect();
    if is_enough(bounds) {
        let mut pieces = vec![bounds];
        for other in &over {
            for rect in rects_beside(scene, *other, node) {
                pieces = pieces.into_iter().flat_map(|piece| piece.without(rect)).collect();
            }
            if pieces.len() > MAX_PIECES {
                return told(Reach::Unknown("too much over it"));
            }
        }
        if pieces.iter().any(|piece| is_enough(*piece)) {
            return told(Reach::Large);
        }
        if pieces.is_empty() {
            return None; // wholly under something else: nobody aims at it
        }
    }
    let shown = |other: usize| rect(snapshot, other).and_then(|rect| scene.shown_beside(other, rect, node));
    if over.iter().any(|other| shown(*other).is_some_and(|rect| rect.holds(bounds))) {
        return None;
    }
    told(match room(scene, node, bounds, widgets) {
        None => Reach::Alone,
        Some(free) => Reach::Small(free),
    })
}

fn is_enough(rect: Rect) -> bool {
    rect.width() + MARGIN >= LEAST && rect.height() + MARGIN >= LEAST
}

/// How wide the circle around a target's middle is before it meets another target; nothing if it is wide enough.
fn room(scene: &Scene<'_>, node: usize, bounds: Rect, widgets: &Widgets) -> Option<f64> {
    let snapshot = scene.snapshot;
    let near = bounds.grown(LEAST);
    let own = rects(scene, node);
    let mut least: Option<f64> = None;
    let mut is_reached = false;
    for other in widgets.meeting(snapshot, node, near) {
        let Some(others) = rect(snapshot, other) else { continue };
        if leads_the_same_way(snapshot, node, other) || scene.shown_beside(other, others, node).is_none() {
            continue;
        }
        let theirs = open_rects(scene, other, widgets);
        let free = own.iter().map(|one| offset(*one, &theirs)).fold(f64::INFINITY, f64::min);
        let free = (free * 10.0).round() / 10.0 * 2.0;
        if free + MARGIN < LEAST {
            least = Some(least.map_or(free, |least| least.min(free)));
            is_reached |= is_in_tab_order(snapshot, other);
        }
    }
    least.filter(|_| is_reached)
}

/// What is left of a target beside the targets that lie over it: nobody hits it there.
fn open_rects(scene: &Scene<'_>, node: usize, widgets: &Widgets) -> Vec<Rect> {
    let snapshot = scene.snapshot;
    let mut pieces = rects(scene, node);
    let Some(bounds) = rect(snapshot, node) else { return pieces };
    let over = widgets.over(scene, node, bounds);
    for other in over {
        for rect in rects_beside(scene, other, node) {
            pieces = pieces.into_iter().flat_map(|piece| piece.without(rect)).collect();
        }
        if pieces.len() > MAX_PIECES {
            return rects(scene, node);
        }
    }
    pieces
}

/// The distance from the middle of a target to another one, which has a circle of its own if it is small, too.
fn offset(own: Rect, others: &[Rect]) -> f64 {
    let center = own.center();
    if others.iter().any(|other| other.has(center)) {
        return 0.0;
    }
    let near = others.iter().map(|other| other.nearest(center).distance(center)).fold(f64::INFINITY, f64::min);
    if others.iter().any(|other| is_enough(*other)) {
        return near;
    }
    let Some(all) = others.iter().copied().reduce(Rect::union) else { return near };
    near.min(all.center().distance(center) - LEAST / 2.0).max(0.0)
}

/// Two links to the same place are one target to whoever aims at them. A link to nowhere leads to what its script does.
fn leads_the_same_way(snapshot: &Snapshot, one: usize, other: usize) -> bool {
    let href = |node: usize| {
        let leads = |href: &&str| !href.is_empty() && !href.ends_with('#') && !href.starts_with("javascript:");
        snapshot.attr(node, "href").map(str::trim).filter(leads)
    };
    href(one).is_some() && href(one) == href(other)
}

const BLOCKS: [&str; 5] = ["block", "list-item", "table", "flex", "grid"];

fn is_block(snapshot: &Snapshot, node: usize) -> bool {
    let display = snapshot.style(node, Prop::Display);
    BLOCKS.contains(&display) || display.starts_with("table-")
}

/// The lines of every block that was asked about, from break to break, each with whether it has words beside its links.
#[derive(Default)]
struct TextLines {
    blocks: BTreeMap<usize, Vec<(usize, bool)>>,
}

impl TextLines {
    /// Whether a link stands in a line of text: it cannot be higher than its line.
    fn have(&mut self, snapshot: &Snapshot, node: usize) -> bool {
        if is_block(snapshot, node) {
            return false;
        }
        let Some(block) = snapshot.above(node).find(|at| is_block(snapshot, *at)) else { return false };
        let lines = self.blocks.entry(block).or_insert_with(|| lines_of(snapshot, block));
        lines.get(lines.partition_point(|(end, _)| *end <= node)).is_some_and(|(_, words)| *words)
    }
}

/// Where each line of a block ends, and whether it has words that are no link's.
fn lines_of(snapshot: &Snapshot, block: usize) -> Vec<(usize, bool)> {
    let mut lines = Vec::new();
    let mut words = false;
    let mut at = block + 1;
    let end = snapshot.nodes[block].end;
    while at < end {
        let seen = &snapshot.nodes[at];
        let mut next = at + 1;
        match seen.kind {
            SeenKind::Text if !seen.is_shadow => words |= !snapshot.text(at).trim().is_empty(),
            SeenKind::Element => {
                let breaks = is_block(snapshot, at) || matches!(seen.name.as_str(), "br" | "hr");
                if breaks {
                    lines.push((at, words));
                    words = false;
                }
                if breaks || is_widget(snapshot, at) || seen.layout.is_none() {
                    next = seen.end;
                }
            }
            SeenKind::Pseudo | SeenKind::Shadow => next = seen.end,
            _ => {}
        }
        at = next;
    }
    lines.push((end, words));
    lines
}

pub(crate) fn measure(source: &Source<'_>, views: &[View]) -> Option<Measurement> {
    let mut gauge = Gauge::new("targets");
    let (mut all, mut good, mut alone) = (0, 0, 0);
    // What is small in every window is told once.
    let mut told = BTreeSet::new();
    for view in views.iter().filter(|view| !view.dark || views.iter().all(|view| view.dark)) {
        let scene = Scene::of(&view.rest);
        for target in targets(&scene) {
            let free = match target.verdict {
                Reach::Unknown(why) => {
                    if gauge.has_room() {
                        gauge.undecided(format!("the size of `{}`: {why}", source.named(view, target.node)));
                    }
                    continue;
                }
                Reach::Large | Reach::Alone => {
                    all += 1;
                    good += 1;
                    alone += usize::from(target.verdict == Reach::Alone);
                    continue;
                }
                Reach::Small(free) => free,
            };
            all += 1;
            if !told.insert(view.rest.nodes[target.node].backend) {
                continue;
            }
            let (width, height) = target.size;
            gauge.findings.add("target.small", || MeasuredFinding {
                code: "target.small",
                weight: Weight::Should,
                text: format!(
                    "make the target larger, or leave more room around it: fingers miss it{}",
                    said(views, view)
                ),
                place: source.place(view, target.node),
                evidence: format!("{width:.0} × {height:.0} px with {free:.0} px for itself, needs {LEAST} px"),
            });
        }
    }
    gauge.says(format!("{good} of {} are {LEAST} px wide and high, or have the room", count(all, "target")));
    if alone > 0 {
        gauge.says(format!("{alone} of them small, and alone"));
    }
    (all > 0).then(|| gauge.finish(share(good, all)))
}
