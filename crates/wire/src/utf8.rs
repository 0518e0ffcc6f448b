//! Bytes cut anywhere, in; whole characters, out.
//!
//! Artifacts are passed on as bytes, cut where the stream was cut. Who wants to show them while they arrive puts this
//! between: the pieces, joined, are what [`String::from_utf8_lossy`] makes of the whole.

/// Holds back the beginning of a character until its end arrives: at most three bytes.
#[derive(Debug, Clone, Default)]
pub struct Utf8Pieces {
    held: [u8; 4],
    len: usize,
}

impl Utf8Pieces {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&str)) {
        let rest = self.complete(bytes, out);
        let mut chunks = rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                out(chunk.valid());
            }
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.held[..invalid.len()].copy_from_slice(invalid);
                self.len = invalid.len();
            } else if !invalid.is_empty() {
                out("\u{FFFD}");
            }
        }
    }

    /// A character that never ended becomes one replacement character.
    pub fn finish(self, out: &mut impl FnMut(&str)) {
        if self.len != 0 {
            out("\u{FFFD}");
        }
    }

    /// Feeds the held character byte by byte; returns what is left of `bytes` once nothing is held.
    fn complete<'b>(&mut self, mut bytes: &'b [u8], out: &mut impl FnMut(&str)) -> &'b [u8] {
        while self.len != 0
            && let Some((&byte, rest)) = bytes.split_first()
        {
            self.held[self.len] = byte;
            let grown = &self.held[..=self.len];
            match str::from_utf8(grown) {
                Ok(character) => {
                    out(character);
                    self.len = 0;
                    bytes = rest;
                }
                Err(_) if is_beginning(grown) => {
                    self.len += 1;
                    bytes = rest;
                }
                // The new byte does not belong to the character: it is looked at again on its own.
                Err(_) => {
                    out("\u{FFFD}");
                    self.len = 0;
                }
            }
        }
        bytes
    }
}

/// Whether more bytes could make a character of these.
fn is_beginning(bytes: &[u8]) -> bool {
    !bytes.is_empty() && matches!(str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(bytes: &[u8], size: usize) -> String {
        let mut joined = String::new();
        let mut splitter = Utf8Pieces::new();
        for chunk in bytes.chunks(size) {
            splitter.push(chunk, &mut |piece| joined.push_str(piece));
        }
        splitter.finish(&mut |piece| joined.push_str(piece));
        joined
    }

    #[test]
    fn any_cut_gives_what_the_whole_gives() {
        let rows: [(&str, &[u8]); 7] = [
            ("ascii", b"plain"),
            ("two to four bytes", "é日本🦀é".as_bytes()),
            ("stray continuation", b"a\x80\xbfb"),
            ("character cut short", b"a\xe2\x82A"),
            ("cut short at the end", b"a\xf0\x9f\xa6"),
            ("surrogate and overlong", b"\xed\xa0\x80\xc0\xaf\xf5"),
            ("beginning after beginning", b"\xe2\xe2\x82\xe2\x82\xac"),
        ];
        for (name, bytes) in rows {
            for size in 1..=bytes.len() {
                assert_eq!(pieces(bytes, size), String::from_utf8_lossy(bytes), "{name} in chunks of {size}");
            }
        }
    }
}
