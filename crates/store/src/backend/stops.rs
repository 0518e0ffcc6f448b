//! What became of agents that said they were done.

use tribunal_kernel::judge::Stops;

use super::StoreReply;

/// The stops of a project's agents.
pub trait StopBook: Send + Sync {
    /// All that is recorded. A record that cannot be read is an error, because it may hold who was let through.
    fn read(&self) -> StoreReply<'_, Stops>;

    /// Changes the record, in one step. `change` may be called again, with a newer record, if somebody else was faster.
    fn change<'a>(&'a self, change: Box<dyn FnMut(&mut Stops) + Send + 'a>) -> StoreReply<'a, ()>;

    /// Puts a record that cannot be read beside, so that a new one can begin: nothing of it is lost. Says where it is now;
    /// nothing where the record can be read.
    fn set_aside(&self) -> StoreReply<'_, Option<String>>;
}
