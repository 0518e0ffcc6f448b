//! Logs, leases and blobs: where faults strike.

use std::io;
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};
use tribunal_store::StoreError;
use tribunal_store::backend::{
    Blobs, FencingToken, Follow, Holder, Lease, Leases, LogHead, LogMark, LogWriter, Logs, OpenedLog, OpeningRight,
    StoreReply,
};
use tribunal_store::log::lines_of;
use tribunal_store::log::sealed::SealedLog;

use super::{Disk, DiskFault, PlannedFault, Platters, no_run, trouble};

/// The write end of one log on a [`Disk`].
#[derive(Debug)]
struct DiskLog {
    disk: Disk,
    lease: Lease,
    seq: Seq,
    poisoned: bool,
}

/// A log on a [`Disk`] that is followed. Its marks are numbers of events.
#[derive(Debug)]
struct DiskFollow {
    disk: Disk,
    run: RunId,
    seq: Seq,
    end: Option<LogMark>,
    /// So many were given last.
    given: usize,
}

/// Gives a lease back, unless somebody has a newer one.
#[derive(Debug)]
struct Release {
    disk: Disk,
    run: RunId,
    token: u64,
}

impl Drop for Release {
    fn drop(&mut self) {
        if let Some((token, is_held)) = self.disk.lock().leases.get_mut(&self.run)
            && *token == self.token
        {
            *is_held = false;
        }
    }
}

impl Disk {
    fn lease(&self, platters: &mut Platters, run: RunId, may_seize: bool) -> Result<Lease, StoreError> {
        let (token, is_held) = platters.leases.entry(run).or_default();
        if *is_held && !may_seize {
            return Err(StoreError::Held { run, holder: holder().what });
        }
        (*token, *is_held) = (*token + 1, true);
        let release = Release { disk: self.clone(), run, token: *token };
        Ok(Lease::new(run, FencingToken(*token), release))
    }
}

impl Platters {
    fn pass(&self, lease: &Lease) -> Result<(), StoreError> {
        let current = FencingToken(self.leases.get(&lease.run).map_or(0, |(token, _)| *token));
        let (run, held) = (lease.run, lease.token);
        if current == held { Ok(()) } else { Err(StoreError::Fenced { run, held, current }) }
    }
}

impl Leases for Disk {
    fn take(&self, run: RunId) -> StoreReply<'_, Lease> {
        self.now(|disk| if disk.logs.contains_key(&run) { self.lease(disk, run, false) } else { no_run(run) })
    }

    fn seize(&self, run: RunId) -> StoreReply<'_, Lease> {
        self.now(|disk| if disk.logs.contains_key(&run) { self.lease(disk, run, true) } else { no_run(run) })
    }

    fn holder(&self, run: RunId) -> StoreReply<'_, Option<Holder>> {
        self.now(|disk| Ok(disk.leases.get(&run).is_some_and(|(_, is_held)| *is_held).then(holder)))
    }

    fn opening(&self) -> StoreReply<'_, OpeningRight> {
        let opening = self.lock().opening.clone();
        Box::pin(async move { Ok(OpeningRight::new(opening.lock_owned().await)) })
    }
}

fn holder() -> Holder {
    Holder { pid: std::process::id(), host: "memory".into(), since: Time(0), what: "a simulated process".into() }
}

impl Logs for Disk {
    fn create(&self, run: RunId) -> StoreReply<'_, Box<dyn LogWriter>> {
        self.now(|disk| {
            if disk.logs.contains_key(&run) {
                return Err(StoreError::RunExists { run, place: "memory".into() });
            }
            disk.logs.insert(run, Vec::new());
            let lease = self.lease(disk, run, false)?;
            Ok(Box::new(DiskLog { disk: self.clone(), lease, seq: Seq(0), poisoned: false }) as Box<dyn LogWriter>)
        })
    }

    fn open(&self, lease: Lease) -> StoreReply<'_, OpenedLog> {
        // A refused lease is given back when the disk is not locked any more.
        let opened = {
            let mut platters = self.lock();
            platters.alive().and_then(|()| platters.pass(&lease)).and_then(|()| {
                let Some(entries) = platters.logs.get(&lease.run).cloned() else { return no_run(lease.run) };
                let seq = entries.last().map(|entry| entry.seq).unwrap_or_default();
                platters.acknowledged.insert(lease.run, seq);
                Ok((entries, seq))
            })
        };
        let opened = opened.map(|(entries, seq)| {
            let log = Box::new(DiskLog { disk: self.clone(), lease, seq, poisoned: false });
            OpenedLog { log, entries, recovered: None }
        });
        Box::pin(std::future::ready(opened))
    }

    fn read(&self, run: RunId) -> StoreReply<'_, Vec<Entry>> {
        self.now(|disk| disk.logs.get(&run).cloned().map_or_else(|| no_run(run), Ok))
    }

    fn first(&self, run: RunId) -> StoreReply<'_, Option<Entry>> {
        self.now(|disk| disk.logs.get(&run).map_or_else(|| no_run(run), |log| Ok(log.first().cloned())))
    }

    fn bytes(&self, run: RunId) -> StoreReply<'_, Vec<u8>> {
        self.now(|disk| disk.logs.get(&run).map_or_else(|| no_run(run), |log| lines_of(log)))
    }

    fn runs(&self) -> StoreReply<'_, Vec<RunId>> {
        self.now(|disk| Ok(disk.logs.keys().copied().collect()))
    }

    fn follow(&self, run: RunId, after: Seq) -> StoreReply<'_, Box<dyn Follow>> {
        let follow: Box<dyn Follow> = Box::new(DiskFollow { disk: self.clone(), run, seq: after, end: None, given: 0 });
        Box::pin(std::future::ready(Ok(follow)))
    }

    fn heads(&self) -> StoreReply<'_, Vec<(RunId, LogHead)>> {
        let head = |log: &Vec<Entry>| {
            let changed = log.iter().map(|entry| entry.time).max().unwrap_or(Time(0));
            LogHead { mark: LogMark(log.len() as u64), changed }
        };
        self.now(|disk| Ok(disk.logs.iter().map(|(run, log)| (*run, head(log))).collect()))
    }

    fn head(&self, run: RunId) -> StoreReply<'_, Option<LogMark>> {
        self.now(|disk| Ok(disk.logs.get(&run).map(|log| LogMark(log.len() as u64))))
    }
}

impl LogWriter for DiskLog {
    fn seq(&self) -> Seq {
        self.seq
    }

    fn token(&self) -> FencingToken {
        self.lease.token
    }

    fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> StoreReply<'_, Vec<Entry>> {
        let result = self.append_now(expected, events);
        Box::pin(std::future::ready(result))
    }
}

impl DiskLog {
    fn append_now(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned { place: "memory".into() });
        }
        self.disk.lock().pass(&self.lease)?;
        let run = self.lease.run;
        if expected != self.seq {
            return Err(StoreError::Conflict { run, expected, actual: self.seq });
        }
        let result = self.disk.lock().append(run, expected, events);
        match &result {
            Ok(entries) => self.seq = entries.last().map_or(self.seq, |entry| entry.seq),
            Err(_) => self.poisoned = true,
        }
        result
    }
}

impl Follow for DiskFollow {
    fn seq(&self) -> Seq {
        self.seq
    }

    fn mark(&self) -> LogMark {
        LogMark(self.seq.0)
    }

    fn bound(&mut self, end: Option<LogMark>) {
        self.end = end;
    }

    fn next(&mut self, max: usize) -> StoreReply<'_, Vec<Entry>> {
        // Taken when it is asked for, not before: a future that nobody polls gives nothing away.
        Box::pin(async move {
            let log = self.disk.lock().logs.get(&self.run).cloned().unwrap_or_default();
            let end = self.end.map_or(u64::MAX, |end| end.0);
            let is_new = |entry: &Entry| entry.seq > self.seq && entry.seq.0 <= end;
            let entries: Vec<Entry> = log.into_iter().filter(is_new).take(max).collect();
            self.seq = entries.last().map_or(self.seq, |entry| entry.seq);
            self.given = entries.len();
            Ok(entries)
        })
    }

    fn hashes(&self) -> Vec<Digest> {
        let log = self.disk.lock().logs.get(&self.run).cloned().unwrap_or_default();
        let upto = usize::try_from(self.seq.0).map_or(log.len(), |seq| seq.min(log.len()));
        let lines = lines_of(&log[..upto]).unwrap_or_default();
        let hashes = SealedLog::parse(&lines, "memory").map(|log| log.hashes).unwrap_or_default();
        hashes[hashes.len().saturating_sub(self.given)..].to_vec()
    }
}

impl Blobs for Disk {
    fn put<'a>(&'a self, bytes: &'a [u8]) -> StoreReply<'a, Digest> {
        self.now(|disk| {
            if let Some(PlannedFault { at, fault: DiskFault::FullForBlobs }) = disk.trouble
                && disk.acknowledged.values().any(|seq| *seq >= Seq(at.0.saturating_sub(1)))
            {
                return Err(trouble("no space left on device", io::ErrorKind::StorageFull));
            }
            let digest = Digest::of(bytes);
            disk.blobs.entry(digest).or_insert_with(|| bytes.to_vec());
            Ok(digest)
        })
    }

    fn get(&self, digest: Digest) -> StoreReply<'_, Vec<u8>> {
        let missing = || StoreError::NoBlob { digest, place: "memory".into() };
        self.now(|disk| disk.blobs.get(&digest).cloned().ok_or_else(missing))
    }
}
