//! What a page looks like, and where two pictures of it differ.

use super::View;
use super::rect::{Point, Rect};
use super::snapshot::{SeenKind, Snapshot};
use super::source::named;
use crate::edit::TouchedElement;

/// Letters and lines reach so far out of their boxes.
const BLEED: f64 = 3.0;

/// The pixels of a page.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    /// Red, green and blue, row by row.
    pixels: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("width", &self.width).field("height", &self.height).finish_non_exhaustive()
    }
}

/// A page in one window, as it is built and as it is painted.
#[derive(Debug, Clone, Copy)]
pub struct PaintedPage<'p> {
    pub view: &'p View,
    pub picture: &'p Picture,
}

impl Picture {
    /// Three bytes a pixel; nothing where they are too few or too many.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        let needed = usize::try_from(width).ok()?.checked_mul(usize::try_from(height).ok()?)?.checked_mul(3)?;
        (pixels.len() == needed).then_some(Self { width, height, pixels })
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// Its red, green and blue.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let row = self.row(y)?;
        let at = usize::try_from(x).ok()?.checked_mul(3)?;
        row.get(at..at + 3).map(|pixel| [pixel[0], pixel[1], pixel[2]])
    }

    fn row(&self, y: u32) -> Option<&[u8]> {
        let length = self.width as usize * 3;
        let start = length.checked_mul(y as usize)?;
        self.pixels.get(start..start + length)
    }
}

/// Why the picture of a page is another one outside of the elements that were touched, if it is. `restless` is another
/// picture of the page as it was: what differs between those two moves by itself and says nothing.
pub fn differs_elsewhere(
    before: PaintedPage<'_>,
    after: PaintedPage<'_>,
    touched: &[TouchedElement],
    restless: Option<&Picture>,
) -> Option<String> {
    if let Some(why) = is_built_otherwise(&before.view.rest, &after.view.rest) {
        return Some(why);
    }
    let (old, new) = (before.picture, after.picture);
    if (old.width, old.height) != (new.width, new.height) {
        let (was, is) = (format!("{} × {}", old.width, old.height), format!("{} × {}", new.width, new.height));
        return Some(format!("the page would be {is} px and not {was} px large"));
    }
    let mut allowed = boxes(&before.view.rest, touched);
    allowed.extend(boxes(&after.view.rest, touched));
    let restless = restless.filter(|other| (other.width, other.height) == (old.width, old.height));
    for y in 0..old.height {
        let (Some(was), Some(is)) = (old.row(y), new.row(y)) else { break };
        if was == is {
            continue;
        }
        let still = restless.and_then(|other| other.row(y));
        let pixels = was.chunks_exact(3).zip(is.chunks_exact(3)).zip(0_u32..).filter(|((was, is), _)| was != is);
        for ((was, _), x) in pixels {
            let at = x as usize * 3;
            if still.is_some_and(|row| row.get(at..at + 3) != Some(was)) {
                continue;
            }
            let point = Point { x: f64::from(x) + 0.5, y: f64::from(y) + 0.5 };
            if !allowed.iter().any(|area| area.has(point)) {
                return Some(format!("{} would look different", at_point(before.view, point)));
            }
        }
    }
    None
}

/// Whether boxes would lie elsewhere, or be others: a page is longer than its picture, and parts of it are covered.
fn is_built_otherwise(before: &Snapshot, after: &Snapshot) -> Option<String> {
    let boxes = |snapshot: &Snapshot| -> Vec<(SeenKind, Rect)> {
        let laid_out = snapshot.nodes.iter().filter(|node| node.kind != SeenKind::Other);
        laid_out.filter_map(|node| Some((node.kind, node.layout.as_ref()?.bounds))).collect()
    };
    let (was, is) = (boxes(before), boxes(after));
    if was.len() != is.len() {
        return Some("the page would be laid out differently".to_owned());
    }
    was.iter().zip(&is).any(|(was, is)| was != is).then(|| "boxes of the page would move".to_owned())
}

/// Where touched elements may look different.
fn boxes(snapshot: &Snapshot, touched: &[TouchedElement]) -> Vec<Rect> {
    let mut list = Vec::new();
    for element in touched {
        let Some(node) = snapshot.element_at(&element.path) else { continue };
        let own = |index: usize| snapshot.nodes[index].parent == Some(node);
        let has_elements = snapshot.below(node).any(|at| own(at) && snapshot.nodes[at].kind == SeenKind::Element);
        if element.is_whole || !has_elements {
            list.extend(snapshot.nodes[node].layout.as_ref().map(|layout| layout.bounds));
        }
        // What hangs out of the box, or is only its text.
        for at in snapshot.below(node).filter(|at| own(*at) || snapshot.nodes[*at].is_shadow) {
            let Some(layout) = &snapshot.nodes[at].layout else { continue };
            match snapshot.nodes[at].kind {
                SeenKind::Text if layout.lines.is_empty() => list.push(layout.bounds),
                SeenKind::Text => list.extend(&layout.lines),
                SeenKind::Pseudo => list.push(layout.bounds),
                SeenKind::Element | SeenKind::Shadow | SeenKind::Other => {}
            }
        }
    }
    let grown = |area: Rect| Rect {
        left: area.left - BLEED,
        top: area.top - BLEED,
        right: area.right + BLEED,
        bottom: area.bottom + BLEED,
    };
    list.into_iter().map(grown).collect()
}

/// What is at a place, for people.
fn at_point(view: &View, point: Point) -> String {
    let size = |index: usize| view.rest.nodes[index].layout.as_ref().map(|layout| layout.bounds);
    let here = (0..view.rest.nodes.len())
        .filter(|index| view.rest.nodes[*index].kind == SeenKind::Element)
        .filter(|index| size(*index).is_some_and(|area| area.has(point)))
        .min_by(|a, b| {
            let area = |index: usize| size(index).map_or(0.0, |area| area.width() * area.height());
            area(*a).total_cmp(&area(*b)).then(b.cmp(a))
        });
    here.map_or_else(
        || format!("the page at {:.0}, {:.0}", point.x, point.y),
        |index| format!("`{}`", named(view, index)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(rows: &[&str]) -> Picture {
        let pixels = rows.iter().flat_map(|row| row.bytes()).flat_map(|pixel| [pixel, pixel, pixel]).collect();
        Picture::new(u32::try_from(rows[0].len()).unwrap(), u32::try_from(rows.len()).unwrap(), pixels).unwrap()
    }

    /// A page with a paragraph in its left upper quarter.
    fn view(height: u32) -> View {
        let strings = ["#document", "HTML", "BODY", "P", "#text", "words"];
        let layout = |node: usize, bounds: [u32; 4]| (node, bounds);
        let layouts = [layout(1, [0, 0, 20, 20]), layout(2, [0, 0, 20, 20]), layout(3, [0, 0, 6, height])];
        let answer = serde_json::json!({
            "documents": [{
                "nodes": {
                    "parentIndex": [-1, 0, 1, 2], "nodeType": [9, 1, 1, 1], "nodeName": [0, 1, 2, 3],
                    "nodeValue": [-1, -1, -1, -1], "backendNodeId": [1, 2, 3, 4], "attributes": [[], [], [], []],
                },
                "layout": {
                    "nodeIndex": layouts.iter().map(|(node, _)| node).collect::<Vec<_>>(),
                    "styles": [[], [], []],
                    "bounds": layouts.iter().map(|(_, bounds)| bounds).collect::<Vec<_>>(),
                },
                "textBoxes": { "layoutIndex": [], "bounds": [] },
            }],
            "strings": strings,
        });
        View { width: 20, dark: false, rest: Snapshot::read(&answer.to_string()).unwrap(), focused: None }
    }

    fn page(changed: Option<(usize, usize)>) -> Picture {
        let mut rows = vec!["a".repeat(20).into_bytes(); 20];
        if let Some((x, y)) = changed {
            rows[y][x] = b'b';
        }
        let rows: Vec<String> = rows.into_iter().map(|row| String::from_utf8(row).unwrap()).collect();
        picture(&rows.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn only_what_was_touched_may_look_different() {
        let paragraph = TouchedElement { path: vec![0, 0, 0], is_whole: true };
        let (old, calm) = (page(None), page(None));
        for (name, new, touched, restless, want) in [
            ("the same", page(None), vec![], None, None),
            (
                "the paragraph, untouched",
                page(Some((3, 3))),
                vec![],
                None,
                Some("`html > body > p` would look different"),
            ),
            ("the paragraph", page(Some((3, 3))), vec![paragraph.clone()], None, None),
            (
                "beside it",
                page(Some((15, 15))),
                vec![paragraph.clone()],
                None,
                Some("`html > body` would look different"),
            ),
            ("what moves by itself", page(Some((15, 15))), vec![], Some(page(Some((15, 15)))), None),
            ("what stands still", page(Some((15, 15))), vec![], Some(calm), Some("`html > body` would look different")),
            (
                "another size",
                picture(&["aa"]),
                vec![],
                None,
                Some("the page would be 2 × 1 px and not 20 × 20 px large"),
            ),
        ] {
            let view = view(6);
            let before = PaintedPage { view: &view, picture: &old };
            let after = PaintedPage { view: &view, picture: &new };
            let got = differs_elsewhere(before, after, &touched, restless.as_ref());
            assert_eq!(got.as_deref(), want, "{name}");
        }
    }

    #[test]
    fn boxes_that_move_are_seen_where_no_pixel_changes() {
        let (was, is, picture) = (view(6), view(7), page(None));
        let painted = |view| PaintedPage { view, picture: &picture };
        let why = differs_elsewhere(painted(&was), painted(&is), &[], None);
        assert_eq!(why.as_deref(), Some("boxes of the page would move"));
    }

    #[test]
    fn a_picture_has_all_of_its_pixels() {
        assert!(Picture::new(2, 2, vec![0; 12]).is_some());
        assert!(Picture::new(2, 2, vec![0; 11]).is_none());
        assert!(Picture::new(u32::MAX, u32::MAX, vec![]).is_none());
    }
}
