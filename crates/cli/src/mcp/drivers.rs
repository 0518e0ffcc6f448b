//! Who drives the runs that a client started: processes of their own. A client that leaves, or ends us, ends no run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_app::{AppError, Project};
use tribunal_engine::Detached;
use tribunal_kernel::RunId;

use crate::args::Global;

/// So many runs go on at the same time.
const MAX_RUNS: usize = 32;
/// How long a process may take to begin with its run.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The processes that were started here.
#[derive(Debug)]
pub(super) struct Drivers {
    program: PathBuf,
    /// What they are told of where we are.
    place: Vec<OsString>,
    started: Mutex<Vec<Detached>>,
}

impl Drivers {
    pub(super) fn new(global: &Global) -> Result<Self, AppError> {
        let program = std::env::current_exe()
            .map_err(|error| AppError::environment(format!("cannot find `tribunal` itself: {error}"), None))?;
        let mut place = Vec::new();
        for (flag, value) in [("--dir", &global.dir), ("--config", &global.config)] {
            if let Some(value) = value {
                place.extend([OsString::from(flag), value.into()]);
            }
        }
        for (key, value) in &global.set {
            place.extend([OsString::from("--set"), format!("{key}={value}").into()]);
        }
        Ok(Self { program, place, started: Mutex::default() })
    }

    /// Whether one more may be started.
    pub(super) fn has_room(&self) -> Result<(), AppError> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.retain_mut(Detached::is_running);
        if started.len() < MAX_RUNS {
            return Ok(());
        }
        Err(AppError::busy(format!("{MAX_RUNS} runs are going on already"), "wait for one of them to end"))
    }

    /// Starts a process for a run that was opened, and waits until it has begun.
    pub(super) async fn drive(&self, project: &Project, run: RunId) -> Result<(), AppError> {
        let args = self.place.iter().cloned().chain(["resume".into(), run.to_string().into(), "--json".into()]);
        let mut driver = Detached::start(&self.program, args)
            .map_err(|error| AppError::environment(format!("cannot start a process for run {run}: {error}"), None))?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if project.is_driven(run).await? {
                break;
            }
            if !driver.is_running() {
                // It may be over already; otherwise it could not begin.
                if project.read(run).await?.end().is_none() {
                    return Err(AppError::environment(
                        format!("run {run} was opened, and could not go on"),
                        Some(format!("`tribunal resume {run}` in a terminal shows why")),
                    ));
                }
                break;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.started.lock().unwrap_or_else(PoisonError::into_inner).push(driver);
        Ok(())
    }
}
