//! What people see of a box, and whether they see a difference.

use super::snapshot::{Prop, SeenKind, Snapshot};

/// Everything that people see of a box, except for its outline.
const LOOKS: [Prop; 25] = [
    Prop::Opacity,
    Prop::Color,
    Prop::BackgroundColor,
    Prop::BackgroundImage,
    Prop::TextFill,
    Prop::FontSize,
    Prop::FontWeight,
    Prop::Filter,
    Prop::Transform,
    Prop::BoxShadow,
    Prop::TextShadow,
    Prop::BorderTopColor,
    Prop::BorderRightColor,
    Prop::BorderBottomColor,
    Prop::BorderLeftColor,
    Prop::BorderTopWidth,
    Prop::BorderRightWidth,
    Prop::BorderBottomWidth,
    Prop::BorderLeftWidth,
    Prop::BorderTopStyle,
    Prop::BorderBottomStyle,
    Prop::DecorationLine,
    Prop::DecorationColor,
    Prop::DecorationStyle,
    Prop::Visibility,
];

/// Whether a box looks different in another snapshot. What paints nothing in either of them is no difference: the colour
/// of letters where there are none, and that of borders without a width.
pub(super) fn differ(before: (&Snapshot, usize), after: (&Snapshot, usize)) -> bool {
    let paints = |prop: Prop| [before, after].iter().any(|(snapshot, node)| paints(snapshot, *node, prop));
    LOOKS.iter().any(|prop| before.0.style(before.1, *prop) != after.0.style(after.1, *prop) && paints(*prop))
}

fn paints(snapshot: &Snapshot, node: usize, prop: Prop) -> bool {
    let has = |width: Prop| snapshot.number(node, width) > 0.0;
    match prop {
        Prop::Color
        | Prop::TextFill
        | Prop::FontSize
        | Prop::FontWeight
        | Prop::TextShadow
        | Prop::DecorationLine
        | Prop::DecorationColor
        | Prop::DecorationStyle => has_letters(snapshot, node),
        Prop::BorderTopColor | Prop::BorderTopStyle => has(Prop::BorderTopWidth),
        Prop::BorderBottomColor | Prop::BorderBottomStyle => has(Prop::BorderBottomWidth),
        Prop::BorderLeftColor => has(Prop::BorderLeftWidth),
        Prop::BorderRightColor => has(Prop::BorderRightWidth),
        _ => true,
    }
}

/// Whether an element has letters of its own: words, a value, a mark of a list, or a picture that is drawn like letters.
fn has_letters(snapshot: &Snapshot, node: usize) -> bool {
    let seen = &snapshot.nodes[node];
    let is_field = || match seen.name.as_str() {
        "input" => !snapshot.attr(node, "type").is_some_and(|kind| {
            ["checkbox", "radio", "range", "color", "image"].iter().any(|other| kind.eq_ignore_ascii_case(other))
        }),
        name => matches!(name, "select" | "textarea"),
    };
    let is_drawn_so =
        seen.kind != SeenKind::Element || seen.is_svg || snapshot.style(node, Prop::Display) == "list-item";
    let is_own_text = |at: usize| {
        let part = &snapshot.nodes[at];
        part.kind == SeenKind::Text && part.parent == Some(node) && !snapshot.text(at).trim().is_empty()
    };
    is_drawn_so || is_field() || snapshot.below(node).any(is_own_text)
}
