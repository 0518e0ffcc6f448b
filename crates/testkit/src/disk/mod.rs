//! A backend in memory that fails when it is told to. It passes the same conformance suite as the real ones.
//!
//! | file | has |
//! |---|---|
//! | `logs` | logs, leases and blobs: where faults strike |
//! | `rest` | everything else that a backend has, without faults |

mod logs;
mod rest;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use tempfile::TempDir;
use tribunal_kernel::grade::Grades;
use tribunal_kernel::judge::Stops;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Digest, Entry, Event, ProjectId, RunId, Seq, Time, TurnId};
use tribunal_store::StoreError;
use tribunal_store::backend::{
    AccountId, Accounts, Backend, Blobs, GradeBook, Leases, Lists, Live, Logs, Questions, Queue, Requests, RunRequest,
    Scratch, ServerAddress, Servers, StopBook, StoreReply, VoteLinks,
};
use tribunal_store::conformance::AccountDamage;
use tribunal_store::index::Index;
use uuid::Uuid;

/// What survives a crash, and the trouble that is planned for it.
#[derive(Debug, Clone, Default)]
pub struct Disk(Arc<Mutex<Platters>>);

#[derive(Debug, Default)]
struct Platters {
    logs: BTreeMap<RunId, Vec<Entry>>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    /// The newest token of a run, and whether its holder is still there.
    leases: BTreeMap<RunId, (u64, bool)>,
    /// Held by whoever opens runs.
    opening: Arc<tokio::sync::Mutex<()>>,
    requests: BTreeMap<RunId, VecDeque<RunRequest>>,
    questions: BTreeMap<(RunId, TurnId), Question>,
    /// As they would stand in a file, so that they can be damaged like one.
    accounts: BTreeMap<String, Vec<u8>>,
    /// Tickets that are not dropped yet, and the number of the last one.
    tickets: (Vec<u64>, u64),
    lists: Option<Index>,
    grades: Grades,
    stops: Stops,
    used_links: BTreeSet<Digest>,
    live: BTreeMap<RunId, Vec<LiveFrame>>,
    server: (ServerAddress, bool),
    scratch: Option<TempDir>,
    /// The number of the last event of which a caller was told that it is durable.
    acknowledged: BTreeMap<RunId, Seq>,
    trouble: Option<PlannedFault>,
    /// The process is dead: nothing reaches the disk before [`Disk::restart`].
    dead: bool,
}

#[derive(Debug, Default)]
struct Question {
    since: Option<Time>,
    answer: Option<String>,
    kept: Option<String>,
}

/// A planned fault: it strikes at the append that would write event `at`, or at a blob shortly before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedFault {
    pub at: Seq,
    pub fault: DiskFault,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// Killed before anything of the batch is written.
    KilledBefore,
    /// Killed after all of it is durable, before anybody learns of it.
    KilledAfter,
    /// Power lost in the middle: events before `at` are on the disk, the rest is torn.
    Torn,
    /// The disk is full. The process lives, the write fails.
    Full,
    /// The disk is full when the texts are written that the batch cites.
    FullForBlobs,
}

impl DiskFault {
    /// Every fault there is.
    pub const ALL: [Self; 5] = [Self::KilledBefore, Self::KilledAfter, Self::Torn, Self::Full, Self::FullForBlobs];
}

impl Disk {
    /// Plans a fault.
    pub fn plan(&self, trouble: PlannedFault) {
        self.lock().trouble = Some(trouble);
    }

    /// A new process finds the disk as it was left; locks died with the old one, and there is room again.
    pub fn restart(&self) {
        let mut platters = self.lock();
        platters.leases.values_mut().for_each(|(_, is_held)| *is_held = false);
        platters.opening = Arc::default();
        platters.tickets.0.clear();
        platters.server.1 = false;
        platters.trouble = None;
        platters.dead = false;
    }

    /// Whether a planned fault has killed the process.
    pub fn is_dead(&self) -> bool {
        self.lock().dead
    }

    /// The last event of which somebody was told that it is durable.
    pub fn acknowledged(&self, run: RunId) -> Seq {
        self.lock().acknowledged.get(&run).copied().unwrap_or_default()
    }

    /// What the log holds.
    pub fn entries(&self, run: RunId) -> Vec<Entry> {
        self.lock().logs.get(&run).cloned().unwrap_or_default()
    }

    /// Whether a blob is there.
    pub fn has_blob(&self, digest: Digest) -> bool {
        self.lock().blobs.contains_key(&digest)
    }

    /// Does to an account what crashes and careless people do.
    pub fn damage(&self, account: &AccountId, how: AccountDamage) {
        let mut platters = self.lock();
        let Some(text) = platters.accounts.get_mut(&account.0) else { return };
        match how {
            AccountDamage::Empty => text.clear(),
            AccountDamage::Torn => text.truncate(text.len().saturating_sub(1)),
            AccountDamage::Replaced => *text = b"[]".to_vec(),
            AccountDamage::Gone => {
                platters.accounts.remove(&account.0);
            }
        }
    }

    /// What `work` does, at once.
    fn now<'a, T: Send + 'a>(&self, work: impl FnOnce(&mut Platters) -> Result<T, StoreError>) -> StoreReply<'a, T> {
        let mut platters = self.lock();
        let result = platters.alive().and_then(|()| work(&mut platters));
        Box::pin(std::future::ready(result))
    }

    fn lock(&self) -> MutexGuard<'_, Platters> {
        self.0.lock().expect("nobody panics while holding the disk")
    }
}

impl Platters {
    fn alive(&self) -> Result<(), StoreError> {
        if self.dead { Err(trouble("the process was killed", io::ErrorKind::Other)) } else { Ok(()) }
    }

    fn append(&mut self, run: RunId, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        self.alive()?;
        let entries: Vec<Entry> =
            (expected.0 + 1..).zip(events).map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event }).collect();
        let struck = self.trouble.filter(|trouble| entries.iter().any(|entry| entry.seq == trouble.at));
        let log = self.logs.entry(run).or_default();
        match struck.map(|trouble| trouble.fault) {
            None | Some(DiskFault::FullForBlobs) => {
                log.extend(entries.iter().cloned());
                self.acknowledged.insert(run, log.last().map(|entry| entry.seq).unwrap_or_default());
                Ok(entries)
            }
            Some(DiskFault::Full) => Err(trouble("no space left on device", io::ErrorKind::StorageFull)),
            Some(fault) => {
                let at = self.trouble.map(|trouble| trouble.at).unwrap_or_default();
                log.extend(entries.into_iter().filter(|entry| match fault {
                    DiskFault::KilledAfter => true,
                    DiskFault::Torn => entry.seq < at,
                    DiskFault::KilledBefore | DiskFault::Full | DiskFault::FullForBlobs => false,
                }));
                self.dead = true;
                self.alive().map(|()| Vec::new())
            }
        }
    }
}

impl Backend for Disk {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn logs(&self) -> &dyn Logs {
        self
    }

    fn leases(&self) -> &dyn Leases {
        self
    }

    fn requests(&self) -> &dyn Requests {
        self
    }

    fn questions(&self) -> &dyn Questions {
        self
    }

    fn accounts(&self) -> &dyn Accounts {
        self
    }

    fn blobs(&self) -> &dyn Blobs {
        self
    }

    fn queue(&self) -> &dyn Queue {
        self
    }

    fn lists(&self) -> &dyn Lists {
        self
    }

    fn live(&self) -> &dyn Live {
        self
    }

    fn stops(&self) -> &dyn StopBook {
        self
    }

    fn grades(&self) -> &dyn GradeBook {
        self
    }

    fn servers(&self) -> &dyn Servers {
        self
    }

    fn votes(&self) -> &dyn VoteLinks {
        self
    }

    fn scratch(&self) -> &dyn Scratch {
        self
    }

    fn project(&self) -> StoreReply<'_, ProjectId> {
        self.now(|_| Ok(ProjectId(Uuid::from_u128(1))))
    }
}

fn no_run<T>(run: RunId) -> Result<T, StoreError> {
    Err(StoreError::NoRun { run, place: "memory".into() })
}

fn trouble(what: &str, kind: io::ErrorKind) -> StoreError {
    StoreError::Io { action: "write to", path: "memory".into(), source: io::Error::new(kind, what.to_owned()) }
}
