//! Fixes of text that is too faint: its colour, or the ground under it.

use super::{
    proposal::{Proposal, Reach},
    style::is_wholly_read,
};
use crate::{
    DesignTokens,
    a11y::contrast::{self, Faint, shown},
    css::{
        cascade::Book,
        color::{ColorValue, Rgba},
        media::Screen,
        select::Matcher,
        sheet::Declaration,
    },
    document::{Document, Page},
    dom::NodeId,
    place::Span,
};

/// Lightness is searched in steps that no eye tells apart.
const STEP: f64 = 0.004;
/// A token whose hue and chroma are further away is another colour, not a darker one.
const TOKEN_REACH: f64 = 0.08;
/// A token may be so much further away than the nearest colour that can be read.
const TOKEN_DETOUR: f64 = 0.1;
/// Text that would have to change further is meant to look like that, or needs another design.
const FAR: f64 = 0.3;
/// Grounds are large: less of a change is another look.
const FAR_GROUND: f64 = 0.06;

/// Where no token helps: the smallest change of lightness that makes the text readable.
pub(super) fn by_lightness(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    proposals(document, &|faint, color| lighter_or_darker(color, faint.pair.ground, faint.pair.needs))
}

/// Makes text readable with the nearest token of its hue, so that the palette stays whole.
pub(super) fn by_token(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    proposals(document, &|faint, color| token(tokens, color, faint.pair.ground, faint.pair.needs))
}

fn proposals(document: &Document, choose: &dyn Fn(&Faint, Rgba) -> Option<Rgba>) -> Vec<Proposal> {
    let Some(page) = document.page().filter(|page| is_wholly_read(page)) else { return Vec::new() };
    let mut search = Search::new(page);
    let mut list: Vec<Proposal> = Vec::new();
    for faint in contrast::faint(page) {
        let Some(origin) = search.color_of(faint.element) else { continue };
        // What lies over the text changes it on its way to the eye: no certain fix then.
        if origin.color != faint.pair.text || list.iter().any(|one| one.changes[0].0 == origin.span) {
            continue;
        }
        if let Some(better) = choose(&faint, origin.color) {
            let ground = faint.pair.ground;
            let ratios = (shown(faint.pair.ratio()), shown(better.contrast(ground)));
            let why = format!("{} on {} was {}, now it is {}", origin.color.hex(), ground.hex(), ratios.0, ratios.1);
            let doubt = origin.doubt(page, &["color"], better, FAR);
            list.push(
                Proposal::new("contrast.text", why, origin.span, better.hex()).reaching(Reach::Text).doubted(doubt),
            );
        }
    }
    list
}

/// Where the text itself cannot get there, the ground under it gives way.
pub(super) fn of_the_ground(document: &Document, tokens: &DesignTokens) -> Vec<Proposal> {
    let Some(page) = document.page().filter(|page| is_wholly_read(page)) else { return Vec::new() };
    let mut search = Search::new(page);
    let mut list: Vec<Proposal> = Vec::new();
    for Faint { element, pair, .. } in contrast::faint(page) {
        let under = std::iter::once(element).chain(page.dom.ancestors(element));
        let Some(owner) = under.into_iter().find(|id| page.styles.of(*id).background == pair.ground) else { continue };
        let Some(origin) = search.ground_of(owner) else { continue };
        if origin.color != pair.ground || list.iter().any(|one| one.changes[0].0 == origin.span) {
            continue;
        }
        let better = token(tokens, origin.color, pair.text, pair.needs)
            .or_else(|| lighter_or_darker(origin.color, pair.text, pair.needs));
        if let Some(better) = better {
            let ratios = (shown(pair.ratio()), shown(pair.text.contrast(better)));
            let (text, ground) = (pair.text.hex(), origin.color.hex());
            let why = format!("{text} on {ground} was {}, now it is {}", ratios.0, ratios.1);
            let doubt = origin.doubt(page, &["background", "background-color"], better, FAR_GROUND);
            let proposal = Proposal::new("contrast.text", why, origin.span, better.hex());
            list.push(proposal.reaching(Reach::Ground).doubted(doubt));
        }
    }
    list
}

/// Where a colour is written out.
struct Origin {
    span: Span,
    color: Rgba,
    /// The variable that it is the value of.
    variable: Option<String>,
}

impl Origin {
    /// Why somebody has to look at a change of it.
    fn doubt(&self, page: &Page, properties: &[&str], better: Rgba, far: f64) -> Option<&'static str> {
        if better.distance(self.color) > far {
            return Some("the colour is far from the one that was chosen");
        }
        let name = self.variable.as_ref()?;
        let is_used = |one: &Declaration| {
            let mut uses = one.value.split("var(").skip(1).map(str::trim_start);
            uses.any(|rest| {
                rest.strip_prefix(name.as_str())
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_')))
            })
        };
        page.declarations()
            .any(|(_, one)| is_used(one) && !properties.contains(&one.name.as_str()))
            .then_some("the variable colours other things, too")
    }
}

/// Looks for where colours are written out.
struct Search<'p> {
    page: &'p Page,
    book: Book<'p>,
    matcher: Matcher,
}

impl<'p> Search<'p> {
    fn new(page: &'p Page) -> Self {
        Self { page, book: Book::new(&page.sheets, Screen::USUAL), matcher: Matcher::default() }
    }

    /// The last declaration of an element that is about something.
    fn last(&mut self, id: NodeId, is_about: &dyn Fn(&str) -> bool) -> Option<Declaration> {
        let inline = self.page.inline.get(&id).map_or(&[][..], Vec::as_slice);
        let matched = self.book.matching(&self.page.dom, id, &mut self.matcher, false, None);
        let declarations = self.book.declarations(&matched, inline);
        declarations.iter().rev().find(|one| is_about(&one.name)).map(|one| (*one).clone())
    }

    /// The element's own background, following one variable.
    fn ground_of(&mut self, id: NodeId) -> Option<Origin> {
        let one = self.last(id, &|name| matches!(name, "background" | "background-color"))?;
        match variable(&one.value) {
            Some(name) => self.declared(id, &name),
            None => literal(&one),
        }
    }

    /// The colour of an element's text, following inheritance and one variable.
    fn color_of(&mut self, element: NodeId) -> Option<Origin> {
        for id in std::iter::once(element).chain(self.page.dom.ancestors(element)) {
            self.page.dom.element(id)?;
            let Some(one) = self.last(id, &|name| matches!(name, "color" | "all" | "-webkit-text-fill-color")) else {
                continue;
            };
            if one.name != "color" {
                return None;
            }
            if let Some(name) = variable(&one.value) {
                return self.declared(id, &name);
            }
            if !one.value.eq_ignore_ascii_case("inherit") {
                return literal(&one);
            }
        }
        None
    }

    /// Where a variable's colour is written out, here or above.
    fn declared(&mut self, from: NodeId, name: &str) -> Option<Origin> {
        for id in std::iter::once(from).chain(self.page.dom.ancestors(from)) {
            self.page.dom.element(id)?;
            if let Some(one) = self.last(id, &|own| own == name) {
                return literal(&one).map(|origin| Origin { variable: Some(name.to_owned()), ..origin });
            }
        }
        None
    }
}

/// The nearest token of the same hue that passes against the other colour, if it is not far behind the nearest colour.
fn token(tokens: &DesignTokens, color: Rgba, against: Rgba, needs: f64) -> Option<Rgba> {
    let least = lighter_or_darker(color, against, needs)?.distance(color);
    tokens
        .colors
        .iter()
        .map(|(_, token)| *token)
        .filter(|token| token.is_opaque() && token.contrast(against) >= needs && same_side(*token, color, against))
        .filter(|token| token.with_lightness(color.lightness()).distance(color) <= TOKEN_REACH)
        .map(|token| (token, token.distance(color)))
        .filter(|(_, distance)| *distance <= least + TOKEN_DETOUR)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(token, _)| token)
}

fn literal(declaration: &Declaration) -> Option<Origin> {
    match ColorValue::parse(&declaration.value)? {
        ColorValue::Is(color) => Some(Origin { span: declaration.span?, color, variable: None }),
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
