//! Driving runs to their end, with signals and requests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tribunal_config::WhenParked;
use tribunal_engine::{Control, Projection as _, Session};
use tribunal_kernel::ledger::CallLedger;
use tribunal_kernel::run::RunEnd;
use tribunal_kernel::theater::stage_of;
use tribunal_kernel::{Run, RunId, RunSpec};
use tribunal_store::Backend;
use tribunal_store::backend::QueueTicket;
use tribunal_store::index::RunFilter;

use crate::allowance;
use crate::console::Console;
use crate::error::AppError;
use crate::found_settings;
use crate::loops;
use crate::people::attendant::{Attendant, Terminal};
use crate::people::{People, named};
use crate::pool::WaitingRuns;
use crate::project::Project;
use crate::proof::anchor::{self, AnchorMoment};
use crate::seating::seating_of;
use crate::signals::Signals;
use crate::views::{self, Views};

/// How often somebody who waits looks whether it is their turn.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often we look for requests of other processes.
const INBOX_EVERY: Duration = Duration::from_millis(200);
/// The default of `theater.per_round_timeout_ms`: enough for programs, seldom for people.
const SHORT_ROUND: u64 = 90_000;

/// Every run holds a log and a lock, every agent three pipes, and every reader of a server a socket. The usual soft limit
/// is for programs that open few files; the hard limit is what the system really allows.
pub fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Without it we go on: most projects have few assets.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Drives all sessions to their ends, at the same time. The runs come back in the order in which they were given.
pub async fn drive(project: &Project, sessions: Vec<Session>) -> Result<Vec<Run>, AppError> {
    if sessions.is_empty() {
        return Ok(Vec::new()); // not even the index is touched
    }
    views::finish_left(project).await;
    let common = prepare(project).await;
    let mut controls = Vec::new();
    let mut tasks = JoinSet::new();
    for (place, session) in sessions.into_iter().enumerate() {
        controls.push(session.control());
        let run = Box::pin(ready(project, common.clone(), session)).await?;
        tasks.spawn(async move { (place, run.await) });
    }
    let mut signals = Signals::new()?;
    let mut runs = Vec::new();
    let mut failure = None;
    loop {
        tokio::select! {
            ended = tasks.join_next() => match ended {
                None => break,
                Some(Ok((place, Ok(run)))) => runs.push((place, run)),
                Some(Ok((_, Err(error)))) => failure = Some(error),
                Some(Err(error)) => failure = Some(AppError::environment(format!("a bug: {error}"), None)),
            },
            (name, count) = signals.next() => {
                if count > 1 {
                    // Twice means now. Dropping the sessions ends their agents.
                    tasks.shutdown().await;
                    return Err(AppError::interrupted());
                }
                project.console.say("stopping; finished turns are kept (press Ctrl-C again to stop at once)");
                for control in &controls {
                    control.interrupt(name);
                }
            }
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    runs.sort_by_key(|(place, _)| *place);
    let runs: Vec<Run> = runs.into_iter().map(|(_, run)| run).collect();
    for run in &runs {
        anchor::tell(project, run, AnchorMoment::Ended).await;
    }
    Ok(runs)
}

/// What all runs of a process share.
#[derive(Debug, Clone)]
pub struct Common {
    /// Whether the lists can be written. Without them runs go on; `tribunal reindex` makes them later.
    has_lists: bool,
    /// Where people can be asked, if they can be asked here.
    terminal: Option<Arc<Terminal>>,
    /// Runs that wait for their turn, for those who show them.
    queue: WaitingRuns,
    /// Whether a run is left as it is while it waits for nothing but providers.
    leaves_parked: bool,
}

impl Common {
    /// The same, for runs that somebody shows while they wait. A process that goes on has no reason to leave them.
    pub fn waiting_in(self, queue: WaitingRuns) -> Self {
        Self { queue, leaves_parked: false, ..self }
    }
}

/// Makes ready what all runs of a process share.
pub async fn prepare(project: &Project) -> Common {
    allow_many_files();
    let filter = RunFilter { limit: 1, ..RunFilter::default() };
    let asked = project.store.lists().runs(filter).await.map_err(AppError::from);
    if let Err(failure) = &asked {
        project.console.say(&format!("{failure}"));
    }
    let terminal = |prompter| Arc::new(Terminal { prompter, turn: tokio::sync::Mutex::default() });
    Common {
        has_lists: asked.is_ok(),
        terminal: project.console.prompter().map(terminal),
        queue: WaitingRuns::default(),
        leaves_parked: project.config().run.when_parked == WhenParked::Leave,
    }
}

/// A run, ready to be driven to its end by whoever awaits it: seats taken, views opened. It obeys its inbox meanwhile, and
/// is left as it is when nobody but absent people could go on with it.
pub async fn ready(
    project: &Project,
    common: Common,
    mut session: Session,
) -> Result<impl Future<Output = Result<Run, AppError>> + Send + use<>, AppError> {
    let project = found_settings::of_run(project, session.run().spec()).await?;
    let project = &project.for_run(session.run().spec());
    let Common { has_lists, terminal, queue, leaves_parked } = common;
    let people = People::of(project.config());
    let (control, console) = (session.control(), project.console.clone());
    let (id, store) = (session.run().spec().run, project.store.clone());
    let mut views =
        Views::new(project, session.run().spec(), has_lists, console.progress(session.run().spec(), &people));
    warn_of_short_rounds(&*console, session.run().spec(), &people);
    let orders = Arc::new(AtomicU32::new(0));
    let parked = views.parked();
    let attendant = Attendant {
        people,
        store: store.clone(),
        console: console.clone(),
        control: control.clone(),
        waiting: views.waiting(),
        terminal,
        orders: orders.clone(),
    };
    let account = allowance::account(project, session.run()).await?;
    let seating = seating_of(project, session.run().spec(), account.as_ref()).await?;
    if let Some(account) = account {
        session.share(account);
    }
    if let Some(fork) = session.run().spec().fork {
        session.remember(CallLedger::of(&project.read(fork.run).await?, fork.from));
    }
    let at_once = loops::most_at_once(session.run().spec().kind(), project.config());
    Ok(async move {
        let work = async {
            let _ticket = match at_once {
                // Whoever looks at the list sees that it waits.
                Some(limit) => {
                    views.catch_up(session.run()).await;
                    Some(wait_for_turn(&*store, &*console, &control, limit, (id, queue)).await?)
                }
                None => None,
            };
            Ok(session.drive(&seating, &mut views).await?)
        };
        let result: Result<Option<RunEnd>, AppError> = tokio::select! {
            result = work => result.map(Some),
            never = obey(&*store, id, &control, &orders) => match never {},
            () = left_parked(leaves_parked, parked) => Ok(None),
            // Nothing is lost by leaving: what was asked is in the log, and what is answered is in a file.
            left = attendant.attend() => left.map(|()| None),
        };
        let run = session.run().clone();
        // Whoever waits for the run to end may write to it now.
        drop(session);
        views.end().await;
        if let Ok(None) = &result
            && !attendant.people.awaited(&run).is_empty()
        {
            console.say(&format!(
                "{}: waiting for a person: {}; answer with `tribunal answer {id}`",
                run.spec().subject(),
                named(&attendant.people.awaited(&run))
            ));
        }
        result.map(|_| run)
    })
}

/// Comes back when the run waits for nothing but providers, and is to be left then.
async fn left_parked(leaves: bool, mut parked: watch::Receiver<bool>) {
    if !leaves || parked.wait_for(|is_parked| *is_parked).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The time of a theater's round goes on while a person thinks, and the usual one is meant for programs.
fn warn_of_short_rounds(console: &dyn Console, spec: &RunSpec, people: &People) {
    let seats = people.seats(spec);
    if let Some(stage) = stage_of(spec).filter(|stage| !seats.is_empty() && stage.per_round_timeout_ms <= SHORT_ROUND) {
        console.say(&format!(
            "{}: a round ends after {} s, even while a person is thinking ({}); for more time, set `theater.per_round_timeout_ms`",
            spec.subject(),
            stage.per_round_timeout_ms / 1000,
            seats.join(", ")
        ));
    }
}

/// Waits until it is our turn. Who is told to stop meanwhile need not wait: nothing will be called.
async fn wait_for_turn(
    store: &dyn Backend,
    console: &dyn Console,
    control: &Control,
    limit: usize,
    (run, queue): (RunId, WaitingRuns),
) -> Result<Box<dyn QueueTicket>, AppError> {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let ticket = store.queue().draw().await?;
    let mut told = false;
    while !control.is_interrupted() && !ticket.is_due(limit).await? {
        if !told {
            console.say(&format!(
                "waiting: {} runs are ahead of this one, {limit} may run at once",
                ticket.ahead().await?
            ));
            told = true;
            lock().insert(run);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    lock().remove(&run);
    Ok(ticket)
}

/// Does what other processes ask of this run.
async fn obey(store: &dyn Backend, run: RunId, control: &Control, orders: &AtomicU32) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(INBOX_EVERY).await;
        if let Ok(taken) = store.requests().take(run).await {
            for request in taken.requests {
                orders.fetch_add(1, Ordering::Relaxed);
                control.tell(request);
            }
        }
    }
}
