//! One reading of `/proc`.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use tokio::sync::Mutex;

/// `/proc/PID/stat` is shorter than this: a name of 64 bytes and fifty numbers.
const STAT_LIMIT: usize = 2048;
/// Enough for most environments at the first attempt.
const ENVIRON_USUAL: usize = 16 << 10;
/// The largest environment that is searched for a mark; the kernel allows a quarter of the stack, usually 2 MiB.
const ENVIRON_LIMIT: usize = 8 << 20;
/// How often and how long to wait for an `exec` to be through: two seconds altogether, for a loaded machine.
const EXEC_ATTEMPTS: u32 = 200;
const EXEC_PAUSE: Duration = Duration::from_micros(200);
const EXEC_PAUSE_LIMIT: Duration = Duration::from_millis(10);
/// Listings of `/proc` in one reading. More than two are needed only while somebody forks all the time.
const LISTING_LIMIT: usize = 8;
/// Steps from a process to its ancestors. A torn reading can contain a circle.
const DEPTH_LIMIT: usize = 4096;

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Proc {
    pub(super) pid: Pid,
    pub(super) parent: Option<Pid>,
    /// Nothing for the kernel's own threads, and for a group from outside of our pid namespace.
    pub(super) group: Option<Pid>,
    /// Clock ticks from boot to the fork. Together with the pid it identifies a process for good: pids come round, but
    /// not within one tick. A child is never older than its parent.
    pub(super) started: u64,
    /// Nothing of it runs any more; it only waits to be reaped.
    pub(super) dead: bool,
    /// Where its environment ends in its memory: a place that changes with every `exec`. 0 in the middle of one, when
    /// there is no environment yet, and for a process that we may not look into.
    pub(super) image: u64,
}

impl Proc {
    /// `None` when there is no such process.
    pub(super) fn read(pid: Pid) -> Option<Self> {
        let mut buffer = [0; STAT_LIMIT];
        let mut file = File::open(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        let length = file.read(&mut buffer).ok()?;
        Self::parse(pid, &buffer[..length])
    }

    fn parse(pid: Pid, stat: &[u8]) -> Option<Self> {
        // The name may contain spaces and parentheses, so the fields are counted from the last parenthesis.
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok().filter(|parent| 0 <= *parent)?;
        // -1 while it is being taken out of the table: then it is as good as gone.
        let group = fields.next()?.parse().ok().filter(|group| 0 <= *group)?;
        let threads: u32 = fields.nth(14)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        let image: u64 = fields.nth(28)?.parse().ok()?;
        // A first thread that has ended looks like a zombie while other threads of the process go on. It has taken the
        // environment with it; that is not to be mistaken for an `exec`, which will be over soon.
        let has_ended = matches!(state, "Z" | "X" | "x");
        let dead = has_ended && threads <= 1;
        let image = if has_ended { image.max(1) } else { image };
        Some(Self { pid, parent: Pid::from_raw(parent), group: Pid::from_raw(group), started, dead, image })
    }

    /// Whether this very process, not a later one of the same number, still runs; as it is now.
    pub(super) fn again(&self) -> Option<Self> {
        Self::read(self.pid).filter(|now| now.started == self.started)
    }
}

/// The environment a process was started with: empty when it has none or it is not ours to read, nothing when there
/// was no answer, because the process is gone or does not get through its `exec`.
///
/// In the middle of an `exec` a process has an empty environment. Taking that for an answer would let it escape, so it
/// is asked again.
pub(super) fn environ(pid: Pid) -> Option<Vec<u8>> {
    let mut pause = EXEC_PAUSE;
    let mut was_in_exec = true;
    for _ in 0..EXEC_ATTEMPTS {
        match read_environ(pid) {
            Ok(bytes) if !bytes.is_empty() => return Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Some(Vec::new()),
            Ok(_) | Err(_) => {}
        }
        let in_exec = Proc::read(pid).filter(|proc| !proc.dead)?.image == 0;
        if !in_exec && !was_in_exec {
            return Some(Vec::new());
        }
        // Once more after the `exec` is through: it may have ended between the two readings.
        if in_exec {
            thread::sleep(pause);
            pause = (pause * 2).min(EXEC_PAUSE_LIMIT);
        }
        was_in_exec = in_exec;
    }
    None
}

/// In one piece: an open file keeps to the memory the process had when it was opened, and after an `exec` that is gone,
/// so a second read could find nothing and make half an environment look like a whole one.
fn read_environ(pid: Pid) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; ENVIRON_USUAL];
    loop {
        let length = File::open(format!("/proc/{}/environ", pid.as_raw_nonzero()))?.read(&mut buffer)?;
        if length < buffer.len() || ENVIRON_LIMIT <= length {
            buffer.truncate(length);
            return Ok(buffer);
        }
        buffer.resize(length * 4, 0);
    }
}

/// Whether an environment contains `KEY=value`, whole.
pub(super) fn carries(environ: &[u8], mark: &[u8]) -> bool {
    environ.split(|byte| *byte == 0).any(|variable| variable == mark)
}

/// The effective user of a process.
pub(super) fn user(pid: Pid) -> Option<u32> {
    fs::metadata(format!("/proc/{}", pid.as_raw_nonzero())).ok().map(|metadata| metadata.uid())
}

/// All processes, read one after the other: not a snapshot, which `/proc` cannot give. See [`Table::read`].
#[derive(Debug)]
pub(super) struct Table {
    begun: Instant,
    procs: HashMap<Pid, Proc>,
}

impl Table {
    /// A reading that began after this call. Turns that end together share one, so that a thousand of them do not read
    /// `/proc` a thousand times.
    pub(super) async fn fresh() -> io::Result<Arc<Self>> {
        static LAST: Mutex<Option<Arc<Table>>> = Mutex::const_new(None);
        let asked = Instant::now();
        let mut last = LAST.lock().await;
        if let Some(table) = last.as_ref().filter(|table| asked < table.begun) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(tokio::task::spawn_blocking(Self::read).await.map_err(io::Error::other)??);
        *last = Some(Arc::clone(&table));
        Ok(table)
    }

    /// A process on its way to becoming a daemon forks and exits. If that happens between the listing and the look at
    /// it, the parent is gone and the child is not listed. So it is listed again until there is nobody new: then who is
    /// missing has a parent in the table that was alive when it was read.
    fn read() -> io::Result<Self> {
        let mut table = Self { begun: Instant::now(), procs: HashMap::new() };
        let mut listed = HashSet::new();
        for _ in 0..LISTING_LIMIT {
            let before = listed.len();
            for entry in fs::read_dir("/proc")? {
                let name = entry?.file_name();
                let Some(pid) = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw) else {
                    continue;
                };
                if listed.insert(pid)
                    && let Some(proc) = Proc::read(pid)
                {
                    table.procs.insert(pid, proc);
                }
            }
            if listed.len() == before {
                break;
            }
        }
        table.mend();
        Ok(table)
    }

    /// Who was read before its parent died names a parent that is no more; by now it has another one.
    fn mend(&mut self) {
        let is_stale = |proc: &&Proc| {
            !proc.dead && proc.parent.is_some_and(|parent| self.get(parent).is_none_or(|parent| parent.dead))
        };
        let stale: Vec<Proc> = self.procs.values().filter(is_stale).copied().collect();
        for proc in stale {
            match proc.again() {
                Some(now) => self.procs.insert(now.pid, now),
                None => self.procs.remove(&proc.pid),
            };
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Proc> {
        self.procs.values()
    }

    pub(super) fn get(&self, pid: Pid) -> Option<&Proc> {
        self.procs.get(&pid)
    }

    /// Parent, grandparent, and so on.
    pub(super) fn ancestors(&self, pid: Pid) -> impl Iterator<Item = Pid> {
        let parent = |pid: &Pid| self.get(*pid).and_then(|proc| proc.parent);
        std::iter::successors(parent(&pid), parent).take(DEPTH_LIMIT)
    }

    /// Whether a process descends from another one, as far as can be seen: in a torn reading a link may be missing.
    pub(super) fn may_be_below(&self, pid: Pid, root: Pid) -> bool {
        let mut ancestors = std::iter::once(pid).chain(self.ancestors(pid));
        ancestors.any(|ancestor| self.get(ancestor).is_none_or(|proc| proc.parent == Some(root)))
    }

    pub(super) fn is_below(&self, pid: Pid, roots: &HashSet<Pid>) -> bool {
        !roots.is_empty() && self.ancestors(pid).any(|ancestor| roots.contains(&ancestor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Pid {
        Pid::from_raw(raw).unwrap()
    }

    #[test]
    fn a_stat_line_is_read_from_its_last_parenthesis() {
        let line = |state: &str, threads: u32, image: u32| {
            format!(
                "7 (a) R (b) {state} 3 5 2782 0 -1 4194304 102 0 0 0 0 0 0 0 20 0 {threads} 0 119744 2998272 390 1 \
                 2 3 4 0 0 0 0 6 65536 0 0 0 17 1 0 0 0 0 0 5 6 7 8 9 10 {image} 0"
            )
        };
        let group = Some(pid(5));
        let living = Proc { pid: pid(7), parent: Some(pid(3)), group, started: 119_744, dead: false, image: 9 };
        for (name, state, threads, image, expected) in [
            ("running", "S", 1, 9, living),
            ("in exec", "R", 1, 0, Proc { image: 0, ..living }),
            ("zombie", "Z", 1, 0, Proc { image: 1, dead: true, ..living }),
            ("first thread ended", "Z", 3, 0, Proc { image: 1, ..living }),
        ] {
            assert_eq!(Proc::parse(pid(7), line(state, threads, image).as_bytes()), Some(expected), "{name}");
        }
        assert_eq!(Proc::parse(pid(7), b"7 (cut) S 3"), None);
        assert_eq!(Proc::parse(pid(7), line("X", 0, 0).replace(" 3 5 ", " 0 -1 ").as_bytes()), None, "being removed");
        assert_eq!(Proc::parse(pid(7), b""), None);
    }

    #[test]
    fn a_mark_is_matched_whole() {
        let environ = b"A=1\0TRIBUNAL_TURN=12\0B=2\0";
        assert!(carries(environ, b"TRIBUNAL_TURN=12"));
        assert!(!carries(environ, b"TRIBUNAL_TURN=1"));
        assert!(!carries(environ, b"TURN=12"));
    }

    #[test]
    fn we_are_in_the_table_below_our_parent() {
        let table = Table::read().unwrap();
        let us = rustix::process::getpid();
        let ours = table.procs[&us];
        assert_eq!(ours.again().map(|now| now.started), Some(ours.started));
        assert!(table.is_below(us, &HashSet::from([ours.parent.unwrap()])));
        assert!(!table.is_below(us, &HashSet::from([us])));
        assert!(table.may_be_below(us, ours.parent.unwrap()));
        assert!(!table.may_be_below(us, us));
        assert!(!environ(us).unwrap().is_empty());
    }
}
