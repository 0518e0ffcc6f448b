//! Frames as server-sent events.

use axum::body::Bytes;
use std::fmt::{Display, Write as _};
use tribunal_kernel::Entry;
use tribunal_kernel::run::Impossible;
use tribunal_kernel::watch::{WatchFrame, Watcher};

use super::position::Position;

/// Before the name of every event.
pub(super) const PREFIX: &str = "critique.";

/// What an entry tells, each with the place after it.
pub(super) fn of_entry(watcher: &mut Watcher, entry: &Entry) -> Result<Vec<(Position, WatchFrame)>, Impossible> {
    let frames = watcher.follow(entry)?;
    let of = frames.len();
    Ok((1..).zip(frames).map(|(part, frame)| (Position::within(entry.seq, part, of), frame)).collect())
}

/// Frames on their way to readers.
#[derive(Debug, Default)]
pub(super) struct Batch {
    text: String,
    /// Where each of them ends.
    pub(super) ends: Vec<usize>,
}

impl Batch {
    pub(super) fn push(&mut self, id: impl Display, frame: &WatchFrame) {
        let data = serde_json::to_string(frame).expect("a frame is plain JSON, and memory does not fail");
        writeln!(self.text, "id: {id}\nevent: {PREFIX}{}\ndata: {data}\n", frame.event.name())
            .expect("writing to a string does not fail");
        self.ends.push(self.text.len());
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.text.into()
    }
}
