//! Questions: what people are asked and what they answer. Waiting for a person holds nothing and outlives everything.

use tribunal_kernel::{RunId, Time, TurnId};

use super::StoreReply;

/// What people are asked, a question a turn.
pub trait Questions: Send + Sync {
    /// Asks a person, unless they were asked already. Since when they know, by the backend's own record: neither a
    /// restart nor a copy of the project gives anybody more time.
    fn ask<'a>(&'a self, run: RunId, turn: TurnId, prompt: &'a str) -> StoreReply<'a, Time>;

    /// Since when a person is asked, if they are.
    fn asked(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<Time>>;

    /// Gives the answer to a turn. The first one counts: whether this was it.
    fn answer<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, bool>;

    /// The answer to a turn, if it is there.
    fn find(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>>;

    /// Keeps a text that could not be accepted, for the next try.
    fn keep<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, ()>;

    /// The text that was kept for the next try. Nothing, once there is an answer.
    fn kept(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>>;
}
