//! What happens while a run waits for people: they are asked, where there is a terminal, or the run is left as it is.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::{Mutex, watch};
use tribunal_engine::Control;
use tribunal_engine::human::LOOK_EVERY;
use tribunal_kernel::{Run, TurnId};
use tribunal_store::Layout;

use super::{People, Question, ask};
use crate::failure::Failure;
use crate::progress::Screen;

/// How often in a row nothing must have happened before we leave.
const QUIET_LOOKS: u32 = 2;

/// A run that waits for somebody, as it stands; nothing, while it does not.
pub(crate) type Waiting = Option<Arc<Run>>;

/// Keeps a run company.
#[derive(Debug)]
pub(crate) struct Company {
    pub(crate) people: People,
    pub(crate) layout: Layout,
    pub(crate) screen: Screen,
    pub(crate) control: Control,
    pub(crate) waiting: watch::Receiver<Waiting>,
    /// Whose turn it is to use the terminal. Without one nobody is asked.
    pub(crate) terminal: Option<Arc<Mutex<()>>>,
    /// How many requests of other processes were passed on: none of them may be lost by leaving.
    pub(crate) orders: Arc<AtomicU32>,
}

impl Company {
    /// Asks those who can be asked here. Comes back when nothing happens before somebody answers elsewhere.
    pub(crate) async fn keep(&self) -> Result<(), Failure> {
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
            let open = self.people.open(&self.layout, &run)?;
            let next = open.iter().map(|turn| turn.id).find(|turn| !declined.contains(turn));
            if let (Some(terminal), Some(turn)) = (&self.terminal, next) {
                if !self.ask(terminal, turn).await? {
                    declined.insert(turn);
                }
                quiet = 0;
                continue;
            }
            quiet = if self.people.keep_waiting(&self.layout, &run)? { quiet + 1 } else { 0 };
        }
        Ok(())
    }

    /// Asks a person in the terminal. Whether they answered, or need not any more.
    async fn ask(&self, terminal: &Mutex<()>, turn: TurnId) -> Result<bool, Failure> {
        let _turn = terminal.lock().await;
        // Others may have been asked meanwhile.
        let Some(run) = self.waiting.borrow().clone() else { return Ok(true) };
        let open = self.people.open(&self.layout, &run)?;
        let Some(turn) = open.into_iter().find(|open| open.id == turn) else { return Ok(true) };
        let question = Question::of(&self.layout, &run, turn)?;
        let held = self.screen.hold();
        let answer = ask::at_terminal(question.clone()).await;
        drop(held);
        let answer = match answer {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(false),
            // An editor that does not start is no reason to stop whoever else is at work.
            Err(failure) => {
                self.screen.say(&failure.to_string());
                return Ok(false);
            }
        };
        if !question.give(&answer)? {
            self.screen.say(&format!("{}: somebody had answered already", question.title()));
        }
        Ok(true)
    }
}
