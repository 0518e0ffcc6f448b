//! Bytes from one future to another, without waiting.
//!
//! What a child prints is handed over by a function that cannot wait, so nothing here does. What bounds it is the most
//! that a turn may print.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The end to read from. At the end of all bytes once [`Outgoing`] is dropped.
#[derive(Debug)]
pub struct Incoming(Arc<Mutex<State>>);

/// The end to write to.
#[derive(Debug)]
pub struct Outgoing(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    is_closed: bool,
    /// Nobody reads any more.
    is_abandoned: bool,
    reader: Option<Waker>,
}

pub(super) fn pipe() -> (Outgoing, Incoming) {
    let state = Arc::default();
    (Outgoing(Arc::clone(&state)), Incoming(state))
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl Outgoing {
    /// Hands bytes over at once.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut state = locked(&self.0);
        if !state.is_abandoned {
            state.bytes.extend(bytes);
            state.wake();
        }
    }

    fn close(&self) {
        let mut state = locked(&self.0);
        state.is_closed = true;
        state.wake();
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.close();
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut state = locked(&self.0);
        state.is_abandoned = true;
        state.bytes = VecDeque::new();
    }
}

impl AsyncRead for Incoming {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut state = locked(&self.0);
        if state.bytes.is_empty() && !state.is_closed {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let (front, _) = state.bytes.as_slices();
        let count = front.len().min(buffer.remaining());
        buffer.put_slice(&front[..count]);
        state.bytes.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Outgoing {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // That nobody reads is no error: a program that has gone is noticed by what it does not say.
        self.push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.close();
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test]
    async fn what_is_written_is_read_and_an_end_is_an_end() {
        let (mut outgoing, mut incoming) = pipe();
        let reads = tokio::spawn(async move {
            let mut all = String::new();
            incoming.read_to_string(&mut all).await.map(|_| all)
        });
        tokio::task::yield_now().await;
        for piece in ["one ", "two ", "three"] {
            outgoing.write_all(piece.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
        }
        drop(outgoing);
        assert_eq!(reads.await.unwrap().unwrap(), "one two three");
    }

    #[tokio::test]
    async fn what_nobody_reads_is_not_kept() {
        let (mut outgoing, incoming) = pipe();
        drop(incoming);
        outgoing.write_all(b"lost").await.unwrap();
        assert!(locked(&outgoing.0).bytes.is_empty());
    }
}
