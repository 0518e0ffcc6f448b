//! The interface of a backend: logs and blobs, for reading and for one writer per run.
//!
//! Every backend passes [`crate::conformance`].

use std::future::Future;
use std::sync::Arc;
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};

use crate::StoreError;

/// A backend.
pub trait Store: Send + Sync + 'static {
    type Log: Log;

    /// A new, empty log, locked for writing.
    fn create(&self, run: RunId) -> impl Future<Output = Result<Self::Log, StoreError>> + Send;

    /// An existing log, locked for writing, and all that is in it. A torn tail is cut off and reported.
    fn open(&self, run: RunId) -> impl Future<Output = Result<Opened<Self::Log>, StoreError>> + Send;

    /// All that is in a log. Takes no lock and never writes, so it may be called while another process writes:
    /// a tail that is torn, or being written, is left out.
    fn read(&self, run: RunId) -> impl Future<Output = Result<Vec<Entry>, StoreError>> + Send;

    /// Every run there is, oldest first.
    fn runs(&self) -> impl Future<Output = Result<Vec<RunId>, StoreError>> + Send;

    /// Stores a blob; durable when it returns. Storing the same bytes again changes nothing.
    fn put(&self, bytes: &[u8]) -> impl Future<Output = Result<Digest, StoreError>> + Send;

    /// A blob's bytes, verified against their digest.
    fn get(&self, digest: Digest) -> impl Future<Output = Result<Vec<u8>, StoreError>> + Send;
}

/// The write end of one run's log. Whoever has it is the only writer; dropping it lets the next one in.
pub trait Log: Send + 'static {
    /// The number of the last event that is known to be durable; 0 for an empty log.
    fn seq(&self) -> Seq;

    /// Appends `events` after event `expected`, which must be the last one: otherwise
    /// [`StoreError::Conflict`], and nothing is written.
    ///
    /// All of them are durable when it returns `Ok`. After any other error, and after its future was dropped
    /// half-way, any number of them may be in the log, in order: the handle refuses to append more
    /// ([`StoreError::Poisoned`]), and the caller opens the log again to see what is true.
    fn append(
        &mut self,
        expected: Seq,
        events: Vec<(Time, Event)>,
    ) -> impl Future<Output = Result<Vec<Entry>, StoreError>> + Send;
}

/// A log that was opened for writing.
#[derive(Debug)]
pub struct Opened<L> {
    pub log: L,
    pub entries: Vec<Entry>,
    /// What was cut off the end.
    pub recovered: Option<Torn>,
}

/// The remains of an append that a crash interrupted. Nobody was told that it succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    pub bytes: u64,
}

impl<S: Store> Store for Arc<S> {
    type Log = S::Log;

    fn create(&self, run: RunId) -> impl Future<Output = Result<Self::Log, StoreError>> + Send {
        S::create(self, run)
    }

    fn open(&self, run: RunId) -> impl Future<Output = Result<Opened<Self::Log>, StoreError>> + Send {
        S::open(self, run)
    }

    fn read(&self, run: RunId) -> impl Future<Output = Result<Vec<Entry>, StoreError>> + Send {
        S::read(self, run)
    }

    fn runs(&self) -> impl Future<Output = Result<Vec<RunId>, StoreError>> + Send {
        S::runs(self)
    }

    fn put(&self, bytes: &[u8]) -> impl Future<Output = Result<Digest, StoreError>> + Send {
        S::put(self, bytes)
    }

    fn get(&self, digest: Digest) -> impl Future<Output = Result<Vec<u8>, StoreError>> + Send {
        S::get(self, digest)
    }
}
