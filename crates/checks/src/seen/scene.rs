//! What lies over what: the order of painting, what cuts boxes off, and the colours that meet at a point.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::rect::{Point, Rect};
use super::rows::Rows;
use super::snapshot::{Prop, SeenKind, Snapshot};
use crate::css::color::Rgba;

/// What a browser paints where nobody has painted, in the dark.
const DARK_CANVAS: (u8, u8, u8) = (18, 18, 18);

/// A laid-out page, ready to be asked what is seen at a point.
#[derive(Debug)]
pub(crate) struct Scene<'s> {
    pub(crate) snapshot: &'s Snapshot,
    /// By node; nothing for nodes without a box.
    places: Vec<Option<Place>>,
    painters: Vec<Painter>,
    /// By node, the painter that it is.
    painter_of: BTreeMap<usize, usize>,
    rows: Rows,
    canvas: Rgba,
}

/// Where a node is painted.
#[derive(Debug, Clone)]
struct Place {
    order: Vec<Step>,
    /// What is seen of anything here.
    clip: Clip,
}

/// One step of the order of painting inside a layer: blocks, then floats, then lines and what stands in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    layer: i64,
    phase: u8,
    node: usize,
}

/// Boxes that cut off what is inside of them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Clip {
    /// What remains for children in the flow, for absolute ones, and for fixed ones.
    flow: Option<Rect>,
    absolute: Option<Rect>,
    /// The box that scrolls: things inside of it move, and boxes outside do not tell what will be behind them.
    scroller: Option<usize>,
}

#[derive(Debug)]
struct Painter {
    node: usize,
    boxes: Vec<Rect>,
    paint: Paint,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Paint {
    Color(Rgba),
    /// A picture or a gradient, over a colour.
    Picture(&'static str),
}

/// The two colours that meet at the edge of a letter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Met {
    pub(crate) text: Rgba,
    pub(crate) ground: Rgba,
}

/// What is seen of a text at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Glance {
    Met(Met),
    /// Something opaque lies over it, or it is cut off.
    Covered,
    /// The node that makes it so, and why.
    Unknown(usize, &'static str),
}

impl<'s> Scene<'s> {
    pub(crate) fn of(snapshot: &'s Snapshot) -> Self {
        let places = places(snapshot);
        let mut scene = Self {
            snapshot,
            places,
            painters: Vec::new(),
            painter_of: BTreeMap::new(),
            rows: Rows::default(),
            canvas: canvas(snapshot),
        };
        for node in 0..snapshot.nodes.len() {
            scene.add(node);
        }
        scene
    }

    fn add(&mut self, node: usize) {
        let Some(paint) = paint(self.snapshot, node) else { return };
        let boxes = self.boxes(node);
        let Some(all) = boxes.iter().copied().reduce(Rect::union) else { return };
        let index = self.painters.len();
        self.painters.push(Painter { node, boxes, paint });
        self.painter_of.insert(node, index);
        self.rows.add(index, all);
    }

    /// The visible boxes of a node: one, or one a line for what stands in lines.
    pub(crate) fn boxes(&self, node: usize) -> Vec<Rect> {
        let snapshot = self.snapshot;
        let Some(layout) = &snapshot.nodes[node].layout else { return Vec::new() };
        let whole = if snapshot.style(node, Prop::Display) == "inline" {
            let lines: Vec<Rect> = snapshot
                .below(node)
                .filter_map(|below| snapshot.nodes[below].layout.as_ref())
                .flat_map(|layout| layout.lines.iter().copied())
                .collect();
            if lines.is_empty() { vec![layout.bounds] } else { lines }
        } else {
            vec![layout.bounds]
        };
        whole.into_iter().filter_map(|one| self.cut(node, one)).collect()
    }

    /// What is left of a box of this node after everything above has cut it.
    pub(crate) fn cut(&self, node: usize, rect: Rect) -> Option<Rect> {
        let place = self.places[node].as_ref()?;
        let rect = place.clip.flow.map_or(rect, |clip| rect.common(clip));
        (!rect.is_empty()).then_some(rect)
    }

    /// What is left of a box of this node where another one stands: what is scrolled out of a box is not over the
    /// things beside the box.
    pub(crate) fn shown_beside(&self, node: usize, rect: Rect, other: usize) -> Option<Rect> {
        let place = self.places[node].as_ref()?;
        let apart = self.scrollers(place).filter(|scroller| !self.snapshot.is_inside(other, *scroller));
        let bounds = apart.filter_map(|scroller| self.snapshot.nodes[scroller].layout.as_ref()).map(|one| one.bounds);
        let left = bounds.fold(self.cut(node, rect)?, Rect::common);
        (!left.is_empty()).then_some(left)
    }

    /// The boxes that scroll what is at a place, from the inside out.
    fn scrollers(&self, place: &Place) -> impl Iterator<Item = usize> {
        let outer = |scroller: &usize| self.places[*scroller].as_ref().and_then(|place| place.clip.scroller);
        std::iter::successors(place.clip.scroller, outer)
    }

    /// Whether the first is painted after, so over, the second.
    pub(crate) fn is_over(&self, first: usize, second: usize) -> bool {
        match (&self.places[first], &self.places[second]) {
            (Some(first), Some(second)) => first.order > second.order,
            _ => false,
        }
    }

    /// What is seen at a point of this text: every layer from the ground up, groups with an opacity of their own as
    /// one, and whatever lies over the text on both pixels.
    pub(crate) fn glance(&self, text: usize, color: Rgba, point: Point) -> Glance {
        let snapshot = self.snapshot;
        let Some(place) = &self.places[text] else { return Glance::Covered };
        let scroller = self.scrolled_out_of(place, point);
        // Their boxes end where the text is now, and are behind it once it is scrolled to.
        let holding =
            scroller.into_iter().flat_map(|scroller| std::iter::once(scroller).chain(snapshot.above(scroller)));
        let mut near: Vec<usize> = self.rows.at(point.y).collect();
        near.extend(holding.filter_map(|node| self.painter_of.get(&node)));
        near.sort_unstable();
        near.dedup();
        let mut stack: Vec<(&[Step], &Painter)> = near
            .iter()
            .map(|index| &self.painters[*index])
            .filter(|painter| self.is_at(painter, text, scroller, point))
            .filter_map(|painter| Some((self.places[painter.node].as_ref()?.order.as_slice(), painter)))
            .collect();
        stack.sort_by_key(|(order, _)| *order);
        let above = stack.partition_point(|(order, _)| order.cmp(&place.order.as_slice()) != Ordering::Greater);
        let mut pixels = Pixels::new(self.canvas);
        for (_, painter) in &stack[..above] {
            if let Err(why) = pixels.paint(snapshot, painter) {
                return Glance::Unknown(painter.node, why);
            }
        }
        if let Some((node, why)) = pixels.unknown {
            return Glance::Unknown(node, why);
        }
        if let Some(node) = effect_above(snapshot, text) {
            return Glance::Unknown(node.0, node.1);
        }
        pixels.write(snapshot, text, color);
        for (_, painter) in &stack[above..] {
            match painter.paint {
                Paint::Picture(why) => return Glance::Unknown(painter.node, why),
                Paint::Color(color) if color.is_opaque() && opacity_of(snapshot, painter.node) >= 1.0 => {
                    return Glance::Covered;
                }
                Paint::Color(_) => {
                    if let Err(why) = pixels.paint(snapshot, painter) {
                        return Glance::Unknown(painter.node, why);
                    }
                }
            }
        }
        Glance::Met(pixels.seen(snapshot))
    }

    /// The outermost box that scrolls and that the point is scrolled out of.
    fn scrolled_out_of(&self, place: &Place, point: Point) -> Option<usize> {
        let is_out = |scroller: &usize| {
            let cut = self.snapshot.nodes[*scroller].layout.as_ref().map(|layout| layout.bounds);
            !cut.is_some_and(|cut| cut.has(point))
        };
        self.scrollers(place).filter(is_out).last()
    }

    fn is_at(&self, painter: &Painter, text: usize, scroller: Option<usize>, point: Point) -> bool {
        // What holds the text is behind it, wherever its lines end.
        if self.snapshot.is_inside(text, painter.node) && self.snapshot.style(painter.node, Prop::Display) == "inline" {
            return true;
        }
        // What is scrolled out of a box is not over the things beside the box.
        if let Some(scroller) = scroller {
            if painter.node == scroller || self.snapshot.is_inside(scroller, painter.node) {
                return true;
            }
            if !self.snapshot.is_inside(painter.node, scroller) {
                return false;
            }
        }
        painter.boxes.iter().any(|one| one.has(point))
    }
}

/// Two pixels, one of the letter and one beside it, in the groups that are open.
struct Pixels {
    groups: Vec<Group>,
    unknown: Option<(usize, &'static str)>,
}

struct Group {
    /// The node whose opacity it is; nothing for the page.
    node: Option<usize>,
    letter: Rgba,
    beside: Rgba,
}

impl Pixels {
    fn new(canvas: Rgba) -> Self {
        Self { groups: vec![Group { node: None, letter: canvas, beside: canvas }], unknown: None }
    }

    fn paint(&mut self, snapshot: &Snapshot, painter: &Painter) -> Result<(), &'static str> {
        if let Some((_, why)) = effect_above(snapshot, painter.node) {
            return Err(why);
        }
        self.enter(snapshot, painter.node);
        match painter.paint {
            Paint::Color(color) => {
                let group = self.top();
                group.letter = color.over(group.letter);
                group.beside = color.over(group.beside);
                if color.is_opaque() && self.groups.len() == 1 {
                    self.unknown = None;
                }
            }
            Paint::Picture(why) => self.unknown = Some((painter.node, why)),
        }
        Ok(())
    }

    fn write(&mut self, snapshot: &Snapshot, text: usize, color: Rgba) {
        self.enter(snapshot, text);
        let group = self.top();
        group.letter = color.over(group.letter);
    }

    /// Closes the groups that a node is not in, and opens those that it is in.
    fn enter(&mut self, snapshot: &Snapshot, node: usize) {
        let mut wanted: Vec<usize> =
            std::iter::once(node).chain(snapshot.above(node)).filter(|at| has_opacity(snapshot, *at)).collect();
        wanted.reverse();
        let same = self.groups[1..].iter().zip(&wanted).take_while(|(group, node)| group.node == Some(**node)).count();
        while self.groups.len() > same + 1 {
            self.close(snapshot);
        }
        for node in &wanted[same..] {
            self.groups.push(Group { node: Some(*node), letter: Rgba::TRANSPARENT, beside: Rgba::TRANSPARENT });
        }
    }

    fn close(&mut self, snapshot: &Snapshot) {
        let Some(Group { node: Some(node), letter, beside }) = self.groups.pop() else { return };
        let opacity = snapshot.number(node, Prop::Opacity);
        let below = self.top();
        below.letter = letter.faded(opacity).over(below.letter);
        below.beside = beside.faded(opacity).over(below.beside);
    }

    fn top(&mut self) -> &mut Group {
        self.groups.last_mut().expect("the page's own group is never closed")
    }

    fn seen(mut self, snapshot: &Snapshot) -> Met {
        while self.groups.len() > 1 {
            self.close(snapshot);
        }
        let page = self.top();
        Met { text: page.letter, ground: page.beside }
    }
}

/// The document itself has a box and no styles; texts repeat those of their element.
fn has_opacity(snapshot: &Snapshot, node: usize) -> bool {
    matches!(snapshot.nodes[node].kind, SeenKind::Element | SeenKind::Pseudo)
        && snapshot.nodes[node].layout.is_some()
        && snapshot.number(node, Prop::Opacity) < 1.0
}

/// The opacity of a node and everything above it.
pub(crate) fn opacity_of(snapshot: &Snapshot, node: usize) -> f64 {
    let all = std::iter::once(node).chain(snapshot.above(node)).filter(|at| has_opacity(snapshot, *at));
    all.map(|at| snapshot.number(at, Prop::Opacity)).product()
}

fn canvas(snapshot: &Snapshot) -> Rgba {
    let root = (0..snapshot.nodes.len()).find(|at| snapshot.nodes[*at].name == "html");
    let scheme = root.map_or("", |root| snapshot.style(root, Prop::ColorScheme));
    let base = if scheme.split_whitespace().any(|word| word == "dark") && !scheme.contains("light") {
        Rgba::bytes(DARK_CANVAS.0, DARK_CANVAS.1, DARK_CANVAS.2)
    } else {
        Rgba::WHITE
    };
    // The background of the page is the first of these two that has one, and it has no end.
    let body = (0..snapshot.nodes.len()).find(|at| snapshot.nodes[*at].name == "body");
    let painted = root
        .into_iter()
        .chain(body)
        .find(|at| color(snapshot, *at, Prop::BackgroundColor).alpha > 0.0 || has_picture(snapshot, *at));
    painted.map_or(base, |at| color(snapshot, at, Prop::BackgroundColor).over(base))
}

pub(crate) fn color(snapshot: &Snapshot, node: usize, prop: Prop) -> Rgba {
    Rgba::parse(snapshot.style(node, prop)).unwrap_or(Rgba::TRANSPARENT)
}

fn has_picture(snapshot: &Snapshot, node: usize) -> bool {
    !matches!(snapshot.style(node, Prop::BackgroundImage), "none" | "")
}

/// What a node paints behind texts, if anything.
fn paint(snapshot: &Snapshot, node: usize) -> Option<Paint> {
    let seen = &snapshot.nodes[node];
    seen.layout.as_ref()?;
    if !matches!(seen.kind, SeenKind::Element | SeenKind::Pseudo) || seen.is_svg {
        return None;
    }
    if snapshot.style(node, Prop::Visibility) != "visible" || opacity_of(snapshot, node) <= 0.0 {
        return None;
    }
    if matches!(seen.name.as_str(), "img" | "video" | "canvas" | "svg" | "iframe" | "object" | "embed" | "frame") {
        return Some(Paint::Picture("a picture"));
    }
    if snapshot.style(node, Prop::BackgroundClip) == "text" {
        return None;
    }
    if has_picture(snapshot, node) {
        let gradient = snapshot.style(node, Prop::BackgroundImage).contains("gradient(");
        return Some(Paint::Picture(if gradient { "a gradient" } else { "a background picture" }));
    }
    let color = color(snapshot, node, Prop::BackgroundColor);
    // The ground of the page is the canvas, which is below everything.
    (color.alpha > 0.0 && !is_canvas(snapshot, node)).then_some(Paint::Color(color))
}

fn is_canvas(snapshot: &Snapshot, node: usize) -> bool {
    match snapshot.nodes[node].name.as_str() {
        "html" => true,
        "body" => {
            let root = snapshot.nodes[node].parent;
            root.is_none_or(|root| {
                color(snapshot, root, Prop::BackgroundColor).alpha <= 0.0 && !has_picture(snapshot, root)
            })
        }
        _ => false,
    }
}

/// Effects on a node that need pixels.
fn effect(snapshot: &Snapshot, node: usize) -> Option<(usize, &'static str)> {
    let is = |prop: Prop, plain: &str| {
        matches!(snapshot.style(node, prop), "" | "none") || snapshot.style(node, prop) == plain
    };
    if !is(Prop::Filter, "none") {
        return Some((node, "a filter"));
    }
    if !is(Prop::BackdropFilter, "none") {
        return Some((node, "a backdrop filter"));
    }
    if !is(Prop::Blend, "normal")
        || snapshot.style(node, Prop::BackgroundBlend).split(", ").any(|mode| !matches!(mode, "" | "normal"))
    {
        return Some((node, "blending"));
    }
    (!is(Prop::Mask, "none")).then_some((node, "a mask"))
}

fn effect_above(snapshot: &Snapshot, text: usize) -> Option<(usize, &'static str)> {
    std::iter::once(text).chain(snapshot.above(text)).find_map(|at| effect(snapshot, at))
}

/// The order of painting and what cuts every node off, from the top down.
fn places(snapshot: &Snapshot) -> Vec<Option<Place>> {
    let mut places: Vec<Option<Place>> = Vec::with_capacity(snapshot.nodes.len());
    // What a node hands down: its order as the root of what is painted together, and its clips.
    let mut handed: Vec<(Vec<Step>, Clip)> = Vec::with_capacity(snapshot.nodes.len());
    let open = Clip { flow: None, absolute: None, scroller: None };
    // The document itself has the box of the window, which is what pinned boxes are held in.
    let window = snapshot.nodes.first().and_then(|node| node.layout.as_ref()).map(|layout| layout.bounds);
    for (index, node) in snapshot.nodes.iter().enumerate() {
        let (order, clip) = node.parent.map_or_else(|| (Vec::new(), open), |parent| handed[parent].clone());
        let Some(layout) = &node.layout else {
            places.push(None);
            handed.push((order, clip));
            continue;
        };
        let position = snapshot.style(index, Prop::Position);
        let is_text = node.kind == SeenKind::Text;
        let own = match position {
            _ if is_text => clip,
            // Nobody scrolls to what is pinned beside the window.
            "fixed" => match window.filter(|window| !window.is_empty() && !window.meets(layout.bounds)) {
                Some(window) if !layout.bounds.is_empty() => {
                    Clip { flow: Some(window), absolute: Some(window), scroller: None }
                }
                _ => open,
            },
            "absolute" => Clip { flow: clip.absolute, ..clip },
            _ => clip,
        };
        let (phase, is_root) = if is_text { (2, false) } else { phase(snapshot, index) };
        let step = Step { layer: layout.paint, phase, node: index };
        // A layer of its own is painted where its number says, not where its parent is.
        let mut base = order;
        if base.last().is_some_and(|last| last.layer != layout.paint) {
            base.clear();
        }
        let mut full = base.clone();
        full.push(step);
        let starts_layer = base.is_empty();
        let next = if is_root || starts_layer { full.clone() } else { base };
        handed.push((next, handed_clip(snapshot, index, layout.bounds, own)));
        places.push(Some(Place { order: full, clip: own }));
    }
    places
}

/// When a box is painted inside its layer, and whether everything in it is painted with it.
fn phase(snapshot: &Snapshot, node: usize) -> (u8, bool) {
    if !matches!(snapshot.style(node, Prop::Float), "none" | "") {
        return (1, true);
    }
    match snapshot.style(node, Prop::Display) {
        "inline" | "contents" => (2, false),
        display if display.starts_with("inline") => (2, true),
        _ => {
            let is_item = snapshot.nodes[node].parent.is_some_and(|parent| {
                let display = snapshot.style(parent, Prop::Display);
                display.ends_with("flex") || display.ends_with("grid")
            });
            if is_item { (2, true) } else { (0, false) }
        }
    }
}

fn handed_clip(snapshot: &Snapshot, node: usize, bounds: Rect, own: Clip) -> Clip {
    let mut clip = own;
    let is_root = matches!(snapshot.nodes[node].name.as_str(), "html" | "body");
    let (x, y) = (snapshot.style(node, Prop::OverflowX), snapshot.style(node, Prop::OverflowY));
    let is_cut = |overflow: &str| matches!(overflow, "hidden" | "clip");
    let is_scrolled = |overflow: &str| matches!(overflow, "auto" | "scroll");
    if !is_root && snapshot.style(node, Prop::Display) != "inline" {
        if is_scrolled(x) || is_scrolled(y) {
            clip.scroller = Some(node);
        } else if is_cut(x) || is_cut(y) {
            clip.flow = Some(own.flow.map_or(bounds, |outer| outer.common(bounds)));
        }
    }
    let holds_absolute = snapshot.style(node, Prop::Position) != "static"
        || !matches!(snapshot.style(node, Prop::Transform), "none" | "");
    if holds_absolute {
        clip.absolute = clip.flow;
    }
    clip
}
