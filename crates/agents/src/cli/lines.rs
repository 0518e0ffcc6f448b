//! JSON objects from bytes that are cut anywhere.

use serde_json::Value;

/// The longest line that is looked at. A longer one is skipped, and said to be.
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Collects lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    /// The rest of this line is skipped.
    is_too_long: bool,
    /// How many lines were no JSON objects.
    pub(super) strange: usize,
}

impl Lines {
    /// Takes in some bytes; `hear` gets every object that is complete.
    pub(super) fn push(&mut self, bytes: &[u8], hear: &mut dyn FnMut(&Value)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if MAX_LINE < self.line.len() + piece.len() {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.end(hear);
            }
        }
    }

    /// The line is over.
    pub(super) fn end(&mut self, hear: &mut dyn FnMut(&Value)) {
        let (line, is_too_long) = (std::mem::take(&mut self.line), std::mem::take(&mut self.is_too_long));
        match serde_json::from_slice::<Value>(&line) {
            Ok(object) if object.is_object() => hear(&object),
            _ if line.trim_ascii().is_empty() && !is_too_long => {}
            _ => self.strange += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> (Vec<String>, usize) {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in pieces {
            lines.push(piece, &mut |object| found.push(object.to_string()));
        }
        lines.end(&mut |object| found.push(object.to_string()));
        (found, lines.strange)
    }

    #[test]
    fn objects_are_found_and_the_rest_is_counted() {
        for (name, text, objects, strange) in [
            ("nothing", "", 0, 0),
            ("two", "{\"a\":1}\n{\"b\":2}\n", 2, 0),
            ("no newline at the end", "{\"a\":1}\n{\"b\":2}", 2, 0),
            ("blank lines", "\n \r\n{\"a\":1}\r\n", 1, 0),
            ("a banner", "Welcome!\n{\"a\":1}\n", 1, 1),
            ("no objects", "1\n[]\n\"x\"\n", 0, 3),
            ("cut", "{\"a\":1}\n{\"b\":", 1, 1),
        ] {
            let whole = read(&[text.as_bytes()]);
            assert_eq!((whole.0.len(), whole.1), (objects, strange), "{name}");
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&bytes), whole, "{name}");
        }
    }

    #[test]
    fn a_line_that_does_not_end_is_not_kept() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..64 {
            lines.push(&piece, &mut |_| panic!("nothing ends here"));
            assert!(lines.line.capacity() <= 2 * MAX_LINE);
        }
        let mut found = 0;
        lines.push(b"\n{}\n", &mut |_| found += 1);
        assert_eq!((found, lines.strange), (1, 1));
    }
}
