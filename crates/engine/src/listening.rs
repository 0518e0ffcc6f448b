//! Who follows the turns that speak for several seats, and what of them was not heard yet.

use std::collections::{BTreeMap, BTreeSet};
use tribunal_kernel::trial::{Hearing, Listener};
use tribunal_kernel::{Run, TurnId};

use crate::turn::TurnEnding;

/// The turns that are listened to.
#[derive(Debug, Default)]
pub(crate) struct Listening {
    listeners: BTreeMap<TurnId, Box<dyn Listener>>,
    /// Those that have said something already.
    speaking: BTreeSet<TurnId>,
    /// Those that have ended and were not heard in full yet.
    endings: BTreeMap<TurnId, TurnEnding>,
}

impl Listening {
    /// A turn is begun, and somebody listens to it.
    pub(crate) fn begin(&mut self, turn: TurnId, listener: Box<dyn Listener>) {
        self.listeners.insert(turn, listener);
    }

    /// A piece of an answer.
    pub(crate) fn hear(&mut self, turn: TurnId, text: &str) {
        if let Some(listener) = self.listeners.get_mut(&turn) {
            self.speaking.insert(turn);
            listener.push(text);
        }
    }

    /// A turn has ended. Its ending comes back if nobody listens to it; otherwise when all of it was heard.
    pub(crate) fn end(&mut self, turn: TurnId, ending: TurnEnding) -> Option<TurnEnding> {
        let Some(listener) = self.listeners.get_mut(&turn) else { return Some(ending) };
        // What a turn that failed did not finish is not held against the form of its answer.
        if let Ok(answer) = &ending.result {
            // Some agents answer all at once.
            if !self.speaking.remove(&turn) {
                listener.push(&answer.text);
            }
            listener.finish();
        }
        self.endings.insert(turn, ending);
        None
    }

    /// Whether this turn's end is known and was not heard in full yet.
    pub(crate) fn has_ended(&self, turn: TurnId) -> bool {
        self.endings.contains_key(&turn)
    }

    /// What was said next, as far as the run can take it.
    pub(crate) fn next(&mut self, run: &Run) -> Option<(TurnId, Hearing)> {
        self.listeners.iter_mut().find_map(|(turn, listener)| Some((*turn, listener.next(run)?)))
    }

    /// A turn that has ended and was heard in full; or, if nobody waits for the rest, any that has ended.
    pub(crate) fn take_ended(&mut self, in_full: bool) -> Option<(TurnId, TurnEnding)> {
        let is_drained = |turn: &TurnId| self.listeners.get(turn).is_none_or(|listener| listener.is_drained());
        let turn = *self.endings.keys().find(|turn| !in_full || is_drained(turn))?;
        self.listeners.remove(&turn);
        Some((turn, self.endings.remove(&turn)?))
    }
}
