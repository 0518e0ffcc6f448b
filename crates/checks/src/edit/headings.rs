//! Headings that skip a level are moved up to the level that is missing.

use super::Proposal;
use crate::{
    DesignTokens,
    document::{Body, Document},
    place::Span,
};

pub(super) fn levels(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    match &document.body {
        Body::Html(page) => {
            let headings: Vec<(_, u8)> =
                page.dom.elements().filter_map(|(id, element)| Some((element, level(page.dom.name(id))?))).collect();
            let wanted = without_gaps(headings.iter().map(|(_, level)| *level));
            headings
                .iter()
                .zip(wanted)
                .filter(|((_, level), wanted)| level != wanted)
                .filter_map(|((element, level), wanted)| {
                    let (open, close) = (element.open?, element.close?);
                    // Only the digits change, behind `<h` and `</h`.
                    let changed = |span: Span, name: usize| {
                        let prefix = Span::new(span.start, span.start + name).of(&document.source);
                        (Span::new(span.start, span.start + name + 1), format!("{prefix}{wanted}"))
                    };
                    let changes = vec![changed(open, 2), changed(close, 3)];
                    Some(Proposal { code: "heading.skipped", why: why(*level, wanted), changes })
                })
                .collect()
        }
        Body::Markdown(markdown) => {
            let wanted = without_gaps(markdown.headings.iter().map(|heading| heading.level));
            markdown
                .headings
                .iter()
                .zip(wanted)
                .filter(|(heading, wanted)| heading.level != *wanted)
                .filter_map(|(heading, wanted)| {
                    let marks = usize::from(heading.level);
                    let span = Span::new(heading.span.start, heading.span.start + marks);
                    let is_atx = span.of(&document.source).bytes().all(|byte| byte == b'#');
                    is_atx.then(|| {
                        Proposal::new("heading.skipped", why(heading.level, wanted), span, "#".repeat(wanted.into()))
                    })
                })
                .collect()
        }
    }
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
