//! A body of a known length or in chunks. A push parser: bytes go in as they come, in pieces of any size.

use super::Malformed;
use super::head::Framing;

/// Bytes of a chunk's first line, extensions included.
const MAX_SIZE_LINE: usize = 256;
/// Bytes of all trailers.
const MAX_TRAILERS: usize = 8 << 10;

/// A body that is being received.
#[derive(Debug)]
pub(super) struct Incoming {
    state: State,
    limit: usize,
    received: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// So many bytes of a body are missing.
    Counted(usize),
    /// In the line with the size of a chunk.
    Size(Vec<u8>),
    /// So many bytes of a chunk are missing.
    Data(usize),
    /// Behind a chunk: so many of `\r\n` have come.
    DataEnd(usize),
    /// Behind the last chunk: the line so far, and bytes of all trailers.
    Trailers(Vec<u8>, usize),
    Done,
}

impl Incoming {
    pub(super) fn new(framing: Framing, limit: usize) -> Result<Self, Malformed> {
        let state = match framing {
            Framing::Length(0) => State::Done,
            Framing::Length(length) if limit < length => return Err(Malformed::BodyTooLong(limit)),
            Framing::Length(length) => State::Counted(length),
            Framing::Chunked => State::Size(Vec::new()),
        };
        Ok(Self { state, limit, received: Vec::new() })
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Everything that was received.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.received
    }

    /// Takes as many of `bytes` as belong to the body, and says how many.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let mut at = 0;
        while at < bytes.len() && !self.is_done() {
            at += self.step(&bytes[at..])?;
        }
        Ok(at)
    }

    /// Takes at least one byte.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let (taken, next) = match &mut self.state {
            State::Counted(missing) => {
                let taken = bytes.len().min(*missing);
                self.received.extend_from_slice(&bytes[..taken]);
                *missing -= taken;
                (taken, (*missing == 0).then_some(State::Done))
            }
            State::Data(missing) => {
                let taken = bytes.len().min(*missing);
                self.received.extend_from_slice(&bytes[..taken]);
                *missing -= taken;
                (taken, (*missing == 0).then_some(State::DataEnd(0)))
            }
            State::DataEnd(come) => {
                if bytes[0] != b"\r\n"[*come] {
                    return Err(Malformed::Chunk);
                }
                *come += 1;
                (1, (*come == 2).then(|| State::Size(Vec::new())))
            }
            State::Size(line) => {
                line.push(bytes[0]);
                if MAX_SIZE_LINE < line.len() {
                    return Err(Malformed::Chunk);
                }
                let size = line.strip_suffix(b"\r\n").map(size).transpose()?;
                if size.is_some_and(|size| self.limit - self.received.len() < size) {
                    return Err(Malformed::BodyTooLong(self.limit));
                }
                let next = |size| if size == 0 { State::Trailers(Vec::new(), 0) } else { State::Data(size) };
                (1, size.map(next))
            }
            State::Trailers(line, total) => {
                line.push(bytes[0]);
                *total += 1;
                if MAX_TRAILERS < *total {
                    return Err(Malformed::Chunk);
                }
                let is_last = line == b"\r\n";
                if line.ends_with(b"\n") {
                    line.clear();
                }
                (1, is_last.then_some(State::Done))
            }
            State::Done => (0, None),
        };
        if let Some(next) = next {
            self.state = next;
        }
        Ok(taken)
    }
}

/// The size in a chunk's first line.
fn size(line: &[u8]) -> Result<usize, Malformed> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let digits = std::str::from_utf8(digits).map_err(|_| Malformed::Chunk)?;
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    usize::from_str_radix(digits, 16).ok().filter(|_| is_hex).ok_or(Malformed::Chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunked(pieces: &[&[u8]]) -> Result<(Vec<u8>, usize, bool), Malformed> {
        let mut incoming = Incoming::new(Framing::Chunked, 1000)?;
        let mut taken = 0;
        for piece in pieces {
            taken += incoming.push(piece)?;
        }
        let is_done = incoming.is_done();
        Ok((incoming.into_bytes(), taken, is_done))
    }

    #[test]
    fn chunks_come_in_any_pieces() {
        let text = b"5;name=value\r\nhello\r\n1\r\n \r\nA\r\nwonderful \r\n0\r\nTrailer: x\r\n\r\nnext";
        let whole = chunked(&[text]).unwrap();
        assert_eq!((whole.0.as_slice(), whole.1), (&b"hello wonderful "[..], text.len() - 4));
        for cut in 0..text.len() {
            assert_eq!(chunked(&[&text[..cut], &text[cut..]]), Ok(whole.clone()), "{cut}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(chunked(&bytes), Ok(whole));
    }

    #[test]
    fn bad_chunks_are_refused() {
        for (name, text, expected) in [
            ("no size", &b"\r\n"[..], Malformed::Chunk),
            ("not hexadecimal", b"xyz\r\n", Malformed::Chunk),
            ("a sign", b"-5\r\n", Malformed::Chunk),
            ("a prefix", b"0x5\r\n", Malformed::Chunk),
            ("overflow", b"fffffffffffffffff\r\n", Malformed::Chunk),
            ("the largest number", b"ffffffffffffffff\r\n", Malformed::BodyTooLong(1000)),
            ("too long", b"3e9\r\n", Malformed::BodyTooLong(1000)),
            ("longer than it says", b"2\r\nabc\r\n", Malformed::Chunk),
            ("a line without end", &[b'1'; 300], Malformed::Chunk),
        ] {
            assert_eq!(chunked(&[text]), Err(expected), "{name}");
        }
        let endless = [b"0\r\n".to_vec(), b"A: b\r\n".repeat(5000)].concat();
        assert_eq!(chunked(&[&endless]), Err(Malformed::Chunk), "endless trailers");
    }

    #[test]
    fn a_length_is_held_against_the_limit() {
        assert_eq!(Incoming::new(Framing::Length(11), 10).unwrap_err(), Malformed::BodyTooLong(10));
        let mut incoming = Incoming::new(Framing::Length(3), 10).unwrap();
        assert_eq!(incoming.push(b"abcdef"), Ok(3));
        assert!(incoming.is_done());
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[0-9a-f]{0,3}(\r\n)?[a-z\r\n0;]{0,50}") {
            let _ = chunked(&[&bytes]);
            let _ = chunked(&[text.as_bytes()]);
        }
    }
}
