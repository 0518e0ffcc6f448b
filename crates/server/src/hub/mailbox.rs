//! A reader's mailbox: bounded, so that whoever does not read costs nobody else anything.

use axum::body::Bytes;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A reader that is this many frames behind is dropped. It comes back with `Last-Event-ID` and misses nothing.
pub const MAILBOX: usize = 256;

/// Frames that one reader has not taken yet.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    batches: VecDeque<(Bytes, usize)>,
    frames: usize,
    is_closed: bool,
    fell_behind: bool,
}

impl Mailbox {
    /// Puts frames in. False: the reader is gone or too far behind, and gets nothing any more.
    pub(super) fn offer(&self, batch: &Bytes, frames: usize) -> bool {
        let mut state = self.lock();
        if state.is_closed {
            return false;
        }
        if state.frames + frames > MAILBOX {
            *state = State { is_closed: true, fell_behind: true, ..State::default() };
            drop(state);
            self.news.notify_one();
            return false;
        }
        state.frames += frames;
        state.batches.push_back((batch.clone(), frames));
        drop(state);
        self.news.notify_one();
        true
    }

    /// Puts in what nobody needs. A reader that is behind already does not get it, and does not fall back further.
    pub(super) fn offer_if_room(&self, batch: &Bytes) {
        let mut state = self.lock();
        if batch.is_empty() || state.is_closed || state.frames >= MAILBOX / 4 {
            return;
        }
        state.frames += 1;
        state.batches.push_back((batch.clone(), 1));
        drop(state);
        self.news.notify_one();
    }

    /// The next frames, when there are some. Nothing: there will be no more.
    pub async fn next(&self) -> Option<Bytes> {
        loop {
            {
                let mut state = self.lock();
                if let Some((batch, frames)) = state.batches.pop_front() {
                    state.frames -= frames;
                    return Some(batch);
                }
                if state.is_closed {
                    return None;
                }
            }
            self.news.notified().await;
        }
    }

    /// Whether it was closed because the reader was too far behind.
    pub fn fell_behind(&self) -> bool {
        self.lock().fell_behind
    }

    /// Nobody puts anything in any more. What is there can still be taken.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_come_in_order_until_the_reader_is_too_far_behind() {
        let mailbox = Mailbox::default();
        let batch = |number: usize| Bytes::from(number.to_string());
        for number in 0..4 {
            assert!(mailbox.offer(&batch(number), MAILBOX / 4));
        }
        assert_eq!(mailbox.next().await.unwrap(), "0");
        assert!(mailbox.offer(&batch(4), MAILBOX / 4));
        assert!(!mailbox.offer(&batch(5), 1), "full");
        assert_eq!(mailbox.next().await, None, "half a stream would be a gap");
        assert!(!mailbox.offer(&batch(6), 1));
    }

    #[tokio::test]
    async fn what_nobody_needs_drops_no_reader() {
        let mailbox = Mailbox::default();
        for _ in 0..2 * MAILBOX {
            mailbox.offer_if_room(&Bytes::from("live"));
        }
        assert!(mailbox.offer(&Bytes::from("news"), MAILBOX / 2), "there is room for what counts");
        let mut taken = Vec::new();
        while taken.last().is_none_or(|last| last != "news") {
            taken.push(mailbox.next().await.unwrap());
        }
        assert_eq!(taken.len(), MAILBOX / 4 + 1);
    }

    #[tokio::test]
    async fn what_is_there_can_be_taken_after_the_end() {
        let mailbox = Mailbox::default();
        assert!(mailbox.offer(&Bytes::from("last words"), 1));
        mailbox.close();
        assert_eq!(mailbox.next().await.unwrap(), "last words");
        assert_eq!(mailbox.next().await, None);
    }
}
