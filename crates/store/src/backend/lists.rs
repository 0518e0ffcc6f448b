//! Lists: which runs there are, and how they stand. Derived from the logs, and made again from them.

use std::sync::Arc;
use tribunal_kernel::{Run, RunId};

use super::StoreReply;
use crate::index::{ArtifactRow, FindingRow, ListedRun, RunFilter, SeatRow};

/// What can be asked of all runs at once. It is never asked what happened in a run: the log says that.
pub trait Lists: Send + Sync {
    /// Takes in how a run stands. What is older than what is known is ignored, so updates may arrive late.
    fn update(&self, run: Arc<Run>) -> StoreReply<'_, ()>;

    /// Makes the lists again from all runs there are, at once: others see the old ones or the new ones. Whatever could
    /// not be read before is thrown away.
    fn rebuild(&self, runs: Vec<Arc<Run>>) -> StoreReply<'_, ()>;

    /// Those of these runs that the lists do not know yet.
    fn unknown(&self, runs: Vec<RunId>) -> StoreReply<'_, Vec<RunId>>;

    /// The runs that `filter` admits, newest first.
    fn runs(&self, filter: RunFilter) -> StoreReply<'_, Vec<ListedRun>>;

    /// The findings of a run, in the order in which they were raised.
    fn findings(&self, run: RunId) -> StoreReply<'_, Vec<FindingRow>>;

    /// Who sits where in a run, and what it took.
    fn seats(&self, run: RunId) -> StoreReply<'_, Vec<SeatRow>>;

    /// What a theater made, if the run is one.
    fn artifact(&self, run: RunId) -> StoreReply<'_, Option<ArtifactRow>>;
}
