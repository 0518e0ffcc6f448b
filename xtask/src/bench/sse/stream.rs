//! The bytes of an answer as frames: chunked HTTP/1.1 outside, server-sent events inside.

use anyhow::{Context, Result, bail};

/// A frame as far as the measure needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    /// The entry that it tells, if it is the last of its frames.
    pub(super) seq: u64,
    /// What the text says, if it says a number.
    pub(super) text: Option<u64>,
}

/// Takes bytes as they come.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What is not understood yet: of the answer, and of the text in it.
    raw: Vec<u8>,
    text: Vec<u8>,
    /// So much of the current chunk is still to come; nothing before the headers are over.
    chunk: Option<usize>,
    /// Whether the server has said that nothing comes any more.
    pub(super) is_over: bool,
    seq: Option<u64>,
    said: Option<u64>,
}

impl Stream {
    /// The frames that are complete now.
    pub(super) fn push(&mut self, bytes: &[u8], mut tell: impl FnMut(Told)) -> Result<()> {
        self.raw.extend_from_slice(bytes);
        self.unchunk()?;
        let mut done = 0;
        while let Some(length) = self.text[done..].iter().position(|byte| *byte == b'\n') {
            let line = &self.text[done..done + length];
            done += length + 1;
            if let Some(id) = line.strip_prefix(b"id: ") {
                // `17.2` is within an entry, which has more to tell.
                self.seq = std::str::from_utf8(id)?.parse().ok();
            } else if let Some(data) = line.strip_prefix(b"data: ") {
                self.said = text(data);
            } else if line.is_empty()
                && let Some(seq) = self.seq.take()
            {
                tell(Told { seq, text: self.said.take() });
            }
        }
        self.text.drain(..done);
        Ok(())
    }

    fn unchunk(&mut self) -> Result<()> {
        let mut done = 0;
        loop {
            let rest = &self.raw[done..];
            match self.chunk {
                None => {
                    let Some(end) = find(rest, b"\r\n\r\n") else { break };
                    if !rest.starts_with(b"HTTP/1.1 200 ") {
                        bail!("the server answered {}", String::from_utf8_lossy(&rest[..end]));
                    }
                    done += end + 4;
                    self.chunk = Some(0);
                }
                Some(0) => {
                    let Some(end) = find(rest, b"\r\n") else { break };
                    let size = std::str::from_utf8(&rest[..end])?;
                    done += end + 2;
                    if size.is_empty() {
                        continue; // the end of the chunk before
                    }
                    let size = usize::from_str_radix(size, 16).with_context(|| format!("a chunk of {size:?}"))?;
                    if size == 0 {
                        self.is_over = true;
                        break;
                    }
                    self.chunk = Some(size);
                }
                Some(size) => {
                    let here = size.min(rest.len());
                    if here == 0 {
                        break;
                    }
                    self.text.extend_from_slice(&rest[..here]);
                    done += here;
                    self.chunk = Some(size - here);
                }
            }
        }
        self.raw.drain(..done);
        Ok(())
    }
}

/// The number that a directive's text is. Not a whole parser: a thousand readers share the machine with the server.
fn text(data: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"\"text\":\"";
    let from = find(data, NAME)? + NAME.len();
    let digits = data[from..].split(|byte| *byte == b'"').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
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
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n",
            first.len(),
            second.len()
        );
        for size in 1..answer.len() {
            let (mut stream, mut told) = (Stream::default(), Vec::new());
            for piece in answer.as_bytes().chunks(size) {
                stream.push(piece, |frame| told.push(frame)).unwrap();
            }
            assert_eq!(told, [Told { seq: 1, text: None }, Told { seq: 2, text: Some(77) }], "pieces of {size}");
        }
        let mut refused = Stream::default();
        let error = refused.push(b"HTTP/1.1 401 Unauthorized\r\n\r\n", |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "the server answered HTTP/1.1 401 Unauthorized");
    }
}
