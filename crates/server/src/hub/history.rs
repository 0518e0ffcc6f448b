//! What a reader missed, read from the logs. In pieces: a long log is never in memory as a whole.

use axum::body::Bytes;
use std::collections::VecDeque;
use tribunal_kernel::cue::{Cues, Frame};
use tribunal_kernel::{RunId, Time};
use tribunal_store::{Follower, Layout};

use super::frames::{self, Batch};
use super::position::{Cursor, Position};
use super::sweep::Extent;
use super::{AT_A_TIME, BATCH};

/// What a reader missed. Reading it blocks, apart from what is written out already.
#[derive(Debug)]
pub struct History {
    /// As it was told to others.
    written: VecDeque<Bytes>,
    layout: Option<Layout>,
    /// Those that are still to be told, the next one last: from where, from when, and up to which byte of the log.
    owed: Vec<Owed>,
    /// For readers of all runs.
    cursor: Option<Cursor>,
    now: Option<(RunId, Telling)>,
    /// What was read and not told yet.
    ready: VecDeque<(Position, Frame)>,
}

#[derive(Debug)]
struct Owed {
    run: RunId,
    after: Position,
    newer: Time,
    until: u64,
}

#[derive(Debug)]
struct Telling {
    follower: Follower,
    cues: Cues,
    owed: Owed,
}

impl History {
    pub(super) fn nothing() -> Self {
        let (written, ready) = (VecDeque::new(), VecDeque::new());
        Self { written, layout: None, owed: Vec::new(), cursor: None, now: None, ready }
    }

    pub(super) fn written(written: VecDeque<Bytes>) -> Self {
        Self { written, ..Self::nothing() }
    }

    pub(super) fn of_run(layout: &Layout, run: RunId, after: Position, until: u64) -> Self {
        let owed = vec![Owed { run, after, newer: Time(0), until }];
        Self { layout: Some(layout.clone()), owed, ..Self::nothing() }
    }

    /// The runs of a project. Of those that have told nothing since the cursor, nothing is read.
    pub(super) fn of_all(layout: &Layout, cursor: Cursor, runs: impl Iterator<Item = (RunId, Extent)>) -> Self {
        let owed = runs.filter_map(|(run, Extent { length, last, told })| {
            let (after, newer) = cursor.owed(run);
            let is_owed = last >= newer && told.is_none_or(|told| told > after);
            is_owed.then_some(Owed { run, after, newer, until: length })
        });
        let mut owed: Vec<Owed> = owed.collect();
        owed.sort_unstable_by_key(|owed| std::cmp::Reverse(owed.run));
        Self { layout: Some(layout.clone()), owed, cursor: Some(cursor), ..Self::nothing() }
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
            match &mut self.cursor {
                None => batch.push(position, &frame),
                Some(cursor) => {
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

    fn next(&mut self) -> Option<(RunId, Position, Frame)> {
        loop {
            if let (Some((run, _)), Some((position, frame))) = (&self.now, self.ready.pop_front()) {
                return Some((*run, position, frame));
            }
            if let Some((_, telling)) = &mut self.now {
                self.ready = telling.more().into();
                if !self.ready.is_empty() || !telling.is_over() {
                    continue;
                }
            }
            let owed = self.owed.pop()?;
            let layout = self.layout.as_ref()?;
            let follower = Follower::new(layout, owed.run).up_to(owed.until);
            self.now = Some((owed.run, Telling { follower, cues: Cues::default(), owed }));
        }
    }
}

impl Telling {
    /// What the next entries tell, as far as it is owed.
    fn more(&mut self) -> Vec<(Position, Frame)> {
        let mut told = Vec::new();
        let entries = if self.is_over() { Vec::new() } else { self.follower.more(AT_A_TIME).unwrap_or_default() };
        if entries.is_empty() {
            self.owed.until = 0; // nothing more can be read
        }
        for entry in entries {
            let Ok(frames) = frames::told(&mut self.cues, &entry) else {
                self.owed.until = 0;
                break;
            };
            let is_owed =
                |(position, frame): &(Position, Frame)| *position > self.owed.after && frame.time >= self.owed.newer;
            told.extend(frames.into_iter().filter(is_owed));
        }
        told
    }

    fn is_over(&self) -> bool {
        self.follower.bytes() >= self.owed.until
    }
}
