//! Requests to a run that another process drives. The driver alone may write to the log, so others ask it.

use serde::{Deserialize, Serialize};
use tribunal_anchors::Anchor;
use tribunal_kernel::{Event, RunId};

use super::StoreReply;

/// What others ask of runs.
pub trait Requests: Send + Sync {
    /// Leaves a request for whoever drives `run`, now or later.
    fn put(&self, run: RunId, request: RunRequest) -> StoreReply<'_, ()>;

    /// Takes what is asked of `run`, in the order in which it was asked: every request is given to one caller, once.
    /// There may be more: whoever gets some asks again.
    fn take(&self, run: RunId) -> StoreReply<'_, TakenRequests>;
}

/// What can be asked of a running run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunRequest {
    /// Stop now.
    Interrupt { by: String },
    /// Do it like this.
    Steer { by: String, text: String },
    /// Judge by this from now on.
    Reanchor { by: String, anchor: Box<Anchor> },
}

impl RunRequest {
    /// As the log has it.
    pub fn event(self) -> Event {
        match self {
            Self::Interrupt { by } => Event::InterruptRequested { by },
            Self::Steer { by, text } => Event::DirectiveGiven { by, text },
            Self::Reanchor { by, anchor } => Event::Reanchored { by, anchor },
        }
    }
}

/// What was asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TakenRequests {
    /// In the order in which they were put there.
    pub requests: Vec<RunRequest>,
    /// What was left there and is no request. It is gone.
    pub refused: Vec<RefusedRequest>,
}

/// Something that was no request, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct RefusedRequest {
    pub place: String,
    pub why: String,
}
