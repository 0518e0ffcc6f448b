//! An edit that could be made.

use super::{Certainty, Edit};
use crate::{document::Document, place::Span};

/// What may look different afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Nothing,
    /// Nothing, though the element is called otherwise: what applies to it must be the same, too.
    Rename,
    /// The colour of text that was too faint.
    Text,
    /// What lies under text that was too faint.
    Ground,
    /// Colours, by less than anybody would call another colour.
    Shade,
}

/// An edit that could be made.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) code: &'static str,
    pub(crate) why: String,
    /// What takes the place of what; places do not overlap.
    pub(crate) changes: Vec<(Span, String)>,
    pub(crate) reach: Reach,
    /// Why it is a suggestion, whatever is measured.
    pub(crate) doubt: Option<&'static str>,
}

impl Proposal {
    pub(crate) fn new(code: &'static str, why: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self { code, why: why.into(), changes: vec![(span, text.into())], reach: Reach::Nothing, doubt: None }
    }

    pub(crate) fn reaching(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }

    pub(crate) fn doubted(self, doubt: Option<&'static str>) -> Self {
        Self { doubt, ..self }
    }

    pub(crate) fn edit(&self, document: &Document, page: &str, certainty: Certainty) -> Edit {
        let linked = self.changes.first().and_then(|(span, _)| document.linked(*span));
        let before = self.changes.iter().map(|(span, _)| {
            let source = document.linked(*span).map_or(document.source.as_str(), |sheet| &sheet.text);
            span.of(source)
        });
        let after = self.changes.iter().map(|(_, text)| text.as_str());
        Edit {
            code: self.code,
            why: self.why.clone(),
            before: before.collect::<Vec<_>>().join(" … "),
            after: after.collect::<Vec<_>>().join(" … "),
            file: linked.map_or_else(|| page.to_owned(), |sheet| sheet.path.clone()),
            place: self.changes.first().map(|(span, _)| document.place_at(*span)),
            certainty,
        }
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meet = |a: Span, b: Span| {
            a.sheet == b.sheet && (a.start < b.end && b.start < a.end || a.start == b.start || a.end == b.end)
        };
        self.changes.iter().any(|(own, _)| other.changes.iter().any(|(its, _)| meet(*own, *its)))
    }
}

/// The text with all changes made. New lines end as those of the text do.
pub(crate) fn apply(source: &str, changes: &[(Span, &str)]) -> String {
    let mut changes: Vec<&(Span, &str)> = changes.iter().collect();
    changes.sort_by_key(|(span, _)| (span.start, span.end));
    let ends_in_two = source.contains("\r\n");
    let mut out = String::with_capacity(source.len() + 256);
    let mut at = 0;
    for (span, text) in changes {
        if let Some(kept) = source.get(at..span.start).filter(|_| source.get(span.start..span.end).is_some()) {
            out.push_str(kept);
            if ends_in_two && text.contains('\n') {
                out.push_str(&text.replace("\r\n", "\n").replace('\n', "\r\n"));
            } else {
                out.push_str(text);
            }
            at = span.end;
        }
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

/// Text as it may stand in an attribute's value between double quotes, and between tags.
pub(crate) fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_in_their_order_and_lines_end_alike() {
        for (name, source, changes, want) in [
            ("nothing", "abc", vec![], "abc"),
            ("two, the last first", "abc", vec![(Span::new(2, 3), "C"), (Span::new(0, 1), "A")], "AbC"),
            ("put in", "abc", vec![(Span::new(1, 1), "-")], "a-bc"),
            ("a line", "a\nb", vec![(Span::new(1, 1), "\nx")], "a\nx\nb"),
            ("a line that ends in two", "a\r\nb", vec![(Span::new(1, 1), "\nx")], "a\r\nx\r\nb"),
            ("inside of a character", "ä", vec![(Span::new(1, 1), "x")], "ä"),
            ("outside", "a", vec![(Span::new(7, 9), "x")], "a"),
        ] {
            assert_eq!(apply(source, &changes), want, "{name}");
        }
    }
}
