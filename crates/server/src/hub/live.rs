//! What the turns of a run say while they are in flight: told to those who read it now, and to nobody later.

use axum::body::Bytes;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Run, TurnId, text};
use tribunal_store::BlockingBackend;
use tribunal_store::backend::LiveListener;

use super::frames::PREFIX;

/// So much of what a turn has said is told to readers who come while it speaks, in bytes.
const TAIL: usize = 4096;

/// Listens to the turns of one run, while somebody reads it.
#[derive(Debug, Default)]
pub(super) struct LiveTurns {
    listener: Option<Box<dyn LiveListener>>,
    /// What each turn in flight said last.
    tails: BTreeMap<TurnId, LiveFrame>,
}

impl LiveTurns {
    /// What was said since. Of turns that are over there is nothing to say: the log told it.
    pub(super) fn hear(&mut self, store: &BlockingBackend, run: &Run) -> Vec<LiveFrame> {
        self.tails.retain(|turn, _| run.in_flight().any(|in_flight| in_flight.id == *turn));
        if run.in_flight().next().is_none() {
            return Vec::new();
        }
        if self.listener.is_none() {
            self.listener = store.wait(store.live().listen(run.spec().run)).ok();
        }
        let told = self.listener.as_mut().map(|listener| store.wait(listener.next()).unwrap_or_default());
        let mut told = told.unwrap_or_default();
        told.retain(|frame| run.in_flight().any(|in_flight| in_flight.id == frame.turn));
        // A leader that was killed leaves what it told behind; nobody says it now.
        if !told.is_empty() && store.wait(store.leases().holder(run.spec().run)).is_ok_and(|holder| holder.is_none()) {
            told.clear();
        }
        for frame in &told {
            let tail =
                self.tails.entry(frame.turn).or_insert_with(|| LiveFrame { text: String::new(), ..frame.clone() });
            tail.text.push_str(&frame.text);
            tail.tool.clone_from(&frame.tool);
            tail.text = text::tail(&tail.text, TAIL).to_owned();
        }
        told
    }

    /// What turns in flight said before, for a reader who comes now.
    pub(super) fn so_far(&self) -> impl Iterator<Item = &LiveFrame> {
        self.tails.values()
    }

    /// Nobody reads any more.
    pub(super) fn rest(&mut self) {
        *self = Self::default();
    }
}

/// As server-sent events. They have no id: whoever comes back does not ask for them.
pub(super) fn written<'f>(frames: impl Iterator<Item = &'f LiveFrame>) -> Bytes {
    let mut text = String::new();
    for frame in frames {
        let data = serde_json::to_string(frame).expect("a frame is plain JSON, and memory does not fail");
        writeln!(text, "event: {PREFIX}live\ndata: {data}\n").expect("writing to a string does not fail");
    }
    text.into()
}
