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
use tribunal_kernel::{Digest, Run, RunId};
use tribunal_store::index::{KeptIndex, RunFilter};
use tribunal_store::log::follow::length;
use tribunal_store::log::lock;
use tribunal_store::{Follower, Layout, StoreError, blobs};

use crate::api::types::RunRow;
use rows::Rows;
use tribunal_app::AppService;

/// So many runs are kept folded.
const KEPT: usize = 64;
/// Entries that are in memory at a time, besides what is made of them.
const AT_A_TIME: usize = 4096;

/// The runs of a project, for reading.
#[derive(Debug)]
pub(crate) struct Archive {
    layout: Layout,
    shelf: Mutex<Shelf>,
    ended: Mutex<Rows>,
    index: KeptIndex,
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
    follower: Follower,
    run: Option<Arc<Run>>,
    cited: BTreeSet<Digest>,
}

impl Archive {
    pub(crate) fn new(layout: Layout) -> Self {
        let index = KeptIndex::new(layout.index());
        Self { layout, shelf: Mutex::default(), ended: Mutex::default(), index }
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
        let bytes = blobs::get(&self.layout, digest)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The runs that `filter` admits, newest first.
    pub(crate) fn find(&self, filter: &RunFilter) -> Result<Vec<RunId>, String> {
        let rows = self.index.with(|index| index.runs(filter)).map_err(|error| error.to_string())?;
        Ok(rows.iter().map(|row| row.run).collect())
    }

    /// A run, as lists show it.
    pub(crate) fn row(&self, app: &dyn AppService, id: RunId) -> Result<RunRow, ReadError> {
        // Before the log is read: what is appended meanwhile makes it longer.
        let length = length(&self.layout, id).unwrap_or_default();
        let is_queued = app.queued().contains(&id);
        if let Some(row) = hold(&self.ended).get(id, length) {
            return Ok(RunRow { is_queued, ..row.clone() });
        }
        let run = self.run(id)?;
        let is_ended = run.end().is_some();
        let is_driven = !is_ended && lock::holder(&self.layout, id)?.is_some();
        let row = row::row(&run, is_driven, is_queued, app.awaited(&run));
        if is_ended {
            hold(&self.ended).keep(id, length, row.clone());
        }
        Ok(row)
    }

    fn read<T>(&self, id: RunId, look: impl FnOnce(&Arc<Run>, &BTreeSet<Digest>) -> T) -> Result<T, ReadError> {
        let kept = hold(&self.shelf).take(&self.layout, id);
        let mut kept = hold(&kept);
        let caught_up = kept.catch_up(id);
        match (caught_up, &kept.run) {
            (Ok(()), Some(run)) => Ok(look(run, &kept.cited)),
            (error, _) => {
                // Half of what such a log tells is not kept.
                hold(&self.shelf).runs.remove(&id);
                let place = self.layout.log(id).display().to_string();
                Err(error.err().unwrap_or(StoreError::NoRun { run: id, place }.into()))
            }
        }
    }
}

impl Shelf {
    /// What is kept of a run: nothing yet, if nobody asked for it lately.
    fn take(&mut self, layout: &Layout, id: RunId) -> Arc<Mutex<Kept>> {
        self.visits += 1;
        let new = || {
            let (follower, run, cited) = (Follower::new(layout, id), None, BTreeSet::new());
            (0, Arc::new(Mutex::new(Kept { follower, run, cited })))
        };
        let (used, kept) = self.runs.entry(id).or_insert_with(new);
        *used = self.visits;
        let kept = kept.clone();
        if self.runs.len() > KEPT
            && let Some(oldest) = self.runs.iter().min_by_key(|(_, (used, _))| *used).map(|(run, _)| *run)
        {
            self.runs.remove(&oldest);
        }
        kept
    }
}

impl Kept {
    /// Takes in what was appended since.
    fn catch_up(&mut self, id: RunId) -> Result<(), ReadError> {
        loop {
            let entries = self.follower.more(AT_A_TIME)?;
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
