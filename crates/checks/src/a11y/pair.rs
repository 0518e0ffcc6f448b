//! The two colours that meet at the edge of a letter, or why nobody can tell without a layout.

use super::grounds::{Doubt, grounds};
use crate::{
    css::{cascade::Styles, color::Rgba, style::Style, value::Image},
    document::Page,
    dom::NodeId,
    layout::Layers,
};

/// What WCAG 2.2 AA asks of text, and of large text.
pub(crate) const NORMAL: f64 = 4.5;
pub(crate) const LARGE: f64 = 3.0;

/// The colours of a run of text as a reader sees them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    pub(crate) text: Rgba,
    pub(crate) ground: Rgba,
    pub(crate) needs: f64,
}

impl Pair {
    pub(crate) fn ratio(&self) -> f64 {
        self.text.contrast(self.ground)
    }

    pub(crate) fn passes(&self) -> bool {
        self.ratio() >= self.needs
    }
}

/// Why the colours of a run are not known: an element, and what is with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unknown {
    node: NodeId,
    why: Why,
}

#[derive(Debug, Clone, PartialEq)]
enum Why {
    Color(String),
    Background(String),
    Clipped,
    Effect(&'static str),
    Gradient,
    Picture,
    Floating,
    /// Another element may lie in between.
    Behind(NodeId),
    Float,
    Flat,
    Column,
    Shadow,
    Unsure,
    Same,
}

impl Unknown {
    pub(crate) fn say(&self, page: &Page) -> String {
        let name = page.dom.selector(self.node);
        match &self.why {
            Why::Color(text) => format!("the colour `{text}` of `{name}` is one that we cannot work out"),
            Why::Background(text) => format!("the background `{text}` of `{name}` is one that we cannot work out"),
            Why::Clipped => format!("the text of `{name}` is painted with its background"),
            Why::Effect(effect) => format!("`{name}` has {effect}, which needs pixels to measure"),
            Why::Gradient => format!("text over the gradient of `{name}`"),
            Why::Picture => format!("text over the picture of `{name}`"),
            Why::Floating => format!("`{name}` is out of the flow: what lies behind its text is not known"),
            Why::Behind(other) if *other == self.node => {
                format!("`{name}` is moved from its place: what lies behind its text is not known")
            }
            Why::Behind(other) => {
                format!("`{}` may lie behind the text of `{name}`, which needs a layout", page.dom.selector(*other))
            }
            Why::Float => format!("`{name}` has floats in it: how far its background reaches is not known"),
            Why::Flat => format!("`{name}` has no height: its text is not on its background"),
            Why::Column => format!("cells of `{name}` span columns that have backgrounds"),
            Why::Shadow => format!("the text of `{name}` has a shadow or a stroke, which needs pixels to measure"),
            Why::Unsure => {
                format!("rules that depend on a layout (`@container`), or on a sheet of icons, speak of `{name}`")
            }
            Why::Same => format!("the text of `{name}` has the colour of its ground: it is hidden, or on another one"),
        }
    }
}

/// The colour that letters are drawn in.
pub(crate) fn letters(style: &Style) -> Rgba {
    style.fill.unwrap_or(style.color)
}

/// The colours of an element's text and of what is behind it, or why they are not known.
pub(crate) fn pair(page: &Page, styles: &Styles, layers: &Layers, element: NodeId) -> Result<Pair, Unknown> {
    let mut way = Way::default();
    let first = pair_with(page, styles, layers, element, &mut way);
    match &first {
        Err(Unknown { why: Why::Float, .. }) => either_way(page, styles, layers, element).map_or(first, Ok),
        Err(Unknown { why: Why::Behind(_) | Why::Floating, .. }) => {
            let own = styles.of(element);
            let anywhere = way.stuck.and_then(|stuck| stuck.anywhere(page, styles, layers, own));
            anywhere.map_or(first, Ok)
        }
        _ => first,
    }
}

/// The pair of a text that passes whether or not the grounds around its floats reach it, or that fails either way: the
/// worst of those that pass, the best of those that fail.
fn either_way(page: &Page, styles: &Styles, layers: &Layers, element: NodeId) -> Option<Pair> {
    let mut all: Vec<Pair> = Vec::new();
    let (mut choice, mut grounds) = (0, 1);
    while choice < 1_u8 << grounds {
        let mut way = Way { reaches: Some(choice), ..Way::default() };
        all.push(pair_with(page, styles, layers, element, &mut way).ok()?);
        if way.asked > MAX_GROUNDS {
            return None;
        }
        (choice, grounds) = (choice + 1, way.asked.max(grounds));
    }
    let passing = all.iter().filter(|pair| pair.passes()).count();
    let by_ratio = |one: &&Pair, other: &&Pair| one.ratio().total_cmp(&other.ratio());
    match passing {
        0 => all.iter().max_by(by_ratio).copied(),
        passing if passing == all.len() => all.iter().min_by(by_ratio).copied(),
        _ => None,
    }
}

fn pair_with(page: &Page, styles: &Styles, layers: &Layers, element: NodeId, way: &mut Way) -> Result<Pair, Unknown> {
    let own = styles.of(element);
    let at = |node: NodeId, why: Why| Unknown { node, why };
    let unknown = own.fill_unknown.as_ref().or(own.color_unknown.as_ref().filter(|_| own.fill.is_none()));
    if let Some(text) = unknown {
        return Err(at(element, Why::Color(text.clone())));
    }
    if own.unsure {
        return Err(at(element, Why::Unsure));
    }
    let needs = if own.is_large() { LARGE } else { NORMAL };
    // Two pixels, one of the letter and one beside it, go up through all layers.
    let mut pixels = Pixels { letter: letters(own), beside: Rgba::TRANSPARENT };
    for node in std::iter::once(element).chain(page.dom.ancestors(element)) {
        if page.dom.element(node).is_none() {
            break;
        }
        let style = styles.of(node);
        if style.clip_text {
            return Err(at(node, Why::Clipped));
        }
        if let Some(effect) = style.effect {
            return Err(at(node, Why::Effect(effect)));
        }
        if !pixels.beside.is_opaque() {
            let at_start = || layers.at_start(element).filter(|_| page.dom.name(node) == "html");
            if let Some(other) = layers.over(node).or_else(at_start) {
                way.stuck = Some(Stuck { doubt: Doubt::Over(node), pixels, needs });
                return Err(at(element, Why::Behind(other)));
            }
            if way.meet(page, styles, node, &mut pixels).map_err(|why| at(node, why))? {
                ground(style, &mut pixels).map_err(|why| at(node, why))?;
            }
        }
        pixels.fade(style.opacity);
        if !pixels.beside.is_opaque() {
            if style.placing.position.is_out() {
                way.stuck = Some(Stuck { doubt: Doubt::Floating(node), pixels, needs });
                return Err(at(node, Why::Floating));
            }
            if let Some(other) = layers.behind(node) {
                let doubt = if other == node { Doubt::Moved(node) } else { Doubt::Under(node, other) };
                way.stuck = Some(Stuck { doubt, pixels, needs });
                return Err(at(node, Why::Behind(other)));
            }
        }
    }
    let (text, ground) = (pixels.letter.over(Rgba::WHITE), pixels.beside.over(Rgba::WHITE));
    if text.hex() == ground.hex() {
        return Err(at(element, Why::Same));
    }
    let pair = Pair { text, ground, needs };
    // Letters that can be read without their shadow can be read with it; the others may have an outline.
    if own.shadow && !pair.passes() {
        return Err(at(element, Why::Shadow));
    }
    Ok(pair)
}

#[derive(Clone, Copy)]
struct Pixels {
    letter: Rgba,
    beside: Rgba,
}

/// How far up the two pixels of a text came, and why not further.
struct Stuck {
    doubt: Doubt,
    pixels: Pixels,
    needs: f64,
}

impl Stuck {
    /// The worst pair of a text that passes wherever it lies.
    fn anywhere(&self, page: &Page, styles: &Styles, layers: &Layers, own: &Style) -> Option<Pair> {
        let mut worst: Option<Pair> = None;
        for ground in layers.grounds(self.doubt, || grounds(page, styles, layers, self.doubt))?.iter() {
            let Pixels { letter, beside } = self.pixels;
            let pair = Pair { text: letter.over(*ground), ground: beside.over(*ground), needs: self.needs };
            if !pair.passes() || own.shadow {
                return None;
            }
            worst = Some(worst.filter(|worst| worst.ratio() < pair.ratio()).unwrap_or(pair));
        }
        worst
    }
}

impl Pixels {
    fn lay_over(&mut self, background: Rgba) {
        self.letter = self.letter.over(background);
        self.beside = self.beside.over(background);
    }

    fn fade(&mut self, opacity: f64) {
        self.letter = self.letter.faded(opacity);
        self.beside = self.beside.faded(opacity);
    }
}

fn ground(style: &Style, pixels: &mut Pixels) -> Result<(), Why> {
    match style.image {
        Some(Image::Gradient) => return Err(Why::Gradient),
        Some(Image::Picture) => return Err(Why::Picture),
        None => {}
    }
    if let Some(text) = &style.background_unknown {
        return Err(Why::Background(text.clone()));
    }
    pixels.lay_over(style.background);
    Ok(())
}

/// What was met on the way up that changes which ground a text has.
#[derive(Default)]
struct Way {
    /// A box beside the flow, whose parents may end above it.
    floats: bool,
    cell: Option<NodeId>,
    /// Of each ground that floats may reach out of, whether it is behind them; nothing where that is not tried out.
    reaches: Option<u8>,
    /// How many such grounds were met.
    asked: u8,
    /// Where nobody knows what is further up.
    stuck: Option<Stuck>,
}

impl Way {
    /// Whether the ground of this element is behind the text.
    fn meet(&mut self, page: &Page, styles: &Styles, node: NodeId, pixels: &mut Pixels) -> Result<bool, Why> {
        let mut is_behind = true;
        let style = styles.of(node);
        let placing = &style.placing;
        let name = page.dom.name(node);
        // The ground of the page's root reaches everywhere.
        let is_root = matches!(name, "html" | "body");
        let is_painted = style.background.alpha > 0.0 || style.background_unknown.is_some();
        if self.floats && !is_root {
            let is_cleared = || {
                let clears = |child: NodeId| styles.of(child).placing.clears;
                styles.pseudo(node).iter().any(|(_, pseudo)| pseudo.placing.clears)
                    || page.dom.children(node).take(MAX_CHILDREN).any(clears)
            };
            let holds = placing.holds || placing.cut || placing.float || placing.position.is_out();
            if holds || (is_painted && is_cleared()) {
                self.floats = false;
            } else if is_painted && style.height.is_none() {
                let choice = self.reaches.ok_or(Why::Float)?;
                is_behind = choice >> self.asked.min(7) & 1 == 1;
                self.asked += 1;
            }
        }
        if is_painted && !is_root && style.height.is_some_and(|height| height <= 0.0) && style.min_height.is_none() {
            return Err(Why::Flat);
        }
        self.floats |= placing.float;
        match name {
            "td" | "th" => self.cell = Some(node),
            "table" => {
                if let Some(cell) = self.cell.take() {
                    columns(page, styles, node, cell, pixels)?;
                }
            }
            _ => {}
        }
        Ok(is_behind)
    }
}

/// Lays the backgrounds of a cell's column behind it.
fn columns(page: &Page, styles: &Styles, table: NodeId, cell: NodeId, pixels: &mut Pixels) -> Result<(), Why> {
    let dom = &page.dom;
    let groups = dom.children(table).filter(|child| dom.name(*child) == "colgroup");
    let mut columns: Vec<(NodeId, NodeId)> = Vec::new();
    let span = |node: NodeId, attr: &str| dom.attr(node, attr).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
    for group in groups {
        let inner: Vec<NodeId> = dom.children(group).filter(|child| dom.name(*child) == "col").collect();
        let spread = if inner.is_empty() { vec![(group, span(group, "span"))] } else { Vec::new() };
        let all = spread.into_iter().chain(inner.into_iter().map(|col| (col, span(col, "span"))));
        columns.extend(all.flat_map(|(col, times)| std::iter::repeat_n((col, group), times.min(MAX_COLUMNS))));
    }
    let is_painted = |node: NodeId| {
        let style = styles.of(node);
        style.background.alpha > 0.0 || style.image.is_some() || style.background_unknown.is_some()
    };
    if !columns.iter().any(|(col, group)| is_painted(*col) || is_painted(*group)) {
        return Ok(());
    }
    let mut inside = dom.descendants(table);
    let rowspans = inside.by_ref().take(MAX_CELLS).any(|node| dom.attr(node, "rowspan").is_some());
    if rowspans || inside.next().is_some() || span(cell, "colspan") > 1 {
        return Err(Why::Column);
    }
    let before = std::iter::successors(dom.node(cell).prev, |node| dom.node(*node).prev);
    let index: usize = before.filter(|node| dom.element(*node).is_some()).map(|node| span(node, "colspan")).sum();
    if let Some((col, group)) = columns.get(index) {
        ground(styles.of(*col), pixels)?;
        if col != group {
            ground(styles.of(*group), pixels)?;
        }
    }
    Ok(())
}

/// No table that people read has more columns.
const MAX_COLUMNS: usize = 1000;
/// Larger tables are not searched for cells that span rows, for each of their texts.
const MAX_CELLS: usize = 5000;
/// Grounds that floats may reach out of, and that are tried out: each of them doubles what is tried.
const MAX_GROUNDS: u8 = 4;
/// So many children are asked whether they end a float.
const MAX_CHILDREN: usize = 64;
