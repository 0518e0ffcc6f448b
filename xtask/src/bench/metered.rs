//! A store that counts the time that others spend waiting for it.
//!
//! The engine's own time is what is left of a run when the time of its agents and of its store is taken away. Both
//! are measured in the run itself: two runs, one with and one without, would differ by more than the number wanted.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};
use tribunal_store::{Log, Opened, Store, StoreError};

/// A store and the time spent in it.
#[derive(Debug, Clone)]
pub(super) struct Metered<S> {
    inner: S,
    meter: Meter,
}

/// A log and the same meter.
#[derive(Debug)]
pub(super) struct MeteredLog<L> {
    inner: L,
    meter: Meter,
}

/// The time during which somebody waited. Several who wait at the same time count once: the run loses no more than that.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    count: u32,
    since: Option<Instant>,
    total: Duration,
}

impl Meter {
    /// What was spent since the last call. Nobody must be waiting.
    pub(super) fn take(&self) -> Duration {
        std::mem::take(&mut *self.lock()).total
    }

    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        {
            let mut waiting = self.lock();
            waiting.count += 1;
            waiting.since.get_or_insert_with(Instant::now);
        }
        let result = work.await;
        let mut waiting = self.lock();
        waiting.count -= 1;
        if waiting.count == 0
            && let Some(since) = waiting.since.take()
        {
            waiting.total += since.elapsed();
        }
        drop(waiting);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().expect("nobody panics while counting")
    }
}

impl<S> Metered<S> {
    pub(super) fn new(inner: S) -> (Self, Meter) {
        let meter = Meter::default();
        (Self { inner, meter: meter.clone() }, meter)
    }
}

impl<S: Store> Store for Metered<S> {
    type Log = MeteredLog<S::Log>;

    async fn create(&self, run: RunId) -> Result<Self::Log, StoreError> {
        let inner = self.meter.during(self.inner.create(run)).await?;
        Ok(MeteredLog { inner, meter: self.meter.clone() })
    }

    async fn open(&self, run: RunId) -> Result<Opened<Self::Log>, StoreError> {
        let Opened { log, entries, recovered } = self.meter.during(self.inner.open(run)).await?;
        Ok(Opened { log: MeteredLog { inner: log, meter: self.meter.clone() }, entries, recovered })
    }

    async fn read(&self, run: RunId) -> Result<Vec<Entry>, StoreError> {
        self.meter.during(self.inner.read(run)).await
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.meter.during(self.inner.runs()).await
    }

    async fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        self.meter.during(self.inner.put(bytes)).await
    }

    async fn get(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        self.meter.during(self.inner.get(digest)).await
    }
}

impl<L: Log> Log for MeteredLog<L> {
    fn seq(&self) -> Seq {
        self.inner.seq()
    }

    async fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        self.meter.during(self.inner.append(expected, events)).await
    }
}
