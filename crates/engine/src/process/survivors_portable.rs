//! Ending what a turn left behind, where there is neither a subreaper nor `/proc`: the process group, and no more.
//! A child that calls `setsid` survives here.

use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::time::{Instant, sleep_until};

use super::KILL_LIMIT;
use super::roster::{Entry, Ticket};

const PAUSE: Duration = Duration::from_millis(5);

pub(super) fn adopt_orphans() -> bool {
    false
}

pub(super) fn nobody_left() -> bool {
    false
}

/// Marks cannot be read on this system: ends nobody.
pub async fn reap_marked(key: &str, value: &str, grace: Duration) -> u32 {
    end_marked(format!("{key}={value}").into_bytes(), grace).await
}

#[expect(clippy::unused_async, reason = "the same signature everywhere")]
pub(super) async fn end_marked(_mark: Vec<u8>, _grace: Duration) -> u32 {
    0
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) leftovers: u32,
    pub(super) escaped: u32,
}

#[derive(Debug)]
pub(super) struct Survivors {
    ticket: Ticket,
    group: Pid,
}

impl Survivors {
    #[expect(clippy::needless_pass_by_value, reason = "the same signature everywhere")]
    pub(super) fn of_turn(ticket: Ticket, entry: Entry) -> Self {
        Self { ticket, group: entry.group }
    }

    pub(super) fn main_gone(&self) {
        self.ticket.main_gone();
    }

    #[expect(clippy::unused_self, reason = "the same signature everywhere")]
    pub(super) fn main_stays(&self) {}

    #[expect(clippy::unused_async, reason = "the same signature everywhere")]
    pub(super) async fn terminate(&mut self) {
        self.send(Signal::TERM);
        self.send(Signal::CONT);
    }

    pub(super) fn kill(&mut self) {
        self.send(Signal::KILL);
    }

    /// How many there are in a group cannot be seen: 1 stands for some.
    pub(super) async fn end(&mut self, deadline: Instant) -> Swept {
        if self.is_empty() {
            return Swept::default();
        }
        let limit = deadline.max(Instant::now()) + KILL_LIMIT;
        self.send(Signal::TERM);
        self.send(Signal::CONT);
        while !self.is_empty() {
            let now = Instant::now();
            if limit <= now {
                return Swept { leftovers: 1, escaped: 1 };
            }
            if deadline <= now {
                self.send(Signal::KILL);
            }
            sleep_until(now + PAUSE).await;
        }
        Swept { leftovers: 1, escaped: 0 }
    }

    fn is_empty(&self) -> bool {
        test_kill_process_group(self.group) == Err(Errno::SRCH)
    }

    fn send(&self, signal: Signal) {
        let _ = kill_process_group(self.group, signal);
    }
}
