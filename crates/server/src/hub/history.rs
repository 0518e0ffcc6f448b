//! What a reader missed, read from the logs. In pieces: a long log is never in memory as a whole.

use axum::body::Bytes;
use std::collections::VecDeque;
use tribunal_kernel::watch::{WatchFrame, Watcher};
use tribunal_kernel::{RunId, Seq, Time};
use tribunal_store::BlockingBackend;
use tribunal_store::backend::{Follow, LogMark};

use super::frames::{self, Batch};
use super::position::{Cursor, Position};
use super::sweep::Extent;
use super::{AT_A_TIME, BATCH};

/// What a reader missed. Reading it blocks, apart from what is written out already.
#[derive(Debug)]
pub struct History {
    /// As it was told to others.
    written: VecDeque<Bytes>,
    store: Option<BlockingBackend>,
    /// Those that are still to be told, the next one last: from where, from when, and how far into the log.
    owed: Vec<Owed>,
    /// For readers of all runs: where they stand, and where they will when they have caught up.
    cursor: Option<(Cursor, Cursor)>,
    now: Option<(RunId, Telling)>,
    /// What was read and not told yet.
    ready: VecDeque<(Position, WatchFrame)>,
}

#[derive(Debug)]
struct Owed {
    run: RunId,
    after: Position,
    newer: Time,
    until: LogMark,
}

#[derive(Debug)]
struct Telling {
    follower: Box<dyn Follow>,
    watcher: Watcher,
    owed: Owed,
}

impl History {
    pub(super) fn nothing() -> Self {
        let (written, ready) = (VecDeque::new(), VecDeque::new());
        Self { written, store: None, owed: Vec::new(), cursor: None, now: None, ready }
    }

    pub(super) fn written(written: VecDeque<Bytes>) -> Self {
        Self { written, ..Self::nothing() }
    }

    pub(super) fn of_run(store: &BlockingBackend, run: RunId, after: Position, until: LogMark) -> Self {
        let owed = vec![Owed { run, after, newer: Time(0), until }];
        Self { store: Some(store.clone()), owed, ..Self::nothing() }
    }

    /// The runs of a project. Of those that have told nothing since the cursor, nothing is read.
    pub(super) fn of_all(
        store: &BlockingBackend,
        cursor: Cursor,
        caught_up: Cursor,
        runs: impl Iterator<Item = (RunId, Extent)>,
    ) -> Self {
        let owed = runs.filter_map(|(run, Extent { mark, last, told })| {
            let (after, newer) = cursor.owed(run);
            let is_owed = last >= newer && told.is_none_or(|told| told > after);
            is_owed.then_some(Owed { run, after, newer, until: mark })
        });
        let mut owed: Vec<Owed> = owed.collect();
        owed.sort_unstable_by_key(|owed| std::cmp::Reverse(owed.run));
        Self { store: Some(store.clone()), owed, cursor: Some((cursor, caught_up)), ..Self::nothing() }
    }

    /// How many logs have to be read.
    #[cfg(test)]
    pub(super) fn logs(&self) -> usize {
        self.owed.len()
    }

    /// The next frames that are written out as server-sent events. Nothing: the log has to be read.
    pub fn next_written(&mut self) -> Option<Bytes> {
        self.written.pop_front()
    }

    /// The next frames, as server-sent events. Nothing: that was all.
    pub fn next_events(&mut self) -> Option<Bytes> {
        if let Some(events) = self.next_written() {
            return Some(events);
        }
        let mut batch = Batch::default();
        while batch.ends.len() < BATCH {
            let Some((run, position, frame)) = self.next() else { break };
            // A place that names all that was missed is long: whoever has caught up does not keep it.
            let is_last = self.cursor.is_some() && !self.has_more();
            match &mut self.cursor {
                None => batch.push(position, &frame),
                Some((_, caught_up)) if is_last => batch.push(&*caught_up, &frame),
                Some((cursor, _)) => {
                    cursor.see(run, position);
                    batch.push(&*cursor, &frame);
                }
            }
        }
        (!batch.ends.is_empty()).then(|| batch.into_bytes())
    }

    /// The next frames, one JSON object a line. Nothing: that was all.
    pub fn next_lines(&mut self) -> Option<Bytes> {
        let mut text = Vec::new();
        for _ in 0..BATCH {
            let Some((_, _, frame)) = self.next() else { break };
            serde_json::to_writer(&mut text, &frame).expect("a frame is plain JSON, and memory does not fail");
            text.push(b'\n');
        }
        (!text.is_empty()).then(|| text.into())
    }

    fn next(&mut self) -> Option<(RunId, Position, WatchFrame)> {
        if !self.has_more() {
            return None;
        }
        let ((run, _), (position, frame)) = (self.now.as_ref()?, self.ready.pop_front()?);
        Some((*run, position, frame))
    }

    /// Whether something is left to be told; if so, it is ready.
    fn has_more(&mut self) -> bool {
        while self.ready.is_empty() {
            let Some(store) = &self.store else { return false };
            if let Some((_, telling)) = &mut self.now {
                self.ready = telling.more(store).into();
                if !self.ready.is_empty() || !telling.is_over() {
                    continue;
                }
            }
            let Some(owed) = self.owed.pop() else { return false };
            let Ok(mut follower) = store.wait(store.logs().follow(owed.run, Seq(0))) else { continue };
            follower.bound(Some(owed.until));
            self.now = Some((owed.run, Telling { follower, watcher: Watcher::default(), owed }));
        }
        true
    }
}

impl Telling {
    /// What the next entries tell, as far as it is owed.
    fn more(&mut self, store: &BlockingBackend) -> Vec<(Position, WatchFrame)> {
        let mut told = Vec::new();
        let entries =
            if self.is_over() { Vec::new() } else { store.wait(self.follower.next(AT_A_TIME)).unwrap_or_default() };
        if entries.is_empty() {
            self.owed.until = LogMark(0); // nothing more can be read
        }
        for entry in entries {
            let Ok(frames) = frames::of_entry(&mut self.watcher, &entry) else {
                self.owed.until = LogMark(0);
                break;
            };
            let is_owed = |(position, frame): &(Position, WatchFrame)| {
                *position > self.owed.after && frame.time >= self.owed.newer
            };
            told.extend(frames.into_iter().filter(is_owed));
        }
        told
    }

    fn is_over(&self) -> bool {
        self.follower.mark() >= self.owed.until
    }
}
