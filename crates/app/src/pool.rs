//! The runs that this process drives while it answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tribunal_engine::{Control, Session};
use tribunal_kernel::RunId;

use crate::drive;
use crate::error::AppError;
use crate::project::Project;

/// How long all runs together may take to stop: ending their agents takes the grace time of each.
const PATIENCE: Duration = Duration::from_secs(20);

/// Of so many runs it is remembered why they could not go on.
const TROUBLE: usize = 256;

/// Runs in the background.
#[derive(Debug)]
pub struct RunPool {
    runs: Arc<Mutex<Runs>>,
    /// So many runs go on at the same time; whoever wants more waits for one to end.
    most: usize,
    queue: WaitingRuns,
}

/// Runs that wait for their turn.
pub type WaitingRuns = Arc<Mutex<BTreeSet<RunId>>>;

#[derive(Debug, Default)]
struct Runs {
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

impl Runs {
    /// Remembers why a run could not go on.
    fn note(&mut self, run: RunId, why: String) {
        self.trouble.insert(run, why);
        if self.trouble.len() > TROUBLE {
            self.trouble.pop_first();
        }
    }
}

impl RunPool {
    /// A pool for so many runs.
    pub fn new(most: usize) -> Self {
        Self { runs: Arc::default(), most, queue: Arc::default() }
    }

    /// Runs that wait for their turn.
    pub fn queued(&self) -> BTreeSet<RunId> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How a run that is driven here is told something.
    pub(crate) fn control(&self, run: RunId) -> Option<Control> {
        self.lock().driven.get(&run).map(|driven| driven.control.clone())
    }

    /// Stops a run that is driven here. Whether it is.
    pub fn interrupt(&self, run: RunId, by: &str) -> bool {
        let control = self.control(run);
        if let Some(control) = &control {
            control.interrupt(by);
        }
        control.is_some()
    }

    /// Drives these runs on, and does not wait for them.
    pub async fn take(&self, project: &Project, sessions: Vec<Session>) -> Result<Vec<RunId>, AppError> {
        if sessions.is_empty() {
            return Ok(Vec::new());
        }
        let common = drive::prepare(project).await.waiting_in(self.queue.clone());
        let mut ready = Vec::new();
        for session in sessions {
            let (id, control) = (session.run().spec().run, session.control());
            ready.push((id, control, Box::pin(drive::ready(project, common.clone(), session)).await?));
        }
        let mut runs = self.lock();
        if runs.is_closed {
            return Err(AppError::environment("the server is stopping", Some("`tribunal resume` continues it".into())));
        }
        let ids = ready.iter().map(|(id, ..)| *id).collect();
        for (id, control, run) in ready {
            let (place, console) = (self.runs.clone(), project.console.clone());
            // It cannot end before it is on the list: we hold the lock.
            let task = tokio::spawn(async move {
                let result = run.await;
                let mut runs = place.lock().unwrap_or_else(PoisonError::into_inner);
                runs.driven.remove(&id);
                if let Err(failure) = result {
                    console.say(&format!("run {id}: {failure}"));
                    runs.note(id, failure.to_string());
                }
            });
            runs.trouble.remove(&id);
            runs.driven.insert(id, Driven { control, task });
        }
        Ok(ids)
    }

    /// Refuses one run more than there may be.
    pub fn has_room(&self) -> Result<(), AppError> {
        if self.lock().driven.len() < self.most {
            return Ok(());
        }
        Err(AppError::busy(format!("{} runs are running already", self.most), "wait until one ends"))
    }

    /// Why a run that was driven here could not go on.
    pub fn trouble(&self, run: RunId) -> Option<String> {
        self.lock().trouble.get(&run).cloned()
    }

    /// Interrupts all runs and waits until their logs say so, if they do in time.
    pub async fn stop(&self, by: &str) {
        let driven = {
            let mut runs = self.lock();
            runs.is_closed = true;
            std::mem::take(&mut runs.driven)
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

    /// Gives all runs up at once, and waits until nobody drives them. They stay resumable.
    pub async fn abandon(&self) {
        let driven = {
            let mut runs = self.lock();
            runs.is_closed = true;
            std::mem::take(&mut runs.driven)
        };
        for run in driven.values() {
            run.task.abort();
        }
        for run in driven.into_values() {
            let _ = run.task.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn of_the_newest_it_is_remembered_why_they_could_not_go_on() {
        let pool = RunPool::new(1);
        let run = |number: usize| RunId(Uuid::from_u128(number as u128));
        for number in 0..2 * TROUBLE {
            pool.lock().note(run(number), number.to_string());
        }
        assert_eq!(pool.lock().trouble.len(), TROUBLE);
        assert_eq!(pool.trouble(run(2 * TROUBLE - 1)), Some((2 * TROUBLE - 1).to_string()));
        assert_eq!(pool.trouble(run(0)), None);
    }
}
