//! Fixes of values in style sheets and `style` attributes: focus, motion, colours, distances.

use super::proposal::{Proposal, Reach};
use crate::{
    DesignTokens,
    a11y::focus::{is_focusable, unseen},
    brand::colors::{NEAR, SAME, literals, opaque},
    critic::rhythm::{distances, is_on_grid, nearest},
    css::{cascade::Book, color::Rgba, media::Screen, select::Matcher, sheet::Declaration, value::Set},
    document::{Document, Page, Where},
    dom::Kind,
    place::Span,
};

/// Up to here a colour that becomes the token is still the same colour for whoever looks at it.
const CLOSE: f64 = NEAR / 2.0;

/// Whether everything that the page's look depends on was read.
pub(super) fn is_wholly_read(page: &Page) -> bool {
    page.missing.is_empty() && !page.styles.incomplete && !page.sheets.iter().any(|sheet| sheet.cut)
}

/// An outline that was taken away, and from whom.
struct Taken<'p> {
    declaration: &'p Declaration,
    /// Something else changes with the focus, of which we do not know whether it is seen.
    changes: bool,
}

/// Gives the outline back that was taken away.
pub(super) fn focus(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page().filter(|page| is_wholly_read(page)) else { return Vec::new() };
    let book = Book::new(&page.sheets, Screen::USUAL);
    let mut matcher = Matcher::default();
    let unseen = unseen(page);
    let mut taken: Vec<Taken<'_>> = Vec::new();
    let mut shown: Vec<&Declaration> = Vec::new();
    for (id, _) in page.dom.elements().filter(|(id, element)| is_focusable(element) && page.is_rendered(*id)) {
        let inline = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let rest = book.declarations(&book.matching(&page.dom, id, &mut matcher, false, None), inline);
        let focused = book.declarations(&book.matching(&page.dom, id, &mut matcher, true, None), inline);
        let last = focused.iter().rev().find(|one| one.sets.iter().any(|set| matches!(set, Set::OutlineNone(true))));
        let Some(declaration) = last else { continue };
        if !unseen.contains(&id) {
            shown.push(declaration);
            continue;
        }
        let is_new = |one: &&&Declaration| !rest.iter().any(|other| std::ptr::eq(*other, **one));
        let changes = focused.iter().filter(is_new).any(|one| !one.name.starts_with("outline"));
        taken.push(Taken { declaration, changes });
    }
    page.declarations()
        .filter_map(|(place, one)| {
            let taken: Vec<&Taken<'_>> = taken.iter().filter(|taken| std::ptr::eq(taken.declaration, one)).collect();
            if taken.is_empty() {
                return None;
            }
            let at_focus = matches!(place, Where::Rule { selector } if selector.contains(":focus"));
            // At rest the browser's own outline is enough: it shows with the keyboard only.
            let value = if at_focus && one.name == "outline" { "2px solid currentColor" } else { "revert" };
            let why = "without an outline nobody sees where the keyboard is";
            let doubt = if shown.iter().any(|shown| std::ptr::eq(*shown, one)) {
                Some("it also applies where the focus is shown otherwise")
            } else {
                taken.iter().any(|taken| taken.changes).then_some("something else changes with the focus")
            };
            Some(Proposal::new("focus.hidden", why, one.span?, value).doubted(doubt))
        })
        .collect()
}

/// What stops animations, but leaves everything where they would have left it.
const STILL: &str = "\n@media (prefers-reduced-motion: reduce) {\n  *, ::before, ::after { \
                     animation-duration: 0.01ms !important; animation-delay: 0s !important; \
                     animation-iteration-count: 1 !important }\n}\n";

pub(super) fn motion(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page() else { return Vec::new() };
    let asked = crate::a11y(document).iter().any(|one| one.findings.iter().any(|f| f.code == "motion.reduced"));
    let moves = |one: &Declaration| matches!(one.name.as_str(), "animation" | "animation-name");
    let last = page.declarations().filter(|(_, one)| moves(one)).filter_map(|(_, one)| one.span).last();
    let Some(last) = last.filter(|_| asked) else { return Vec::new() };
    let Some(at) = end_of_sheet(document, page, last) else { return Vec::new() };
    let doubt = (!is_wholly_read(page)).then_some("a style sheet that could not be read may do so already");
    vec![Proposal::new("motion.reduced", "some people get sick from motion and say so", at, STILL).doubted(doubt)]
}

/// The end of the sheet that a declaration stands in, without the white space that it ends with; the last sheet of the
/// page for what stands in an attribute.
fn end_of_sheet(document: &Document, page: &Page, of: Span) -> Option<Span> {
    if let Some(sheet) = document.linked(of) {
        let end = sheet.text.trim_end().len();
        return Some(Span { sheet: of.sheet, start: end, end: sheet.text.len() });
    }
    let styles = page.dom.elements().map(|(id, _)| id).filter(|id| page.dom.name(*id) == "style");
    let texts: Vec<Span> = styles
        .flat_map(|style| page.dom.children(style))
        .filter_map(|child| match &page.dom.node(child).kind {
            Kind::Text { span, .. } => Some(*span),
            _ => None,
        })
        .collect();
    let around = texts.iter().find(|text| text.start <= of.start && of.end <= text.end).or(texts.last())?;
    let end = around.start + around.of(&document.source).trim_end().len();
    Some(Span::new(end, around.end))
}

/// Snaps colours to the tokens that they nearly are.
pub(super) fn colors(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page().filter(|page| is_wholly_read(page)) else { return Vec::new() };
    page.declarations()
        .flat_map(|(_, one)| literals(one))
        .filter(|literal| literal.color.is_opaque() && literal.color != Rgba::WHITE && literal.color != Rgba::BLACK)
        .filter_map(|literal| {
            let (name, token, distance) = tokens.nearest(opaque(literal.color))?;
            if distance <= SAME || distance > NEAR || !token.is_opaque() {
                return None;
            }
            let why = format!("it is {distance:.3} in OKLab from the token {name}");
            let doubt = (distance > CLOSE).then_some("the token is another colour to look at");
            Some(
                Proposal::new("brand.color-near", why, literal.span?, token.hex())
                    .reaching(Reach::Shade)
                    .doubted(doubt),
            )
        })
        .collect()
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
        let doubt = "it moves what is around it";
        list.push(Proposal::new("rhythm.off-grid", why, span, text).doubted(Some(doubt)));
    }
    list
}
