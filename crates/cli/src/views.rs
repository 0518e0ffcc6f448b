//! Files and index that follow the log.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;
use tribunal_agents::Activity;
use tribunal_engine::Projection;
use tribunal_kernel::{Entry, Event, LoopKind, Run, TurnId};
use tribunal_store::index::KeptIndex;
use tribunal_store::{Layout, StoreError, artifacts, desk, workspace};

use crate::failure::Failure;
use crate::person::People;
use crate::person::company::Waiting;
use crate::progress::Progress;
use crate::project::{Project, text};

/// What follows a run: its workspace's files, the index, and what a person sees.
#[derive(Debug)]
pub(crate) struct Views {
    layout: Layout,
    index: Option<Arc<KeptIndex>>,
    progress: Progress,
    people: People,
    /// Who keeps the run company while it waits for people.
    waiting: watch::Sender<Waiting>,
}

impl Views {
    /// The views of a run. Without an index the run goes on; `tribunal reindex` builds it later.
    pub(crate) fn new(project: &Project, index: Option<Arc<KeptIndex>>, progress: Progress) -> Self {
        let (people, waiting) = (People::of(project.config()), watch::Sender::new(None));
        Self { layout: project.layout().clone(), index, progress, people, waiting }
    }

    /// The run, whenever it waits for people.
    pub(crate) fn waiting(&self) -> watch::Receiver<Waiting> {
        self.waiting.subscribe()
    }

    /// Brings everything to the state of `run`.
    async fn refresh(&self, run: Run) {
        let (layout, index) = (self.layout.clone(), self.index.clone());
        let refreshed = tokio::task::spawn_blocking(move || -> Result<(), Failure> {
            write_files(&layout, &run)?;
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
            let kind = run.spec().kind();
            if entries.iter().any(|entry| matters(kind, &entry.event)) {
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
pub(crate) fn write_files(layout: &Layout, run: &Run) -> Result<Vec<PathBuf>, Failure> {
    match run.spec().kind() {
        // A variation is nobody's word on the asset.
        LoopKind::Review if run.spec().fork.is_some() => Ok(Vec::new()),
        LoopKind::Review => {
            let root = PathBuf::from(&run.spec().workspace);
            Ok(workspace::update(&root, run, &|digest| text(layout, digest))?)
        }
        LoopKind::Theater | LoopKind::Joust => Ok(artifacts::update(layout, run)?),
        LoopKind::Desk => Ok(desk::update(layout, run)?),
    }
}

/// Whether files look different after this event.
fn matters(kind: LoopKind, event: &Event) -> bool {
    match event {
        // A desk keeps a copy of every prompt, and says who is at work.
        Event::TurnStarted { .. } => kind == LoopKind::Desk,
        Event::RunOpened { .. }
        | Event::Heard { .. }
        | Event::Ruled { .. }
        | Event::TurnAnswered { .. }
        | Event::RoundClosed { .. }
        | Event::DraftSelected { .. }
        | Event::DecisionReopened { .. }
        | Event::RunResumed { .. }
        | Event::RunClosed { .. } => true,
        Event::RoundOpened { .. }
        | Event::TurnFailed { .. }
        | Event::DirectiveGiven { .. }
        | Event::Reanchored { .. }
        | Event::SpentElsewhere { .. }
        | Event::InterruptRequested { .. } => false,
    }
}
