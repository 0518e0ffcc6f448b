//! The end of an endless text.

use std::collections::VecDeque;

/// Keeps the last `limit` bytes of whatever it is given.
#[derive(Debug)]
pub(super) struct Tail {
    limit: usize,
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, bytes: VecDeque::new(), cut: false }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        // Only the end of a long piece is copied, and room is made first, so the buffer never grows past the limit.
        let kept = &piece[piece.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.cut |= 0 < excess || kept.len() < piece.len();
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// As text. A character that the cut went through is dropped: a replacement character there would say that the
    /// program printed rubbish when it did not.
    pub(super) fn into_text(mut self) -> String {
        let bytes = self.bytes.make_contiguous();
        let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let skip = if self.cut { bytes.iter().take(3).take_while(is_continuation).count() } else { 0 };
        String::from_utf8_lossy(&bytes[skip..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(limit: usize, pieces: &[&[u8]]) -> String {
        let mut tail = Tail::new(limit);
        for piece in pieces {
            tail.push(piece);
            assert!(tail.bytes.len() <= limit);
        }
        tail.into_text()
    }

    #[test]
    fn keeps_the_end_whatever_the_pieces() {
        for (name, limit, pieces, expected) in [
            ("short", 8, &[b"abc" as &[u8]] as &[&[u8]], "abc"),
            ("exact", 3, &[b"abc"], "abc"),
            ("one long piece", 3, &[b"abcdef"], "def"),
            ("many pieces", 3, &[b"ab", b"cd", b"ef"], "def"),
            ("piece by piece", 4, &[b"abc", b"de"], "bcde"),
            ("nothing kept", 0, &[b"abc"], ""),
            ("empty", 4, &[], ""),
        ] {
            assert_eq!(tail_of(limit, pieces), expected, "{name}");
        }
    }

    #[test]
    fn a_cut_character_is_dropped_and_rubbish_is_replaced() {
        assert_eq!(tail_of(4, &["äöü".as_bytes()]), "öü");
        assert_eq!(tail_of(3, &["äöü".as_bytes()]), "ü");
        assert_eq!(tail_of(8, &[b"a\xffb"]), "a\u{fffd}b");
        assert_eq!(tail_of(8, &[b"\x80b"]), "\u{fffd}b", "not cut: the program printed it");
    }
}
