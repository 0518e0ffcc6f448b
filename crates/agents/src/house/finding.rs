//! A measured finding in the form that every format is written from.

use std::borrow::Cow;
use tribunal_anchors::SourceSpan;
use tribunal_anchors::report::{ReportLevel, ReportedFinding, Standing, fingerprint};
use tribunal_checks::{MeasuredFinding, SourceLocation, Weight};

/// Of the text at a place, so much is kept.
const MAX_QUOTE: usize = 120;
/// Of a longer line, so much is shown around the place.
const MAX_LINE: usize = 160;

/// A text, with its lines found once.
#[derive(Debug)]
pub(super) struct SourceText<'t> {
    lines: Vec<&'t str>,
    is_markdown: bool,
}

impl<'t> SourceText<'t> {
    pub(super) fn new(text: &'t str, is_markdown: bool) -> Self {
        Self { lines: text.split('\n').collect(), is_markdown }
    }

    fn line(&self, place: &SourceLocation) -> Option<&'t str> {
        let line = self.lines.get(place.line.checked_sub(1)? as usize)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// What stands at a place: a tag, a declaration, or the rest of the line.
    fn quote(&self, place: &SourceLocation) -> String {
        let Some(line) = self.line(place) else { return String::new() };
        let rest = line.char_indices().nth(place.column.saturating_sub(1) as usize).map_or("", |(at, _)| &line[at..]);
        let end = match rest.chars().next() {
            _ if self.is_markdown => None,
            Some('<') => rest.find('>').map(|at| at + 1),
            _ => rest.find([';', '}', '<']),
        };
        rest[..end.unwrap_or(rest.len())].chars().take(MAX_QUOTE).collect::<String>().trim_end().to_owned()
    }

    /// The line, or the part of it around the place, and the column in that.
    fn around(&self, place: &SourceLocation) -> Option<(String, u32)> {
        let line = self.line(place)?;
        let column = place.column.max(1) as usize;
        let length = line.chars().count();
        if length <= MAX_LINE {
            return Some((line.to_owned(), place.column));
        }
        let start = (column - 1).saturating_sub(MAX_LINE / 2).min(length.saturating_sub(MAX_LINE));
        let part: String = line.chars().skip(start).take(MAX_LINE).collect();
        let (before, after) = (if start > 0 { "…" } else { "" }, if start + MAX_LINE < length { "…" } else { "" });
        let shift = before.chars().count();
        Some((format!("{before}{part}{after}"), u32::try_from(column - start + shift).unwrap_or(1)))
    }
}

/// A file that a page links, such as a style sheet.
#[derive(Debug)]
pub(super) struct LinkedText {
    /// As results name it.
    pub(super) shown: String,
    pub(super) text: String,
}

/// The finding of a page that results call `path`; `linked` is the file that its place is in, where that is another one.
pub(super) fn reported(
    path: &str,
    source: &SourceText<'_>,
    linked: Option<&LinkedText>,
    measured: (&'static str, &'static str),
    finding: &MeasuredFinding,
) -> ReportedFinding {
    let sheet = linked.map(|linked| SourceText::new(&linked.text, false));
    let source = sheet.as_ref().unwrap_or(source);
    let path = linked.map_or(path, |linked| linked.shown.as_str());
    let place = finding.place.as_ref();
    let quote = place.map(|place| source.quote(place)).unwrap_or_default();
    let span = place.map(|place| {
        let end_column = place.column + u32::try_from(quote.chars().count()).unwrap_or(0);
        SourceSpan { line: place.line, column: place.column, end_line: place.line, end_column, quote: quote.clone() }
    });
    ReportedFinding {
        rule: Cow::Borrowed(finding.code),
        level: level(finding.weight),
        message: finding.text.clone(),
        evidence: finding.evidence.clone(),
        measured: Some(measured),
        file: linked.map(|linked| linked.shown.clone()),
        fingerprint: fingerprint([
            finding.code,
            path,
            &quote,
            place.and_then(|place| place.selector.as_deref()).unwrap_or(""),
        ]),
        span,
        selector: place.and_then(|place| place.selector.clone()),
        source: place.and_then(|place| source.around(place)),
        standing: Standing::Open,
    }
}

pub(super) fn level(weight: Weight) -> ReportLevel {
    match weight {
        Weight::MustFix => ReportLevel::Must,
        Weight::Should => ReportLevel::Should,
        Weight::Note => ReportLevel::Note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_at_a_place_is_found() {
        let place = |line, column| SourceLocation { line, column, ..SourceLocation::default() };
        let html = "<p>é <b class=x>bold</b>\r\n<style>p { margin: 3px; color: red }</style>";
        let long = format!("{}<i>x</i>{}", "a".repeat(500), "b".repeat(500));
        for (name, text, is_markdown, at, quote) in [
            ("a tag", html, false, place(1, 6), "<b class=x>"),
            ("a declaration", html, false, place(2, 12), "margin: 3px"),
            ("the rest of a line", "one two\nthree", true, place(1, 5), "two"),
            ("behind the end", html, false, place(9, 1), ""),
            ("far to the right", long.as_str(), false, place(1, 501), "<i>"),
        ] {
            assert_eq!(SourceText::new(text, is_markdown).quote(&at), quote, "{name}");
        }
        let (line, column) = SourceText::new(&long, false).around(&place(1, 501)).unwrap();
        assert_eq!(line.chars().nth(column as usize - 1), Some('<'), "{line}");
        assert!(line.chars().count() < 170);
    }
}
