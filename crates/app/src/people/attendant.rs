//! What happens while a run waits for people: they are asked, where there is a terminal, or the run is left as it is.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::{Mutex, watch};
use tribunal_engine::Control;
use tribunal_engine::human::LOOK_EVERY;
use tribunal_kernel::{Run, TurnId};
use tribunal_store::Backend;

use super::{People, Question};
use crate::console::{Console, Prompter};
use crate::error::AppError;

/// How often in a row nothing must have happened before we leave.
const QUIET_LOOKS: u32 = 2;

/// Where people can be asked, one at a time.
#[derive(Debug)]
pub struct Terminal {
    pub prompter: Arc<dyn Prompter>,
    /// Whose turn it is.
    pub turn: Mutex<()>,
}

/// A run that waits for somebody, as it stands; nothing, while it does not.
pub type Waiting = Option<Arc<Run>>;

/// Attends to a run while it is driven.
#[derive(Debug)]
pub struct Attendant {
    pub people: People,
    pub store: Arc<dyn Backend>,
    pub console: Arc<dyn Console>,
    pub control: Control,
    pub waiting: watch::Receiver<Waiting>,
    /// Who asks people here. Without one nobody is asked.
    pub terminal: Option<Arc<Terminal>>,
    /// How many requests of other processes were passed on: none of them may be lost by leaving.
    pub orders: Arc<AtomicU32>,
}

impl Attendant {
    /// Asks those who can be asked here. Comes back when nothing happens before somebody answers elsewhere.
    pub async fn attend(&self) -> Result<(), AppError> {
        let mut declined = BTreeSet::new();
        let (mut quiet, mut orders) = (0, 0);
        while quiet < QUIET_LOOKS {
            tokio::time::sleep(LOOK_EVERY).await;
            let ordered = self.orders.load(Ordering::Relaxed);
            let is_busy = self.control.is_interrupted() || std::mem::replace(&mut orders, ordered) != ordered;
            let Some(run) = self.waiting.borrow().clone().filter(|_| !is_busy) else {
                quiet = 0;
                continue;
            };
            let open = self.people.open(&*self.store, &run).await?;
            let next = open.iter().map(|turn| turn.id).find(|turn| !declined.contains(turn));
            if let (Some(terminal), Some(turn)) = (&self.terminal, next) {
                if !self.ask(terminal, turn).await? {
                    declined.insert(turn);
                }
                quiet = 0;
                continue;
            }
            quiet = if self.people.keep_waiting(&*self.store, &run).await? { quiet + 1 } else { 0 };
        }
        Ok(())
    }

    /// Asks a person in the terminal. Whether they answered, or need not any more.
    async fn ask(&self, terminal: &Terminal, turn: TurnId) -> Result<bool, AppError> {
        let _turn = terminal.turn.lock().await;
        // Others may have been asked meanwhile.
        let Some(run) = self.waiting.borrow().clone() else { return Ok(true) };
        let open = self.people.open(&*self.store, &run).await?;
        let Some(turn) = open.into_iter().find(|open| open.id == turn) else { return Ok(true) };
        let question = Question::of(&self.store, &run, turn).await?;
        let answer = match terminal.prompter.ask(question.clone()).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(false),
            // An editor that does not start is no reason to stop whoever else is at work.
            Err(failure) => {
                self.console.say(&failure.to_string());
                return Ok(false);
            }
        };
        if !question.give(&answer).await? {
            self.console.say(&format!("{}: was answered already", question.title()));
        }
        Ok(true)
    }
}
