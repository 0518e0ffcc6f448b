//! Fonts, radii, distances and forbidden values.

use std::collections::BTreeMap;

use super::{DesignTokens, Forbidden, colors};
use crate::{
    critic::rhythm::distances,
    css::{
        length::{Length, Scale},
        sheet::Declaration,
        value::{Set, pieces},
    },
    document::{Document, Page},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count, share},
    place::Span,
};

/// Names that leave the choice to the system, so that they break no rule.
const GENERIC: &[&str] = &[
    "serif",
    "sans-serif",
    "monospace",
    "cursive",
    "fantasy",
    "system-ui",
    "ui-serif",
    "ui-sans-serif",
    "ui-monospace",
    "ui-rounded",
    "inherit",
    "initial",
    "unset",
    "-apple-system",
    "blinkmacsystemfont",
];
/// Without tokens, so many fonts are still one voice.
const FREE_FONTS: usize = 2;

pub(crate) fn fonts(document: &Document, page: &Page, tokens: &DesignTokens) -> Option<Measurement> {
    let mut used: BTreeMap<String, Option<Span>> = BTreeMap::new();
    for (_, one) in page.declarations() {
        for set in &one.sets {
            let Set::FontFamily(families) = set else { continue };
            // The first is what one is meant to see; the others stand in for it.
            if let Some(first) = families.first().filter(|first| !GENERIC.contains(&first.to_lowercase().as_str())) {
                used.entry(first.clone()).or_insert(one.span);
            }
        }
    }
    if used.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("fonts");
    gauge.says(used.keys().cloned().collect::<Vec<_>>().join(", "));
    if tokens.fonts.is_empty() {
        gauge.undecided("there are no font tokens to compare with: only the number of fonts was measured");
        return Some(gauge.finish(beyond(used.len(), FREE_FONTS, 2.5)));
    }
    let mut good = 0;
    for (family, span) in &used {
        if tokens.fonts.iter().any(|token| token.eq_ignore_ascii_case(family)) {
            good += 1;
            continue;
        }
        gauge.findings.add("brand.font", || MeasuredFinding {
            code: "brand.font",
            weight: Weight::Should,
            text: format!("`{family}` is not a font of the brand: {}", tokens.fonts.join(", ")),
            place: span.map(|span| document.place_at(span)),
            evidence: family.clone(),
        });
    }
    Some(gauge.finish(share(good, used.len())))
}

pub(crate) fn radii(document: &Document, page: &Page, tokens: &DesignTokens) -> Option<Measurement> {
    let values = page.declarations().filter(|(_, one)| one.name.starts_with("border") && one.name.ends_with("radius"));
    // Circles and pills are shapes, not sizes.
    let values: Vec<_> = values.flat_map(|(_, one)| pixels(one)).filter(|(px, ..)| *px > 0.0 && *px < 500.0).collect();
    against(document, "radii", "brand.radius", "radius", &values, &tokens.radii)
}

pub(crate) fn spacing(document: &Document, page: &Page, tokens: &DesignTokens) -> Option<Measurement> {
    let values: Vec<_> = page
        .declarations()
        .flat_map(|(_, one)| {
            distances(one).into_iter().map(|distance| (distance.px.abs(), distance.text, distance.span))
        })
        .filter(|(px, ..)| *px > 2.0)
        .collect();
    against(document, "spacing", "brand.spacing", "distance", &values, &tokens.spacing)
}

fn against(
    document: &Document,
    dimension: &'static str,
    code: &'static str,
    noun: &str,
    values: &[(f64, String, Option<Span>)],
    tokens: &[f64],
) -> Option<Measurement> {
    if values.is_empty() || tokens.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new(dimension);
    let mut good = 0;
    for (px, text, span) in values {
        let nearest = tokens.iter().copied().min_by(|a, b| (a - px).abs().total_cmp(&(b - px).abs())).unwrap_or(*px);
        if (nearest - px).abs() < 0.01 {
            good += 1;
            continue;
        }
        gauge.findings.add(code, || MeasuredFinding {
            code,
            weight: Weight::Should,
            text: format!("use a {noun} of the design file: the nearest is {nearest} px"),
            place: span.map(|span| document.place_at(span)),
            evidence: text.clone(),
        });
    }
    gauge.says(format!("{good} of {} from the design file", values.len()));
    Some(gauge.finish(share(good, values.len())))
}

fn pixels(declaration: &Declaration) -> Vec<(f64, String, Option<Span>)> {
    let scale = Scale { em: 16.0, rem: 16.0, width: 0.0, height: 0.0, whole: None };
    pieces(&declaration.value)
        .into_iter()
        .filter_map(|piece| match Length::parse(piece)? {
            length @ (Length::Px(_) | Length::Rem(_)) => Some((length.px(&scale)?, piece.to_owned(), declaration.span)),
            _ => None,
        })
        .collect()
}

/// What the design file forbids. Measured only when it forbids something.
pub(crate) fn rules(document: &Document, page: &Page, tokens: &DesignTokens) -> Option<Measurement> {
    if tokens.forbidden.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("rules");
    for (_, one) in page.declarations() {
        for literal in colors::literals(one).iter().filter(|literal| colors::is_forbidden(tokens, literal.color)) {
            gauge.findings.add("brand.forbidden", || MeasuredFinding {
                code: "brand.forbidden",
                weight: Weight::MustFix,
                text: format!("{} is forbidden by the design file", literal.color.hex()),
                place: literal.span.map(|span| document.place_at(span)),
                evidence: format!("{}: {}", literal.property, literal.text),
            });
        }
        let value = one.value.to_lowercase();
        for rule in &tokens.forbidden {
            let Forbidden::Words(words) = rule else { continue };
            if !value.contains(words.as_str()) && one.name != *words {
                continue;
            }
            gauge.findings.add("brand.forbidden", || MeasuredFinding {
                code: "brand.forbidden",
                weight: Weight::MustFix,
                text: format!("`{words}` is forbidden by the design file"),
                place: one.span.map(|span| document.place_at(span)),
                evidence: format!("{}: {}", one.name, one.value),
            });
        }
    }
    let broken = gauge.findings.count("brand.forbidden");
    gauge.says(format!("{}, {} broken", count(tokens.forbidden.len(), "rule"), broken));
    Some(gauge.finish(beyond(broken, 0, 2.5)))
}
