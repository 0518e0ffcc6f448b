//! Where a seat works on files: prepared before its turn, looked at after it.

use std::fmt::Debug;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use tribunal_agents::{AgentError, Answer, TurnRequest};
use tribunal_kernel::Digest;

use crate::sandbox::{Confinement, Sandbox};
use crate::tree::Checkout;

/// What is on its way.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, AgentError>> + Send + 'a>>;

/// A place for a seat that works on files and speaks through them.
pub trait Workplace: Debug + Send + Sync {
    /// The answer of a turn whose work was done when an earlier leader was killed, where the work itself says so: nobody
    /// is paid twice. By default the turn is taken again.
    fn taken_up<'a>(&'a self, _request: &'a TurnRequest) -> Doing<'a, Option<Answer>> {
        Box::pin(async { Ok(None) })
    }

    /// Makes the place ready.
    fn prepare<'a>(&'a self, request: &'a TurnRequest) -> Doing<'a, PreparedPlace>;

    /// What the turn comes to, once the agent has gone; the agent's own answer is what it printed.
    fn finish<'a>(&'a self, request: &'a TurnRequest, place: PreparedPlace, printed: Printed) -> Doing<'a, Answer>;
}

/// A place that is ready.
#[derive(Debug)]
pub struct PreparedPlace {
    /// The folder that the agent starts in.
    pub cwd: PathBuf,
    /// What it finds in its environment, besides what it always does.
    pub env: Vec<(String, String)>,
    pub sandbox: Sandbox,
    pub confinement: Confinement,
    /// For who must not change anything: a checkout that ends with the turn.
    pub sealed: Option<SealedCheckout>,
}

/// A checkout, and what it was like before anybody could write to it.
#[derive(Debug)]
pub struct SealedCheckout {
    pub checkout: Checkout,
    pub before: Digest,
}

/// What an agent printed.
#[derive(Debug, Clone, Default)]
pub struct Printed {
    pub answer: Answer,
    pub stderr_tail: String,
}
