//! Views that follow the log.

use std::future::Future;
use std::pin::Pin;
use tribunal_agents::Activity;
use tribunal_kernel::{Entry, Run, TurnId};

/// Something derived from the log: files, an index, a screen. It is told what became durable and can be rebuilt from
/// the log at any time, so its failure is a warning that it keeps for itself, and never the run's.
pub trait Projection: Send {
    /// The run as it is found. Whoever drove it last may not have come to telling its views.
    fn catch_up<'a>(&'a mut self, _run: &'a Run) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::ready(()))
    }

    /// `entries` are durable and `run` is the state after them. Called while turns are already under way.
    fn follow<'a>(&'a mut self, run: &'a Run, entries: &'a [Entry]) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// Something that a turn in flight does. Not durable, not decided on.
    fn glimpse(&mut self, _run: &Run, _turn: TurnId, _activity: &Activity) {}
}

/// No view at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoView;

impl Projection for NoView {
    fn follow<'a>(&'a mut self, _run: &'a Run, _entries: &'a [Entry]) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::ready(()))
    }
}
