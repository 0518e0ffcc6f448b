//! What may lie between a text and the ground that the tree gives it, and that only a layout could tell.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use crate::{
    a11y::grounds::Doubt,
    css::{
        cascade::Styles,
        color::Rgba,
        placing::{NUDGE, Offset, Position},
        style::Style,
    },
    document::Page,
    dom::{Kind, NodeId},
};

/// How far a box pulls itself sideways before it can lie over a neighbour; the rows of many a grid do less.
const PULL: f64 = 32.0;
/// Lines and dots are no ground for a text.
const THIN: f64 = 6.0;
const DOT: f64 = 24.0;
/// As high as a box may be that does not say how high it is.
const SOME_HEIGHT: f64 = 400.0;
/// No block with words is lower.
const LOW: f64 = 12.0;

/// The boxes of a page that do not lie where they stand in the tree.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    /// What lies over the ground of an element, under what is in it.
    over: BTreeMap<NodeId, Vec<Overlay>>,
    /// The element may lie over something that is not above it in the tree.
    loose: BTreeMap<NodeId, NodeId>,
    /// Something lies over the start of the page, so many pixels down.
    start: Option<(f64, NodeId)>,
    /// Everything that lies there.
    at_start: Vec<Overlay>,
    /// How far down an element is at least.
    down: BTreeMap<NodeId, f64>,
    /// What was found behind texts whose place is not known: many texts share one.
    grounds: RefCell<BTreeMap<Doubt, Option<Rc<[Rgba]>>>>,
}

/// A box out of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlay {
    Box(NodeId),
    /// Of the pseudo-elements of this element.
    Pseudo(NodeId),
}

impl Overlay {
    fn host(self) -> NodeId {
        match self {
            Self::Box(host) | Self::Pseudo(host) => host,
        }
    }
}

impl Layers {
    /// What may lie between an element's own ground and the text in it.
    pub(crate) fn over(&self, id: NodeId) -> Option<NodeId> {
        self.over.get(&id).and_then(|all| all.first()).map(|first| first.host())
    }

    /// All of what lies over the ground of an element, or of the page.
    pub(crate) fn overlays(&self, id: NodeId) -> impl Iterator<Item = &Overlay> {
        self.over.get(&id).map_or(&self.at_start[..], Vec::as_slice).iter()
    }

    /// The grounds at such a place, which are searched for once.
    pub(crate) fn grounds(&self, doubt: Doubt, search: impl FnOnce() -> Option<Vec<Rgba>>) -> Option<Rc<[Rgba]>> {
        if let Some(known) = self.grounds.borrow().get(&doubt) {
            return known.clone();
        }
        let found: Option<Rc<[Rgba]>> = search().map(Into::into);
        self.grounds.borrow_mut().insert(doubt, found.clone());
        found
    }

    /// What may lie behind an element, beside what is above it in the tree.
    pub(crate) fn behind(&self, id: NodeId) -> Option<NodeId> {
        self.loose.get(&id).copied()
    }

    /// What may lie between the page's ground and a text.
    pub(crate) fn at_start(&self, text: NodeId) -> Option<NodeId> {
        let (reach, what) = self.start?;
        (self.down.get(&text).copied().unwrap_or(0.0) < reach).then_some(what)
    }

    pub(crate) fn new(page: &Page, styles: &Styles) -> Self {
        if !styles.any(is_displaced) && !styles.pseudo_elements().any(|(_, style)| is_displaced(style)) {
            return Self::default();
        }
        let mut layers = Self::default();
        let scene = Scene::new(page, styles);
        for (id, _) in page.dom.elements() {
            if !page.is_seen(id) {
                continue;
            }
            scene.place(id, &mut layers);
            if styles.of(id).placing.grid {
                scene.stack(id, &mut layers);
            }
        }
        if layers.start.is_some() {
            layers.down = scene.down();
        }
        layers
    }
}

fn is_displaced(style: &Style) -> bool {
    let placing = &style.placing;
    placing.position.is_out()
        || placing.is_shifted()
        || is_pulled(style)
        || placing.z_index.is_some_and(|index| index < 0)
        || placing.grid
}

/// Margins that pull a box over its neighbours.
fn is_pulled(style: &Style) -> bool {
    let below = |side: usize, limit: f64| style.margin[side].is_some_and(|margin| margin < -limit);
    style.placing.pulled || below(0, NUDGE) || below(2, NUDGE) || below(1, PULL) || below(3, PULL)
}

/// What every element of a page shows.
struct Scene<'p> {
    page: &'p Page,
    styles: &'p Styles,
    /// Whether an element, or something in it, paints a ground or a picture.
    paints: Vec<bool>,
    words: Vec<bool>,
}

impl<'p> Scene<'p> {
    fn new(page: &'p Page, styles: &'p Styles) -> Self {
        let count = page.dom.nodes.len();
        let mut scene = Self { page, styles, paints: vec![false; count], words: vec![false; count] };
        let all: Vec<NodeId> = page.dom.descendants(NodeId::DOCUMENT).collect();
        for id in all.into_iter().rev() {
            let Some(parent) = page.dom.node(id).parent else { continue };
            let (paints, words) = match &page.dom.node(id).kind {
                Kind::Element(element) if page.is_seen(id) => {
                    let style = styles.of(id);
                    let is_picture =
                        matches!(&*element.name, "img" | "video" | "canvas" | "iframe" | "object" | "embed" | "svg");
                    let own = is_painted(style) || is_picture;
                    (scene.paints[id.index()] || own, scene.words[id.index()])
                }
                Kind::Text { text, .. } if page.is_seen(parent) => (false, !text.trim().is_empty()),
                _ => (false, false),
            };
            scene.paints[id.index()] = paints;
            scene.words[id.index()] = words;
            scene.paints[parent.index()] |= paints;
            scene.words[parent.index()] |= words;
        }
        scene
    }

    fn place(&self, id: NodeId, layers: &mut Layers) {
        let style = self.styles.of(id);
        let placing = &style.placing;
        if placing.position.is_out() {
            let has_words = self.words[id.index()];
            if self.paints[id.index()] {
                self.lay(id, id, style, has_words, layers);
            }
        } else if placing.is_shifted() || is_pulled(style) || is_sunk(style) {
            layers.loose.entry(id).or_insert(id);
            let drawn = self.paints[id.index()];
            let follows = style.margin[2].is_some_and(|margin| margin < -NUDGE);
            if drawn && (follows || !self.words[id.index()]) {
                let neighbours = [self.sibling(id, true), self.sibling(id, false).filter(|_| !follows)];
                for other in neighbours.into_iter().flatten() {
                    layers.loose.entry(other).or_insert(id);
                }
            }
        }
        for (_, pseudo) in self.styles.pseudo(id) {
            if pseudo.placing.position.is_out() && is_painted(pseudo) {
                let inside = is_container(self.styles.of(id)).then_some(id);
                self.lay(id, inside.unwrap_or(id), pseudo, false, layers);
            }
        }
    }

    /// Notes a box out of the flow, of `host` or of one of its pseudo-elements.
    fn lay(&self, host: NodeId, from: NodeId, style: &Style, has_words: bool, layers: &mut Layers) {
        let placing = &style.placing;
        let (covers, is_below) = (placing.covers(), placing.z_index.is_some_and(|index| index < 0));
        // A box with words of its own is what one reads, not what lies behind other words.
        if placing.is_away() || is_small(style) || (has_words && !covers && !is_below) {
            return;
        }
        let fixed = placing.position == Position::Fixed;
        let is_own = from == host && !std::ptr::eq(style, self.styles.of(host));
        let overlay = if is_own { Overlay::Pseudo(host) } else { Overlay::Box(host) };
        let start = if is_own { Some(host) } else { self.page.dom.node(host).parent };
        let mut above = start.into_iter().chain(start.into_iter().flat_map(|node| self.page.dom.ancestors(node)));
        let is_held =
            |node: &NodeId| self.page.dom.element(*node).is_some() && !fixed && is_container(self.styles.of(*node));
        if let Some(container) = above.find(is_held) {
            layers.over.entry(container).or_default().push(overlay);
            return;
        }
        let px = |offset: Offset| if let Offset::Px(px) = offset { px.max(0.0) } else { 0.0 };
        let reach = if is_below {
            f64::INFINITY
        } else if covers {
            crate::css::media::Screen::USUAL.height
        } else if fixed || placing.offsets[2] != Offset::Auto {
            // Bars at the edges of the window: the page leaves room for them.
            return;
        } else {
            px(placing.offsets[0]) + style.height.unwrap_or(SOME_HEIGHT)
        };
        layers.at_start.push(overlay);
        if layers.start.is_none_or(|(before, _)| before < reach) {
            layers.start = Some((reach, host));
        }
    }

    /// Children of a grid that are put into the same cell.
    fn stack(&self, grid: NodeId, layers: &mut Layers) {
        let mut cells: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
        for child in self.page.dom.children(grid).filter(|child| self.page.dom.element(*child).is_some()) {
            let placing = &self.styles.of(child).placing;
            let cell = match (&placing.area, &placing.row, &placing.column) {
                (Some(area), ..) => area.to_string(),
                (None, Some(row), Some(column)) => format!("{row}/{column}"),
                _ => continue,
            };
            cells.entry(cell).or_default().push(child);
        }
        let all = cells.values().flatten().count();
        for (cell, children) in &cells {
            let spans = cell.contains("-1") || cell.contains("span");
            if children.len() < 2 && !(spans && all > 1) {
                continue;
            }
            let others: Vec<NodeId> =
                if spans { cells.values().flatten().copied().collect() } else { children.clone() };
            let painted: Vec<NodeId> = others.iter().copied().filter(|id| self.paints[id.index()]).take(2).collect();
            for child in &others {
                if let Some(other) = painted.iter().find(|other| *other != child) {
                    layers.loose.entry(*child).or_insert(*other);
                }
            }
        }
    }

    fn sibling(&self, id: NodeId, next: bool) -> Option<NodeId> {
        let step = |id: NodeId| if next { self.page.dom.node(id).next } else { self.page.dom.node(id).prev };
        std::iter::successors(step(id), |id| step(*id)).find(|id| self.page.dom.element(*id).is_some())
    }

    /// How far down every element is at least: blocks with words before it have some height each.
    fn down(&self) -> BTreeMap<NodeId, f64> {
        let mut down = BTreeMap::new();
        let mut at = 0.0;
        for (id, element) in self.page.dom.elements() {
            down.insert(id, at);
            let is_block = matches!(
                &*element.name,
                "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" | "tr" | "dt" | "dd" | "blockquote"
            );
            if is_block && self.words[id.index()] && !self.styles.of(id).placing.position.is_out() {
                at += LOW;
            }
        }
        down
    }
}

fn is_painted(style: &Style) -> bool {
    style.background.alpha > 0.0 || style.background_unknown.is_some() || style.image.is_some()
}

pub(crate) fn is_container(style: &Style) -> bool {
    style.placing.position != Position::InFlow || style.placing.transformed
}

/// Behind everything of its kind.
fn is_sunk(style: &Style) -> bool {
    style.placing.position != Position::InFlow && style.placing.z_index.is_some_and(|index| index < 0)
}

pub(crate) fn is_small(style: &Style) -> bool {
    let at_most = |length: Option<f64>, limit: f64| length.is_some_and(|length| length <= limit);
    at_most(style.width, THIN)
        || at_most(style.height, THIN)
        || (at_most(style.width, DOT) && at_most(style.height, DOT))
}
