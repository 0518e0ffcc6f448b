//! A chunk and how far it is read.

/// The only way to the bytes: it moves forward, so that nothing consumed is ever read again.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Position of the chunk in the stream.
    base: u64,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, at: 0, base }
    }

    pub(crate) fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// What is left of the chunk before the stream's byte `limit`.
    pub(crate) fn rest(&self, limit: u64) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let room = limit.saturating_sub(self.position());
        if (rest.len() as u64) <= room { rest } else { &rest[..usize::try_from(room).unwrap_or(rest.len())] }
    }

    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        taken
    }

    pub(crate) fn skip(&mut self, count: usize) {
        self.at += count;
        debug_assert!(self.at <= self.bytes.len());
    }
}
