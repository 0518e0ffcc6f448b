//! Every ground that a text may lie on, where only a layout could say which: what can be read on all of them can be read.

use crate::{
    css::{cascade::Styles, color::Rgba, placing::Offset, style::Style},
    document::Page,
    dom::NodeId,
    layout::{Layers, Overlay, is_small},
};

/// So many grounds are told apart, and so many elements are searched for them; whatever has more stays undecided.
const MAX_GROUNDS: usize = 24;
const MAX_ELEMENTS: usize = 4000;
/// Pictures of this size stand in a line, and no text lies over them.
const ICON: f64 = 24.0;

/// Where the grounds of a text stop being those of the elements above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// Boxes out of the flow lie over the ground of this element, or of the page.
    Over(NodeId),
    /// This element is moved from its place.
    Moved(NodeId),
    /// The second element may lie under the first one.
    Under(NodeId, NodeId),
    /// This element is out of the flow.
    Floating(NodeId),
}

/// All grounds that may be behind the text, each opaque; nothing where one of them is a picture, or nobody knows them all.
pub(crate) fn grounds(page: &Page, styles: &Styles, layers: &Layers, doubt: Doubt) -> Option<Vec<Rgba>> {
    let dom = &page.dom;
    let (lowest, roots): (NodeId, Vec<NodeId>) = match doubt {
        Doubt::Over(node) => (node, Vec::new()),
        Doubt::Under(node, other) => (dom.node(node).parent?, vec![other]),
        // It is pulled over what stands beside it, or beside its parent.
        Doubt::Moved(node) => (dom.node(node).parent?, beside(page, node).take(2).flatten().collect()),
        Doubt::Floating(node) => {
            let is_inside = |offset: &Offset| match offset {
                Offset::Auto => true,
                Offset::Px(px) => *px >= 0.0,
                Offset::Percent(part) => (0.0..1.0).contains(part),
                Offset::Some => false,
            };
            let own = styles.of(node);
            if !own.placing.offsets.iter().all(is_inside) || own.placing.transformed {
                return None;
            }
            let held = dom.ancestors(node).take_while(|above| !crate::layout::is_container(styles.of(*above))).count();
            (dom.node(node).parent?, beside(page, node).take(held + 1).flatten().collect())
        }
    };
    let mut found = Grounds { page, styles, all: Vec::new(), looked_at: 0 };
    let here = found.of_tree(lowest)?;
    if matches!(doubt, Doubt::Over(_) | Doubt::Under(..)) {
        found.all = vec![here];
    }
    let under = found.all.clone();
    if let Doubt::Over(node) = doubt {
        for overlay in layers.overlays(node) {
            match *overlay {
                Overlay::Box(host) => found.in_box(host, &under)?,
                Overlay::Pseudo(host) => found.in_pseudo_elements(host, &under)?,
            }
        }
    }
    for root in roots {
        found.in_box(root, &under)?;
    }
    Some(found.all)
}

/// What stands beside an element, then what stands beside each element above it.
fn beside(page: &Page, node: NodeId) -> impl Iterator<Item = Vec<NodeId>> {
    let dom = &page.dom;
    std::iter::once(node).chain(dom.ancestors(node)).map_while(move |at| {
        let parent = dom.node(at).parent?;
        Some(dom.children(parent).filter(|child| *child != at && dom.element(*child).is_some()).collect())
    })
}

struct Grounds<'p> {
    page: &'p Page,
    styles: &'p Styles,
    all: Vec<Rgba>,
    looked_at: usize,
}

impl Grounds<'_> {
    /// The grounds of an element and of everything above it: the box may have left any of them but the page's.
    /// Gives the one that it lies on if it has left none.
    fn of_tree(&mut self, lowest: NodeId) -> Option<Rgba> {
        let dom = &self.page.dom;
        let mut chain: Vec<NodeId> = std::iter::once(lowest).chain(dom.ancestors(lowest)).collect();
        chain.retain(|node| dom.element(*node).is_some());
        let mut below = Rgba::WHITE;
        let mut is_root = true;
        for node in chain.into_iter().rev() {
            let style = self.styles.of(node);
            if is_open(style) || style.opacity < 1.0 {
                return None;
            }
            // The ground of the page's root reaches everywhere, and the body's does where the root has none.
            let reaches = is_root && matches!(dom.name(node), "html" | "body");
            below = style.background.over(below);
            if reaches {
                self.all.clear();
                is_root = style.background.alpha <= 0.0;
            }
            if reaches || style.background.alpha > 0.0 {
                self.put(below)?;
            }
        }
        Some(below)
    }

    /// Everything that a box and what is in it paint.
    fn in_box(&mut self, root: NodeId, under: &[Rgba]) -> Option<()> {
        let page = self.page;
        for node in std::iter::once(root).chain(page.dom.descendants(root)) {
            let Some(element) = page.dom.element(node) else { continue };
            self.looked_at += 1;
            if self.looked_at > MAX_ELEMENTS {
                return None;
            }
            if !page.is_seen(node) {
                continue;
            }
            let is_picture = matches!(
                &*element.name,
                "img" | "video" | "canvas" | "iframe" | "object" | "embed" | "svg" | "input" | "select" | "textarea"
            );
            let is_icon = |name: &str| {
                element.attr(name).and_then(|size| size.parse().ok()).is_some_and(|size: f64| size <= ICON)
            };
            let style = self.styles.of(node);
            if is_picture && !is_small(style) && !is_icon("height") {
                return None;
            }
            self.painted(style, under)?;
            self.in_pseudo_elements(node, under)?;
        }
        Some(())
    }

    fn in_pseudo_elements(&mut self, host: NodeId, under: &[Rgba]) -> Option<()> {
        self.styles.pseudo(host).iter().try_for_each(|(_, style)| self.painted(style, under))
    }

    fn painted(&mut self, style: &Style, under: &[Rgba]) -> Option<()> {
        if style.placing.is_away() || is_small(style) {
            return Some(());
        }
        if is_open(style) {
            return None;
        }
        let color = style.background.faded(style.opacity);
        if color.is_opaque() {
            return self.put(color);
        }
        if color.alpha > 0.0 {
            under.iter().try_for_each(|below| self.put(color.over(*below)))?;
        }
        Some(())
    }

    fn put(&mut self, color: Rgba) -> Option<()> {
        if !self.all.iter().any(|other| other.hex() == color.hex()) {
            self.all.push(color);
        }
        (self.all.len() <= MAX_GROUNDS).then_some(())
    }
}

/// Whether nobody knows what the box paints.
fn is_open(style: &Style) -> bool {
    style.image.is_some()
        || style.background_unknown.is_some()
        || style.effect.is_some()
        || style.clip_text
        || style.unsure
}
