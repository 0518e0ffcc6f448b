//! What is known of runs: read from their logs, and kept for as long as a log does not grow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_kernel::theater::stage_of;
use tribunal_kernel::{Digest, Entry, Outcome, Run, RunId, Score};
use tribunal_store::index::{Filter, Index, Status};
use tribunal_store::log::follow::length;
use tribunal_store::log::lock;
use tribunal_store::{Follower, Layout, StoreError, blobs};

use crate::api::types::{Action, RunRow};
use crate::office::Office;

/// So many runs are kept folded.
const KEPT: usize = 64;

/// The runs of a project, for reading.
#[derive(Debug)]
pub(crate) struct Archive {
    layout: Layout,
    kept: Mutex<BTreeMap<RunId, Kept>>,
}

#[derive(Debug, Clone)]
struct Kept {
    length: u64,
    run: Arc<Run>,
    cited: Arc<Vec<Digest>>,
    used: u64,
}

impl Archive {
    pub(crate) fn new(layout: Layout) -> Self {
        Self { layout, kept: Mutex::default() }
    }

    /// A run as it stands.
    pub(crate) fn run(&self, run: RunId) -> Result<Arc<Run>, StoreError> {
        Ok(self.read(run)?.run)
    }

    /// A text that a run cites. Whatever else lies in the store is none of its readers' business.
    pub(crate) fn text(&self, run: RunId, digest: Digest) -> Result<Option<String>, StoreError> {
        if !self.read(run)?.cited.contains(&digest) {
            return Ok(None);
        }
        let bytes = blobs::get(&self.layout, digest)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The runs that `filter` admits, newest first.
    pub(crate) fn list(&self, office: &dyn Office, filter: &Filter) -> Result<Vec<RunRow>, String> {
        let index = Index::open(&self.layout.index()).map_err(|error| error.to_string())?;
        let rows = index.runs(filter).map_err(|error| error.to_string())?;
        // A log that cannot be read must not keep the others from being listed.
        Ok(rows.iter().filter_map(|row| self.row(office, row.run).ok()).collect())
    }

    /// A run, as lists show it.
    pub(crate) fn row(&self, office: &dyn Office, id: RunId) -> Result<RunRow, StoreError> {
        let run = self.run(id)?;
        let is_driven = run.end().is_none() && lock::holder(&self.layout, id)?.is_some();
        let is_queued = office.queued().contains(&id);
        Ok(row(&run, is_driven, is_queued, office.awaited(&run)))
    }

    fn read(&self, id: RunId) -> Result<Kept, StoreError> {
        let length = length(&self.layout, id).unwrap_or_default();
        if length == 0 {
            return Err(StoreError::NoRun { run: id, place: self.layout.run(id).display().to_string() });
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = kept.values().map(|kept| kept.used).max().unwrap_or_default() + 1;
        if let Some(found) = kept.get_mut(&id).filter(|kept| kept.length >= length) {
            found.used = clock;
            return Ok(found.clone());
        }
        let mut follower = Follower::new(&self.layout, id);
        let entries = follower.more(usize::MAX)?;
        let run = Run::fold(&entries).ok().flatten();
        let run = run.ok_or_else(|| StoreError::NoRun { run: id, place: self.layout.log(id).display().to_string() })?;
        let cited = Arc::new(entries.iter().flat_map(cites).collect());
        let read = Kept { length: follower.bytes(), run: Arc::new(run), cited, used: clock };
        kept.insert(id, read.clone());
        if kept.len() > KEPT
            && let Some(oldest) = kept.iter().min_by_key(|(_, kept)| kept.used).map(|(run, _)| *run)
        {
            kept.remove(&oldest);
        }
        Ok(read)
    }
}

fn cites(entry: &Entry) -> Vec<Digest> {
    entry.event.cites()
}

fn row(run: &Run, is_driven: bool, is_queued: bool, waiting_for: Vec<String>) -> RunRow {
    let charter = run.charter();
    let closed = run.rounds().iter().filter(|state| state.closed.is_some());
    let composites: Vec<Option<Score>> =
        closed.map(|state| state.tally.as_ref().map(|tally| tally.composite)).collect();
    let end = run.end();
    let shipped = end.and_then(|end| end.ship.as_ref()?.composite);
    let stage = stage_of(charter);
    let spent = run.budget().spent;
    RunRow {
        run: charter.run,
        r#loop: charter.kind(),
        subject: charter.subject().to_owned(),
        status: Status::of(run).as_str().to_owned(),
        is_driven,
        is_queued,
        reason: end.map(|end| end.reason.clone()).or_else(|| run.decision().reason.clone()),
        rounds: u32::try_from(run.rounds().len()).unwrap_or(u32::MAX),
        turns: u32::try_from(run.turns().len()).unwrap_or(u32::MAX),
        tokens: spent.tokens,
        usd_micros: spent.usd.0,
        opened: run.opened(),
        closed: end.map(|end| end.at),
        threshold: stage.map(|stage| stage.threshold),
        scale: stage.map(|stage| stage.scale),
        score: shipped.or_else(|| composites.last().copied().flatten()),
        composites,
        artifact: stage.map(|stage| stage.artifact.clone()),
        seq: run.seq(),
        actions: actions(run, is_driven, !waiting_for.is_empty()),
        waiting_for,
    }
}

/// What may be asked of a run now. The office has the last word.
fn actions(run: &Run, is_driven: bool, is_awaited: bool) -> Vec<Action> {
    let mut actions = Vec::new();
    let is_stage = stage_of(run.charter()).is_some();
    let is_review = run.charter().kind() == tribunal_kernel::LoopKind::Review;
    match run.end().map(|end| end.outcome) {
        None => {
            actions.extend([Action::Interrupt, Action::Steer]);
            if !is_driven && !is_awaited {
                actions.push(Action::Resume);
            }
            if is_awaited {
                actions.push(Action::Answer);
            }
        }
        Some(outcome) if outcome.is_sticky() && !is_stage => actions.push(Action::Reopen),
        Some(Outcome::Failed | Outcome::TimedOut | Outcome::OverBudget | Outcome::Interrupted) => {
            actions.push(Action::Resume);
        }
        Some(_) => {}
    }
    if run.end().is_some() && is_stage {
        actions.push(Action::Rerun);
    }
    if run.end().is_some() && is_review && run.drafts().next().is_some() {
        actions.push(Action::Select);
    }
    actions
}
