//! Files and index that follow the log.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;
use tribunal_agents::Activity;
use tribunal_engine::Projection;
use tribunal_kernel::loops::LoopFiles;
use tribunal_kernel::{Entry, Run, RunSpec, TurnId};
use tribunal_store::index::KeptIndex;
use tribunal_store::{Layout, StoreError, artifacts, desk, workspace};

use crate::console::RunProgress;
use crate::error::AppError;
use crate::people::People;
use crate::people::attendant::Waiting;
use crate::project::{Project, text};

/// What follows a run: its workspace's files, the index, and what a person sees.
#[derive(Debug)]
pub struct Views {
    layout: Layout,
    /// The folder that the run works in.
    folder: PathBuf,
    index: Option<Arc<KeptIndex>>,
    progress: Box<dyn RunProgress>,
    people: People,
    /// Who keeps the run company while it waits for people.
    waiting: watch::Sender<Waiting>,
}

impl Views {
    /// The views of a run. Without an index the run goes on; `tribunal reindex` builds it later.
    pub fn new(
        project: &Project,
        spec: &RunSpec,
        index: Option<Arc<KeptIndex>>,
        progress: Box<dyn RunProgress>,
    ) -> Self {
        let (people, waiting) = (People::of(project.config()), watch::Sender::new(None));
        let (layout, folder) = (project.layout().clone(), project.folder_of(spec));
        Self { layout, folder, index, progress, people, waiting }
    }

    /// The run, whenever it waits for people.
    pub fn waiting(&self) -> watch::Receiver<Waiting> {
        self.waiting.subscribe()
    }

    /// Brings everything to the state of `run`.
    async fn refresh(&self, run: Run) {
        let (layout, folder, index) = (self.layout.clone(), self.folder.clone(), self.index.clone());
        let refreshed = tokio::task::spawn_blocking(move || -> Result<(), AppError> {
            write_in(&layout, &folder, &run)?;
            if let Some(index) = index {
                index.with(|index| index.update(&run))?;
            }
            Ok(())
        });
        if let Ok(Err(failure)) = refreshed.await {
            self.progress.note(&format!("{failure}"));
        }
    }

    /// A view that cannot be written is a warning: the log has everything.
    fn note(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.progress.note(&error.to_string());
        }
    }
}

impl Projection for Views {
    fn catch_up<'a>(&'a mut self, run: &'a Run) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            self.note(artifacts::rebuild(&self.layout, run));
            self.refresh(run.clone()).await;
        })
    }

    fn follow<'a>(&'a mut self, run: &'a Run, entries: &'a [Entry]) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            for entry in entries {
                self.progress.entry(run, entry);
            }
            self.note(artifacts::follow(&self.layout, run, entries));
            let files = run.spec().kind().def().files;
            if entries.iter().any(|entry| files.follow(&entry.event)) {
                self.refresh(run.clone()).await;
            }
            let waits = !self.people.awaited(run).is_empty();
            self.waiting.send_replace(waits.then(|| Arc::new(run.clone())));
        })
    }

    fn glimpse(&mut self, turn: TurnId, activity: &Activity) {
        self.progress.glimpse(turn, activity);
    }
}

/// Brings the files that show a run to what the log says. Gives those that changed.
pub fn write_files(project: &Project, run: &Run) -> Result<Vec<PathBuf>, AppError> {
    write_in(project.layout(), &project.folder_of(run.spec()), run)
}

fn write_in(layout: &Layout, folder: &Path, run: &Run) -> Result<Vec<PathBuf>, AppError> {
    let files = run.spec().kind().def().files;
    match files {
        // A variation is nobody's word on the asset.
        _ if files.are_shared() && run.spec().fork.is_some() => Ok(Vec::new()),
        LoopFiles::Workspace => Ok(workspace::update(folder, run, &|digest| text(layout, digest))?),
        LoopFiles::Artifacts => Ok(artifacts::update(layout, run)?),
        LoopFiles::Desk => Ok(desk::update(layout, folder, run)?),
    }
}

/// Brings everything that is derived from a run to what its log says, once.
pub fn bring_up_to_date(project: &Project, run: &Run) -> Result<(), AppError> {
    write_files(project, run)?;
    // Where it cannot be opened, `tribunal reindex` builds it later.
    if project.store.index().with(|_| Ok(())).is_ok() {
        project.store.index().with(|index| index.update(run))?;
    }
    Ok(())
}
