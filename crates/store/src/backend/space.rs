//! How much room things take, and how some of it is made free.

use std::collections::BTreeMap;
use std::time::SystemTime;
use tribunal_kernel::{Digest, RunId};

use super::StoreReply;

/// Room in a store that keeps things on this machine. Who asks for something to be removed has made sure that nothing
/// cites it; what is in use right now, the store itself does not let go.
pub trait Space: Send + Sync {
    /// What everything takes.
    fn usage(&self) -> StoreReply<'_, SpaceUsage>;

    /// Every blob there is.
    fn blobs(&self) -> StoreReply<'_, Vec<KeptBlob>>;

    /// Removes a run with all that belongs to it alone: its log, its views, its rows in lists. Gives how many bytes that
    /// was. Refused with [`Held`](crate::StoreError::Held) while somebody drives it.
    fn remove_run(&self, run: RunId) -> StoreReply<'_, u64>;

    /// Removes these blobs, but none that was put since `before`: whoever puts one is about to cite it. Gives what was
    /// removed.
    fn remove_blobs(&self, blobs: Vec<Digest>, before: SystemTime) -> StoreReply<'_, RemovedBlobs>;

    /// Notes that something outside relies on a run, such as a proof.
    fn keep_for<'a>(&'a self, run: RunId, why: &'a str) -> StoreReply<'a, ()>;

    /// What outside relies on a run, as it was noted last.
    fn kept_for(&self, run: RunId) -> StoreReply<'_, Option<String>>;
}

/// Bytes, by what they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpaceUsage {
    /// What every run has of its own: log, views, attachments.
    pub runs: BTreeMap<RunId, u64>,
    /// Where the agents of a run worked on files.
    pub trees: BTreeMap<RunId, u64>,
    pub blobs: u64,
    pub blob_count: u64,
    pub index: u64,
    /// What agents keep, and the rest.
    pub other: u64,
}

/// A blob that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptBlob {
    pub digest: Digest,
    pub bytes: u64,
    /// When it was put, or put again: to within an hour.
    pub put: SystemTime,
}

/// What became of blobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemovedBlobs {
    pub count: u64,
    pub bytes: u64,
}

impl SpaceUsage {
    /// All of it.
    pub fn total(&self) -> u64 {
        let of = |runs: &BTreeMap<RunId, u64>| runs.values().sum::<u64>();
        of(&self.runs) + of(&self.trees) + self.blobs + self.index + self.other
    }

    /// What a run takes for itself.
    pub fn of(&self, run: RunId) -> u64 {
        let own = |runs: &BTreeMap<RunId, u64>| runs.get(&run).copied().unwrap_or_default();
        own(&self.runs) + own(&self.trees)
    }
}
