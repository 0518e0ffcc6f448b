//! Where a box is put: what takes it out of the flow, moves it, or lays it over others.

use super::{
    length::{Length, Scale},
    value::pieces,
};

/// What an element's style says of its place. Nothing here is inherited.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Placing {
    pub(crate) position: Position,
    /// From the sides, in the order of shorthands.
    pub(crate) offsets: [Offset; 4],
    pub(crate) z_index: Option<i32>,
    pub(crate) float: bool,
    pub(crate) clears: bool,
    /// `overflow` other than `visible`: nothing shows outside of the box, and floats are held.
    pub(crate) cut: bool,
    /// A transform that moves, turns or scales.
    pub(crate) transformed: bool,
    /// A transform that moves by its own size or more: out of where it would be.
    pub(crate) thrown: bool,
    /// A negative margin of a part of something, so that nobody knows how much it is.
    pub(crate) pulled: bool,
    pub(crate) grid: bool,
    /// Holds floats: `flow-root`, tables and their like.
    pub(crate) holds: bool,
    /// `grid-area`, or row and column.
    pub(crate) area: Option<Box<str>>,
    pub(crate) row: Option<Box<str>>,
    pub(crate) column: Option<Box<str>>,
    pub(crate) max_height: Option<f64>,
    /// As wide, and as high, as what contains it.
    pub(crate) wide: bool,
    pub(crate) high: bool,
    /// A pseudo-element is there only with content: whether it has some, and whether that has words.
    pub(crate) content: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Position {
    #[default]
    InFlow,
    Relative,
    /// At rest it is where it would be.
    Sticky,
    /// Taken out of the flow: what lies below it is not its parent.
    Absolute,
    Fixed,
}

impl Position {
    pub(crate) fn is_out(self) -> bool {
        matches!(self, Self::Absolute | Self::Fixed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Offset {
    #[default]
    Auto,
    Px(f64),
    Percent(f64),
    /// Some length that needs a layout.
    Some,
}

/// One thing that a declaration says of a box's place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    Position(Position),
    Offset(usize, Length),
    ZIndex(Option<i32>),
    Float(bool),
    Clear(bool),
    Cut(bool),
    Transform { moves: bool, throws: bool },
    Area(Option<Box<str>>),
    Row(Option<Box<str>>),
    Column(Option<Box<str>>),
    MaxHeight(Length),
    Content(Option<bool>),
}

impl Placing {
    pub(crate) fn apply(&mut self, place: &Place, scale: &Scale) {
        match place {
            Place::Position(position) => self.position = *position,
            Place::Offset(side, length) => {
                self.offsets[*side] = match length {
                    Length::Auto => Offset::Auto,
                    Length::Percent(part) => Offset::Percent(*part),
                    length => length.px(scale).map_or(Offset::Some, Offset::Px),
                }
            }
            Place::ZIndex(index) => self.z_index = *index,
            Place::Float(float) => self.float = *float,
            Place::Clear(clears) => self.clears = *clears,
            Place::Cut(cut) => self.cut = *cut,
            Place::Transform { moves, throws } => (self.transformed, self.thrown) = (*moves, *throws),
            Place::Area(area) => (self.area, self.row, self.column) = (area.clone(), None, None),
            Place::Row(row) => self.row.clone_from(row),
            Place::Column(column) => self.column.clone_from(column),
            Place::MaxHeight(length) => self.max_height = length.px(scale),
            Place::Content(content) => self.content = *content,
        }
    }

    /// Takes one property from another style.
    pub(super) fn copy(&mut self, property: &str, from: &Self) {
        match property {
            "position" => self.position = from.position,
            "inset" => self.offsets = from.offsets,
            "top" => self.offsets[0] = from.offsets[0],
            "right" => self.offsets[1] = from.offsets[1],
            "bottom" => self.offsets[2] = from.offsets[2],
            "left" => self.offsets[3] = from.offsets[3],
            "z-index" => self.z_index = from.z_index,
            "float" => self.float = from.float,
            "clear" => self.clears = from.clears,
            "overflow" | "overflow-x" | "overflow-y" => self.cut = from.cut,
            "transform" | "translate" | "scale" | "rotate" => {
                (self.transformed, self.thrown) = (from.transformed, from.thrown);
            }
            "grid-area" => {
                (self.area, self.row, self.column) = (from.area.clone(), from.row.clone(), from.column.clone());
            }
            "max-height" => self.max_height = from.max_height,
            "content" => self.content = from.content,
            "display" => (self.grid, self.holds) = (from.grid, from.holds),
            "margin" => self.pulled = from.pulled,
            _ => {}
        }
    }

    /// Whether the box fills what contains it.
    pub(crate) fn covers(&self) -> bool {
        let is_edge = |side: usize| match self.offsets[side] {
            Offset::Px(px) => px <= 0.0,
            Offset::Percent(part) => part <= 0.0,
            Offset::Auto | Offset::Some => false,
        };
        let across = (is_edge(1) && is_edge(3)) || self.wide;
        let down = (is_edge(0) && is_edge(2)) || self.high;
        across && down
    }

    /// Whether a length is that of the whole.
    pub(super) fn is_whole(length: &Length) -> bool {
        matches!(length, Length::Percent(part) | Length::Width(part) | Length::Height(part) if *part >= 0.9)
    }

    /// Whether the box is put outside of what contains it, or of the page.
    pub(crate) fn is_away(&self) -> bool {
        self.thrown
            || self.offsets.iter().any(|offset| match offset {
                Offset::Px(px) => *px <= -FAR,
                Offset::Percent(part) => *part >= 1.0 || *part <= -1.0,
                Offset::Auto | Offset::Some => false,
            })
    }

    /// Whether a box in the flow is drawn elsewhere than it stands, by more than a nudge.
    pub(crate) fn is_shifted(&self) -> bool {
        let by_offset = self.position == Position::Relative
            && self.offsets.iter().any(|offset| match offset {
                Offset::Px(px) => px.abs() > NUDGE,
                Offset::Percent(part) => *part != 0.0,
                Offset::Some => true,
                Offset::Auto => false,
            });
        by_offset || self.transformed
    }
}

/// Nobody sees what is moved so far.
pub(crate) const FAR: f64 = 400.0;
/// Corrections of a few pixels leave a text on its ground.
pub(crate) const NUDGE: f64 = 8.0;

/// What `name: value` says of a place; `word` is the value in lower case.
pub(super) fn places(name: &str, value: &str, word: &str) -> Vec<Place> {
    let one = |place: Option<Place>| place.into_iter().collect::<Vec<_>>();
    let text = || (word != "auto").then(|| word.split_ascii_whitespace().collect::<String>().into());
    match name {
        "position" => one(position(word).map(Place::Position)),
        "top" | "inset-block-start" => offset(0, value),
        "right" | "inset-inline-end" => offset(1, value),
        "bottom" | "inset-block-end" => offset(2, value),
        "left" | "inset-inline-start" => offset(3, value),
        "inset" => inset(value),
        "inset-block" => [offset(0, value), offset(2, value)].concat(),
        "inset-inline" => [offset(1, value), offset(3, value)].concat(),
        "z-index" if word == "auto" => vec![Place::ZIndex(None)],
        "z-index" => one(word.parse().ok().map(|index| Place::ZIndex(Some(index)))),
        "float" => vec![Place::Float(matches!(word, "left" | "right" | "inline-start" | "inline-end"))],
        "clear" => vec![Place::Clear(word != "none")],
        "overflow" | "overflow-x" | "overflow-y" => vec![Place::Cut(!word.starts_with("visible"))],
        "transform" => vec![transform(word)],
        "translate" => vec![Place::Transform { moves: !is_nothing(word), throws: word.contains("100%") }],
        "rotate" | "scale" => vec![Place::Transform { moves: !is_nothing(word), throws: false }],
        "grid-area" => vec![Place::Area(text())],
        "grid-row" | "grid-row-start" => vec![Place::Row(text())],
        "grid-column" | "grid-column-start" => vec![Place::Column(text())],
        "max-height" | "max-block-size" => one(Length::parse(value).map(Place::MaxHeight)),
        "content" => vec![Place::Content(content(word))],
        _ => Vec::new(),
    }
}

fn position(word: &str) -> Option<Position> {
    Some(match word {
        "static" => Position::InFlow,
        "relative" => Position::Relative,
        "sticky" | "-webkit-sticky" => Position::Sticky,
        "absolute" => Position::Absolute,
        "fixed" => Position::Fixed,
        _ => return None,
    })
}

fn offset(side: usize, value: &str) -> Vec<Place> {
    Length::parse(value).map(|length| Place::Offset(side, length)).into_iter().collect()
}

fn inset(value: &str) -> Vec<Place> {
    let parts = pieces(value);
    let from: [usize; 4] = match parts.len() {
        1 => [0, 0, 0, 0],
        2 => [0, 1, 0, 1],
        3 => [0, 1, 2, 1],
        4 => [0, 1, 2, 3],
        _ => return Vec::new(),
    };
    from.iter().enumerate().flat_map(|(side, from)| offset(side, parts[*from])).collect()
}

fn is_nothing(word: &str) -> bool {
    matches!(word, "none" | "0" | "1" | "0deg" | "0px" | "0px 0px")
}

fn transform(word: &str) -> Place {
    let bare = word.replace(' ', "");
    let stays = is_nothing(word)
        || matches!(
            bare.as_str(),
            "translatez(0)" | "translatez(0px)" | "translate3d(0,0,0)" | "scale(1)" | "rotate(0)" | "rotate(0deg)"
        )
        || ["translate(0)", "translate(0,0)", "translatey(0)", "translatex(0)", "translatey(0px)", "translatex(0px)"]
            .contains(&bare.as_str());
    let throws =
        bare.contains("-100%") || bare.contains("(100%") || bare.contains(",100%") || bare.contains("scale(0)");
    Place::Transform { moves: !stays, throws }
}

/// Whether there is content, and whether it has words.
fn content(word: &str) -> Option<bool> {
    match word {
        "none" | "normal" => None,
        _ => Some(!matches!(word, "\"\"" | "''") && !word.starts_with("url(")),
    }
}
