//! Whether controls show that they have the focus: a second snapshot, with every control focused, beside the first.

use std::collections::BTreeMap;

use super::View;
use super::contrast::is_seen;
use super::looks;
use super::rect::Rect;
use super::scene::{color, opacity_of};
use super::snapshot::{Prop, SeenKind, Snapshot};
use super::source::Source;
use super::targets::is_in_tab_order;
use crate::finding::{MeasuredFinding, Weight};
use crate::measure::{Gauge, Measurement, count, share};

/// Elements behind a control, beside it, that its focus may change.
const MAX_SIBLINGS: usize = 8;
/// Elements in or behind a control that are compared.
const MAX_PARTS: usize = 64;
/// Boxes that grow by less look the same.
const MOVED: f64 = 0.5;
/// Boxes that are thinner show nothing.
const FLAT: f64 = 0.5;

/// What is seen of a control's focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FocusSeen {
    Shown,
    Hidden,
    /// The control itself cannot be seen, or a script answers the focus, which is not run for this.
    Unknown,
}

/// Every control that the keyboard reaches, in the order of the page.
pub(crate) fn controls(rest: &Snapshot, focused: &Snapshot) -> Vec<(usize, FocusSeen)> {
    let numbers: BTreeMap<i64, usize> =
        focused.nodes.iter().enumerate().map(|(index, node)| (node.backend, index)).collect();
    let mut labels: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for label in (0..rest.nodes.len()).filter(|at| rest.nodes[*at].name == "label") {
        if let Some(id) = rest.attr(label, "for") {
            labels.entry(id).or_default().push(label);
        }
    }
    let reached = (0..rest.nodes.len()).filter(|at| is_in_tab_order(rest, *at) && rest.nodes[*at].layout.is_some());
    let labelled = reached.map(|node| {
        let of = rest.attr(node, "id").and_then(|id| labels.get(id)).map_or(&[][..], Vec::as_slice);
        (node, seen(rest, focused, &numbers, node, of))
    });
    labelled.collect()
}

fn seen(
    rest: &Snapshot,
    focused: &Snapshot,
    numbers: &BTreeMap<i64, usize>,
    node: usize,
    labels: &[usize],
) -> FocusSeen {
    let Some(twin) = numbers.get(&rest.nodes[node].backend).copied() else { return FocusSeen::Unknown };
    let differs = |at: usize| {
        numbers
            .get(&rest.nodes[at].backend)
            .is_some_and(|twin| is_seen(focused, *twin) && looks_different(rest, focused, at, *twin, false))
    };
    let labels = labels.iter().take(MAX_SIBLINGS).copied();
    let around = || rest.above(node).filter(|at| rest.nodes[*at].kind == SeenKind::Element);
    // A script may show it: of a field that is hidden behind a picture of itself, or where the markup says so.
    let is_scripted = ["onfocus", "onfocusin"].iter().any(|name| rest.attr(node, name).is_some());
    if let Some(fold) = fold_of(focused, twin) {
        let is_drawn = focused.style(twin, Prop::Visibility) == "visible" && opacity_of(focused, twin) > 0.0;
        let shows_elsewhere = labels.chain(behind(rest, node)).chain(around()).any(differs);
        let is_lost = is_flat(focused, fold) && is_drawn && !is_scripted && !shows_elsewhere;
        return if is_lost { FocusSeen::Hidden } else { FocusSeen::Unknown };
    }
    let is_there =
        is_seen(focused, twin) && focused.nodes[twin].layout.as_ref().is_some_and(|layout| !layout.bounds.is_empty());
    if is_there && !is_seen(rest, node) {
        return FocusSeen::Shown;
    }
    if is_there && (has_ring(rest, focused, node, twin) || looks_different(rest, focused, node, twin, true)) {
        return FocusSeen::Shown;
    }
    let parts = rest.below(node).take(MAX_PARTS).chain(behind(rest, node)).chain(labels);
    if parts.chain(around()).any(differs) || appears(rest, focused, node, twin) {
        return FocusSeen::Shown;
    }
    if is_there && !is_scripted { FocusSeen::Hidden } else { FocusSeen::Unknown }
}

/// The box that hides what flows over it and shows nothing of a control, as in lists that are folded.
fn fold_of(snapshot: &Snapshot, node: usize) -> Option<usize> {
    let own = snapshot.nodes[node].layout.as_ref()?.bounds;
    let position = |at: usize| snapshot.style(at, Prop::Position);
    // What is placed absolutely leaves the boxes between itself and the one that it is placed in.
    let mut leaves = position(node) == "absolute";
    let mut at = node;
    while position(at) != "fixed"
        && let Some(above) = snapshot.nodes[at].parent.filter(|above| snapshot.nodes[*above].name != "body")
    {
        at = above;
        leaves &= position(at) == "static" && matches!(snapshot.style(at, Prop::Transform), "none" | "");
        let hides = [Prop::OverflowX, Prop::OverflowY]
            .iter()
            .all(|prop| matches!(snapshot.style(at, *prop), "hidden" | "clip"));
        let bounds = snapshot.nodes[at].layout.as_ref().map(|layout| layout.bounds);
        if !leaves && hides && bounds.is_some_and(|bounds| !bounds.meets(own)) {
            return Some(at);
        }
        leaves |= position(at) == "absolute";
    }
    None
}

/// Whether a box has no room: what it hides stays hidden, wherever the focus may scroll it.
fn is_flat(snapshot: &Snapshot, node: usize) -> bool {
    let bounds = snapshot.nodes[node].layout.as_ref().map(|layout| layout.bounds);
    bounds.is_some_and(|bounds| bounds.width() < FLAT || bounds.height() < FLAT)
}

/// An outline that is there with the focus alone.
fn has_ring(rest: &Snapshot, focused: &Snapshot, node: usize, twin: usize) -> bool {
    let ring = |snapshot: &Snapshot, at: usize| {
        let style = snapshot.style(at, Prop::OutlineStyle);
        let is_drawn = !matches!(style, "none" | "hidden" | "")
            && (style == "auto" || snapshot.number(at, Prop::OutlineWidth) > 0.0)
            && color(snapshot, at, Prop::OutlineColor).alpha > 0.0;
        is_drawn.then(|| {
            [Prop::OutlineStyle, Prop::OutlineWidth, Prop::OutlineColor].map(|prop| snapshot.style(at, prop).to_owned())
        })
    };
    let with = ring(focused, twin);
    with.is_some() && with != ring(rest, node)
}

fn looks_different(rest: &Snapshot, focused: &Snapshot, node: usize, twin: usize, is_control: bool) -> bool {
    if looks::differ((rest, node), (focused, twin)) || has_ring(rest, focused, node, twin) {
        return true;
    }
    // The size alone: where a box is may be the doing of another control, which is focused as well.
    match (&rest.nodes[node].layout, &focused.nodes[twin].layout) {
        (Some(before), Some(after)) => {
            let (a, b) = (before.bounds, after.bounds);
            is_control && [a.width() - b.width(), a.height() - b.height()].iter().any(|grown| grown.abs() > MOVED)
                || is_away(a) != is_away(b)
        }
        (before, after) => before.is_some() != after.is_some(),
    }
}

/// Off the page, where links wait that come with the focus.
fn is_away(bounds: Rect) -> bool {
    bounds.right <= 0.0 || bounds.bottom <= 0.0
}

/// Whether a part of the control, such as `::after`, is there with the focus alone.
fn appears(rest: &Snapshot, focused: &Snapshot, node: usize, twin: usize) -> bool {
    let pseudos = |snapshot: &Snapshot, at: usize| {
        let parts = snapshot.below(at).take(MAX_PARTS);
        parts
            .filter(|part| snapshot.nodes[*part].kind == SeenKind::Pseudo && snapshot.nodes[*part].layout.is_some())
            .count()
    };
    pseudos(rest, node) != pseudos(focused, twin)
}

/// What stands behind a control in the same element: `:focus + span` and `:focus ~ div`.
fn behind(snapshot: &Snapshot, node: usize) -> Vec<usize> {
    let parent = snapshot.nodes[node].parent;
    let mut siblings = 0;
    let mut list = Vec::new();
    for at in node + 1..snapshot.nodes.len() {
        if !parent.is_some_and(|parent| snapshot.is_inside(at, parent)) || list.len() >= MAX_PARTS {
            break;
        }
        if snapshot.nodes[at].parent == parent {
            siblings += usize::from(snapshot.nodes[at].kind == SeenKind::Element);
        }
        if siblings > MAX_SIBLINGS {
            break;
        }
        let is_own = snapshot.is_inside(at, node);
        // Another control behind this one is focused as well and says nothing about this one.
        let is_control =
            std::iter::once(at).chain(snapshot.above(at)).any(|one| one != node && is_in_tab_order(snapshot, one));
        if !is_own && !is_control {
            list.push(at);
        }
    }
    list
}

pub(crate) fn measure(source: &Source<'_>, views: &[View]) -> Option<Measurement> {
    // What shows the focus does not depend on the width in any way that a person would expect.
    let view = views.iter().find(|view| view.focused.is_some())?;
    let mut gauge = Gauge::new("focus");
    let (mut all, mut good) = (0, 0);
    for (node, seen) in controls(&view.rest, view.focused.as_ref()?) {
        match seen {
            FocusSeen::Shown => {
                all += 1;
                good += 1;
            }
            FocusSeen::Unknown => {
                if gauge.has_room() {
                    gauge.undecided(format!(
                        "`{}` cannot be seen itself, or its focus is a script's to show",
                        source.named(view, node)
                    ));
                }
            }
            FocusSeen::Hidden => {
                all += 1;
                gauge.findings.add("focus.hidden", || MeasuredFinding {
                    code: "focus.hidden",
                    weight: Weight::MustFix,
                    text: "show the focus: nothing changes when the control has it".to_owned(),
                    place: source.place(view, node),
                    evidence: "looks the same with and without the focus".to_owned(),
                });
            }
        }
    }
    gauge.says(format!("{good} of {} show the focus", count(all, "control")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}
