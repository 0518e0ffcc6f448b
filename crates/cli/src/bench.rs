//! The runs that this process drives while it answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tribunal_engine::{Control, Session};
use tribunal_kernel::RunId;
use tribunal_store::FileStore;
use tribunal_store::index::KeptIndex;

use crate::failure::Failure;
use crate::progress::Screen;
use crate::project::Project;
use crate::trial;

/// How long all runs together may take to stop: ending their agents takes the grace time of each.
const PATIENCE: Duration = Duration::from_secs(20);

/// Of so many runs it is remembered why they could not go on.
const TROUBLE: usize = 256;

/// Runs in the background.
#[derive(Debug)]
pub(crate) struct Bench {
    seats: Arc<Mutex<Seats>>,
    /// So many runs go on at the same time; whoever wants more waits for one to end.
    most: usize,
    queue: Queue,
    /// Stays open as long as we do.
    index: OnceLock<Arc<KeptIndex>>,
}

/// Runs that wait for their turn.
pub(crate) type Queue = Arc<Mutex<BTreeSet<RunId>>>;

#[derive(Debug, Default)]
struct Seats {
    driven: BTreeMap<RunId, Driven>,
    /// Why a run could not be driven on; of the newest of them.
    trouble: BTreeMap<RunId, String>,
    is_closed: bool,
}

#[derive(Debug)]
struct Driven {
    control: Control,
    task: JoinHandle<()>,
}

impl Seats {
    /// Remembers why a run could not go on.
    fn note(&mut self, run: RunId, why: String) {
        self.trouble.insert(run, why);
        if self.trouble.len() > TROUBLE {
            self.trouble.pop_first();
        }
    }
}

impl Bench {
    /// A bench for so many runs.
    pub(crate) fn new(most: usize) -> Self {
        Self { seats: Arc::default(), most, queue: Arc::default(), index: OnceLock::new() }
    }

    /// The project, as it was loaded for one request, with the index that all requests share.
    pub(crate) fn with_index(&self, mut project: Project) -> Project {
        project.index = self.index.get_or_init(|| project.index.clone()).clone();
        project
    }

    /// Runs that wait for their turn.
    pub(crate) fn queued(&self) -> BTreeSet<RunId> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops a run that is driven here. Whether it is.
    pub(crate) fn interrupt(&self, run: RunId, by: &str) -> bool {
        let seats = self.lock();
        let driven = seats.driven.get(&run);
        if let Some(driven) = driven {
            driven.control.interrupt(by);
        }
        driven.is_some()
    }

    /// Drives these runs on, and does not wait for them.
    pub(crate) async fn seat(
        &self,
        project: &Project,
        screen: &Screen,
        sessions: Vec<Session<FileStore>>,
    ) -> Result<Vec<RunId>, Failure> {
        if sessions.is_empty() {
            return Ok(Vec::new());
        }
        let common = trial::prepare(project, screen).waiting_in(self.queue.clone());
        let mut ready = Vec::new();
        for session in sessions {
            let (id, control) = (session.run().spec().run, session.control());
            ready.push((id, control, trial::ready(project, screen, common.clone(), session).await?));
        }
        let mut seats = self.lock();
        if seats.is_closed {
            return Err(Failure::environment("the server is stopping", Some("`tribunal resume` goes on".into())));
        }
        let ids = ready.iter().map(|(id, ..)| *id).collect();
        for (id, control, run) in ready {
            let place = self.seats.clone();
            // It cannot end before it is on the list: we hold the lock.
            let task = tokio::spawn(async move {
                let result = run.await;
                let mut seats = place.lock().unwrap_or_else(PoisonError::into_inner);
                seats.driven.remove(&id);
                if let Err(failure) = result {
                    eprintln!("run {id}: {failure}");
                    seats.note(id, failure.to_string());
                }
            });
            seats.trouble.remove(&id);
            seats.driven.insert(id, Driven { control, task });
        }
        Ok(ids)
    }

    /// Refuses one run more than there may be.
    pub(crate) fn has_room(&self) -> Result<(), Failure> {
        if self.lock().driven.len() < self.most {
            return Ok(());
        }
        Err(Failure::usage(format!("{} runs are going on already", self.most), "wait until one has ended"))
    }

    /// Why a run that was driven here could not go on.
    pub(crate) fn trouble(&self, run: RunId) -> Option<String> {
        self.lock().trouble.get(&run).cloned()
    }

    /// Interrupts all runs and waits until their logs say so, if they do in time.
    pub(crate) async fn stop(&self, by: &str) {
        let driven = {
            let mut seats = self.lock();
            seats.is_closed = true;
            std::mem::take(&mut seats.driven)
        };
        for run in driven.values() {
            run.control.interrupt(by);
        }
        let deadline = tokio::time::Instant::now() + PATIENCE;
        for run in driven.into_values() {
            let mut task = run.task;
            if tokio::time::timeout_at(deadline, &mut task).await.is_err() {
                task.abort();
            }
        }
    }

    /// Gives all runs up at once. They stay resumable.
    pub(crate) fn abort(&self) {
        for run in std::mem::take(&mut self.lock().driven).into_values() {
            run.task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn of_the_newest_it_is_remembered_why_they_could_not_go_on() {
        let bench = Bench::new(1);
        let run = |number: usize| RunId(Uuid::from_u128(number as u128));
        for number in 0..2 * TROUBLE {
            bench.lock().note(run(number), number.to_string());
        }
        assert_eq!(bench.lock().trouble.len(), TROUBLE);
        assert_eq!(bench.trouble(run(2 * TROUBLE - 1)), Some((2 * TROUBLE - 1).to_string()));
        assert_eq!(bench.trouble(run(0)), None);
    }
}
