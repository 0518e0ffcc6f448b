//! Whose turn it is: at most so many runs of a project at once, first come, first served, over all processes.

use std::fmt::Debug;

use super::StoreReply;

/// Where those wait who want to run.
pub trait Queue: Send + Sync {
    /// Draws the next ticket.
    fn draw(&self) -> StoreReply<'_, Box<dyn QueueTicket>>;
}

/// A place in the queue, until it is dropped or its process is gone.
pub trait QueueTicket: Debug + Send + Sync {
    /// How many are before us: those who run, and those who wait.
    fn ahead(&self) -> StoreReply<'_, usize>;

    /// Whether it is our turn when `limit` may run at once. One may always run.
    fn is_due(&self, limit: usize) -> StoreReply<'_, bool> {
        Box::pin(async move { Ok(self.ahead().await? < limit.max(1)) })
    }
}
