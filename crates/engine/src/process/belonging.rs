//! Who belongs to whom (Linux).

use std::collections::HashSet;

use rustix::process::Pid;

use super::roster::{self, Entry, Ticket};
use super::table::{Proc, Table, carries, environ, user};

/// Whose processes are looked for.
#[derive(Debug)]
pub(super) enum Target {
    /// Everything that a turn has started.
    Turn { ticket: Ticket, entry: Entry },
    /// Everything that carries `KEY=value`.
    Marked(Vec<u8>),
}

/// Who belongs to a target by itself, who must not be touched, and whether all could be judged.
#[derive(Debug)]
struct Judgement {
    roots: HashSet<Pid>,
    spared: HashSet<Pid>,
    is_complete: bool,
}

impl Target {
    /// Who of these belongs to us and lives, and whether that is certainly all. The main process itself is tokio's and
    /// not among them.
    pub(super) fn members(&self, table: &Table, main_lives: bool) -> (Vec<Proc>, bool) {
        let (judgement, main) = match self {
            Self::Turn { ticket, entry } => {
                let main = entry.main.filter(|_| main_lives);
                (judge_for_turn(ticket, entry, main, table), main)
            }
            Self::Marked(mark) => (judge_by_mark(mark, table), None),
        };
        let Judgement { roots, spared, is_complete } = judgement;
        let belongs = |proc: &&Proc| {
            let may_be_touched = !proc.dead && main != Some(proc.pid) && !spared.contains(&proc.pid);
            may_be_touched && (roots.contains(&proc.pid) || table.is_below(proc.pid, &roots))
        };
        (table.iter().filter(belongs).copied().collect(), is_complete)
    }
}

fn judge_for_turn(ticket: &Ticket, turn: &Entry, main: Option<Pid>, table: &Table) -> Judgement {
    // Asked for after the reading: whoever was being spawned at that time is on the roster by now.
    let others = roster::others(ticket);
    let us = rustix::process::getpid();
    let our_group = table.get(us).and_then(|proc| proc.group);
    let mains: HashSet<Pid> = others.iter().filter_map(|other| other.main).collect();
    let mut roots: HashSet<Pid> = main.into_iter().collect();
    let mut is_complete = true;
    for proc in table.iter() {
        // Who is older than the turn is not of the turn: this spares us most of the machine.
        let is_old = proc.started < turn.started;
        if is_old || proc.dead || proc.group.is_none() || proc.pid == us || mains.contains(&proc.pid) {
            continue;
        }
        if proc.group == Some(turn.group) {
            roots.insert(proc.pid);
            continue;
        }
        if table.is_below(proc.pid, &mains) {
            continue; // another turn's, by descent
        }
        let Some(environ) = environ(proc.pid) else {
            is_complete &= proc.group == our_group || !table.may_be_below(proc.pid, us);
            continue;
        };
        let is_marked = turn.mark.as_ref().is_some_and(|mark| carries(&environ, mark));
        // Our own children that are not turns are in our own group; an orphan has come from a turn's.
        let is_orphan = proc.parent == Some(us) && proc.group != our_group;
        if is_marked || (is_orphan && !others.iter().any(|other| may_own(other, proc, &environ))) {
            roots.insert(proc.pid);
        }
    }
    let spared = mains.into_iter().chain([us]).collect();
    Judgement { roots, spared, is_complete }
}

/// Whether an orphan that does not show where it came from may be another turn's. In doubt it is left to them: the
/// last of the turns that were there when it started finds no other, so none is left for ever.
fn may_own(other: &Entry, orphan: &Proc, environ: &[u8]) -> bool {
    orphan.group == Some(other.group)
        || other.mark.as_ref().is_some_and(|mark| carries(environ, mark))
        || (other.main.is_some() && other.started <= orphan.started)
}

fn judge_by_mark(mark: &[u8], table: &Table) -> Judgement {
    let us = rustix::process::getpid();
    let our_user = Some(rustix::process::geteuid().as_raw());
    let spared: HashSet<Pid> = table.ancestors(us).chain([us]).collect();
    let mut roots = HashSet::new();
    let mut is_complete = true;
    for proc in table.iter() {
        if proc.dead || proc.group.is_none() || spared.contains(&proc.pid) || user(proc.pid) != our_user {
            continue;
        }
        match environ(proc.pid) {
            Some(environ) if carries(&environ, mark) => _ = roots.insert(proc.pid),
            Some(_) => {}
            None => is_complete = false,
        }
    }
    Judgement { roots, spared, is_complete }
}
