//! Live text: what turns in flight say and do, for whoever looks on now.

use std::fmt::Debug;
use tribunal_kernel::RunId;
use tribunal_kernel::watch::LiveFrame;

use super::StoreReply;

/// What turns do before they end. It is not kept: nobody relies on it, and what nobody hears in time is gone.
pub trait Live: Send + Sync {
    /// Tells whoever listens.
    fn tell(&self, run: RunId, frames: Vec<LiveFrame>) -> StoreReply<'_, ()>;

    /// Nothing more is told: nobody drives the run any more, or somebody else begins to.
    fn end(&self, run: RunId) -> StoreReply<'_, ()>;

    /// Hears what is told from now on, and perhaps what was told a moment ago.
    fn listen(&self, run: RunId) -> StoreReply<'_, Box<dyn LiveListener>>;
}

/// Somebody who listens to a run.
pub trait LiveListener: Debug + Send + Sync {
    /// What was told since, in order; much of it may be lost. Asking when there is nothing is cheap.
    fn next(&mut self) -> StoreReply<'_, Vec<LiveFrame>>;
}
