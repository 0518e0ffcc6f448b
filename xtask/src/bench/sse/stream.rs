//! The bytes of an answer as frames: chunked HTTP/1.1 outside, server-sent events inside.
//!
//! Not a whole parser, and nothing is copied that is here in one piece: a thousand readers share the machine with the
//! server that is measured.

use anyhow::{Context, Result, bail};
use memchr::memchr;

/// Takes bytes as they come.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The beginning of a line whose end has not come: of the answer, and of the text in it.
    outer: Vec<u8>,
    inner: Vec<u8>,
    part: Part,
    /// The entry that the frame tells, if it is the last of its frames.
    seq: Option<u64>,
}

/// What comes next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Status,
    Header,
    /// The size of a chunk, or the empty line behind the chunk before.
    Size,
    /// So many bytes of text.
    Text(usize),
    Over,
}

impl Stream {
    /// Says the entries whose frames are complete now.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut tell: impl FnMut(u64)) -> Result<()> {
        while !bytes.is_empty() && !self.is_over() {
            if let Part::Text(size) = self.part {
                let (here, rest) = bytes.split_at(size.min(bytes.len()));
                let seq = &mut self.seq;
                lines(&mut self.inner, here, |line| frame(seq, line, &mut tell))?;
                self.part = if here.len() == size { Part::Size } else { Part::Text(size - here.len()) };
                bytes = rest;
                continue;
            }
            let (here, rest) = bytes.split_at(memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1));
            let part = &mut self.part;
            lines(&mut self.outer, here, |line| {
                *part = after(*part, line.strip_suffix(b"\r").unwrap_or(line))?;
                Ok(())
            })?;
            bytes = rest;
        }
        Ok(())
    }

    /// Whether the server has said that nothing comes any more.
    pub(super) fn is_over(&self) -> bool {
        self.part == Part::Over
    }
}

/// What comes after a line of the answer.
fn after(part: Part, line: &[u8]) -> Result<Part> {
    Ok(match part {
        Part::Status if !line.starts_with(b"HTTP/1.1 200 ") => {
            bail!("the server answered {}", String::from_utf8_lossy(line))
        }
        Part::Header | Part::Size if line.is_empty() => Part::Size,
        Part::Status | Part::Header => Part::Header,
        _ => {
            let size = std::str::from_utf8(line)?;
            let size = usize::from_str_radix(size, 16).with_context(|| format!("a chunk of {size:?}"))?;
            if size == 0 { Part::Over } else { Part::Text(size) }
        }
    })
}

/// A line of a frame.
fn frame(seq: &mut Option<u64>, line: &[u8], tell: &mut impl FnMut(u64)) -> Result<()> {
    if let Some(id) = line.strip_prefix(b"id: ") {
        // `17.2` is within an entry, which has more to tell.
        *seq = std::str::from_utf8(id)?.parse().ok();
    } else if line.is_empty()
        && let Some(seq) = seq.take()
    {
        tell(seq);
    }
    Ok(())
}

/// The lines that are complete now; the rest waits in `begun`.
fn lines(begun: &mut Vec<u8>, mut bytes: &[u8], mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    while let Some(end) = memchr(b'\n', bytes) {
        if begun.is_empty() {
            each(&bytes[..end])?;
        } else {
            begun.extend_from_slice(&bytes[..end]);
            each(begun)?;
            begun.clear();
        }
        bytes = &bytes[end + 1..];
    }
    begun.extend_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_the_same_however_the_bytes_are_cut() {
        let body = "retry: 1000\n\n: still here\n\nid: 1.1\nevent: critique.scene\ndata: {}\n\nid: 1\ndata: {}\n\n\
                    id: 2\nevent: critique.person\ndata: {\"by\":\"bench\",\"text\":\"77\"}\n\n";
        let (first, second) = body.split_at(60);
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
            first.len(),
            second.len()
        );
        for size in 1..answer.len() {
            let (mut stream, mut told) = (Stream::default(), Vec::new());
            for piece in answer.as_bytes().chunks(size) {
                stream.push(piece, |seq| told.push(seq)).unwrap();
            }
            assert_eq!(told, [1, 2], "pieces of {size}");
            assert!(stream.is_over());
        }
        let mut refused = Stream::default();
        let error = refused.push(b"HTTP/1.1 401 Unauthorized\r\n\r\n", |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "the server answered HTTP/1.1 401 Unauthorized");
    }
}
