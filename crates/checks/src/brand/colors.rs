//! The colours that authors wrote, against the palette.

use std::collections::BTreeMap;

use super::{DesignTokens, Forbidden};
use crate::{
    css::{
        color::{ColorValue, Rgba},
        sheet::Declaration,
        value::pieces,
    },
    document::{Document, Page},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
    place::Span,
};

/// Up to here a colour is the token for every eye.
pub(crate) const SAME: f64 = 0.02;
/// Up to here it was probably meant to be the token.
pub(crate) const NEAR: f64 = 0.08;
/// Without a palette, so many colours are still one.
const FREE_COLORS: usize = 12;

/// A colour that an author wrote out.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) color: Rgba,
    pub(crate) text: String,
    pub(crate) property: String,
    pub(crate) span: Option<Span>,
}

pub(crate) fn measure(document: &Document, page: &Page, tokens: &DesignTokens) -> Option<Measurement> {
    let mut uses: BTreeMap<String, Vec<Literal>> = BTreeMap::new();
    for literal in page.declarations().flat_map(|(_, one)| literals(one)) {
        uses.entry(opaque(literal.color).hex()).or_default().push(literal);
    }
    if uses.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("colours");
    if tokens.colors.is_empty() {
        gauge.says(format!("{} and no palette", count(uses.len(), "colour")));
        gauge.undecided("there are no colour tokens to compare with: only the number of colours was measured");
        return Some(gauge.finish(beyond(uses.len(), FREE_COLORS, 0.5)));
    }
    let (mut points, mut all, mut exact) = (0.0, 0.0, 0);
    for (hex, places) in &uses {
        let weight = places.len() as f64;
        all += weight;
        let color = opaque(places[0].color);
        let neutral = color == Rgba::WHITE || color == Rgba::BLACK;
        let Some((name, token, distance)) = tokens.nearest(color) else { continue };
        if distance <= SAME || neutral {
            points += weight;
            exact += 1;
            continue;
        }
        let near = distance <= NEAR;
        points += if near { weight / 2.0 } else { 0.0 };
        let code = if near { "brand.color-near" } else { "brand.color" };
        gauge.findings.add(code, || MeasuredFinding {
            code,
            weight: Weight::Should,
            text: if near {
                format!("use the token {name} ({}) instead of {hex}", token.hex())
            } else {
                format!("{hex} is not in the palette: the nearest token is {name} ({})", token.hex())
            },
            place: places.iter().find_map(|literal| literal.span).map(|span| document.place_at(span)),
            evidence: format!("{distance:.3} in OKLab from {name}, {}", count(places.len(), "use")),
        });
    }
    gauge.says(format!("{exact} of {} are tokens of {}", count(uses.len(), "colour"), tokens.colors.len()));
    Some(gauge.finish(10.0 * points / all))
}

/// Every colour in a declaration that stands there itself and not as a variable.
pub(crate) fn literals(declaration: &Declaration) -> Vec<Literal> {
    let name = declaration.name.as_str();
    let may_have = name.contains("color")
        || name.contains("background")
        || name.contains("border")
        || name.contains("shadow")
        || name.contains("outline")
        || name.contains("decoration")
        || matches!(name, "fill" | "stroke")
        || name.starts_with("--");
    if !may_have {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut queue = pieces(&declaration.value);
    let start = declaration.value.as_ptr() as usize;
    // Gradients have colours inside.
    while let Some(piece) = queue.pop() {
        if let Some(ColorValue::Is(color)) = ColorValue::parse(piece) {
            if color.alpha > 0.0 {
                let at = piece.as_ptr() as usize - start;
                let span = declaration.span.map(|span| span.piece(at, piece.len()));
                found.push(Literal { color, text: piece.to_owned(), property: name.to_owned(), span });
            }
        } else if let Some((function, inside)) = piece.split_once('(')
            && function.ends_with("gradient")
        {
            queue.extend(pieces(inside.strip_suffix(')').unwrap_or(inside)));
        }
    }
    found.reverse();
    found
}

pub(crate) fn is_forbidden(tokens: &DesignTokens, color: Rgba) -> bool {
    tokens.forbidden.iter().any(|rule| matches!(rule, Forbidden::Color(bad) if bad.distance(opaque(color)) <= SAME))
}

pub(crate) fn opaque(color: Rgba) -> Rgba {
    Rgba { alpha: 1.0, ..color }
}
