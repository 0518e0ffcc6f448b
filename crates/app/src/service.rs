//! The app as a long-lived process has it: the project as it is configured now, and the runs that it drives.
//!
//! [`AppService`] is what a server asks for; [`App`] is who answers. Everything that changes a run goes through here.

use serde_json::Value;
use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tribunal_agents::TurnRequest;
use tribunal_engine::Session;
use tribunal_kernel::faults::Forecast;
use tribunal_kernel::{Round, Run, RunId, TurnId};
use tribunal_store::Backend;

use crate::answer::{self, OpenQuestion};
use crate::console::Console;
use crate::error::AppError;
use crate::input::Fence;
use crate::opened::{OpenedPlace, OpenedRuns, Settled};
use crate::people::People;
use crate::pool::RunPool;
use crate::project::{Project, ProjectAt};
use crate::reopen::ReopenRequest;
use crate::seating::seating_of;
use crate::settings::{self, ShownSetting};
use crate::start::StartRequest;
use crate::steer::SteerRequest;
use crate::vote::{ShownVote, VoteLink, VoteRefusal};
use crate::{forecast, interrupt, reopen, rerun, resume, select, start, steer, vote};

/// What is answered, when it is ready.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, AppError>> + Send + 'a>>;

/// What comes of a link that votes.
pub type VoteReply<'a> = Pin<Box<dyn Future<Output = Result<ShownVote, VoteRefusal>> + Send + 'a>>;

/// What can be asked of the app by whoever serves it to others.
pub trait AppService: Send + Sync + 'static {
    /// The project's name, and the folder that its work is in.
    fn project(&self) -> (String, PathBuf);

    /// Starts what is configured, or what the request wants instead, in the background.
    fn start(&self, request: StartRequest) -> Reply<'_, Vec<RunId>>;

    /// Goes on with a run that ended without a judgement.
    fn resume(&self, run: RunId) -> Reply<'_, ()>;

    /// Tries again what a run made. The new run.
    fn rerun(&self, run: RunId, brief: Option<String>) -> Reply<'_, RunId>;

    /// Lifts the lock of a decision, and goes on.
    fn reopen(&self, request: ReopenRequest) -> Reply<'_, ()>;

    /// Chooses the draft of a round.
    fn select(&self, run: RunId, round: Round) -> Reply<'_, ()>;

    /// Stops a run; what is finished is kept. Doing it twice is doing it once.
    fn interrupt(&self, run: RunId) -> Reply<'_, ()>;

    /// Tells every turn that starts from now on.
    fn steer(&self, request: SteerRequest) -> Reply<'_, ()>;

    /// How many faults are likely left, where there are judges to compare.
    fn forecast(&self, run: RunId) -> Reply<'_, Option<Forecast>>;

    /// What people are asked.
    fn questions(&self, run: RunId) -> Reply<'_, Vec<OpenQuestion>>;

    /// Answers for a person.
    fn answer(&self, run: RunId, turn: TurnId, answer: Value) -> Reply<'_, ()>;

    /// What a link that votes would do.
    fn show_vote(&self, link: VoteLink) -> VoteReply<'_>;

    /// Casts the vote of a link.
    fn vote(&self, link: VoteLink) -> VoteReply<'_>;

    /// The seats in which people are awaited.
    fn awaited<'a>(&'a self, run: &'a Run) -> Reply<'a, Vec<String>>;

    /// Runs that wait for their turn.
    fn queued(&self) -> BTreeSet<RunId>;

    /// Every setting, with where its value comes from.
    fn settings(&self) -> Reply<'_, Vec<ShownSetting>>;

    /// Changes a setting in the project's file.
    fn set(&self, key: String, value: Value) -> Reply<'_, ()>;
}

/// For so long the configuration is taken to be what it was, where nothing depends on it but what is shown.
const FRESH: Duration = Duration::from_secs(1);

/// The app of one project, in a process that goes on.
#[derive(Debug)]
pub struct App {
    at: ProjectAt,
    console: Arc<dyn Console>,
    pool: Arc<RunPool>,
    /// Opened with the first request.
    store: OnceLock<Arc<dyn Backend>>,
    /// Who sits in seats, as of some moment: lists ask for it once a row.
    people: Mutex<Option<(Instant, People)>>,
}

/// What a request came to.
#[derive(Debug)]
pub struct Begun {
    /// Runs that go on in the background, as they were when they were opened.
    pub opened: Vec<Run>,
    /// What is decided already.
    pub settled: Vec<Settled>,
    pub project: Project,
}

impl Begun {
    /// What a start came to, and what is to be driven. A run that another process drives goes on there.
    async fn of(project: Project, started: OpenedRuns) -> Result<(Vec<Session>, Self), AppError> {
        let (mut opened, mut settled) = (Vec::new(), Vec::new());
        for place in started.places {
            match place {
                OpenedPlace::Settled(it) => settled.push(*it),
                OpenedPlace::Here => {}
                OpenedPlace::Elsewhere(run) => opened.push(project.read(run).await?),
                OpenedPlace::Unreadable { why, .. } if started.sessions.is_empty() => return Err(why),
                OpenedPlace::Unreadable { subject, why } => {
                    project.console.say(&format!("{subject}: cannot be read: {}", why.message()));
                }
            }
        }
        Ok((started.sessions, Self { opened, settled, project }))
    }
}

impl App {
    /// The app of the project at `at`, which drives at most `most` runs at a time.
    pub fn new(at: ProjectAt, console: Arc<dyn Console>, most: usize) -> Self {
        Self { at, console, pool: Arc::new(RunPool::new(most)), store: OnceLock::new(), people: Mutex::default() }
    }

    /// The project as it is configured now: somebody may have edited it since.
    pub fn load(&self) -> Result<Project, AppError> {
        Ok(Project::load(&self.at, self.console.clone())?.keeping(&self.store))
    }

    /// The runs that are driven here.
    pub fn pool(&self) -> &Arc<RunPool> {
        &self.pool
    }

    /// Opens what is wanted, and drives it in the background.
    pub async fn begin(&self, request: StartRequest) -> Result<Begun, AppError> {
        self.pool.has_room()?;
        let mut start = request.prepare(&self.at, self.console.clone()).await?;
        start.project = start.project.keeping(&self.store);
        start.refuse_stale().await?;
        let opened = start.open().await?;
        let (sessions, mut begun) = Begun::of(start.project, opened).await?;
        begun.opened.extend(sessions.iter().map(|session| session.run().clone()));
        self.pool.take(&begun.project, sessions).await?;
        Ok(begun)
    }

    /// Opens what is wanted for another process to drive. What keeps it from being driven is said here, where somebody
    /// hears it.
    pub async fn open(&self, request: StartRequest) -> Result<Begun, AppError> {
        let mut start = request.prepare(&self.at, self.console.clone()).await?;
        start.project = start.project.keeping(&self.store);
        start.refuse_stale().await?;
        let opened = start.open().await?;
        let (sessions, mut begun) = Begun::of(start.project, opened).await?;
        for session in sessions {
            let run = session.run();
            seating_of(&begun.project.for_run(run.spec()), run.spec(), None).await?;
            begun.opened.push(run.clone());
        }
        Ok(begun)
    }

    /// Who sits in seats, and where their answers are.
    fn people(&self) -> Result<(People, Arc<dyn Backend>), AppError> {
        let mut cached = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = cached.as_ref().filter(|(since, _)| since.elapsed() <= FRESH).map(|(_, people)| people.clone());
        if let (Some(people), Some(store)) = (fresh, self.store.get()) {
            return Ok((people, store.clone()));
        }
        let project = self.load()?;
        let (people, store) = (People::of(project.config()), project.store);
        *cached = Some((Instant::now(), people.clone()));
        Ok((people, store))
    }

    async fn try_again(&self, id: RunId, brief: Option<String>) -> Result<RunId, AppError> {
        // Whoever asks is not at this machine, and names files of the project alone.
        let plain = self.load()?;
        let brief = brief.map(|brief| start::fenced_brief(&Fence::of(&plain), &plain, brief)).transpose()?;
        let at = self.at.with(brief.map(|brief| ("run.brief".to_owned(), brief)));
        let project = Project::load(&at, self.console.clone()).map_err(AppError::of_request)?.keeping(&self.store);
        self.pool.has_room()?;
        let session = rerun::rerun(&project, &project.read(id).await?).await?;
        let new = session.run().spec().run;
        self.pool.take(&project, vec![session]).await?;
        Ok(new)
    }
}

/// Whose name stands in the log when a person at this machine does something.
pub fn person() -> String {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_else(|_| "a person".into())
}

/// The same for what only a person may decide. A program that runs inside of a turn is not one; it could hide that it does,
/// so this keeps an agent from a mistake, and a sandbox keeps it from more.
pub fn decider() -> Result<String, AppError> {
    match std::env::var(TurnRequest::TURN_VARIABLE) {
        Ok(turn) => Err(AppError::conflict(
            format!("an agent cannot decide in the place of a person (this is turn {turn} of a run)"),
            "a person can, in a terminal of their own",
        )),
        Err(_) => Ok(person()),
    }
}

impl AppService for App {
    fn project(&self) -> (String, PathBuf) {
        let project = self.load().ok();
        let root = project.as_ref().map(Project::root).and_then(|root| root.file_name());
        let name = root.map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned());
        (name, project.map(|project| project.workspace()).unwrap_or_default())
    }

    fn start(&self, request: StartRequest) -> Reply<'_, Vec<RunId>> {
        Box::pin(async move {
            let begun = Box::pin(self.begin(request)).await?;
            if begun.opened.is_empty() {
                return Err(AppError::conflict(
                    "everything is decided: there is nothing to start",
                    "reopen or rerun a run",
                ));
            }
            Ok(begun.opened.iter().map(|run| run.spec().run).collect())
        })
    }

    fn resume(&self, run: RunId) -> Reply<'_, ()> {
        Box::pin(async move { resume::go_on(&self.load()?, &self.pool, run).await })
    }

    fn rerun(&self, run: RunId, brief: Option<String>) -> Reply<'_, RunId> {
        Box::pin(self.try_again(run, brief))
    }

    fn reopen(&self, request: ReopenRequest) -> Reply<'_, ()> {
        Box::pin(async move {
            let (project, run) = (self.load()?, request.run);
            drop(reopen::reopen(&project, request).await?);
            resume::go_on(&project, &self.pool, run).await
        })
    }

    fn select(&self, run: RunId, round: Round) -> Reply<'_, ()> {
        Box::pin(async move { select::select_in(&self.load()?, run, round, person()).await })
    }

    fn interrupt(&self, run: RunId) -> Reply<'_, ()> {
        Box::pin(async move { interrupt::request_interrupt(&self.load()?, &self.pool, run, &person()).await })
    }

    fn steer(&self, request: SteerRequest) -> Reply<'_, ()> {
        Box::pin(async move { steer::steer(&self.load()?, Some(&self.pool), request).await.map(drop) })
    }

    fn forecast(&self, run: RunId) -> Reply<'_, Option<Forecast>> {
        Box::pin(async move { forecast::of_named(&self.load()?, run).await })
    }

    fn questions(&self, run: RunId) -> Reply<'_, Vec<OpenQuestion>> {
        Box::pin(async move { answer::questions(&self.load()?, run).await })
    }

    fn answer(&self, run: RunId, turn: TurnId, answer: Value) -> Reply<'_, ()> {
        Box::pin(async move { Box::pin(answer::answer(&self.load()?, &self.pool, run, turn, answer)).await })
    }

    fn show_vote(&self, link: VoteLink) -> VoteReply<'_> {
        Box::pin(async move { vote::show(&self.load()?, &link).await })
    }

    fn vote(&self, link: VoteLink) -> VoteReply<'_> {
        Box::pin(async move { Box::pin(vote::cast(&self.load()?, &self.pool, &link)).await })
    }

    fn awaited<'a>(&'a self, run: &'a Run) -> Reply<'a, Vec<String>> {
        Box::pin(async move {
            let (people, store) = self.people()?;
            let open = people.open(&*store, run).await?;
            Ok(open.iter().map(|turn| turn.seat.to_string()).collect())
        })
    }

    fn queued(&self) -> BTreeSet<RunId> {
        self.pool.queued()
    }

    fn settings(&self) -> Reply<'_, Vec<ShownSetting>> {
        Box::pin(async { Ok(settings::all(&self.load()?)) })
    }

    fn set(&self, key: String, value: Value) -> Reply<'_, ()> {
        Box::pin(async move { settings::set(&self.at, &key, &value) })
    }
}
