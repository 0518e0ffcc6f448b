//! What a declaration sets, read once when the sheet is read.

use cssparser::{Parser, Token};

use super::{
    color::ColorValue,
    length::{Length, precise},
    placing::{Place, places},
    wide::Wide,
};

/// One thing that a declaration sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Set {
    Color(ColorValue),
    /// A colour that we cannot work out: whatever shows it is undecided.
    ColorUnknown(String),
    Background(ColorValue),
    BackgroundUnknown(String),
    Image(Option<Image>),
    ClipText(bool),
    Opacity(f64),
    FontSize(FontSize),
    FontWeight(FontWeight),
    FontFamily(Vec<String>),
    LineHeight(Option<Length>),
    Display(Display),
    Hidden(bool),
    Place(Place),
    /// `-webkit-text-fill-color`, which letters are drawn in instead of `color`.
    Fill(ColorValue),
    FillUnknown(String),
    Indent(Length),
    /// A shadow or an outline of letters: it is part of what one reads, and needs pixels.
    Shadow(bool),
    Padding(usize, Length),
    Margin(usize, Length),
    Width(Length),
    MaxWidth(Length),
    Height(Length),
    MinHeight(Length),
    OutlineNone(bool),
    /// Something other than an outline that can show the focus.
    Ring(bool),
    /// Filters and blending change colours in ways that need pixels.
    Effect(Option<&'static str>),
    /// The usual ways to hide text from eyes but not from screen readers.
    Clipped(bool),
    Moves(bool),
    /// A property whose value comes from elsewhere.
    Wide(Box<str>, Wide),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Image {
    Gradient,
    Picture,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FontSize {
    Length(Length),
    Px(f64),
    /// `smaller`, `larger`.
    Factor(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FontWeight {
    Is(f64),
    Bolder,
    Lighter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Display {
    #[default]
    Inline,
    Block,
    /// Boxes in a line: `inline-block`, `inline-flex`, …
    InlineBox,
    Flex,
    Grid,
    /// A block that holds its floats: `flow-root`, tables and their cells.
    Root,
    None,
}

/// The sides of a box, in the order in which shorthands name them.
pub(crate) const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];

/// What `name: value` sets. Nothing for what we do not look at and for what is not valid, as a browser would.
pub(crate) fn sets(name: &str, value: &str) -> Vec<Set> {
    let lower = value.to_ascii_lowercase();
    let word = lower.as_str();
    if let Some(wide) = Wide::parse(word) {
        return vec![Set::Wide(name.into(), wide)];
    }
    match name {
        "color" => color(value).map(Set::Color).or_else(|| unknown(value).map(Set::ColorUnknown)).into_iter().collect(),
        "background-color" => background_color(value),
        "background" => background(value, word),
        "background-image" => vec![Set::Image(image(word))],
        "background-clip" | "-webkit-background-clip" => vec![Set::ClipText(word == "text")],
        "opacity" => number(value).map(|part| Set::Opacity(part.clamp(0.0, 1.0))).into_iter().collect(),
        "font-size" => font_size(value, word).map(Set::FontSize).into_iter().collect(),
        "font-weight" => font_weight(word).map(Set::FontWeight).into_iter().collect(),
        "font-family" => vec![Set::FontFamily(families(value))],
        "font" => font(value),
        "line-height" => line_height(value, word).into_iter().collect(),
        "display" => display(word).map(Set::Display).into_iter().collect(),
        "visibility" => vec![Set::Hidden(matches!(word, "hidden" | "collapse"))],
        "-webkit-text-fill-color" => {
            color(value).map(Set::Fill).or_else(|| unknown(value).map(Set::FillUnknown)).into_iter().collect()
        }
        "text-indent" => pieces(value).first().and_then(|piece| length(piece)).map(Set::Indent).into_iter().collect(),
        "text-shadow" | "-webkit-text-stroke" | "-webkit-text-stroke-width" => vec![Set::Shadow(paints(word))],
        "padding" | "margin" => box_sides(name, value),
        "padding-inline" | "margin-inline" => pair(name, value, [1, 3]),
        "padding-block" | "margin-block" => pair(name, value, [0, 2]),
        "width" | "inline-size" => length(value).map(Set::Width).into_iter().collect(),
        "max-width" | "max-inline-size" => max_width(value, word),
        "height" | "block-size" => length(value).map(Set::Height).into_iter().collect(),
        "min-height" | "min-block-size" => length(value).map(Set::MinHeight).into_iter().collect(),
        "outline" | "outline-style" | "outline-width" => {
            let none = word.split_ascii_whitespace().any(|part| matches!(part, "none" | "0" | "0px"));
            vec![Set::OutlineNone(none)]
        }
        "box-shadow" => vec![Set::Ring(word != "none")],
        "border" | "border-color" | "border-bottom" | "text-decoration" | "border-width" | "border-bottom-color" => {
            vec![Set::Ring(!matches!(word, "none" | "0"))]
        }
        "filter" | "backdrop-filter" | "mix-blend-mode" => effect(name, word),
        "clip" => vec![Set::Clipped(word.starts_with("rect("))],
        "clip-path" => vec![Set::Clipped(word.replace(' ', "").starts_with("inset(50%"))],
        "animation" | "animation-name" | "transition" => vec![Set::Moves(!word.starts_with("none") && word != "0s")],
        _ => {
            let placed = places(name, value, word).into_iter().map(Set::Place);
            placed.chain(side(name, value)).collect()
        }
    }
}

/// Whether a shadow or stroke is there to be seen.
fn paints(word: &str) -> bool {
    !matches!(word, "none" | "0" | "0px") && !word.contains("transparent")
}

/// The pieces of a value at its top level, split at white space and slashes.
pub(crate) fn pieces(value: &str) -> Vec<&str> {
    let mut parser = Parser::new(value);
    let mut pieces = Vec::new();
    loop {
        parser.skip_whitespace();
        let start = parser.position();
        match parser.next() {
            Ok(Token::Delim('/') | Token::Comma) => {}
            Ok(token) if opens(token) => {
                let done = parser.parse_nested_block(|inner| {
                    while inner.next().is_ok() {}
                    Ok::<_, cssparser::ParseError<()>>(())
                });
                if done.is_err() {
                    return pieces;
                }
                pieces.push(parser.slice_from(start));
            }
            Ok(_) => pieces.push(parser.slice_from(start)),
            Err(_) => return pieces,
        }
    }
}

fn opens(token: &Token<'_>) -> bool {
    matches!(token, Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock | Token::CurlyBracketBlock)
}

/// The names of a list of font families, without quotes.
pub(crate) fn families(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(|family| family.trim().trim_matches(['"', '\'']).trim().to_owned())
        .filter(|family| !family.is_empty())
        .collect()
}

fn color(value: &str) -> Option<ColorValue> {
    ColorValue::parse(value)
}

/// A function that is no colour of ours may be one of a browser's.
fn unknown(value: &str) -> Option<String> {
    value.contains('(').then(|| value.to_owned())
}

fn number(value: &str) -> Option<f64> {
    let mut parser = Parser::new(value);
    match parser.next().ok()? {
        Token::Number { value, .. } => Some(precise(*value)),
        Token::Percentage { unit_value, .. } => Some(precise(*unit_value)),
        _ => None,
    }
}

fn length(value: &str) -> Option<Length> {
    Length::parse(value)
}

fn background_color(value: &str) -> Vec<Set> {
    match color(value) {
        Some(color) => vec![Set::Background(color)],
        None => unknown(value).map(Set::BackgroundUnknown).into_iter().collect(),
    }
}

fn background(value: &str, word: &str) -> Vec<Set> {
    let image = image(word);
    let found = pieces(value).into_iter().rev().find_map(color);
    let mut sets = vec![Set::Image(image)];
    match found {
        Some(color) => sets.push(Set::Background(color)),
        None if image.is_none() && value.contains('(') => sets.push(Set::BackgroundUnknown(value.to_owned())),
        None => sets.push(Set::Background(ColorValue::Is(super::color::Rgba::TRANSPARENT))),
    }
    if word.split_ascii_whitespace().any(|part| part == "text") {
        sets.push(Set::ClipText(true));
    }
    sets
}

fn image(word: &str) -> Option<Image> {
    if word.contains("url(") || word.contains("image-set(") || word.contains("image(") {
        Some(Image::Picture)
    } else if word.contains("gradient(") {
        Some(Image::Gradient)
    } else {
        None
    }
}

fn font_size(value: &str, word: &str) -> Option<FontSize> {
    Some(match word {
        "xx-small" => FontSize::Px(9.0),
        "x-small" => FontSize::Px(10.0),
        "small" => FontSize::Px(13.0),
        "medium" => FontSize::Px(16.0),
        "large" => FontSize::Px(18.0),
        "x-large" => FontSize::Px(24.0),
        "xx-large" => FontSize::Px(32.0),
        "smaller" => FontSize::Factor(5.0 / 6.0),
        "larger" => FontSize::Factor(1.2),
        _ => FontSize::Length(length(value).filter(|length| !matches!(length, Length::Number(_) | Length::Auto))?),
    })
}

fn font_weight(word: &str) -> Option<FontWeight> {
    Some(match word {
        "normal" => FontWeight::Is(400.0),
        "bold" => FontWeight::Is(700.0),
        "bolder" => FontWeight::Bolder,
        "lighter" => FontWeight::Lighter,
        _ => FontWeight::Is(number(word).filter(|weight| (1.0..=1000.0).contains(weight))?),
    })
}

/// `font: [style] [weight] size[/line-height] family`.
fn font(value: &str) -> Vec<Set> {
    let mut sets = vec![Set::FontWeight(FontWeight::Is(400.0)), Set::LineHeight(None)];
    let mut rest = value;
    for piece in pieces(value) {
        let word = piece.to_ascii_lowercase();
        if let Some(weight) = font_weight(&word) {
            sets.push(Set::FontWeight(weight));
        } else if let Some(size) = font_size(piece, &word) {
            sets.push(Set::FontSize(size));
            rest = value.split_once(piece).map_or("", |(_, rest)| rest).trim_start();
            break;
        }
    }
    if let Some(after) = rest.strip_prefix('/') {
        let height = pieces(after).first().copied().unwrap_or_default();
        sets.extend(line_height(height, &height.to_ascii_lowercase()));
        rest = after.trim_start().strip_prefix(height).unwrap_or("");
    }
    let families = families(rest);
    // System fonts such as `font: menu` have neither size nor family.
    if sets.len() > 2 && !families.is_empty() {
        sets.push(Set::FontFamily(families));
        sets
    } else {
        Vec::new()
    }
}

fn line_height(value: &str, word: &str) -> Option<Set> {
    if word == "normal" {
        Some(Set::LineHeight(None))
    } else {
        length(value).map(|height| Set::LineHeight(Some(height)))
    }
}

fn display(word: &str) -> Option<Display> {
    Some(match word {
        "none" => Display::None,
        "inline" | "contents" => Display::Inline,
        "inline-block" | "inline-flex" | "inline-grid" | "inline-table" => Display::InlineBox,
        "flex" | "-webkit-box" | "-webkit-flex" => Display::Flex,
        "grid" => Display::Grid,
        "flow-root" | "table" | "table-cell" | "block flow-root" => Display::Root,
        "block" | "list-item" | "ruby" | "ruby-text" | "math" | "block flow" => Display::Block,
        _ if word.starts_with("table-") => Display::Block,
        // What is no display of a browser changes nothing.
        _ => return None,
    })
}

fn box_sides(name: &str, value: &str) -> Vec<Set> {
    let Some(lengths) = pieces(value).into_iter().map(length).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let sides: [usize; 4] = match lengths.len() {
        1 => [0, 0, 0, 0],
        2 => [0, 1, 0, 1],
        3 => [0, 1, 2, 1],
        4 => [0, 1, 2, 3],
        _ => return Vec::new(),
    };
    sides.iter().enumerate().map(|(side, from)| box_side(name, side, lengths[*from].clone())).collect()
}

fn pair(name: &str, value: &str, sides: [usize; 2]) -> Vec<Set> {
    let Some(lengths) = pieces(value).into_iter().map(length).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let (Some(first), Some(last)) = (lengths.first(), lengths.last()) else { return Vec::new() };
    vec![box_side(name, sides[0], first.clone()), box_side(name, sides[1], last.clone())]
}

fn box_side(name: &str, side: usize, length: Length) -> Set {
    if name.starts_with("padding") { Set::Padding(side, length) } else { Set::Margin(side, length) }
}

/// `padding-left` and its like.
fn side(name: &str, value: &str) -> Option<Set> {
    let (property, side) = name.split_once('-')?;
    let side = match side {
        "block-start" => 0,
        "inline-end" => 1,
        "block-end" => 2,
        "inline-start" => 3,
        side => SIDES.iter().position(|known| *known == side)?,
    };
    matches!(property, "padding" | "margin").then(|| Some(box_side(property, side, length(value)?)))?
}

fn max_width(value: &str, word: &str) -> Vec<Set> {
    if word == "none" {
        vec![Set::MaxWidth(Length::Auto)]
    } else {
        length(value).map(Set::MaxWidth).into_iter().collect()
    }
}

fn effect(name: &str, word: &str) -> Vec<Set> {
    let effect = match (name, word) {
        (_, "none" | "normal" | "initial") => None,
        ("filter", _) => Some("a filter"),
        ("backdrop-filter", _) => Some("a backdrop filter"),
        _ => Some("blending"),
    };
    // A shadow around the box leaves the text's colours alone.
    if word.starts_with("drop-shadow(") && !word.contains(") ") { Vec::new() } else { vec![Set::Effect(effect)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_set_what_they_say() {
        for (name, value, want) in [
            ("color", "red", "[Color(Is(#ff0000))]"),
            ("color", "currentColor", "[Color(Current)]"),
            ("color", "color(display-p3 1 0 0)", "[ColorUnknown(\"color(display-p3 1 0 0)\")]"),
            ("color", "12px", "[]"),
            ("background", "#fff url(a.png) no-repeat", "[Image(Some(Picture)), Background(Is(#ffffff))]"),
            ("background", "linear-gradient(red, blue)", "[Image(Some(Gradient)), Background(Is(#00000000))]"),
            ("background", "none", "[Image(None), Background(Is(#00000000))]"),
            ("opacity", "50%", "[Opacity(0.5)]"),
            ("font-size", "smaller", "[FontSize(Factor(0.8333333333333334))]"),
            ("font-weight", "bold", "[FontWeight(Is(700.0))]"),
            (
                "padding",
                "8px 1em",
                "[Padding(0, Px(8.0)), Padding(1, Em(1.0)), Padding(2, Px(8.0)), Padding(3, Em(1.0))]",
            ),
            ("margin-left", "auto", "[Margin(3, Auto)]"),
            ("padding-inline", "4px 6px", "[Padding(1, Px(4.0)), Padding(3, Px(6.0))]"),
            ("outline", "none", "[OutlineNone(true)]"),
            ("outline", "2px solid red", "[OutlineNone(false)]"),
            ("border-left", "1px", "[]"),
            (
                "font",
                "italic bold 1.2em/1.5 \"Fira Sans\", serif",
                "[FontWeight(Is(400.0)), LineHeight(None), FontWeight(Is(700.0)), FontSize(Length(Em(1.2))), \
                 LineHeight(Some(Number(1.5))), FontFamily([\"Fira Sans\", \"serif\"])]",
            ),
        ] {
            let got = format!("{:?}", sets(name, value));
            assert_eq!(got, want, "{name}: {value}");
        }
    }
}
