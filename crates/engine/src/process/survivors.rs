//! Finding and ending what a turn left behind (Linux; see `survivors_portable` for the rest).

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::KILL_LIMIT;
use super::belonging::Target;
use super::roster::{self, Entry, Ticket};
use super::supervise::after;
use super::table::{Proc, Table};

/// Looking around before the first TERM may not hold it up for longer than this.
const LOOK_LIMIT: Duration = Duration::from_secs(1);
/// Between two looks at processes that were told to go: short at first, because most go at once.
const PAUSE: Duration = Duration::from_millis(1);
const PAUSE_LIMIT: Duration = Duration::from_millis(20);
/// Looks in a row after which nobody was left, but which may have missed somebody. More than a few happen only when
/// something else on the machine comes and goes all the time.
const DOUBT_LIMIT: u32 = 20;

/// Makes Tribunal the parent of all orphans below it, once. `false` where the kernel refuses: then orphans go to init
/// and are found by their mark only.
pub(super) fn adopt_orphans() -> bool {
    static DONE: OnceLock<bool> = OnceLock::new();
    *DONE.get_or_init(|| rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok())
}

/// The cheap test: if we have no children at all, then, since orphans come to us, nothing is left of any turn.
pub(super) fn nobody_left() -> bool {
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    adopt_orphans() && rustix::process::waitid(WaitId::All, peek).is_err_and(|error| error == Errno::CHILD)
}

/// Ends every process of this user that carries `key=value` in its environment, and everything below it, except
/// ourselves and our ancestors: what a Tribunal that was killed left behind. Gives the number of processes ended.
pub async fn reap_marked(key: &str, value: &str, grace: Duration) -> u32 {
    if key.is_empty() { 0 } else { end_marked(format!("{key}={value}").into_bytes(), grace).await }
}

pub(super) async fn end_marked(mark: Vec<u8>, grace: Duration) -> u32 {
    let mut survivors = Survivors::new(Target::Marked(mark));
    let swept = survivors.end(after(Instant::now(), grace)).await;
    swept.leftovers.saturating_sub(swept.escaped)
}

/// What [`Survivors::end`] found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) leftovers: u32,
    pub(super) escaped: u32,
}

/// The processes of one turn (or of one mark), followed from the first signal to the last reaping.
#[derive(Debug)]
pub(super) struct Survivors {
    target: Arc<Target>,
    followed: HashMap<Pid, Followed>,
}

/// What one look around saw.
#[derive(Debug)]
struct Sight {
    found: usize,
    /// Not when somebody was gone before it could be judged or followed: it may have forked after the reading.
    is_complete: bool,
}

#[derive(Debug)]
struct Followed {
    proc: Proc,
    /// Names this process and no later one of the same number. Without (an old kernel) the start time has to do.
    handle: Option<OwnedFd>,
    told: bool,
}

impl Survivors {
    pub(super) fn of_turn(ticket: Ticket, entry: Entry) -> Self {
        Self::new(Target::Turn { ticket, entry })
    }

    fn new(target: Target) -> Self {
        Self { target: Arc::new(target), followed: HashMap::new() }
    }

    /// To be called when the main process was reaped, before [`Self::end`].
    pub(super) fn main_gone(&self) {
        if let Target::Turn { ticket, .. } = &*self.target {
            ticket.main_gone();
        }
    }

    /// Keeps the main process's pid reserved for whoever will reap it, since it outlived KILL.
    pub(super) fn main_stays(&self) {
        std::mem::forget(Arc::clone(&self.target));
    }

    /// Asks the turn to end. Only while the main process is not reaped. Looks around first: as long as the main
    /// process lives, everything below it is provably its own, whatever it did to its group and environment.
    pub(super) async fn terminate(&mut self) {
        // Failing to look is no reason not to ask; `end` will look again.
        let _ = timeout_at(Instant::now() + LOOK_LIMIT, self.look(true)).await;
        let Target::Turn { entry, .. } = &*self.target else { return };
        signal_main(entry.group, Signal::TERM);
        for followed in self.followed.values_mut() {
            if followed.proc.group != Some(entry.group) {
                followed.send(Signal::TERM);
            }
            followed.told = true;
        }
    }

    /// Ends the main process and its group at once. Only while the main process is not reaped.
    pub(super) fn kill(&mut self) {
        if let Target::Turn { entry, .. } = &*self.target {
            signal_main(entry.group, Signal::KILL);
        }
        self.press(true);
    }

    /// Ends and reaps everything that is left: TERM until `deadline`, then KILL, until a look around finds nobody.
    pub(super) async fn end(&mut self, deadline: Instant) -> Swept {
        let limit = deadline.max(Instant::now()) + KILL_LIMIT;
        self.settle();
        let mut leftovers = self.followed.len();
        let mut doubts = 0;
        loop {
            let sight = match timeout_at(limit, self.look(false)).await {
                Ok(Ok(sight)) => sight,
                Ok(Err(_)) | Err(_) => self.kill_group_blindly(),
            };
            leftovers += sight.found;
            self.settle();
            if self.followed.is_empty() {
                doubts += 1;
                if (sight.found == 0 && sight.is_complete) || doubts == DOUBT_LIMIT {
                    return Swept { leftovers: count(leftovers), escaped: 0 };
                }
                continue;
            }
            doubts = 0;
            let mut pause = PAUSE;
            while !self.followed.is_empty() {
                let now = Instant::now();
                self.press(deadline <= now);
                if limit <= now {
                    return Swept { leftovers: count(leftovers), escaped: count(self.followed.len()) };
                }
                let wake = now + pause;
                sleep_until(if now < deadline { wake.min(deadline) } else { wake }).await;
                pause = (pause * 2).min(PAUSE_LIMIT);
                self.settle();
            }
        }
    }

    /// Finds members that are not followed yet. Reaps orphans that are dead already.
    async fn look(&mut self, main_lives: bool) -> io::Result<Sight> {
        let table = Table::fresh().await?;
        let target = Arc::clone(&self.target);
        // Reading an environment waits for a lock of the process it belongs to, so it may take long.
        let members = tokio::task::spawn_blocking(move || {
            reap_the_dead(&table);
            target.members(&table, main_lives)
        });
        let (members, is_complete) = members.await.map_err(io::Error::other)?;
        let mut sight = Sight { found: 0, is_complete };
        for proc in members {
            if self.followed.get(&proc.pid).is_some_and(|followed| followed.proc.started == proc.started) {
                continue;
            }
            let handle = rustix::process::pidfd_open(proc.pid, PidfdFlags::empty()).ok();
            // Asking again *after* opening proves that the handle is of the process that was judged.
            if let Some(proc) = proc.again().filter(|now| !now.dead) {
                self.followed.insert(proc.pid, Followed { proc, handle, told: false });
                sight.found += 1;
            } else {
                sight.is_complete = false;
            }
        }
        Ok(sight)
    }

    /// Lets go of those who are gone, and reaps those who came to us.
    fn settle(&mut self) {
        let us = rustix::process::getpid();
        self.followed.retain(|pid, followed| match followed.proc.again() {
            None => false,
            Some(now) if now.dead => {
                if now.parent == Some(us) {
                    roster::reap(*pid);
                }
                false
            }
            Some(now) => {
                // A TERM that arrives between a shell's fork and its child's `exec` may end up in the shell's trap and
                // is lost. Who has been given a new program since may not have heard it.
                followed.told &= now.image == followed.proc.image;
                followed.proc = now;
                true
            }
        });
    }

    /// TERM to those who were not told yet; KILL to all when it is late. Then also to groups that one of them leads:
    /// the kernel does that in one step, which nobody can outrun by forking.
    fn press(&mut self, late: bool) {
        let mut leaders: HashSet<Pid> = self.followed.keys().copied().collect();
        if let Target::Turn { entry, .. } = &*self.target {
            leaders.insert(entry.group);
        }
        for followed in self.followed.values_mut() {
            if late {
                followed.send(Signal::KILL);
                if let Some(group) = followed.proc.group.filter(|group| leaders.contains(group)) {
                    let _ = rustix::process::kill_process_group(group, Signal::KILL);
                }
            } else if !followed.told {
                followed.told = true;
                followed.send(Signal::TERM);
            }
        }
    }

    /// All that can be done without `/proc`. The number may have been given to a new turn meanwhile.
    fn kill_group_blindly(&self) -> Sight {
        if let Target::Turn { ticket, entry } = &*self.target
            && roster::others(ticket).iter().all(|other| other.group != entry.group)
        {
            let _ = rustix::process::kill_process_group(entry.group, Signal::KILL);
        }
        Sight { found: 0, is_complete: true }
    }
}

impl Followed {
    /// Errors are not looked at: whether it worked shows in the process being gone.
    fn send(&self, signal: Signal) {
        let send = |signal| match &self.handle {
            Some(handle) => rustix::process::pidfd_send_signal(handle, signal),
            None => rustix::process::kill_process(self.proc.pid, signal),
        };
        let _ = send(signal);
        if signal == Signal::TERM {
            // A stopped process (it read from the terminal, say) cannot hear TERM.
            let _ = send(Signal::CONT);
        }
    }
}

/// Being the parent of all orphans comes with the duty to reap them. Dead, it does not matter whose they were.
fn reap_the_dead(table: &Table) {
    let us = rustix::process::getpid();
    let our_group = table.get(us).and_then(|proc| proc.group);
    for proc in table.iter().filter(|proc| proc.dead && proc.parent == Some(us) && proc.group != our_group) {
        roster::reap(proc.pid);
    }
}

/// To the group that the main process leads, and to the main process should it have left the group.
fn signal_main(main: Pid, signal: Signal) {
    let has_left = Proc::read(main).is_some_and(|proc| proc.group != Some(main));
    let send = |signal| {
        let _ = rustix::process::kill_process_group(main, signal);
        if has_left {
            let _ = rustix::process::kill_process(main, signal);
        }
    };
    send(signal);
    if signal == Signal::TERM {
        send(Signal::CONT);
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
