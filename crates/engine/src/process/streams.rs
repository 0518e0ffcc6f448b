//! The three pipes of a child.

use std::future::pending;
use std::os::fd::AsFd;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

use super::command::Bounds;
use super::pipe::Incoming;
use super::tail::Tail;

/// As much as a pipe holds by default. Only touched as far as it is used.
const BUFFER: usize = 64 << 10;

/// What came out of [`Streams::next`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Beat {
    /// The child printed something, to stdout or stderr.
    Output,
    /// It printed more to stdout than it may; the rest is not delivered.
    Overflow,
}

/// stdin on its way in, stdout on its way out, and the end of stderr.
#[derive(Debug)]
pub(super) struct Streams {
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    /// Where more input comes from, when it is not all known beforehand.
    feed: Option<Incoming>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    out: Vec<u8>,
    err: Vec<u8>,
    delivered: u64,
    limit: u64,
    tail: Tail,
}

impl Streams {
    pub(super) fn new(child: &mut Child, input: Vec<u8>, feed: Option<Incoming>, bounds: &Bounds) -> Self {
        Self {
            stdin: child.stdin.take().filter(|_| !input.is_empty() || feed.is_some()),
            input,
            written: 0,
            feed,
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            out: Vec::with_capacity(BUFFER),
            err: Vec::with_capacity(BUFFER),
            delivered: 0,
            limit: bounds.stdout,
            tail: Tail::new(bounds.stderr_tail),
        }
    }

    /// Moves bytes in both directions until the child has printed something. Never ends when all pipes are closed:
    /// then only the exit, the clock and the caller have something to say. Nothing is lost when it is dropped.
    pub(super) async fn next(&mut self, sink: &mut impl FnMut(&[u8])) -> Beat {
        loop {
            let Self { stdin, input, written, feed, stdout, stderr, out, err, .. } = self;
            tokio::select! {
                count = read(stdout, out) => {
                    if count == 0 {
                        *stdout = None;
                        continue;
                    }
                    return self.deliver(sink);
                }
                count = read(stderr, err) => {
                    if count == 0 {
                        *stderr = None;
                        continue;
                    }
                    self.tail.push(&self.err);
                    self.err.clear();
                    return Beat::Output;
                }
                () = put(stdin, input, written, feed) => {}
            }
        }
    }

    /// Takes what lies in the pipes after the main process is gone, and closes them. Not until their end: a child left
    /// in the background may hold them open for ever. Not through tokio either: it may not have heard yet that there is
    /// something to read. What is there *now* is what the main process wrote, so a background child that keeps
    /// printing does not keep us.
    pub(super) fn drain(&mut self, sink: &mut impl FnMut(&[u8])) -> Beat {
        self.stdin = None;
        let mut beat = Beat::Output;
        if let Some(stdout) = self.stdout.take() {
            take_waiting(&stdout, |piece| {
                self.out.extend_from_slice(piece);
                if self.deliver(sink) == Beat::Overflow {
                    beat = Beat::Overflow;
                }
            });
        }
        if let Some(stderr) = self.stderr.take() {
            take_waiting(&stderr, |piece| self.tail.push(piece));
        }
        beat
    }

    /// Bytes delivered, and the end of stderr.
    pub(super) fn finish(self) -> (u64, String) {
        (self.delivered, self.tail.into_text())
    }

    fn deliver(&mut self, sink: &mut impl FnMut(&[u8])) -> Beat {
        let room = usize::try_from(self.limit - self.delivered).unwrap_or(usize::MAX);
        let piece = &self.out[..self.out.len().min(room)];
        if !piece.is_empty() {
            self.delivered += piece.len() as u64;
            sink(piece);
        }
        let beat = if piece.len() < self.out.len() { Beat::Overflow } else { Beat::Output };
        self.out.clear();
        beat
    }
}

/// 0 at the end; a pipe that cannot be read any more has ended, too.
async fn read(from: &mut Option<impl AsyncRead + Unpin>, buffer: &mut Vec<u8>) -> usize {
    match from {
        Some(pipe) => pipe.read_buf(buffer).await.unwrap_or(0),
        None => pending().await,
    }
}

/// One step of the input on its way in; never ends once all of it is.
async fn put(stdin: &mut Option<ChildStdin>, input: &mut Vec<u8>, written: &mut usize, feed: &mut Option<Incoming>) {
    if stdin.is_some() && feed.is_some() && *written == input.len() {
        input.clear();
        *written = 0;
        if read(feed, input).await == 0 {
            (*feed, *stdin) = (None, None);
        }
        return;
    }
    let count = write(stdin, &input[*written..]).await;
    *written += count;
    if count == 0 || (feed.is_none() && *written == input.len()) {
        // Closing it tells the child that the input is over; freeing it matters for long prompts.
        (*feed, *stdin) = (None, None);
        *input = Vec::new();
        *written = 0;
    }
}

/// 0 when nobody reads: an agent that has what it needs may close its stdin early, and that is its business.
async fn write(to: &mut Option<ChildStdin>, bytes: &[u8]) -> usize {
    match to {
        Some(pipe) => pipe.write(bytes).await.unwrap_or(0),
        None => pending().await,
    }
}

fn take_waiting(pipe: impl AsFd, mut sink: impl FnMut(&[u8])) {
    let mut waiting = rustix::io::ioctl_fionread(&pipe).unwrap_or(0);
    if waiting == 0 {
        return;
    }
    let mut buffer = vec![0; BUFFER];
    while 0 < waiting {
        let wanted = usize::try_from(waiting).map_or(BUFFER, |waiting| waiting.min(BUFFER));
        match rustix::io::read(&pipe, &mut buffer[..wanted]) {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                sink(&buffer[..count]);
                waiting -= count as u64;
            }
        }
    }
}
