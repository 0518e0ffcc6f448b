//! A store that counts the time that others spend waiting for it.
//!
//! The engine's own time is what is left of a run when the time of its agents and of its store is taken away. Both
//! are measured in the run itself: two runs, one with and one without, would differ by more than the number wanted.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tribunal_kernel::{Digest, Entry, Event, ProjectId, RunId, Seq, Time};
use tribunal_store::backend::{
    Accounts, Backend, Blobs, FencingToken, Follow, GradeBook, Lease, Leases, Lists, Live, LogHead, LogMark, LogWriter,
    Logs, OpenedLog, Questions, Queue, Requests, Scratch, Servers, StopBook, StoreReply, VoteLinks,
};

/// A backend and the time spent in its logs and blobs; the engine waits for nothing else.
#[derive(Debug, Clone)]
pub(super) struct Metered {
    inner: Arc<dyn Backend>,
    meter: Meter,
}

/// A log and the same meter.
#[derive(Debug)]
struct MeteredLog {
    inner: Box<dyn LogWriter>,
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

impl Metered {
    pub(super) fn new(inner: impl Backend) -> (Self, Meter) {
        let meter = Meter::default();
        (Self { inner: Arc::new(inner), meter: meter.clone() }, meter)
    }

    fn log(&self, inner: Box<dyn LogWriter>) -> Box<dyn LogWriter> {
        Box::new(MeteredLog { inner, meter: self.meter.clone() })
    }
}

impl Backend for Metered {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn logs(&self) -> &dyn Logs {
        self
    }

    fn leases(&self) -> &dyn Leases {
        self.inner.leases()
    }

    fn requests(&self) -> &dyn Requests {
        self.inner.requests()
    }

    fn questions(&self) -> &dyn Questions {
        self.inner.questions()
    }

    fn votes(&self) -> &dyn VoteLinks {
        self.inner.votes()
    }

    fn accounts(&self) -> &dyn Accounts {
        self.inner.accounts()
    }

    fn blobs(&self) -> &dyn Blobs {
        self
    }

    fn queue(&self) -> &dyn Queue {
        self.inner.queue()
    }

    fn lists(&self) -> &dyn Lists {
        self.inner.lists()
    }

    fn live(&self) -> &dyn Live {
        self.inner.live()
    }

    fn grades(&self) -> &dyn GradeBook {
        self.inner.grades()
    }

    fn stops(&self) -> &dyn StopBook {
        self.inner.stops()
    }

    fn servers(&self) -> &dyn Servers {
        self.inner.servers()
    }

    fn scratch(&self) -> &dyn Scratch {
        self.inner.scratch()
    }

    fn project(&self) -> StoreReply<'_, ProjectId> {
        self.inner.project()
    }
}

impl Logs for Metered {
    fn create(&self, run: RunId) -> StoreReply<'_, Box<dyn LogWriter>> {
        Box::pin(async move { Ok(self.log(self.meter.during(self.inner.logs().create(run)).await?)) })
    }

    fn open(&self, lease: Lease) -> StoreReply<'_, OpenedLog> {
        Box::pin(async move {
            let opened = self.meter.during(self.inner.logs().open(lease)).await?;
            Ok(OpenedLog { log: self.log(opened.log), ..opened })
        })
    }

    fn read(&self, run: RunId) -> StoreReply<'_, Vec<Entry>> {
        Box::pin(self.meter.during(self.inner.logs().read(run)))
    }

    fn first(&self, run: RunId) -> StoreReply<'_, Option<Entry>> {
        Box::pin(self.meter.during(self.inner.logs().first(run)))
    }

    fn bytes(&self, run: RunId) -> StoreReply<'_, Vec<u8>> {
        Box::pin(self.meter.during(self.inner.logs().bytes(run)))
    }

    fn runs(&self) -> StoreReply<'_, Vec<RunId>> {
        Box::pin(self.meter.during(self.inner.logs().runs()))
    }

    fn follow(&self, run: RunId, after: Seq) -> StoreReply<'_, Box<dyn Follow>> {
        self.inner.logs().follow(run, after)
    }

    fn heads(&self) -> StoreReply<'_, Vec<(RunId, LogHead)>> {
        Box::pin(self.meter.during(self.inner.logs().heads()))
    }

    fn head(&self, run: RunId) -> StoreReply<'_, Option<LogMark>> {
        Box::pin(self.meter.during(self.inner.logs().head(run)))
    }
}

impl Blobs for Metered {
    fn put<'a>(&'a self, bytes: &'a [u8]) -> StoreReply<'a, Digest> {
        Box::pin(self.meter.during(self.inner.blobs().put(bytes)))
    }

    fn get(&self, digest: Digest) -> StoreReply<'_, Vec<u8>> {
        Box::pin(self.meter.during(self.inner.blobs().get(digest)))
    }
}

impl LogWriter for MeteredLog {
    fn seq(&self) -> Seq {
        self.inner.seq()
    }

    fn token(&self) -> FencingToken {
        self.inner.token()
    }

    fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> StoreReply<'_, Vec<Entry>> {
        Box::pin(self.meter.during(self.inner.append(expected, events)))
    }
}
