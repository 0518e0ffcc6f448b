//! Fixes of values in style sheets and `style` attributes: focus, motion, colours, contrast, distances.

use super::Proposal;
use crate::{
    DesignTokens,
    a11y::contrast::{self, Faint, shown},
    brand::colors::{NEAR, SAME, literals, opaque},
    critic::rhythm::{distances, is_on_grid, nearest},
    css::{
        cascade::Book,
        color::{ColorValue, Rgba},
        media::Screen,
        select::Matcher,
        sheet::Declaration,
    },
    document::{Document, Page, Where},
    dom::{Kind, NodeId},
    place::Span,
};

/// Lightness is searched in steps that no eye tells apart.
const STEP: f64 = 0.004;
/// A token whose hue and chroma are further away is another colour, not a darker one.
const TOKEN_REACH: f64 = 0.08;

/// Gives the outline back that was taken away.
pub(super) fn focus(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let hidden = crate::a11y(document).iter().any(|one| one.findings.iter().any(|f| f.code == "focus.hidden"));
    if !hidden {
        return Vec::new();
    }
    page.declarations()
        .filter(|(_, one)| {
            matches!(one.name.as_str(), "outline" | "outline-style" | "outline-width")
                && matches!(one.value.to_ascii_lowercase().as_str(), "none" | "0" | "0px")
        })
        .filter_map(|(place, one)| {
            let at_focus = matches!(place, Where::Rule { selector } if selector.contains(":focus"));
            // At rest the browser's own outline is enough: it shows with the keyboard only.
            let value = if at_focus && one.name == "outline" { "2px solid currentColor" } else { "revert" };
            Some(Proposal::new(
                "focus.hidden",
                "without an outline nobody sees where the keyboard is",
                one.span?,
                value,
            ))
        })
        .collect()
}

pub(super) fn motion(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let asked = crate::a11y(document).iter().any(|one| one.findings.iter().any(|f| f.code == "motion.reduced"));
    let last = page.dom.elements().map(|(id, _)| id).filter(|id| page.dom.name(*id) == "style").last();
    let Some(text) = last.filter(|_| asked).and_then(|style| page.dom.children(style).last()) else {
        return Vec::new();
    };
    let Kind::Text { span, .. } = &page.dom.node(text).kind else { return Vec::new() };
    let rule = "\n@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important } }\n";
    let end = span.start + span.of(&document.source).trim_end().len();
    vec![Proposal::new("motion.reduced", "some people get sick from motion and say so", Span::new(end, span.end), rule)]
}

/// Snaps colours to the tokens that they nearly are.
pub(super) fn colors(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    page.declarations()
        .flat_map(|(_, one)| literals(one))
        .filter(|literal| literal.color.is_opaque() && literal.color != Rgba::WHITE && literal.color != Rgba::BLACK)
        .filter_map(|literal| {
            let (name, token, distance) = tokens.nearest(opaque(literal.color))?;
            let near = distance > SAME && distance <= NEAR && token.is_opaque();
            let why = format!("it is {distance:.3} in OKLab from the token {name}");
            near.then_some(Proposal::new("brand.color-near", why, literal.span?, token.hex()))
        })
        .collect()
}

/// Where no token helps: the smallest change of lightness that makes the text readable.
pub(super) fn contrast(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    proposals(document, &|faint, color| lighter_or_darker(color, faint.pair.ground, faint.pair.needs))
}

/// Makes text readable with the nearest token of its hue, so that the palette stays whole.
pub(super) fn contrast_by_token(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    proposals(document, &|faint, color| token(tokens, color, faint.pair.ground, faint.pair.needs))
}

fn proposals(document: &Document, choose: &dyn Fn(&Faint, Rgba) -> Option<Rgba>) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let book = Book::new(&page.sheets, Screen::USUAL);
    let mut matcher = Matcher::default();
    let mut list: Vec<Proposal> = Vec::new();
    for faint in contrast::faint(page) {
        let Some((span, color)) = origin(page, &book, &mut matcher, faint.element) else { continue };
        // What lies over the text changes it on its way to the eye: no certain fix then.
        if color != faint.pair.text || list.iter().any(|one| one.changes[0].0 == span) {
            continue;
        }
        if let Some(better) = choose(&faint, color) {
            let why = format!(
                "{} on {} was {}, now it is {}",
                color.hex(),
                faint.pair.ground.hex(),
                shown(faint.pair.ratio()),
                shown(better.contrast(faint.pair.ground)),
            );
            list.push(Proposal::new("contrast.text", why, span, better.hex()));
        }
    }
    list
}

/// Where the text itself cannot get there, the ground under it gives way.
pub(super) fn ground(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let book = Book::new(&page.sheets, Screen::USUAL);
    let mut matcher = Matcher::default();
    let mut list: Vec<Proposal> = Vec::new();
    for Faint { element, pair, .. } in contrast::faint(page) {
        let under = std::iter::once(element).chain(page.dom.ancestors(element));
        let Some(owner) = under.into_iter().find(|id| page.styles.of(*id).background == pair.ground) else { continue };
        let Some((span, color)) = background(page, &book, &mut matcher, owner) else { continue };
        if color != pair.ground || list.iter().any(|one| one.changes[0].0 == span) {
            continue;
        }
        let better =
            token(tokens, color, pair.text, pair.needs).or_else(|| lighter_or_darker(color, pair.text, pair.needs));
        if let Some(better) = better {
            let ratio = (shown(pair.ratio()), shown(pair.text.contrast(better)));
            let why = format!("{} on {} was {}, now it is {}", pair.text.hex(), color.hex(), ratio.0, ratio.1);
            list.push(Proposal::new("contrast.text", why, span, better.hex()));
        }
    }
    list
}

/// Where an element's own background is written out, following one variable.
fn background(page: &Page, book: &Book<'_>, matcher: &mut Matcher, id: NodeId) -> Option<(Span, Rgba)> {
    let inline = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
    let matched = book.matching(&page.dom, id, matcher, false, None);
    let declarations = book.declarations(&matched, inline);
    let one = declarations.iter().rev().find(|one| matches!(one.name.as_str(), "background" | "background-color"))?;
    match variable(&one.value) {
        Some(name) => declared(page, book, matcher, id, &name),
        None => literal(one),
    }
}

/// The nearest token of the same hue that passes against the other colour.
fn token(tokens: &DesignTokens, color: Rgba, against: Rgba, needs: f64) -> Option<Rgba> {
    tokens
        .colors
        .iter()
        .map(|(_, token)| *token)
        .filter(|token| token.is_opaque() && token.contrast(against) >= needs && same_side(*token, color, against))
        .filter(|token| token.with_lightness(color.lightness()).distance(color) <= TOKEN_REACH)
        .map(|token| (token, token.distance(color)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(token, _)| token)
}

/// Where a property's colour is written out, here or above.
fn declared(page: &Page, book: &Book<'_>, matcher: &mut Matcher, from: NodeId, name: &str) -> Option<(Span, Rgba)> {
    for id in std::iter::once(from).chain(page.dom.ancestors(from)) {
        page.dom.element(id)?;
        let inline = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let matched = book.matching(&page.dom, id, matcher, false, None);
        let declarations = book.declarations(&matched, inline);
        if let Some(one) = declarations.iter().rev().find(|one| one.name == name) {
            return literal(one);
        }
    }
    None
}

/// Where the colour of an element's text is written out, following inheritance and one variable.
fn origin(page: &Page, book: &Book<'_>, matcher: &mut Matcher, element: NodeId) -> Option<(Span, Rgba)> {
    for id in std::iter::once(element).chain(page.dom.ancestors(element)) {
        page.dom.element(id)?;
        let inline = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let matched = book.matching(&page.dom, id, matcher, false, None);
        let declarations = book.declarations(&matched, inline);
        let Some(one) = declarations.iter().rev().find(|one| one.name == "color") else { continue };
        if let Some(name) = variable(&one.value) {
            return declared(page, book, matcher, id, &name);
        }
        if !one.value.eq_ignore_ascii_case("inherit") {
            return literal(one);
        }
    }
    None
}

fn literal(declaration: &Declaration) -> Option<(Span, Rgba)> {
    match ColorValue::parse(&declaration.value)? {
        ColorValue::Is(color) => Some((declaration.span?, color)),
        _ => None,
    }
}

fn variable(value: &str) -> Option<String> {
    let name = value.trim().strip_prefix("var(")?.strip_suffix(')')?;
    let name = name.split(',').next()?.trim();
    name.starts_with("--").then(|| name.to_owned())
}

fn lighter_or_darker(color: Rgba, ground: Rgba, needs: f64) -> Option<Rgba> {
    let from = color.lightness();
    (1..=250).map(|step| f64::from(step) * STEP).find_map(|distance| {
        [from - distance, from + distance]
            .into_iter()
            .filter(|lightness| (0.0..=1.0).contains(lightness))
            .map(|lightness| color.with_lightness(lightness))
            .filter(|candidate| same_side(*candidate, color, ground))
            .find(|candidate| candidate.contrast(ground) >= needs)
    })
}

/// Light on dark stays light on dark.
fn same_side(new: Rgba, old: Rgba, other: Rgba) -> bool {
    (new.luminance() > other.luminance()) == (old.luminance() > other.luminance())
}

/// Snaps distances to the grid, or to a token of the design file that is on it.
pub(super) fn spacing(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let mut list = Vec::new();
    for distance in page.declarations().flat_map(|(_, one)| distances(one)) {
        let Some(span) = distance.span.filter(|_| !is_on_grid(distance.px)) else { continue };
        let token = tokens
            .spacing
            .iter()
            .map(|token| token.copysign(distance.px))
            .filter(|token| is_on_grid(*token) && (token - distance.px).abs() <= 4.0)
            .min_by(|a, b| (a - distance.px).abs().total_cmp(&(b - distance.px).abs()));
        let px = token.unwrap_or_else(|| nearest(distance.px));
        let rem = distance.text.to_ascii_lowercase().ends_with("rem");
        let text = if rem { format!("{}rem", px / 16.0) } else { format!("{px}px") };
        let why = format!("{} px is off the grid of 4 px", distance.px);
        list.push(Proposal::new("rhythm.off-grid", why, span, text));
    }
    list
}
