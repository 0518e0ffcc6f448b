//! Logs: one a run, appended to by whoever holds its lease.

use std::fmt::Debug;
use tribunal_kernel::{Entry, Event, RunId, Seq, Time};

use super::{FencingToken, Follow, Lease, StoreReply};
use crate::log::sealed::{self, LogTip};

/// The logs of all runs.
pub trait Logs: Send + Sync {
    /// A new, empty log, and its lease.
    fn create(&self, run: RunId) -> StoreReply<'_, Box<dyn LogWriter>>;

    /// An existing log, open for writing under this lease, and all that is in it. A torn tail is cut off and reported.
    fn open(&self, lease: Lease) -> StoreReply<'_, OpenedLog>;

    /// All that is in a log. Takes no lease and never writes, so it may be called while another process writes:
    /// a tail that is torn, or being written, is left out.
    fn read(&self, run: RunId) -> StoreReply<'_, Vec<Entry>>;

    /// The event that opened a run; `None` when its log is empty. Reads no more than that, so that many runs can be
    /// listed.
    fn first(&self, run: RunId) -> StoreReply<'_, Option<Entry>>;

    /// A run's log in the form that auditors check, byte for byte.
    fn bytes(&self, run: RunId) -> StoreReply<'_, Vec<u8>>;

    /// Every run there is, oldest first.
    fn runs(&self) -> StoreReply<'_, Vec<RunId>>;

    /// Every run there may be, in no order: one whose log is just being made is among them. Cheap, for those who look
    /// for new runs again and again.
    fn names(&self) -> StoreReply<'_, Vec<RunId>> {
        self.runs()
    }

    /// Another number than before when a run came or went, as far as the backend can tell without looking for them.
    fn census(&self) -> StoreReply<'_, Option<u64>> {
        Box::pin(async { Ok(None) })
    }

    /// Follows a log: gives everything behind event `after`, now and later. The log need not be there yet, nor be as
    /// long as that.
    fn follow(&self, run: RunId, after: Seq) -> StoreReply<'_, Box<dyn Follow>>;

    /// How far every log goes, oldest run first. Cheap: nothing is read. What has another mark than before has grown.
    fn heads(&self) -> StoreReply<'_, Vec<(RunId, LogHead)>>;

    /// Where a log ends, with the hash that vouches for all of it; `None` when it is empty. What comes before is not checked.
    fn tip(&self, run: RunId) -> StoreReply<'_, Option<LogTip>> {
        Box::pin(async move { Ok(sealed::tip_of(&self.bytes(run).await?)) })
    }

    /// How far one log goes, if there is one.
    fn head(&self, run: RunId) -> StoreReply<'_, Option<LogMark>>;
}

/// The write end of one run's log. It holds the run's lease; dropping it lets the next one in.
pub trait LogWriter: Debug + Send + Sync {
    /// The number of the last event that is known to be durable; 0 for an empty log.
    fn seq(&self) -> Seq;

    /// What every append carries.
    fn token(&self) -> FencingToken;

    /// Appends `events` after event `expected`, which must be the last one: otherwise [`Conflict`], and nothing is
    /// written. Nothing is written either when somebody else has taken the lease meanwhile: [`Fenced`].
    ///
    /// All of them are durable when it returns `Ok`. After any other error, and after its future was dropped
    /// half-way, any number of them may be in the log, in order: the writer refuses to append more ([`Poisoned`]), and
    /// the caller opens the log again to see what is true.
    ///
    /// [`Conflict`]: crate::StoreError::Conflict
    /// [`Fenced`]: crate::StoreError::Fenced
    /// [`Poisoned`]: crate::StoreError::Poisoned
    fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> StoreReply<'_, Vec<Entry>>;
}

/// A log that was opened for writing.
#[derive(Debug)]
pub struct OpenedLog {
    pub log: Box<dyn LogWriter>,
    pub entries: Vec<Entry>,
    /// What was cut off the end.
    pub recovered: Option<Torn>,
}

/// The remains of an append that a crash interrupted. Nobody was told that it succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    pub bytes: u64,
}

/// Where a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogHead {
    pub mark: LogMark,
    /// When it was last appended to, by the backend's clock: nothing in it was written later.
    pub changed: Time,
}

/// How far a log goes, in the backend's own measure: bytes, entries, places in a stream. It grows with the log and says
/// nothing else; what lies behind it is newer than what lies before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LogMark(pub u64);
