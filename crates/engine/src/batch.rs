//! What is made durable together, with one wait for the disk.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tribunal_kernel::run::Impossible;
use tribunal_kernel::{Digest, Entry, Event, Run, Time};

/// Events that were applied in memory and are not believed yet, and the texts that they cite.
///
/// Everything that follows from an answer — its meaning, the decision, the next round, the next prompt — goes into one
/// batch: a turn waits once for the texts, which are written at the same time, and once for the log.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) texts: BTreeMap<Digest, Arc<str>>,
    pub(crate) events: Vec<(Time, Event)>,
}

impl Batch {
    /// Adds a text that an event of this batch cites.
    pub(crate) fn cite(&mut self, text: &Arc<str>) -> Digest {
        let digest = Digest::of(text.as_bytes());
        self.texts.insert(digest, Arc::clone(text));
        digest
    }

    /// A text that an event of this batch cites.
    pub(crate) fn text(&self, digest: Digest) -> Option<Arc<str>> {
        self.texts.get(&digest).cloned()
    }

    /// Adds an event and applies it to `run`. Whoever drops the batch must drop the run, too.
    pub(crate) fn record(&mut self, run: &mut Run, time: Time, event: Event) -> Result<(), Impossible> {
        let entry = Entry { seq: run.seq().next(), time, event };
        run.apply(&entry)?;
        self.events.push((time, entry.event));
        Ok(())
    }
}

/// Texts that are likely to be needed again: the next prompt quotes the last answer.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    kept: BTreeMap<Digest, Arc<str>>,
    order: VecDeque<Digest>,
    bytes: usize,
}

impl Texts {
    /// What is kept in memory for one run. Larger texts are read from the store again.
    const MAX_BYTES: usize = 1 << 20;

    pub(crate) fn get(&self, digest: Digest) -> Option<Arc<str>> {
        self.kept.get(&digest).cloned()
    }

    pub(crate) fn keep(&mut self, digest: Digest, text: &Arc<str>) {
        if text.len() > Self::MAX_BYTES || self.kept.contains_key(&digest) {
            return;
        }
        self.bytes += text.len();
        self.order.push_back(digest);
        self.kept.insert(digest, Arc::clone(text));
        while self.bytes > Self::MAX_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.kept.remove(&oldest).map_or(0, |text| text.len());
        }
    }
}
