//! The files that all runs on a workspace share, written for several of them at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_kernel::{Run, RunId};
use tribunal_store::{Backend, BlockingBackend, workspace};

use crate::error::AppError;
use crate::project::as_text;

/// Runs whose files wait to be written, by folder. Whoever gets to write writes for all that wait: the longer a write takes,
/// the more of them it does at once.
#[derive(Debug, Default)]
pub(crate) struct SharedFiles {
    waiting: Mutex<WaitingRuns>,
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct WaitingRuns {
    runs: BTreeMap<PathBuf, BTreeMap<RunId, Arc<Run>>>,
    /// What could not be written for somebody who waits.
    failed: BTreeMap<RunId, AppError>,
    /// How often the files of a folder were written: what tests count.
    writes: usize,
}

impl SharedFiles {
    /// Brings the files of a run to what its log says, or further: with all that wait for the same.
    pub(crate) async fn write(&self, store: &Arc<dyn Backend>, folder: &Path, run: &Arc<Run>) -> Result<(), AppError> {
        let id = run.spec().run;
        self.with(|waiting| {
            let queue = waiting.runs.entry(folder.to_owned()).or_default();
            // Of two states of a run the newer one is shown.
            if queue.get(&id).is_none_or(|other| other.seq() < run.seq()) {
                queue.insert(id, run.clone());
            }
        });
        let _writing = self.writing.lock().await;
        let runs = self.with(|waiting| {
            let is_waiting = waiting.runs.get(folder).is_some_and(|queue| queue.contains_key(&id));
            if is_waiting { waiting.runs.remove(folder).unwrap_or_default() } else { BTreeMap::new() }
        });
        if !runs.is_empty() {
            let (store, folder) = (BlockingBackend::new(store.clone()), folder.to_owned());
            let (of_folder, others) = (folder.clone(), runs.clone());
            let runs: Vec<Arc<Run>> = runs.into_values().collect();
            let written = tokio::task::spawn_blocking(move || {
                let fetch = |digest| store.wait(store.blobs().get(digest)).ok().map(as_text);
                workspace::update_all(&folder, &runs, &fetch)
            });
            let written = written.await.map_err(|error| AppError::environment(format!("a bug: {error}"), None));
            let failed = written.and_then(|failed| failed.map_err(AppError::from)).inspect_err(|_| {
                // Nobody was written for: each of the others tries, and hears why it cannot be.
                self.with(|waiting| {
                    let queue = waiting.runs.entry(of_folder).or_default();
                    for (other, run) in others.into_iter().filter(|(other, _)| *other != id) {
                        queue.entry(other).or_insert(run);
                    }
                });
            })?;
            self.with(|waiting| {
                waiting.writes += 1;
                waiting.failed.extend(failed.into_iter().map(|(run, error)| (run, AppError::from(error))));
            });
        }
        self.with(|waiting| waiting.failed.remove(&id)).map_or(Ok(()), Err)
    }

    fn with<T>(&self, change: impl FnOnce(&mut WaitingRuns) -> T) -> T {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::{Entry, Event, Seq, review};
    use tribunal_store::FileBackend;
    use tribunal_store::conformance::{events, run_id, texts};

    fn run(number: u64) -> Arc<Run> {
        let entries = events(run_id(number)).take(7).zip(1..).map(|((time, mut event), seq)| {
            if let Event::RunOpened { spec } = &mut event
                && let Some(settings) = spec.settings_of_mut::<review::Settings>()
            {
                settings.asset = format!("a{number}");
            }
            Entry { seq: Seq(seq), time, event }
        });
        Arc::new(Run::fold(entries).unwrap().unwrap())
    }

    #[tokio::test]
    async fn who_waits_is_written_for_by_whoever_writes() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Backend> = Arc::new(FileBackend::new(folder.path()));
        for text in texts(1) {
            store.blobs().put(text.as_bytes()).await.unwrap();
        }
        let shared = Arc::new(SharedFiles::default());
        // Somebody writes, and twenty come meanwhile.
        let busy = shared.writing.lock().await;
        let mut writes = tokio::task::JoinSet::new();
        for number in 1..=20 {
            let (shared, store, folder) = (shared.clone(), store.clone(), folder.path().to_owned());
            writes.spawn(async move { shared.write(&store, &folder, &run(number)).await });
        }
        while shared.with(|waiting| waiting.runs.values().map(BTreeMap::len).sum::<usize>()) < 20 {
            tokio::task::yield_now().await;
        }
        drop(busy);
        while let Some(written) = writes.join_next().await {
            written.unwrap().unwrap();
        }
        assert_eq!(shared.with(|waiting| waiting.writes), 1);
        let state = std::fs::read_to_string(folder.path().join("state.json")).unwrap();
        for number in 1..=20 {
            assert!(state.contains(&format!("\"asset_id\": \"a{number}\"")), "{number}");
        }
    }
}
