//! What a page says and how it looks, before and after an edit.

use std::collections::{BTreeMap, BTreeSet};

use super::{links, proposal::Reach, standing::Standing};
use crate::{
    css::{cascade::Book, media::Screen, select::Matcher, style::Style},
    document::{Document, Page},
    dom::{Kind, NodeId, collapse},
};

/// Elements without words or lines that would take on the colour of text.
const COLOURLESS: &[&str] = &[
    "img", "picture", "source", "br", "wbr", "video", "audio", "iframe", "canvas", "col", "colgroup", "param", "track",
];

/// Why a page would say something else, or look different where it was not at fault.
pub(super) fn strange(was: (&Document, &Standing), is: (&Document, &Standing), reach: Reach) -> Option<&'static str> {
    let (Some(before), Some(after)) = (was.0.page(), is.0.page()) else {
        return (was.0.source != is.0.source).then_some("a text reads differently afterwards");
    };
    if words(before) != words(after) {
        return Some("the page would say something else");
    }
    let (old, new) = (body(before), body(after));
    if old.len() != new.len() {
        return Some("the page would be built differently");
    }
    let changes = Changes::between(before, after, old.iter().copied().zip(new.iter().copied()));
    if changes.else_where {
        return Some("something else than a colour would look different");
    }
    if reach == Reach::Rename && is_styled_otherwise(before, after, &old, &new) {
        return Some("other style rules would apply");
    }
    if links::hides(&was.1.links, &is.1.links) {
        return Some("a link would hardly stand out from the text around it");
    }
    match reach {
        Reach::Nothing | Reach::Rename => {
            (!changes.colors.is_empty() || !changes.grounds.is_empty()).then_some("colours would change")
        }
        Reach::Shade => undecided(before, was.1, &changes),
        Reach::Text | Reach::Ground => undecided(before, was.1, &changes)
            .or_else(|| beside(was.1, is.1))
            .or_else(|| around(before, was.1, &changes, reach)),
    }
}

/// The words between the tags, but for those of programs and style sheets.
fn words(page: &Page) -> String {
    let mut words = String::new();
    let Some((body, _)) = page.find("body") else { return words };
    for node in page.dom.descendants(body) {
        let Kind::Text { text, .. } = &page.dom.node(node).kind else { continue };
        let parent = page.dom.node(node).parent.map_or("", |parent| page.dom.name(parent));
        if !matches!(parent, "style" | "script") {
            words.push_str(text);
        }
    }
    collapse(&words)
}

/// Everything that can have a box, in the order of the page.
fn body(page: &Page) -> Vec<NodeId> {
    let Some((body, _)) = page.find("body") else { return Vec::new() };
    let inside = page.dom.descendants(body).filter(|id| {
        page.dom.element(*id).is_some() && !matches!(page.dom.name(*id), "style" | "script" | "template" | "link")
    });
    page.find("html").map(|(html, _)| html).into_iter().chain([body]).chain(inside).collect()
}

/// An element that edits are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedElement {
    /// The number of each element among its siblings, from the document down.
    pub path: Vec<usize>,
    /// Whether more than the colour of its letters may look different.
    pub is_whole: bool,
}

/// The elements that edits are about: other rules apply to them, their colours are others, or the text of a picture is.
/// A rule for the page as a whole makes nothing of it free to change but its ground.
pub fn touched_elements(before: &Document, after: &Document) -> Vec<TouchedElement> {
    let (Some(before), Some(after)) = (before.page(), after.page()) else { return Vec::new() };
    let (was, is) = (Applied::new(before), Applied::new(after));
    let (mut first, mut second) = (Matcher::default(), Matcher::default());
    let mut touched = Vec::new();
    for (old, new) in body(before).into_iter().zip(body(after)) {
        let (style, other) = (before.styles.of(old), after.styles.of(new));
        let is_page = matches!(before.dom.name(old), "html" | "body");
        let has_other_ground = style.background != other.background;
        let has_other_alt = before.dom.attr(old, "alt") != after.dom.attr(new, "alt");
        let is_colour = |name: &str| matches!(name, "color" | "-webkit-text-fill-color");
        let (rules, others) = (declared(before, &was, old, &mut first), declared(after, &is, new, &mut second));
        let differs = rules != others
            && rules.iter().chain(&others).any(|one| !is_colour(&one.0) && rules.contains(one) != others.contains(one));
        let is_whole = has_other_ground || (!is_page && (differs || has_other_alt));
        if is_whole || style.color != other.color {
            touched.push(TouchedElement { path: path(before, old), is_whole });
        }
    }
    touched
}

/// What authors declare of an element, with the values of its own attribute.
fn declared(page: &Page, applied: &Applied<'_>, id: NodeId, matcher: &mut Matcher) -> Vec<(String, String)> {
    let of_rules = applied.to(id, matcher).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let own = page.inline.get(&id).map_or(&[][..], Vec::as_slice);
    of_rules.chain(own.iter().map(|one| (one.name.clone(), one.value.clone()))).collect()
}

fn path(page: &Page, id: NodeId) -> Vec<usize> {
    let mut steps: Vec<usize> = std::iter::once(id)
        .chain(page.dom.ancestors(id))
        .filter_map(|at| {
            let parent = page.dom.node(at).parent?;
            page.dom.children(parent).filter(|child| page.dom.element(*child).is_some()).position(|child| child == at)
        })
        .collect();
    steps.reverse();
    steps
}

/// Elements whose colours differ, as they were.
#[derive(Debug, Default)]
struct Changes {
    colors: BTreeSet<NodeId>,
    grounds: BTreeSet<NodeId>,
    else_where: bool,
}

impl Changes {
    fn between(before: &Page, after: &Page, pairs: impl Iterator<Item = (NodeId, NodeId)>) -> Self {
        let mut changes = Self::default();
        // Elements that are styled alike share a style: each pair of styles is compared once.
        let mut known: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for (old, new) in pairs {
            let (was, is) = (before.styles.of(old), after.styles.of(new));
            let key = (&raw const *was as usize, &raw const *is as usize);
            if !*known.entry(key).or_insert_with(|| bare(was) == bare(is)) {
                changes.else_where = true;
            }
            if was.color != is.color {
                changes.colors.insert(old);
            }
            if was.background != is.background {
                changes.grounds.insert(old);
            }
        }
        changes
    }
}

/// The style without its colours and the variables that they may come from, and without what shows at the focus alone.
fn bare(style: &Style) -> Style {
    let mut bare = style.clone();
    let Style { color, background, variables, .. } = Style::initial();
    (bare.color, bare.background, bare.variables, bare.outline_none) = (color, background, variables, false);
    bare
}

/// Whether a rule of the authors applies to an element that did not, or the other way round.
fn is_styled_otherwise(before: &Page, after: &Page, old: &[NodeId], new: &[NodeId]) -> bool {
    let (was, is) = (Applied::new(before), Applied::new(after));
    let (mut first, mut second) = (Matcher::default(), Matcher::default());
    old.iter().zip(new).any(|(old, new)| was.to(*old, &mut first) != is.to(*new, &mut second))
}

struct Applied<'p> {
    page: &'p Page,
    book: Book<'p>,
}

impl<'p> Applied<'p> {
    fn new(page: &'p Page) -> Self {
        Self { page, book: Book::new(page.authored(), Screen::USUAL) }
    }

    fn to(&self, id: NodeId, matcher: &mut Matcher) -> Vec<(&str, &str)> {
        let matched = self.book.matching(&self.page.dom, id, matcher, true, None);
        let all = self.book.declarations(&matched, &[]);
        all.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect()
    }
}

/// Text whose contrast is not known must stay as it is.
fn undecided(page: &Page, standing: &Standing, changes: &Changes) -> Option<&'static str> {
    let is_touched = |id: NodeId| {
        changes.colors.contains(&id)
            || changes.grounds.contains(&id)
            || page.dom.ancestors(id).any(|above| changes.grounds.contains(&above))
    };
    standing
        .runs
        .iter()
        .any(|run| run.pair.is_none() && is_touched(run.element))
        .then_some("text whose contrast is not known would change, too")
}

/// Text that was not too faint must stay as it is.
fn beside(was: &Standing, is: &Standing) -> Option<&'static str> {
    let fine = was.runs.iter().zip(&is.runs).any(|(was, is)| match (&was.pair, &is.pair) {
        (Some(old), Some(new)) => old.passes() && old != new,
        _ => false,
    });
    fine.then_some("text that is not too faint would change, too")
}

/// Whatever has no text of its own may change only with the text that it is around, or in.
fn around(page: &Page, standing: &Standing, changes: &Changes, reach: Reach) -> Option<&'static str> {
    let usual: BTreeSet<NodeId> = standing.runs.iter().filter(|run| run.screen == 0).map(|run| run.element).collect();
    let faint: BTreeSet<NodeId> =
        standing.runs.iter().filter(|run| run.pair.is_some_and(|pair| !pair.passes())).map(|run| run.element).collect();
    let mut above: BTreeSet<NodeId> = BTreeSet::new();
    for id in &faint {
        above.extend(page.dom.ancestors(*id));
    }
    let has_words = |id: NodeId| {
        page.dom
            .children(id)
            .any(|child| matches!(&page.dom.node(child).kind, Kind::Text { text, .. } if !text.trim().is_empty()))
    };
    let shows_none = |id: NodeId| COLOURLESS.contains(&page.dom.name(id));
    let is_its_own = |id: NodeId| {
        if usual.contains(&id) {
            return faint.contains(&id);
        }
        !has_words(id)
            && (above.contains(&id)
                || shows_none(id)
                || page.dom.ancestors(id).any(|above| faint.contains(&above))
                || !page.is_rendered(id))
    };
    if !changes.colors.iter().all(|id| is_its_own(*id)) {
        return Some("what is not at fault would change its colour, too");
    }
    let may_lie_under = |id: &NodeId| reach == Reach::Ground && (faint.contains(id) || above.contains(id));
    (!changes.grounds.iter().all(may_lie_under)).then_some("grounds would change that have no faint text")
}
