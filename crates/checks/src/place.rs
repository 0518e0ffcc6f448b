//! Where in the source something is: bytes inside, lines and columns outside.

/// A position that a person can go to. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file, as a path below the root, where it is another one than the document: a linked style sheet.
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    /// A CSS selector that leads to the element, for documents that have elements.
    pub selector: Option<String>,
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        write!(f, "{}:{}", self.line, self.column)?;
        match &self.selector {
            Some(selector) => write!(f, " {selector}"),
            None => Ok(()),
        }
    }
}

/// A half-open range of bytes of the document, or of one of the style sheets that it links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// Nothing for the document itself; else the number of a linked sheet, counted from one.
    pub(crate) sheet: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { sheet: 0, start, end }
    }

    /// A piece of what the span covers, in the same file.
    pub(crate) fn piece(self, at: usize, length: usize) -> Self {
        Self { sheet: self.sheet, start: self.start + at, end: self.start + at + length }
    }

    /// The source of the span; empty when it does not lie on character boundaries, which foreign positions may not.
    pub(crate) fn of(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

/// The line starts of a text, so that finding a line takes a binary search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        Self { starts }
    }

    pub(crate) fn place(&self, text: &str, offset: usize) -> SourceLocation {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        // Bytes that continue a character do not count as columns.
        let before = text.as_bytes()[start..offset].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        SourceLocation { line: small(line), column: small(before + 1), ..SourceLocation::default() }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns() {
        let text = "one\ntwö x\n\nend";
        let lines = Lines::new(text);
        for (name, offset, want) in [
            ("the start", 0, "1:1"),
            ("the end of a line", 3, "1:4"),
            ("the second line", 4, "2:1"),
            ("after an umlaut", 9, "2:5"),
            ("an empty line", 11, "3:1"),
            ("the last line", 12, "4:1"),
            ("past the end", 99, "4:4"),
        ] {
            assert_eq!(lines.place(text, offset).to_string(), want, "{name}");
        }
    }
}
