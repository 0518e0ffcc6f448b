//! Entries: events with their place and time, as a log holds them.

use serde::{Deserialize, Serialize};

use crate::{Event, Seq, Time};

/// An event in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub seq: Seq,
    pub time: Time,
    pub event: Event,
}

/// Folding takes entries as they are, or copies them.
impl From<&Entry> for Entry {
    fn from(entry: &Entry) -> Self {
        entry.clone()
    }
}
