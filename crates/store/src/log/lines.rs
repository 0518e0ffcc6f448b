//! A file, line by line, read in large pieces: only the lines at hand are in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::MAX_LINE;

/// How much is read at a time: enough to make calls rare, small enough to stay in the cache.
const CHUNK: usize = 512 * 1024;

/// The lines of a file from some offset up to `end`, whatever is written behind it meanwhile.
#[derive(Debug)]
pub(crate) struct FileLines<'f> {
    file: &'f File,
    end: u64,
    buffer: Vec<u8>,
    /// The part of the buffer that has been read from the file.
    filled: usize,
    /// Where in the buffer the next piece begins, and where that is in the file.
    start: usize,
    offset: u64,
}

/// What is between two newlines, or after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Without its newline.
    Line(&'a [u8]),
    /// The end of the file came before a newline.
    Unterminated(&'a [u8]),
    /// No newline within [`MAX_LINE`] bytes. Nothing follows: where the next line begins is anybody's guess.
    TooLong,
}

impl<'f> FileLines<'f> {
    pub(crate) fn new(file: &'f File, from: u64, end: u64) -> Self {
        Self { file, end, buffer: Vec::new(), filled: 0, start: 0, offset: from }
    }

    /// Where in the file the next piece begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        let mut searched = self.start;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                let (from, to) = (self.start, searched + length);
                self.advance(to + 1 - from);
                return Ok(Some(Piece::Line(&self.buffer[from..to])));
            }
            let held = self.filled - self.start;
            if held as u64 > MAX_LINE {
                self.offset = self.end;
                (self.start, self.filled) = (0, 0);
                return Ok(Some(Piece::TooLong));
            }
            if self.fill()? == 0 {
                let from = self.start;
                self.advance(held);
                return Ok((held > 0).then(|| Piece::Unterminated(&self.buffer[from..from + held])));
            }
            searched = self.start + held;
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads more behind what is there; 0 at the end.
    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.buffer.len() - self.filled < CHUNK / 2 {
            // Doubling keeps the cost of a very long line linear.
            self.buffer.resize((self.buffer.len() * 2).max(CHUNK), 0);
        }
        let from = self.offset + self.filled as u64;
        let room = self.buffer.len() - self.filled;
        let wanted = usize::try_from(self.end.saturating_sub(from)).unwrap_or(room).min(room);
        loop {
            match self.file.read_at(&mut self.buffer[self.filled..self.filled + wanted], from) {
                Ok(read) => {
                    self.filled += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
