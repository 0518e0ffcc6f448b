//! The file store: logs and blobs under `.tribunal/`.
//!
//! Disk work happens on blocking threads, one append each. Syncs of different logs that wait at the same time are
//! committed together by the file system's journal, so a run waits for one sync and never in a queue of them.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task;
use tribunal_kernel::{Digest, Entry, Event, RunId, Seq, Time};

use crate::log::line::Head;
use crate::log::lock::Lock;
use crate::log::reader;
use crate::log::writer::Writer;
use crate::{Layout, Log, Opened, Store, StoreError, blobs, dir};

/// Logs and blobs in files.
#[derive(Debug, Clone)]
pub struct FileStore {
    layout: Arc<Layout>,
    what: Arc<str>,
}

/// A file log that is open for writing.
#[derive(Debug)]
pub struct FileLog {
    path: PathBuf,
    seq: Seq,
    /// `None` while an append is under way, and for ever if its future was dropped then.
    held: Option<Held>,
}

/// What moves to the blocking thread and back. The lock goes with the file: if nobody waits for an append any more,
/// the next writer still does.
#[derive(Debug)]
struct Held {
    writer: Writer<File>,
    _lock: Lock,
}

impl FileStore {
    /// The store of the workspace at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { layout: Arc::new(Layout::new(root)), what: "tribunal".into() }
    }

    /// The same store, whose locks tell others that they are held for `what`: `tribunal run`, …
    pub fn held_for(self, what: impl Into<Arc<str>>) -> Self {
        Self { what: what.into(), ..self }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The event that opened a run; `None` when its log is empty. Reads no more than that, so that many runs can be
    /// listed.
    pub async fn first(&self, run: RunId) -> Result<Option<Entry>, StoreError> {
        self.blocking(move |layout, _| {
            let path = layout.log(run);
            let file = File::open(&path).map_err(|error| unopened(run, &path, error))?;
            reader::first(&file, &path)
        })
        .await
    }

    /// A run's log, byte for byte: for a copy that can be checked elsewhere.
    pub async fn bytes(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.blocking(move |layout, _| {
            let path = layout.log(run);
            fs::read(&path).map_err(|error| unopened(run, &path, error))
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Layout, &str) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (layout, what) = (self.layout.clone(), self.what.clone());
        finished(task::spawn_blocking(move || work(&layout, &what)).await)?
    }
}

impl Store for FileStore {
    type Log = FileLog;

    async fn create(&self, run: RunId) -> Result<FileLog, StoreError> {
        self.blocking(move |layout, what| create(layout, run, what)).await
    }

    async fn open(&self, run: RunId) -> Result<Opened<FileLog>, StoreError> {
        self.blocking(move |layout, what| open(layout, run, what)).await
    }

    async fn read(&self, run: RunId) -> Result<Vec<Entry>, StoreError> {
        self.blocking(move |layout, _| {
            let path = layout.log(run);
            let file = File::open(&path).map_err(|error| unopened(run, &path, error))?;
            Ok(reader::read(&file, &path)?.entries)
        })
        .await
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.blocking(|layout, _| runs(layout)).await
    }

    async fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let bytes = bytes.to_owned();
        self.blocking(move |layout, _| blobs::put(layout, &bytes)).await
    }

    async fn get(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        self.blocking(move |layout, _| blobs::get(layout, digest)).await
    }
}

impl Log for FileLog {
    fn seq(&self) -> Seq {
        self.seq
    }

    async fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        let Some(mut held) = self.held.take() else {
            return Err(StoreError::Poisoned { place: self.path.display().to_string() });
        };
        let work = move || {
            let result = held.writer.append(expected, events);
            (held, result)
        };
        let (held, result) = finished(task::spawn_blocking(work).await)?;
        self.seq = held.writer.seq();
        self.held = Some(held);
        result
    }
}

/// Every run that has a log, oldest first.
pub(crate) fn runs(layout: &Layout) -> Result<Vec<RunId>, StoreError> {
    let mut runs = names(layout)?;
    runs.retain(|run| layout.log(*run).is_file());
    runs.sort_unstable();
    Ok(runs)
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
    match fs::create_dir(&folder) {
        Ok(()) => {}
        // A folder without a log is what a crash right here leaves behind.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !path.exists() => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(&path)),
        Err(error) => return Err(StoreError::io("create", &folder)(error)),
    }
    let lock = Lock::take(&layout.lock(run), run, what)?;
    let file = OpenOptions::new().append(true).create_new(true).open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(&path),
        _ => StoreError::io("create", &path)(error),
    })?;
    file.sync_all().map_err(StoreError::io("sync", &path))?;
    dir::sync(&folder)?;
    dir::sync(&layout.runs())?;
    let writer = Writer::new(run, path.clone(), file, Head::START, 0);
    Ok(FileLog { path, seq: Seq(0), held: Some(Held { writer, _lock: lock }) })
}

fn open(layout: &Layout, run: RunId, what: &str) -> Result<Opened<FileLog>, StoreError> {
    let path = layout.log(run);
    // Before the lock, which would leave a lock file where no run is.
    let file = OpenOptions::new().read(true).append(true).open(&path).map_err(|error| unopened(run, &path, error))?;
    let lock = Lock::take(&layout.lock(run), run, what)?;
    let contents = reader::read(&file, &path)?;
    if contents.torn.is_some() {
        file.set_len(contents.bytes).map_err(StoreError::io("cut", &path))?;
    }
    // What we read may be in memory only, if the process that wrote it did not come to its sync.
    file.sync_all().map_err(StoreError::io("sync", &path))?;
    dir::sync(&layout.run(run))?;
    let seq = contents.head.seq;
    let writer = Writer::new(run, path.clone(), file, contents.head, contents.bytes);
    let log = FileLog { path, seq, held: Some(Held { writer, _lock: lock }) };
    Ok(Opened { log, entries: contents.entries, recovered: contents.torn })
}

fn unopened(run: RunId, path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::NoRun { run, place: path.display().to_string() },
        _ => StoreError::io("open", path)(error),
    }
}

fn finished<T>(joined: Result<T, task::JoinError>) -> Result<T, StoreError> {
    joined.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => StoreError::ShuttingDown,
    })
}
