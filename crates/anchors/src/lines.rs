//! From bytes to lines and columns, each in constant time.

/// Characters are counted up to every so many bytes, so that a column in a very long line costs no more than that.
const STRIDE: usize = 4096;

/// The line starts of a text, and how many characters come before every stride.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    strides: Vec<usize>,
    length: usize,
}

/// Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        starts.extend(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        let mut before = 0;
        let strides = bytes.chunks(STRIDE).map(|chunk| {
            let here = before;
            before += characters(chunk);
            here
        });
        Self { strides: strides.collect(), starts, length: bytes.len() }
    }

    pub(crate) fn place(&self, text: &str, offset: usize) -> Place {
        let offset = offset.min(self.length);
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.start(line);
        let column = self.characters_before(text, offset) - self.characters_before(text, start) + 1;
        Place { line: small(line), column: small(column) }
    }

    /// Where a line begins; past the last one, the end.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.length)
    }

    /// The last line does not count when nothing follows its line end.
    pub(crate) fn count(&self) -> usize {
        let last_is_empty = self.starts.last().is_some_and(|start| *start == self.length);
        self.starts.len() - usize::from(last_is_empty)
    }

    /// Every line's bytes, line end included.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.starts
            .iter()
            .enumerate()
            .map(|(at, start)| *start..self.starts.get(at + 1).copied().unwrap_or(self.length))
    }

    fn characters_before(&self, text: &str, offset: usize) -> usize {
        let stride = (offset / STRIDE).min(self.strides.len().saturating_sub(1));
        let counted = self.strides.get(stride).copied().unwrap_or(0);
        counted + characters(text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default())
    }
}

/// Bytes that continue a character do not count.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_lines_and_columns() {
        let text = "one\ntwö x\n\nend";
        let long = format!("{}x", "ö".repeat(10_000));
        for (name, text, offset, line, column) in [
            ("the start", text, 0, 1, 1),
            ("the end of a line", text, 3, 1, 4),
            ("after an umlaut", text, 9, 2, 5),
            ("an empty line", text, 11, 3, 1),
            ("past the end", text, 99, 4, 4),
            ("an empty text", "", 0, 1, 1),
            ("far into a long line", long.as_str(), 20_000, 1, 10_001),
        ] {
            assert_eq!(Lines::new(text).place(text, offset), Place { line, column }, "{name}");
        }
    }

    #[test]
    fn lines_are_counted_as_people_do() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)] {
            assert_eq!(Lines::new(text).count(), count, "{text:?}");
        }
    }
}
