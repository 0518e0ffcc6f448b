//! A log that somebody else writes, followed without reading it again.

use std::fmt::Debug;
use tribunal_kernel::{Digest, Entry, Seq};

use super::{LogMark, StoreReply};

/// Follows one log. It misses nothing and gives nothing twice, whatever the writer does: crashes, torn tails and new
/// writers included.
pub trait Follow: Debug + Send + Sync {
    /// The last entry that was given, or behind which it began.
    fn seq(&self) -> Seq;

    /// How much of the log has been followed.
    fn mark(&self) -> LogMark;

    /// Gives nothing behind this mark, until another bound is set; `None`: gives all there is.
    fn bound(&mut self, end: Option<LogMark>);

    /// The entries that are new, `max` at most; empty when there are none now. What is being written is left for the
    /// next time. Asking when there is nothing is cheap, so that one task can follow thousands of logs. Whoever drops
    /// the future half-way gets the same entries the next time.
    fn next(&mut self, max: usize) -> StoreReply<'_, Vec<Entry>>;

    /// The hashes of the lines whose entries were given last, in the same order.
    fn hashes(&self) -> Vec<Digest>;
}
