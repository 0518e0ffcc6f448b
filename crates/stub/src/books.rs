//! What the server remembers: calls, sums, caches.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard};

use crate::asked::Asked;
use crate::cache::Cache;
use crate::call::{CallRecord, TokenCounts, Totals, Wire};

/// Shared by all connections.
#[derive(Debug, Default)]
pub(crate) struct Books(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    calls: VecDeque<CallRecord>,
    totals: Totals,
    cache: Cache,
    log: Option<File>,
}

impl Books {
    /// Writes every call to `log`, too, one line each.
    pub(crate) fn new(log: Option<File>) -> Self {
        Self(Mutex::new(Inner { log, ..Inner::default() }))
    }

    /// The number of the next call.
    pub(crate) fn number(&self) -> u64 {
        let mut inner = self.lock();
        inner.last += 1;
        inner.last
    }

    /// The tokens of a prompt that a model reads now, and that is in the cache from now on.
    pub(crate) fn read_by_model(&self, wire: Wire, key: &str, asked: &Asked) -> TokenCounts {
        let owner = [wire.as_str(), key, asked.model.as_str()];
        let cache = &mut self.lock().cache;
        let tokens = cache.count(wire.caching(), &owner, &asked.blocks);
        cache.remember(wire.caching(), &owner, &asked.blocks);
        tokens
    }

    /// Remembers a call. Of more than `limit` the oldest are forgotten.
    pub(crate) fn add(&self, record: CallRecord, limit: usize) {
        let mut inner = self.lock();
        inner.totals.add(&record);
        if let Some(log) = &mut inner.log {
            let line = serde_json::to_string(&record).expect("a record is plain JSON") + "\n";
            // A log that cannot be written must not change what clients see.
            let _ = log.write_all(line.as_bytes());
        }
        inner.calls.push_back(record);
        if limit < inner.calls.len() {
            inner.calls.pop_front();
        }
    }

    pub(crate) fn calls(&self) -> Vec<CallRecord> {
        self.lock().calls.iter().cloned().collect()
    }

    pub(crate) fn totals(&self) -> Totals {
        self.lock().totals
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("nobody panics while keeping books")
    }
}
