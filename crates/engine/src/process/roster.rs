//! Which children belong to whom, so that nobody is reaped or killed by mistake.
//!
//! Reaping an orphan needs certainty that tokio or std does not wait for the same pid, and a child is ours from the
//! moment of the fork, before anybody had the time to write its pid down. So every spawn happens with the gate held in
//! common, and whoever judges or reaps children without an owner holds it alone: then every child that has an owner is
//! on the list.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

use rustix::process::Pid;
use tokio::process::Child;

static GATE: RwLock<()> = RwLock::new(());
static ENTRIES: LazyLock<Mutex<Entries>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    by_ticket: HashMap<u64, Entry>,
}

/// One child with an owner.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "without /proc there is nothing to compare with"))]
pub(super) struct Entry {
    /// The child's pid for as long as its owner has not reaped it. `None`: the turn is over and is being swept.
    pub(super) main: Option<Pid>,
    pub(super) group: Pid,
    /// `TRIBUNAL_TURN=…`, for a turn.
    pub(super) mark: Option<Arc<[u8]>>,
    /// In the kernel's clock ticks; see [`super::table::Proc::started`]. 0 when unknown: older than everything.
    pub(super) started: u64,
}

/// A place on the roster, until dropped.
#[derive(Debug)]
pub(super) struct Ticket(u64);

/// A child that is not a turn, and that no turn's clean-up will mistake for an orphan while this is held.
#[derive(Debug)]
#[must_use = "the child is protected only while this is held"]
pub struct KeptChild(#[expect(dead_code, reason = "held for its Drop")] Ticket);

/// Starts a long-lived child with a process group of its own (an ACP agent, a language server) outside of any turn.
/// Hold on to [`KeptChild`] until the child was waited for. Its end, and what it leaves behind, are the caller's business.
pub fn spawn_kept(command: &mut tokio::process::Command) -> io::Result<(Child, KeptChild)> {
    spawn(command, None).map(|(child, ticket, _)| (child, KeptChild(ticket)))
}

/// Spawns and registers in one step. `mark` is the turn's, or nothing for a child that is not a turn.
pub(super) fn spawn(
    command: &mut tokio::process::Command,
    mark: Option<Arc<[u8]>>,
) -> io::Result<(Child, Ticket, Entry)> {
    let _gate = GATE.read().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    let pid = pid_of(&child).ok_or_else(|| io::Error::other("the child has no pid"))?;
    let entry = Entry { main: Some(pid), group: pid, mark, started: started(pid) };
    let mut entries = entries();
    let ticket = entries.next;
    entries.next += 1;
    entries.by_ticket.insert(ticket, entry.clone());
    Ok((child, Ticket(ticket), entry))
}

/// `None` once tokio has reaped the child; from then on the number may be somebody else's.
pub(super) fn pid_of(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
}

fn entries() -> MutexGuard<'static, Entries> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
fn started(pid: Pid) -> u64 {
    super::table::Proc::read(pid).map_or(0, |proc| proc.started)
}

#[cfg(not(target_os = "linux"))]
fn started(_: Pid) -> u64 {
    0
}

impl Ticket {
    /// Says that the owner has reaped the main process. The pid is free, and the turn no longer stands in the way of
    /// others that look for the owner of an orphan: of several turns that end at once the last one must find nobody.
    pub(super) fn main_gone(&self) {
        if let Some(entry) = entries().by_ticket.get_mut(&self.0) {
            entry.main = None;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        entries().by_ticket.remove(&self.0);
    }
}

/// The others on the roster, seen from one turn.
#[cfg(target_os = "linux")]
pub(super) fn others(than: &Ticket) -> Vec<Entry> {
    let _gate = GATE.write().unwrap_or_else(PoisonError::into_inner);
    let entries = entries();
    entries.by_ticket.iter().filter(|(id, _)| than.0 != **id).map(|(_, entry)| entry.clone()).collect()
}

/// Reaps one dead child, unless it has an owner. Asking for an exact pid under the gate is what makes it safe: by now
/// the number may belong to a turn that has just begun.
#[cfg(target_os = "linux")]
pub(super) fn reap(pid: Pid) {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let _gate = GATE.write().unwrap_or_else(PoisonError::into_inner);
    if entries().by_ticket.values().any(|entry| entry.main == Some(pid)) {
        return;
    }
    // An error means that somebody else has reaped it already: just as well.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
}
