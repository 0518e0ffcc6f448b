//! Logs in files.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::task;
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};

use super::{FileBackend, finished, leases, unopened};
use crate::backend::{FencingToken, Follow, Lease, LogHead, LogMark, LogWriter, Logs, OpenedLog, StoreReply};
use crate::log::line::ChainHead;
use crate::log::sealed::{self, LogTip};
use crate::log::writer::LineWriter;
use crate::log::{fence, follow, reader};
use crate::{Follower, Layout, StoreError, dir, ignore_file, plain};

/// A file log that is open for writing.
#[derive(Debug)]
struct FileLog {
    path: PathBuf,
    seq: Seq,
    token: FencingToken,
    /// `None` while an append is under way, and for ever if its future was dropped then.
    held: Option<Held>,
}

/// What moves to the blocking thread and back. The lease goes with the file: if nobody waits for an append any more,
/// the next writer still does.
#[derive(Debug)]
struct Held {
    writer: LineWriter<File>,
    fence: PathBuf,
    lease: Lease,
}

/// A file log that is followed.
#[derive(Debug)]
struct FileFollow(Follower);

impl Logs for FileBackend {
    fn create(&self, run: RunId) -> StoreReply<'_, Box<dyn LogWriter>> {
        let what = self.what.clone();
        self.blocking(move |layout| Ok(Box::new(create(layout, run, &what)?) as Box<dyn LogWriter>))
    }

    fn open(&self, lease: Lease) -> StoreReply<'_, OpenedLog> {
        self.blocking(move |layout| open(layout, lease))
    }

    fn read(&self, run: RunId) -> StoreReply<'_, Vec<Entry>> {
        self.blocking(move |layout| {
            let path = layout.log(run);
            let file = plain::open(&path).map_err(|error| unopened(run, &path, error))?;
            Ok(reader::read(&file, &path)?.entries)
        })
    }

    fn first(&self, run: RunId) -> StoreReply<'_, Option<Entry>> {
        self.blocking(move |layout| {
            let path = layout.log(run);
            let file = plain::open(&path).map_err(|error| unopened(run, &path, error))?;
            reader::first(&file, &path)
        })
    }

    fn bytes(&self, run: RunId) -> StoreReply<'_, Vec<u8>> {
        self.blocking(move |layout| {
            let path = layout.log(run);
            plain::read(&path).map_err(|error| unopened(run, &path, error))
        })
    }

    fn runs(&self) -> StoreReply<'_, Vec<RunId>> {
        self.blocking(runs)
    }

    fn follow(&self, run: RunId, after: Seq) -> StoreReply<'_, Box<dyn Follow>> {
        let follow: Box<dyn Follow> = Box::new(FileFollow(Follower::new(&self.layout, run).after(after)));
        Box::pin(std::future::ready(Ok(follow)))
    }

    fn names(&self) -> StoreReply<'_, Vec<RunId>> {
        self.blocking(names)
    }

    fn census(&self) -> StoreReply<'_, Option<u64>> {
        // One look at a folder, which no disk is needed for.
        let changed = fs::metadata(self.layout.runs()).and_then(|folder| folder.modified()).ok();
        let since = changed.and_then(|changed| changed.duration_since(SystemTime::UNIX_EPOCH).ok());
        let census = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Box::pin(std::future::ready(Ok(census)))
    }

    fn heads(&self) -> StoreReply<'_, Vec<(RunId, LogHead)>> {
        self.blocking(|layout| {
            let mut runs = names(layout)?;
            runs.sort_unstable();
            Ok(runs.into_iter().filter_map(|run| Some((run, follow::head(layout, run)?))).collect())
        })
    }

    fn tip(&self, run: RunId) -> StoreReply<'_, Option<LogTip>> {
        self.blocking(move |layout| {
            let path = layout.log(run);
            let file = plain::open(&path).map_err(|error| unopened(run, &path, error))?;
            sealed::tip_of_file(&file).map_err(StoreError::io("read", &path))
        })
    }

    fn head(&self, run: RunId) -> StoreReply<'_, Option<LogMark>> {
        // One look at a file, which no disk is needed for.
        let head = follow::head(&self.layout, run).map(|head| head.mark);
        Box::pin(std::future::ready(Ok(head)))
    }
}

impl LogWriter for FileLog {
    fn seq(&self) -> Seq {
        self.seq
    }

    fn token(&self) -> FencingToken {
        self.token
    }

    fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> StoreReply<'_, Vec<Entry>> {
        Box::pin(async move {
            let Some(mut held) = self.held.take() else {
                return Err(StoreError::Poisoned { place: self.path.display().to_string() });
            };
            let work = move || {
                let result = held.append(expected, events);
                (held, result)
            };
            let (held, result) = finished(task::spawn_blocking(work).await)?;
            self.seq = held.writer.seq();
            self.held = Some(held);
            result
        })
    }
}

impl Held {
    fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        let _passing = fence::pass(&self.fence, self.lease.run, self.lease.token)?;
        self.writer.append(expected, events)
    }
}

impl Follow for FileFollow {
    fn seq(&self) -> Seq {
        self.0.seq()
    }

    fn mark(&self) -> LogMark {
        LogMark(self.0.bytes())
    }

    fn bound(&mut self, end: Option<LogMark>) {
        self.0.bound(end.map_or(u64::MAX, |end| end.0));
    }

    fn next(&mut self, max: usize) -> StoreReply<'_, Vec<Entry>> {
        Box::pin(async move {
            // One look at the length, which no disk is needed for: most of the time nothing is new.
            if !self.0.has_news()? {
                return Ok(Vec::new());
            }
            let mut follower = self.0.clone();
            let work = move || {
                let entries = follower.more(max);
                (follower, entries)
            };
            // Whoever gives up waiting finds us where we were.
            let (follower, entries) = finished(task::spawn_blocking(work).await)?;
            self.0 = follower;
            entries
        })
    }

    fn hashes(&self) -> Vec<Digest> {
        self.0.hashes().to_vec()
    }
}

/// Every run that has a log, oldest first.
pub(crate) fn runs(layout: &Layout) -> Result<Vec<RunId>, StoreError> {
    let mut runs = names(layout)?;
    runs.retain(|run| has_happened(layout, *run));
    runs.sort_unstable();
    Ok(runs)
}

/// Whether anything came of a run. One whose log is gone, or is something else than a file, is damaged, and not nothing.
fn has_happened(layout: &Layout, run: RunId) -> bool {
    fs::symlink_metadata(layout.log(run)).is_ok() || unopened::has_more(layout, run)
}

/// Every run that has a folder, in no order.
pub(crate) fn names(layout: &Layout) -> Result<Vec<RunId>, StoreError> {
    let folder = layout.runs();
    let names = match fs::read_dir(&folder) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("list", &folder)(error)),
    };
    let mut runs = Vec::new();
    for name in names {
        let name = name.map_err(StoreError::io("list", &folder))?.file_name();
        runs.extend(Layout::run_named(&name));
    }
    Ok(runs)
}

fn create(layout: &Layout, run: RunId, what: &str) -> Result<FileLog, StoreError> {
    let (folder, path) = (layout.run(run), layout.log(run));
    let exists = |path: &Path| StoreError::RunExists { run, place: path.display().to_string() };
    dir::create_all(&layout.runs())?;
    ignore_file::write(layout)?;
    let opening = unopened::opening(layout)?;
    match fs::create_dir(&folder) {
        Ok(()) => {}
        // A folder without a log is what a crash right here leaves behind.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !path.exists() => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(&path)),
        Err(error) => return Err(StoreError::io("create", &folder)(error)),
    }
    let lease = leases::take(layout, run, what)?;
    drop(opening);
    let file = OpenOptions::new().append(true).create_new(true).open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(&path),
        _ => StoreError::io("create", &path)(error),
    })?;
    file.sync_all().map_err(StoreError::io("sync", &path))?;
    dir::sync(&folder)?;
    dir::sync(&layout.runs())?;
    let writer = LineWriter::new(run, path.clone(), file, ChainHead::START, 0);
    Ok(FileLog::new(layout, path, writer, lease))
}

fn open(layout: &Layout, lease: Lease) -> Result<OpenedLog, StoreError> {
    let run = lease.run;
    let path = layout.log(run);
    let options = &mut OpenOptions::new();
    let file = plain::open_as(options.read(true).append(true), &path).map_err(|error| unopened(run, &path, error))?;
    // A lease that is over must not cut off what its successor just writes.
    let passing = fence::pass(&layout.lease(run), run, lease.token)?;
    let contents = reader::read(&file, &path)?;
    if contents.torn.is_some() {
        file.set_len(contents.bytes).map_err(StoreError::io("cut", &path))?;
    }
    // What we read may be in memory only, if the process that wrote it did not come to its sync.
    file.sync_all().map_err(StoreError::io("sync", &path))?;
    dir::sync(&layout.run(run))?;
    drop(passing);
    let writer = LineWriter::new(run, path.clone(), file, contents.head, contents.bytes);
    let log = Box::new(FileLog::new(layout, path, writer, lease));
    Ok(OpenedLog { log, entries: contents.entries, recovered: contents.torn })
}

impl FileLog {
    fn new(layout: &Layout, path: PathBuf, writer: LineWriter<File>, lease: Lease) -> Self {
        let fence = layout.lease(lease.run);
        Self { path, seq: writer.seq(), token: lease.token, held: Some(Held { writer, fence, lease }) }
    }
}

fn unopened(run: RunId, path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::NoRun { run, place: path.display().to_string() },
        _ => StoreError::io("open", path)(error),
    }
}
