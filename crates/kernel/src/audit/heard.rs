//! A panel that speaks in one stream, listened to again.

use std::collections::VecDeque;

use super::difference::difference;
use crate::Run;
use crate::heard::Utterance;
use crate::trial::Listener;

/// An answer that was passed on while it was given. Where it was cut into events does not matter, only what it says.
#[derive(Debug)]
pub(super) struct Relistened {
    listener: Box<dyn Listener>,
    ahead: VecDeque<Utterance>,
}

impl Relistened {
    pub(super) fn new(mut listener: Box<dyn Listener>, answer: &str) -> Self {
        listener.push(answer);
        listener.finish();
        Self { listener, ahead: VecDeque::new() }
    }

    /// Whether the answer says this next.
    pub(super) fn compare(&mut self, run: &Run, recorded: &[Utterance]) -> Result<(), String> {
        for utterance in recorded {
            self.listen(run);
            match self.ahead.pop_front() {
                Some(said) if said == *utterance => {}
                Some(said) => return Err(difference(utterance, &said)),
                None => return Err("the answer does not say that".to_owned()),
            }
        }
        Ok(())
    }

    /// What it says that nobody passed on.
    pub(super) fn rest(&mut self, run: &Run) -> Option<String> {
        self.listen(run);
        let left = self.ahead.len();
        (left > 0).then(|| format!("the answer says more than the log: {left} more utterances"))
    }

    fn listen(&mut self, run: &Run) {
        if self.ahead.is_empty()
            && let Some(hearing) = self.listener.next(run)
        {
            self.ahead.extend(hearing.utterances);
        }
    }
}
