//! A page as a browser laid it out: every node with its box, its computed styles and its place in the order of painting.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::rect::Rect;

/// The computed styles that the rules need, in the order in which [`Snapshot::read`] expects them.
pub const STYLES: &[&str] = &[
    "display",
    "visibility",
    "opacity",
    "color",
    "background-color",
    "background-image",
    "background-clip",
    "-webkit-text-fill-color",
    "font-size",
    "font-weight",
    "position",
    "float",
    "overflow-x",
    "overflow-y",
    "clip",
    "clip-path",
    "filter",
    "backdrop-filter",
    "mix-blend-mode",
    "background-blend-mode",
    "mask-image",
    "text-shadow",
    "pointer-events",
    "color-scheme",
    "transform",
    "outline-style",
    "outline-width",
    "outline-color",
    "box-shadow",
    "border-top-color",
    "border-right-color",
    "border-bottom-color",
    "border-left-color",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "border-left-width",
    "border-top-style",
    "border-bottom-style",
    "text-decoration-line",
    "text-decoration-color",
    "text-decoration-style",
];

/// A computed style, by its place in [`STYLES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Prop {
    Display,
    Visibility,
    Opacity,
    Color,
    BackgroundColor,
    BackgroundImage,
    BackgroundClip,
    TextFill,
    FontSize,
    FontWeight,
    Position,
    Float,
    OverflowX,
    OverflowY,
    Clip,
    ClipPath,
    Filter,
    BackdropFilter,
    Blend,
    BackgroundBlend,
    Mask,
    TextShadow,
    PointerEvents,
    ColorScheme,
    Transform,
    OutlineStyle,
    OutlineWidth,
    OutlineColor,
    BoxShadow,
    BorderTopColor,
    BorderRightColor,
    BorderBottomColor,
    BorderLeftColor,
    BorderTopWidth,
    BorderRightWidth,
    BorderBottomWidth,
    BorderLeftWidth,
    BorderTopStyle,
    BorderBottomStyle,
    DecorationLine,
    DecorationColor,
    DecorationStyle,
}

/// Why an answer of the browser is no snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotError(String);

impl std::fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the browser's snapshot cannot be read: {}", self.0)
    }
}

impl std::error::Error for SnapshotError {}

/// The main document of a laid-out page. Frames inside of it are pictures to it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) nodes: Vec<SeenNode>,
    strings: Vec<String>,
}

/// What kind of node it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeenKind {
    Element,
    /// `::before` and the like; their texts are below them.
    Pseudo,
    Text,
    /// The root of a tree that the browser, or a script, put below an element.
    Shadow,
    Other,
}

#[derive(Debug, Clone)]
pub(crate) struct SeenNode {
    pub(crate) parent: Option<usize>,
    /// The first node behind this one and everything in it: nodes stand in the order of the page.
    pub(crate) end: usize,
    pub(crate) kind: SeenKind,
    /// The name in small letters; of pseudo-elements, which one it is.
    pub(crate) name: String,
    /// Names and values; an empty value is none to the browser.
    attrs: Vec<(usize, Option<usize>)>,
    value: Option<usize>,
    /// What a field shows.
    input: Option<usize>,
    pub(crate) backend: i64,
    pub(crate) layout: Option<NodeLayout>,
    /// Inside of a shadow tree: nobody who reads the page's source finds it.
    pub(crate) is_shadow: bool,
    /// One of an SVG picture's own elements.
    pub(crate) is_svg: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct NodeLayout {
    pub(crate) bounds: Rect,
    pub(crate) paint: i64,
    styles: Vec<i64>,
    /// Where the lines of a text are.
    pub(crate) lines: Vec<Rect>,
}

#[derive(Deserialize)]
struct Answer {
    documents: Vec<Written>,
    strings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    nodes: Nodes,
    layout: Layouts,
    text_boxes: TextBoxes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nodes {
    parent_index: Vec<i64>,
    node_type: Vec<i64>,
    node_name: Vec<i64>,
    node_value: Vec<i64>,
    backend_node_id: Vec<i64>,
    attributes: Vec<Vec<i64>>,
    #[serde(default)]
    shadow_root_type: Rare,
    #[serde(default)]
    pseudo_type: Rare,
    #[serde(default)]
    input_value: Rare,
    #[serde(default)]
    text_value: Rare,
}

#[derive(Default, Deserialize)]
struct Rare {
    index: Vec<i64>,
    value: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layouts {
    node_index: Vec<i64>,
    styles: Vec<Vec<i64>>,
    bounds: Vec<Vec<f64>>,
    #[serde(default)]
    paint_orders: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextBoxes {
    layout_index: Vec<i64>,
    bounds: Vec<Vec<f64>>,
}

impl Snapshot {
    /// Reads the result of `DOMSnapshot.captureSnapshot` that was asked for [`STYLES`] and the order of painting.
    pub fn read(result: &str) -> Result<Self, SnapshotError> {
        let answer: Answer = serde_json::from_str(result).map_err(|error| SnapshotError(error.to_string()))?;
        let Answer { documents, strings } = answer;
        let Written { nodes, layout, text_boxes } =
            documents.into_iter().next().ok_or_else(|| SnapshotError("it has no document".to_owned()))?;
        let mut lines: BTreeMap<usize, Vec<Rect>> = BTreeMap::new();
        for (index, bounds) in text_boxes.layout_index.iter().zip(&text_boxes.bounds) {
            lines.entry(at(*index)?).or_default().push(Rect::read(bounds).ok_or_else(no_box)?);
        }
        let mut layouts: BTreeMap<usize, NodeLayout> = BTreeMap::new();
        for (index, node) in layout.node_index.iter().enumerate() {
            let bounds = layout.bounds.get(index).and_then(|bounds| Rect::read(bounds)).ok_or_else(no_box)?;
            let paint = layout.paint_orders.get(index).copied().unwrap_or(0);
            let own = lines.remove(&index).unwrap_or_default();
            let node = at(*node)?;
            if let Some(first) = layouts.get_mut(&node) {
                // The parts of one node, such as a first letter and what follows it. A part without a size, such as the
                // text of `content: ""`, is nowhere, whatever corner it claims to be in.
                if first.bounds.is_empty() {
                    first.bounds = bounds;
                } else if !bounds.is_empty() {
                    first.bounds = first.bounds.union(bounds);
                }
                first.lines.extend(own);
            } else {
                let styles = layout.styles.get(index).cloned().unwrap_or_default();
                layouts.insert(node, NodeLayout { bounds, paint, styles, lines: own });
            }
        }
        let mut snapshot = Self { nodes: Vec::with_capacity(nodes.parent_index.len()), strings };
        let (pseudos, shadows) = (nodes.pseudo_type.map(), nodes.shadow_root_type.map());
        let (inputs, texts) = (nodes.input_value.map(), nodes.text_value.map());
        for (index, parent) in nodes.parent_index.iter().enumerate() {
            let parent = usize::try_from(*parent).ok();
            if parent.is_some_and(|parent| parent >= index) {
                return Err(SnapshotError("a node stands before its parent".to_owned()));
            }
            let above = parent.map(|parent| &snapshot.nodes[parent]);
            let named = |column: &[i64]| column.get(index).and_then(|one| usize::try_from(*one).ok());
            let kind = match nodes.node_type.get(index) {
                _ if shadows.contains_key(&index) => SeenKind::Shadow,
                Some(1) if pseudos.contains_key(&index) => SeenKind::Pseudo,
                Some(1) => SeenKind::Element,
                Some(3) => SeenKind::Text,
                _ => SeenKind::Other,
            };
            let name = pseudos.get(&index).copied().or_else(|| named(&nodes.node_name));
            let name = name.and_then(|name| snapshot.strings.get(name)).map(|name| name.to_ascii_lowercase());
            let is_shadow = kind == SeenKind::Shadow
                || above.is_some_and(|above| above.is_shadow || above.kind == SeenKind::Pseudo);
            let is_svg = above.is_some_and(|above| above.name == "svg" || above.is_svg);
            let pairs = nodes.attributes.get(index).map_or(&[][..], Vec::as_slice).chunks_exact(2);
            let attrs = pairs.filter_map(|pair| Some((usize::try_from(pair[0]).ok()?, usize::try_from(pair[1]).ok())));
            let node = SeenNode {
                parent,
                end: index + 1,
                kind,
                name: name.unwrap_or_default(),
                attrs: attrs.collect(),
                value: named(&nodes.node_value),
                input: inputs.get(&index).or_else(|| texts.get(&index)).copied(),
                backend: nodes.backend_node_id.get(index).copied().unwrap_or(0),
                layout: layouts.remove(&index),
                is_shadow,
                is_svg,
            };
            snapshot.nodes.push(node);
        }
        for index in (0..snapshot.nodes.len()).rev() {
            if let Some(parent) = snapshot.nodes[index].parent {
                snapshot.nodes[parent].end = snapshot.nodes[parent].end.max(snapshot.nodes[index].end);
            }
        }
        Ok(snapshot)
    }

    /// The backend ids of everything that a keyboard reaches, and of every element above it.
    pub fn focus_points(&self) -> FocusPoints {
        let mut points = FocusPoints::default();
        for (index, node) in self.nodes.iter().enumerate() {
            if super::targets::is_in_tab_order(self, index) && node.layout.is_some() {
                points.controls.push(node.backend);
                for above in self.above(index) {
                    if self.nodes[above].kind == SeenKind::Element {
                        points.around.push(self.nodes[above].backend);
                    }
                }
            }
        }
        points.around.sort_unstable();
        points.around.dedup();
        points
    }

    pub(crate) fn text(&self, index: usize) -> &str {
        self.string(self.nodes[index].value)
    }

    /// What a field shows.
    pub(crate) fn input(&self, index: usize) -> &str {
        self.string(self.nodes[index].input)
    }

    pub(crate) fn attr(&self, index: usize, name: &str) -> Option<&str> {
        let is = |at: &usize| self.strings.get(*at).is_some_and(|other| other.eq_ignore_ascii_case(name));
        let (_, value) = self.nodes[index].attrs.iter().find(|(key, _)| is(key))?;
        Some(self.string(*value))
    }

    /// A computed style; empty where the node has no box.
    pub(crate) fn style(&self, index: usize, prop: Prop) -> &str {
        let styles = self.nodes[index].layout.as_ref().map(|layout| layout.styles.as_slice()).unwrap_or_default();
        self.string(styles.get(prop as usize).and_then(|at| usize::try_from(*at).ok()))
    }

    /// A computed style in pixels, or without a unit.
    pub(crate) fn number(&self, index: usize, prop: Prop) -> f64 {
        let text = self.style(index, prop);
        text.trim_end_matches("px").parse().unwrap_or(0.0)
    }

    /// The nodes above, nearest first.
    pub(crate) fn above(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.nodes[index].parent, |at| self.nodes[*at].parent)
    }

    pub(crate) fn is_inside(&self, index: usize, ancestor: usize) -> bool {
        ancestor < index && index < self.nodes[ancestor].end
    }

    /// Everything in a node.
    pub(crate) fn below(&self, index: usize) -> std::ops::Range<usize> {
        index + 1..self.nodes[index].end
    }

    /// The way to an element from the document: the number of each element among the elements beside it.
    /// Nothing for what is in no source.
    pub(crate) fn path(&self, index: usize) -> Option<Vec<usize>> {
        let mut steps = Vec::new();
        let mut at = index;
        loop {
            let node = &self.nodes[at];
            if node.is_shadow || node.kind != SeenKind::Element {
                return (node.kind == SeenKind::Other && !steps.is_empty()).then(|| {
                    steps.reverse();
                    steps
                });
            }
            let parent = node.parent?;
            let before = (parent + 1..at).filter(|other| {
                self.nodes[*other].parent == Some(parent) && self.nodes[*other].kind == SeenKind::Element
            });
            steps.push(before.count());
            at = parent;
        }
    }

    /// The element at the end of a way, as [`Self::path`] gives it.
    pub(crate) fn element_at(&self, path: &[usize]) -> Option<usize> {
        let document = (0..self.nodes.len()).find(|at| self.nodes[*at].parent.is_none())?;
        path.iter().try_fold(document, |above, step| {
            let is_child = |at: &usize| {
                let node = &self.nodes[*at];
                node.parent == Some(above) && node.kind == SeenKind::Element && !node.is_shadow
            };
            (above + 1..self.nodes.len()).filter(is_child).nth(*step)
        })
    }

    fn string(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.strings.get(at)).map_or("", String::as_str)
    }
}

/// What the browser is told to show as focused: by its own numbers of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FocusPoints {
    pub controls: Vec<i64>,
    /// Elements that have a control inside.
    pub around: Vec<i64>,
}

impl Rare {
    fn map(&self) -> BTreeMap<usize, usize> {
        let number = |one: &i64| usize::try_from(*one).ok();
        self.index.iter().zip(&self.value).filter_map(|(index, value)| Some((number(index)?, number(value)?))).collect()
    }
}

fn at(index: i64) -> Result<usize, SnapshotError> {
    usize::try_from(index).map_err(|_| SnapshotError(format!("a place {index}")))
}

fn no_box() -> SnapshotError {
    SnapshotError("a box without four numbers".to_owned())
}
