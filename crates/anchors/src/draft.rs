//! A draft with everything that rules look at, each part made once.

use std::{cell::OnceCell, ops::Range};

use crate::{lines::Lines, outline::Outline, result::SourceSpan};

/// Longer quotes are cut: a report is read by people.
const MAX_QUOTE: usize = 120;

#[derive(Debug)]
pub(crate) struct Draft<'d> {
    pub(crate) text: &'d str,
    pub(crate) lines: Lines,
    outline: OnceCell<Outline>,
    words: OnceCell<u64>,
    lower: OnceCell<String>,
    flat: OnceCell<(String, Vec<usize>)>,
}

impl<'d> Draft<'d> {
    pub(crate) fn new(text: &'d str) -> Self {
        Self {
            text,
            lines: Lines::new(text),
            outline: OnceCell::new(),
            words: OnceCell::new(),
            lower: OnceCell::new(),
            flat: OnceCell::new(),
        }
    }

    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::read(self.text, &self.lines))
    }

    pub(crate) fn words(&self) -> u64 {
        *self.words.get_or_init(|| {
            self.text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() as u64
        })
    }

    /// ASCII letters in lower case, so that places stay what they are.
    pub(crate) fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_ascii_lowercase())
    }

    pub(crate) fn span(&self, range: Range<usize>) -> SourceSpan {
        let start = self.lines.place(self.text, range.start);
        let end = self.lines.place(self.text, range.end);
        let quoted = self.text.get(range).unwrap_or_default();
        let mut quote: String = quoted.chars().take(MAX_QUOTE).collect();
        if quote.len() < quoted.len() {
            quote.push('…');
        }
        SourceSpan { line: start.line, column: start.column, end_line: end.line, end_column: end.column, quote }
    }

    /// The place of some words, whatever the blanks between them.
    pub(crate) fn find(&self, quote: &str) -> Option<SourceSpan> {
        let quote = quote.trim();
        if quote.is_empty() {
            return None;
        }
        if let Some(at) = self.text.find(quote) {
            return Some(self.span(at..at + quote.len()));
        }
        let wanted = quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let (flat, places) = self.flat.get_or_init(|| self.flattened());
        let at = flat.find(&wanted)?;
        let (start, last) = (places.get(at)?, places.get(at + wanted.len() - 1)?);
        let mut end = last + 1;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Some(self.span(*start..end))
    }

    /// The text with every run of blanks as one, and the byte of the draft that each byte came from.
    fn flattened(&self) -> (String, Vec<usize>) {
        let (mut flat, mut places) = (String::with_capacity(self.text.len()), Vec::with_capacity(self.text.len()));
        for (at, c) in self.text.char_indices() {
            let c = if c.is_whitespace() { ' ' } else { c };
            if c == ' ' && flat.ends_with(' ') {
                continue;
            }
            flat.push(c);
            places.extend((0..c.len_utf8()).map(|byte| at + byte));
        }
        (flat, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_over_line_ends() {
        let draft = Draft::new("One\ntwo  thrée\nfour");
        for (quote, want) in [
            ("two", Some("2:1-2:4 two")),
            ("One two thrée", Some("1:1-2:11 One\ntwo  thrée")),
            ("  four ", Some("3:1-3:5 four")),
            ("five", None),
            ("", None),
        ] {
            let span = draft.find(quote);
            let shown = span.map(|s| format!("{}:{}-{}:{} {}", s.line, s.column, s.end_line, s.end_column, s.quote));
            assert_eq!(shown.as_deref(), want, "{quote}");
        }
    }
}
