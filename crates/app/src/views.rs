//! Files and index that follow the log.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;
use tribunal_agents::Activity;
use tribunal_engine::Projection;
use tribunal_engine::temporary::clear_left_over;
use tribunal_kernel::control::is_control;
use tribunal_kernel::grade::Grades;
use tribunal_kernel::loops::LoopFiles;
use tribunal_kernel::{Entry, Event, Run, RunId, RunSpec, Seq, TurnId};
use tribunal_store::index::{RunFilter, RunStatus};
use tribunal_store::workspace::RebuiltWorkspace;
use tribunal_store::{Backend, BlockingBackend, StoreError, artifacts, desk, workspace};

use crate::console::RunProgress;
use crate::controls;
use crate::error::AppError;
use crate::live::LiveText;
use crate::newest::NewestRuns;
use crate::notify::Notifier;
use crate::parked;
use crate::people::People;
use crate::people::attendant::Waiting;
use crate::project::{Project, as_text};
use crate::shared_files::SharedFiles;

/// What follows a run: its workspace's files, the index, and what a person sees.
#[derive(Debug)]
pub struct Views {
    store: Arc<dyn Backend>,
    shared: Arc<SharedFiles>,
    /// Where its artifacts go.
    artifacts: PathBuf,
    /// The folder that the run works in.
    folder: PathBuf,
    has_lists: bool,
    progress: Box<dyn RunProgress>,
    live: LiveText,
    notifier: Option<Notifier>,
    people: People,
    /// Who keeps the run company while it waits for people.
    waiting: watch::Sender<Waiting>,
    /// Whether the run waits for nothing but providers.
    parked: watch::Sender<bool>,
    shown: Shown,
}

/// As of which event the files and the lists show the run.
///
/// To make them costs as much as the run is long. Made after every event, a run of a thousand rounds would cost a thousand times
/// what it costs to show it once; made whenever it has become longer by a part of itself, not even a hundred times.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    seq: Seq,
    is_behind: bool,
}

/// What is shown may be behind by this part of the run's events: by none in a run of a few rounds.
const BEHIND: u64 = 32;

impl Shown {
    /// Takes in what happened. Whether it is time to show it: whatever stays as it is for a while is shown at once.
    fn is_due(&mut self, run: &Run, entries: &[Entry], is_waiting: bool) -> bool {
        let files = run.spec().kind().def().files;
        self.is_behind |= entries.iter().any(|entry| files.follow(&entry.event));
        let is_at_rest = run.end().is_some() || is_waiting;
        self.is_behind && (is_at_rest || run.seq().0 / BEHIND <= run.seq().0.saturating_sub(self.seq.0))
    }

    fn see(&mut self, run: &Run) {
        *self = Self { seq: run.seq(), is_behind: false };
    }
}

impl Views {
    /// The views of a run. Without lists the run goes on; `tribunal reindex` makes them later.
    pub fn new(project: &Project, spec: &RunSpec, has_lists: bool, progress: Box<dyn RunProgress>) -> Self {
        let (people, waiting) = (People::of(project.config()), watch::Sender::new(None));
        let (store, folder, artifacts) = (project.store.clone(), project.folder_of(spec), project.artifacts(spec.run));
        let live = LiveText::begin(store.clone(), spec.run);
        let notifier = Notifier::of(project);
        let parked = watch::Sender::new(false);
        let (shared, shown) = (project.shared_files.clone(), Shown::default());
        Self { store, shared, artifacts, folder, has_lists, progress, live, notifier, people, waiting, parked, shown }
    }

    /// The run, whenever it waits for people.
    pub fn waiting(&self) -> watch::Receiver<Waiting> {
        self.waiting.subscribe()
    }

    /// Whether the run waits for nothing but providers.
    pub fn parked(&self) -> watch::Receiver<bool> {
        self.parked.subscribe()
    }

    /// Nobody drives the run here any more.
    pub async fn end(self) {
        self.live.end().await;
        if let Some(notifier) = self.notifier {
            notifier.finish().await;
        }
    }

    /// Brings everything to the state of `run`.
    async fn refresh(&self, run: Run) {
        let run = Arc::new(run);
        let refreshed = async {
            match run.spec().kind().def().files {
                LoopFiles::Workspace if run.spec().fork.is_none() => {
                    self.shared.write(&self.store, &self.folder, &run).await?;
                }
                _ => _ = write_in(&self.store, &self.folder, &self.artifacts, &run).await?,
            }
            if self.has_lists {
                self.store.lists().update(run).await?;
            }
            Ok::<_, AppError>(())
        };
        if let Err(failure) = refreshed.await {
            self.progress.note(&format!("{failure}"));
        }
    }

    /// A judge that passed its control need not be asked again for a while. Nothing is lost if that cannot be kept.
    async fn remember_controls(&self, run: &Run, entries: &[Entry]) {
        for entry in entries {
            let Event::TurnAnswered { turn, .. } = &entry.event else { continue };
            if let Some(turn) = run.turn(*turn).filter(|turn| is_control(&turn.task)) {
                let change = Box::new(|grades: &mut Grades| controls::remember(run, turn, grades));
                self.note(self.store.grades().change(change).await);
            }
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
            self.note(write_transcript(&*self.store, &self.artifacts, run).await);
            self.refresh(run.clone()).await;
            self.shown.see(run);
        })
    }

    fn follow<'a>(&'a mut self, run: &'a Run, entries: &'a [Entry]) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            for entry in entries {
                self.progress.entry(run, entry);
            }
            self.note(artifacts::follow(&self.artifacts, run, entries));
            self.remember_controls(run, entries).await;
            let is_waiting = parked::is_parked(run) || !self.people.awaited(run).is_empty();
            if self.shown.is_due(run, entries, is_waiting) {
                self.refresh(run.clone()).await;
                self.shown.see(run);
            }
            self.parked.send_replace(parked::is_parked(run));
            if let Some(notifier) = &mut self.notifier {
                notifier.follow(run, entries);
            }
            let waits = !self.people.awaited(run).is_empty();
            self.waiting.send_replace(waits.then(|| Arc::new(run.clone())));
        })
    }

    fn glimpse(&mut self, run: &Run, turn: TurnId, activity: &Activity) {
        self.progress.glimpse(turn, activity);
        self.live.glimpse(run, turn, activity);
        if let (Activity::Parked(wait), Some(notifier)) = (activity, &mut self.notifier) {
            notifier.parked(run, turn, *wait);
        }
    }
}

/// Brings the files that show a run to what the log says. Gives those that changed.
pub async fn write_files(project: &Project, run: &Arc<Run>) -> Result<Vec<PathBuf>, AppError> {
    let (folder, artifacts) = (project.folder_of(run.spec()), project.artifacts(run.spec().run));
    write_in(&project.store, &folder, &artifacts, run).await
}

async fn write_in(
    store: &Arc<dyn Backend>,
    folder: &Path,
    artifacts: &Path,
    run: &Arc<Run>,
) -> Result<Vec<PathBuf>, AppError> {
    let files = run.spec().kind().def().files;
    // A variation is nobody's word on the asset.
    if files.are_shared() && run.spec().fork.is_some() {
        return Ok(Vec::new());
    }
    let (store, run) = (BlockingBackend::new(store.clone()), run.clone());
    let (folder, artifacts) = (folder.to_owned(), artifacts.to_owned());
    let written = tokio::task::spawn_blocking(move || -> Result<Vec<PathBuf>, AppError> {
        let fetch = |digest| store.wait(store.blobs().get(digest));
        match files {
            LoopFiles::Workspace => Ok(workspace::update(&folder, &run, &|digest| fetch(digest).ok().map(as_text))?),
            LoopFiles::Artifacts => Ok(artifacts::update(&artifacts, &run, &fetch)?),
            LoopFiles::Desk => Ok(desk::update(&folder, &run, &fetch)?),
        }
    });
    written.await.unwrap_or_else(|error| Err(AppError::environment(format!("a bug: {error}"), None)))
}

/// Makes the files of all these reviews in a workspace again.
pub(crate) async fn rebuild_workspace(
    project: &Project,
    folder: PathBuf,
    runs: Vec<Arc<Run>>,
) -> Result<RebuiltWorkspace, AppError> {
    let store = BlockingBackend::new(project.store.clone());
    let rebuilt = tokio::task::spawn_blocking(move || {
        let fetch = |digest| store.wait(store.blobs().get(digest)).ok().map(as_text);
        workspace::rebuild(&folder, &runs, &fetch)
    });
    Ok(rebuilt.await.map_err(|error| AppError::environment(format!("a bug: {error}"), None))??)
}

/// Brings the transcript of a run to what its log says, where it has one.
pub async fn write_transcript(store: &dyn Backend, artifacts: &Path, run: &Run) -> Result<(), StoreError> {
    if !artifacts::has_transcript(run) {
        return Ok(());
    }
    artifacts::rebuild(artifacts, run, &store.logs().read(run.spec().run).await?)
}

/// Makes what an ended run left behind again, where it was removed or never written: what is announced is there. The
/// files of a workspace belong to all its runs, and stay as they are.
pub async fn restore(project: &Project, run: &Run) -> Result<(), AppError> {
    if run.spec().kind().def().files.are_shared() {
        return Ok(());
    }
    write_transcript(&*project.store, &project.artifacts(run.spec().run), run).await?;
    write_files(project, &Arc::new(run.clone())).await.map(|_| ())
}

/// Finishes what processes that were killed could not: files that they had begun are removed, and runs that ended, but
/// whose end nobody listed, get their files. What cannot be done is said, and keeps nobody from going on.
pub async fn finish_left(project: &Project) {
    let folder = project.workspace();
    let swept = tokio::task::spawn_blocking(move || {
        clear_left_over();
        workspace::sweep(&folder);
    });
    let _ = swept.await;
    let finished = async {
        project.store.sweep().await?;
        let running = RunFilter { status: Some(RunStatus::Running), limit: u32::MAX, ..RunFilter::default() };
        let listed = project.store.lists().runs(running).await?;
        let mut open: BTreeSet<RunId> = listed.into_iter().map(|row| row.run).collect();
        let runs = project.store.logs().runs().await?;
        open.extend(project.store.lists().unknown(runs).await?);
        if open.is_empty() {
            return Ok(());
        }
        let newest = NewestRuns::of(project).await?;
        for id in open {
            if !project.is_driven(id).await? {
                finish(project, &newest, id).await?;
            }
        }
        Ok::<_, AppError>(())
    };
    if let Err(error) = finished.await {
        project.console.note(&error.message());
    }
}

async fn finish(project: &Project, newest: &NewestRuns<'_>, id: RunId) -> Result<(), AppError> {
    // One that cannot be read is named where it is asked for.
    let Ok(run) = project.read(id).await else { return Ok(()) };
    if run.end().is_none() {
        return Ok(());
    }
    let is_shown = !run.spec().kind().def().files.are_shared() || {
        // What the workspace shows of an asset is the newest run's.
        newest.on(run.spec().subject()).await == Some(id)
    };
    if is_shown {
        write_transcript(&*project.store, &project.artifacts(id), &run).await?;
        bring_up_to_date(project, &run).await
    } else {
        Ok(project.store.lists().update(Arc::new(run)).await?)
    }
}

/// Sees to it that what a run that was just driven leaves behind is there, or says why it cannot be.
pub async fn deliver(project: &Project, run: &Run) -> Result<(), AppError> {
    let id = run.spec().run;
    // An agent may have removed what it works beside.
    if project.store.logs().head(id).await?.is_none() {
        return Err(AppError::environment(
            format!("the log of run {id} is gone: somebody removed it while the run went on"),
            Some("nothing of this run can be shown any more; `run.sandbox` keeps agents from our files".to_owned()),
        ));
    }
    if run.end().is_none() {
        return Ok(());
    }
    write_files(project, &Arc::new(run.clone())).await.map(|_| ())
}

/// Brings everything that is derived from a run to what its log says, once.
pub async fn bring_up_to_date(project: &Project, run: &Run) -> Result<(), AppError> {
    let run = Arc::new(run.clone());
    write_files(project, &run).await?;
    // What cannot be listed now, `tribunal reindex` lists later.
    let _ = project.store.lists().update(run).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_store::conformance::{events, run_id};

    /// How often a run of so many events is shown.
    fn times(length: usize) -> usize {
        let mut entries =
            events(run_id(1)).take(length).zip(1..).map(|((time, event), seq)| Entry { seq: Seq(seq), time, event });
        let mut run = Run::open(entries.next().unwrap()).unwrap();
        let (mut shown, mut times) = (Shown::default(), 0);
        for entry in entries {
            run.apply(entry.clone()).unwrap();
            if shown.is_due(&run, &[entry], false) {
                shown.see(&run);
                times += 1;
            }
        }
        times
    }

    #[test]
    fn a_long_run_is_not_shown_after_each_of_its_events() {
        let (short, long, longer) = (times(61), times(6_001), times(12_001));
        assert_eq!(short, 30, "every event of ten rounds that changes what is shown");
        assert!(long < 250, "{long}");
        // Twice as long: as many times more as a half of it is longer by its parts.
        assert!(longer - long < 40, "{long}, then {longer}");
    }
}
