//! Headings that skip a level are moved up to the level that is missing.

use super::proposal::{Proposal, Reach};
use crate::{
    DesignTokens,
    document::{Body, Document, Page},
    place::Span,
};

/// All of them at once: headings that were siblings stay siblings.
pub(super) fn levels(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let mut changes: Vec<(Span, String)> = Vec::new();
    let mut moved: Vec<(u8, u8)> = Vec::new();
    let doubt = match &document.body {
        Body::Html(page) => {
            let all = page.dom.elements().filter(|(id, _)| page.is_heard(*id));
            let headings: Vec<(_, u8)> =
                all.filter_map(|(id, element)| Some((element, level(page.dom.name(id))?))).collect();
            let wanted = without_gaps(headings.iter().map(|(_, level)| *level));
            for ((element, level), wanted) in headings.iter().zip(wanted).filter(|((_, level), wanted)| level != wanted)
            {
                let (Some(open), Some(close)) = (element.open, element.close) else { return Vec::new() };
                // Only the digits change, behind `<h` and `</h`.
                let changed = |span: Span, name: usize| {
                    let digit = Span::new(span.start + name, span.start + name + 1);
                    (digit, wanted.to_string())
                };
                changes.extend([changed(open, 2), changed(close, 3)]);
                moved.push((*level, wanted));
            }
            let is_played = page.dom.elements().any(|(_, element)| element.attr("role") == Some("heading"));
            if is_played {
                Some("other elements are headings by their role")
            } else {
                moved
                    .iter()
                    .any(|(from, to)| is_told_apart(page, *from, *to))
                    .then_some("style rules tell the levels apart")
            }
        }
        Body::Markdown(markdown) => {
            let wanted = without_gaps(markdown.headings.iter().map(|heading| heading.level));
            for (heading, wanted) in markdown.headings.iter().zip(wanted).filter(|(one, wanted)| one.level != *wanted) {
                let marks = usize::from(heading.level);
                let span = Span::new(heading.span.start, heading.span.start + marks);
                if !span.of(&document.source).bytes().all(|byte| byte == b'#') {
                    return Vec::new();
                }
                changes.push((span, "#".repeat(wanted.into())));
                moved.push((heading.level, wanted));
            }
            Some("headings of another level look different")
        }
    };
    let Some((from, to)) = moved.first() else { return Vec::new() };
    let proposal = Proposal::new("heading.skipped", why(*from, *to), Span::new(0, 0), "");
    vec![Proposal { changes, ..proposal }.reaching(Reach::Rename).doubted(doubt)]
}

/// Whether any style rule, at any width and in any state, is about one of the levels and not about the other.
fn is_told_apart(page: &Page, from: u8, to: u8) -> bool {
    let is_unread = !page.missing.is_empty() || page.styles.incomplete;
    let mut rules = page.authored().iter().flat_map(|sheet| &sheet.rules);
    is_unread || rules.any(|rule| names(&rule.text, from) != names(&rule.text, to))
}

/// Whether a selector names a level: `h2` as a word of its own.
fn names(selector: &str, level: u8) -> bool {
    let wanted = format!("h{level}");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
    selector
        .to_ascii_lowercase()
        .split(|c: char| !is_word(c))
        .any(|word| word.split(['.', '#']).next() == Some(&wanted))
}

fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

fn why(level: u8, wanted: u8) -> String {
    format!("level {level} came where level {wanted} was missing")
}

/// The levels with every gap closed: siblings stay siblings, and what was deeper stays deeper.
fn without_gaps(levels: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut open: Vec<(u8, u8)> = Vec::new();
    let mut list = Vec::new();
    for level in levels {
        while open.last().is_some_and(|(above, _)| *above >= level) {
            open.pop();
        }
        let wanted = match open.last() {
            Some((_, above)) => (above + 1).min(level),
            // The first heading, and one that goes back above it, stay what they are.
            None => level,
        };
        open.push((level, wanted));
        list.push(wanted);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_selectors_are_found() {
        for (selector, want) in [
            ("h2", true),
            ("main > H2.title", true),
            ("h1, h2", true),
            ("article h2::before", true),
            (":is(h2,h3)", true),
            (".h2", false),
            ("#h2", false),
            ("h22", false),
            ("x-h2", false),
            ("p", false),
        ] {
            assert_eq!(names(selector, 2), want, "{selector}");
        }
    }

    #[test]
    fn gaps_are_closed() {
        for (name, levels, want) in [
            ("nothing to do", vec![1, 2, 3, 2], vec![1, 2, 3, 2]),
            ("one gap", vec![1, 3, 3, 2], vec![1, 2, 2, 2]),
            ("a gap with children", vec![1, 3, 4, 3], vec![1, 2, 3, 2]),
            ("starting low", vec![2, 4], vec![2, 3]),
            ("going back", vec![3, 1, 2], vec![3, 1, 2]),
        ] {
            assert_eq!(without_gaps(levels.into_iter()), want, "{name}");
        }
    }
}
