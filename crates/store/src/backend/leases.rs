//! Leases: who drives a run.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Debug};
use tribunal_kernel::{RunId, Time};

use super::StoreReply;

/// Who may write to which run.
pub trait Leases: Send + Sync {
    /// Takes the lease of a run. Refused with [`Held`](crate::StoreError::Held) while somebody else has it.
    fn take(&self, run: RunId) -> StoreReply<'_, Lease>;

    /// Takes the lease from whoever has it: for holders that nobody can reach any more. What they append from now on is
    /// refused.
    fn seize(&self, run: RunId) -> StoreReply<'_, Lease>;

    /// Who has the lease now, if anybody has.
    fn holder(&self, run: RunId) -> StoreReply<'_, Option<Holder>>;

    /// The right to open runs: waits for whoever has it. Who looks whether there is a run already, and makes one if there
    /// is none, does both under it: of two who start the same thing at once, one finds the run of the other.
    fn opening(&self) -> StoreReply<'_, OpeningRight>;
}

/// The right to open runs in a project, until it is dropped.
#[derive(Debug)]
pub struct OpeningRight {
    _guard: Box<dyn Guard>,
}

impl OpeningRight {
    /// A right that is given back by dropping `guard`.
    pub fn new(guard: impl Debug + Send + Sync + 'static) -> Self {
        Self { _guard: Box::new(guard) }
    }
}

/// The right to write to a run, until it is dropped or somebody seizes it.
#[derive(Debug)]
pub struct Lease {
    pub run: RunId,
    pub token: FencingToken,
    /// Whatever gives the lease back when it is dropped.
    pub(crate) _guard: Box<dyn Guard>,
}

/// What [`Lease::new`] can keep.
pub(crate) trait Guard: Debug + Send + Sync {}
impl<T: Debug + Send + Sync> Guard for T {}

impl Lease {
    /// A lease that is given back by dropping `guard`.
    pub fn new(run: RunId, token: FencingToken, guard: impl Debug + Send + Sync + 'static) -> Self {
        Self { run, token, _guard: Box::new(guard) }
    }
}

/// Grows with every lease of a run. Every append carries its writer's, and one that is out of date is refused: a writer
/// that was asleep while others went on cannot do harm when it wakes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FencingToken(pub u64);

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Who holds a lease, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub since: Time,
    /// What it is doing: `tribunal run`, …
    pub what: String,
}
