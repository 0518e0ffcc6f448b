//! A store in memory that fails when it is told to. It passes the same conformance suite as the real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};
use tribunal_store::store::Opened;
use tribunal_store::{Log, Store, StoreError};

/// What survives a crash, and the trouble that is planned for it.
#[derive(Debug, Clone, Default)]
pub struct Disk(Arc<Mutex<Platters>>);

#[derive(Debug, Default)]
struct Platters {
    logs: BTreeMap<RunId, Vec<Entry>>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    held: BTreeSet<RunId>,
    /// The number of the last event of which a caller was told that it is durable.
    acknowledged: BTreeMap<RunId, Seq>,
    trouble: Option<PlannedFault>,
    /// The process is dead: nothing reaches the disk before [`Disk::restart`].
    dead: bool,
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

/// The write end of one log on a [`Disk`].
#[derive(Debug)]
pub struct DiskLog {
    disk: Disk,
    run: RunId,
    seq: Seq,
    poisoned: bool,
}

impl Disk {
    /// Plans a fault.
    pub fn plan(&self, trouble: PlannedFault) {
        self.lock().trouble = Some(trouble);
    }

    /// A new process finds the disk as it was left; locks died with the old one, and there is room again.
    pub fn restart(&self) {
        let mut platters = self.lock();
        platters.held.clear();
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

impl Store for Disk {
    type Log = DiskLog;

    async fn create(&self, run: RunId) -> Result<DiskLog, StoreError> {
        let mut platters = self.lock();
        platters.alive()?;
        if platters.logs.contains_key(&run) {
            return Err(StoreError::RunExists { run, place: "memory".into() });
        }
        platters.logs.insert(run, Vec::new());
        platters.held.insert(run);
        Ok(DiskLog { disk: self.clone(), run, seq: Seq(0), poisoned: false })
    }

    async fn open(&self, run: RunId) -> Result<Opened<DiskLog>, StoreError> {
        let mut platters = self.lock();
        platters.alive()?;
        let Some(entries) = platters.logs.get(&run).cloned() else {
            return Err(StoreError::NoRun { run, place: "memory".into() });
        };
        if !platters.held.insert(run) {
            let holder = format!("pid {}", std::process::id());
            return Err(StoreError::Held { run, holder });
        }
        let seq = entries.last().map(|entry| entry.seq).unwrap_or_default();
        platters.acknowledged.insert(run, seq);
        let log = DiskLog { disk: self.clone(), run, seq, poisoned: false };
        Ok(Opened { log, entries, recovered: None })
    }

    async fn read(&self, run: RunId) -> Result<Vec<Entry>, StoreError> {
        let platters = self.lock();
        platters.logs.get(&run).cloned().ok_or_else(|| StoreError::NoRun { run, place: "memory".into() })
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        Ok(self.lock().logs.keys().copied().collect())
    }

    async fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let mut platters = self.lock();
        platters.alive()?;
        if let Some(PlannedFault { at, fault: DiskFault::FullForBlobs }) = platters.trouble
            && platters.acknowledged.values().any(|seq| *seq >= Seq(at.0.saturating_sub(1)))
        {
            return Err(trouble("no space left on device", io::ErrorKind::StorageFull));
        }
        let digest = Digest::of(bytes);
        platters.blobs.entry(digest).or_insert_with(|| bytes.to_vec());
        Ok(digest)
    }

    async fn get(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        let platters = self.lock();
        platters.blobs.get(&digest).cloned().ok_or_else(|| StoreError::NoBlob { digest, place: "memory".into() })
    }
}

impl Log for DiskLog {
    fn seq(&self) -> Seq {
        self.seq
    }

    async fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned { place: "memory".into() });
        }
        if expected != self.seq {
            return Err(StoreError::Conflict { run: self.run, expected, actual: self.seq });
        }
        let result = self.disk.lock().append(self.run, expected, events);
        match &result {
            Ok(entries) => self.seq = entries.last().map_or(self.seq, |entry| entry.seq),
            Err(_) => self.poisoned = true,
        }
        result
    }
}

impl Drop for DiskLog {
    fn drop(&mut self) {
        self.disk.lock().held.remove(&self.run);
    }
}

fn trouble(what: &str, kind: io::ErrorKind) -> StoreError {
    StoreError::Io { action: "write to", path: "memory".into(), source: io::Error::new(kind, what.to_owned()) }
}
