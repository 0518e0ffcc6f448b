//! What is known of runs: folded from their logs, and kept, so that of a log that grows only the new lines are read.
//!
//! | file | noun |
//! |---|---|
//! | `row` | a run, as lists show it |
//! | `rows` | rows of runs that have ended, of the newest of them |

mod row;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tribunal_kernel::run::Impossible;
use tribunal_kernel::{Attachment, Digest, MediaType, Run, RunId, Seq};
use tribunal_store::backend::Follow;
use tribunal_store::index::RunFilter;
use tribunal_store::{BlockingBackend, StoreError};

use crate::api::types::RunRow;
use rows::Rows;
use tribunal_app::AppService;

/// So many runs are kept folded.
const KEPT: usize = 64;
/// Entries that are in memory at a time, besides what is made of them.
const AT_A_TIME: usize = 4096;

/// The runs of a project, for reading. Reading blocks.
#[derive(Debug)]
pub(crate) struct Archive {
    store: BlockingBackend,
    shelf: Mutex<Shelf>,
    ended: Mutex<Rows>,
}

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("run {0}: {1}")]
    Impossible(RunId, Impossible),
}

#[derive(Debug, Default)]
struct Shelf {
    runs: BTreeMap<RunId, (u64, Arc<Mutex<Kept>>)>,
    /// How often somebody came here.
    visits: u64,
}

/// A run as far as its log has been read.
#[derive(Debug)]
struct Kept {
    follower: Box<dyn Follow>,
    run: Option<Arc<Run>>,
    cited: BTreeSet<Digest>,
}

impl Archive {
    pub(crate) fn new(store: BlockingBackend) -> Self {
        Self { store, shelf: Mutex::default(), ended: Mutex::default() }
    }

    /// A run as it stands.
    pub(crate) fn run(&self, run: RunId) -> Result<Arc<Run>, ReadError> {
        self.read(run, |run, _| run.clone())
    }

    /// A text that a run cites. Whatever else lies in the store is none of its readers' business.
    pub(crate) fn text(&self, run: RunId, digest: Digest) -> Result<Option<String>, ReadError> {
        if !self.read(run, |_, cited| cited.contains(&digest))? {
            return Ok(None);
        }
        let bytes = self.store.wait(self.store.blobs().get(digest))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// An image that is attached to the brief of a run.
    pub(crate) fn image(&self, run: RunId, digest: Digest) -> Result<Option<(MediaType, Vec<u8>)>, ReadError> {
        let is_it = |it: &&Attachment| it.content == digest && it.media_type.is_image();
        let found = self.read(run, |run, _| run.spec().attachments.iter().find(is_it).map(|it| it.media_type))?;
        let Some(kind) = found else { return Ok(None) };
        Ok(Some((kind, self.store.wait(self.store.blobs().get(digest))?)))
    }

    /// The runs that `filter` admits, newest first.
    pub(crate) fn find(&self, filter: RunFilter) -> Result<Vec<RunId>, StoreError> {
        let rows = self.store.wait(self.store.lists().runs(filter))?;
        Ok(rows.iter().map(|row| row.run).collect())
    }

    /// A run, as lists show it.
    pub(crate) fn row(&self, app: &dyn AppService, id: RunId) -> Result<RunRow, ReadError> {
        // Before the log is read: what is appended meanwhile makes it longer.
        let mark = self.store.wait(self.store.logs().head(id))?.unwrap_or_default();
        let is_queued = app.queued().contains(&id);
        if let Some(row) = hold(&self.ended).get(id, mark) {
            return Ok(RunRow { is_queued, ..row.clone() });
        }
        let run = self.run(id)?;
        let is_ended = run.end().is_some();
        let is_driven = !is_ended && self.store.wait(self.store.leases().holder(id))?.is_some();
        // A brief that is lost is no reason not to list its run.
        let brief = self.store.wait(self.store.blobs().get(run.spec().brief)).unwrap_or_default();
        let brief = row::begins(&String::from_utf8_lossy(&brief));
        let awaited = self.store.block_on(app.awaited(&run)).unwrap_or_default();
        let row = row::row(&run, brief, is_driven, is_queued, awaited);
        if is_ended {
            hold(&self.ended).keep(id, mark, row.clone());
        }
        Ok(row)
    }

    fn read<T>(&self, id: RunId, look: impl FnOnce(&Arc<Run>, &BTreeSet<Digest>) -> T) -> Result<T, ReadError> {
        let kept = hold(&self.shelf).take(&self.store, id)?;
        let mut kept = hold(&kept);
        let caught_up = kept.catch_up(&self.store, id);
        match (caught_up, &kept.run) {
            (Ok(()), Some(run)) => Ok(look(run, &kept.cited)),
            (error, _) => {
                // Half of what such a log tells is not kept.
                hold(&self.shelf).runs.remove(&id);
                let place = self.store.name().to_owned();
                Err(error.err().unwrap_or(StoreError::NoRun { run: id, place }.into()))
            }
        }
    }
}

impl Shelf {
    /// What is kept of a run: nothing yet, if nobody asked for it lately.
    fn take(&mut self, store: &BlockingBackend, id: RunId) -> Result<Arc<Mutex<Kept>>, StoreError> {
        self.visits += 1;
        let kept = if let Some((used, kept)) = self.runs.get_mut(&id) {
            *used = self.visits;
            kept.clone()
        } else {
            let follower = store.wait(store.logs().follow(id, Seq(0)))?;
            let kept = Arc::new(Mutex::new(Kept { follower, run: None, cited: BTreeSet::new() }));
            self.runs.insert(id, (self.visits, kept.clone()));
            kept
        };
        if self.runs.len() > KEPT
            && let Some(oldest) = self.runs.iter().min_by_key(|(_, (used, _))| *used).map(|(run, _)| *run)
        {
            self.runs.remove(&oldest);
        }
        Ok(kept)
    }
}

impl Kept {
    /// Takes in what was appended since.
    fn catch_up(&mut self, store: &BlockingBackend, id: RunId) -> Result<(), ReadError> {
        loop {
            let entries = store.wait(self.follower.next(AT_A_TIME))?;
            if entries.is_empty() {
                return Ok(());
            }
            for entry in entries {
                self.cited.extend(entry.event.cites());
                let taken = match &mut self.run {
                    Some(run) => Arc::make_mut(run).apply(entry),
                    none => Run::open(entry).map(|run| *none = Some(Arc::new(run))),
                };
                taken.map_err(|impossible| ReadError::Impossible(id, impossible))?;
            }
        }
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
