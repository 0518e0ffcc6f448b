//! Driving runs to their end, with signals and requests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tribunal_engine::{Control, Projection as _, Session};
use tribunal_kernel::ledger::Ledger;
use tribunal_kernel::run::End;
use tribunal_kernel::theater::stage_of;
use tribunal_kernel::{LoopKind, Run, RunId, RunSpec};
use tribunal_store::inbox::{self, Request};
use tribunal_store::index::KeptIndex;
use tribunal_store::queue::{LOOK_EVERY, Ticket};
use tribunal_store::{FileStore, Layout};

use crate::bench::Queue;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::allowance;
use crate::person::company::Company;
use crate::person::{People, named};
use crate::progress::Screen;
use crate::project::Project;
use crate::seating::seating_of;
use crate::views::Views;

/// How often we look for requests of other processes.
const INBOX_EVERY: Duration = Duration::from_millis(200);
/// The default of `theater.per_round_timeout_ms`: enough for programs, seldom for people.
const SHORT_ROUND: u64 = 90_000;

/// Every run holds a log and a lock, every agent three pipes, and every reader of a server a socket. The usual soft limit
/// is for programs that open few files; the hard limit is what the system really allows.
pub(crate) fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Without it we go on: most projects have few assets.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Drives all sessions to their ends, at the same time. The runs come back in the order in which they were given.
pub(crate) async fn drive(
    project: &Project,
    screen: &Screen,
    sessions: Vec<Session<FileStore>>,
) -> Result<Vec<Run>, Failure> {
    if sessions.is_empty() {
        return Ok(Vec::new()); // not even the index is touched
    }
    let common = prepare(project, screen);
    let mut controls = Vec::new();
    let mut tasks = JoinSet::new();
    for (place, session) in sessions.into_iter().enumerate() {
        controls.push(session.control());
        let run = ready(project, screen, common.clone(), session).await?;
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
                Some(Err(error)) => failure = Some(Failure::environment(format!("a bug: {error}"), None)),
            },
            (name, count) = signals.next() => {
                if count > 1 {
                    // Twice means now. Dropping the sessions ends their agents.
                    tasks.shutdown().await;
                    return Err(Failure::interrupted());
                }
                screen.say("stopping: what is finished is kept (once more to stop at once)");
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
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// What all runs of a process share.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    /// Without the index they go on; `tribunal reindex` builds it later.
    index: Option<Arc<KeptIndex>>,
    /// The terminal at which one person at a time can be asked, if there is one.
    terminal: Option<Arc<tokio::sync::Mutex<()>>>,
    people: People,
    /// Runs that wait for their turn, for those who show them.
    queue: Queue,
}

impl Common {
    /// The same, for runs that somebody shows while they wait.
    pub(crate) fn waiting_in(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }
}

/// Makes ready what all runs of a process share.
pub(crate) fn prepare(project: &Project, screen: &Screen) -> Common {
    allow_many_files();
    let index = match project.index.with(|_| Ok(())).map_err(Failure::from) {
        Ok(()) => Some(project.index.clone()),
        Err(failure) => {
            screen.say(&format!("{failure}"));
            None
        }
    };
    Common {
        index,
        terminal: screen.can_ask().then(Arc::default),
        people: People::of(project.config()),
        queue: Queue::default(),
    }
}

/// A run, ready to be driven to its end by whoever awaits it: seats taken, views opened. It obeys its inbox meanwhile, and
/// is left as it is when nobody but absent people could go on with it.
pub(crate) async fn ready(
    project: &Project,
    screen: &Screen,
    common: Common,
    mut session: Session<FileStore>,
) -> Result<impl Future<Output = Result<Run, Failure>> + Send + use<>, Failure> {
    let Common { index, terminal, people, queue } = common;
    let (control, screen) = (session.control(), screen.clone());
    let (id, layout) = (session.run().spec().run, project.layout().clone());
    let mut views = Views::new(project, index, screen.add(session.run().spec(), &people));
    warn_of_short_rounds(&screen, session.run().spec(), &people);
    let orders = Arc::new(AtomicU32::new(0));
    let company = Company {
        people,
        layout: layout.clone(),
        screen: screen.clone(),
        control: control.clone(),
        waiting: views.waiting(),
        terminal,
        orders: orders.clone(),
    };
    let account = allowance::account(project, session.run())?;
    let seating = seating_of(project, session.run().spec(), account.as_ref()).await?;
    if let Some(account) = account {
        session.share(account);
    }
    if let Some(fork) = session.run().spec().fork {
        session.remember(Ledger::of(&project.read(fork.run).await?, fork.from));
    }
    let at_once = (session.run().spec().kind() == LoopKind::Theater).then(|| most_at_once(project));
    Ok(async move {
        let work = async {
            let _ticket = match at_once {
                // Whoever looks at the list sees that it waits.
                Some(limit) => {
                    views.catch_up(session.run()).await;
                    Some(wait_for_turn(&layout, &screen, &control, limit, (id, queue)).await?)
                }
                None => None,
            };
            Ok(session.drive(&seating, &mut views).await?)
        };
        let result: Result<Option<End>, Failure> = tokio::select! {
            result = work => result.map(Some),
            never = obey(&layout, id, &control, &orders) => match never {},
            // Nothing is lost by leaving: what was asked is in the log, and what is answered is in a file.
            left = company.keep() => left.map(|()| None),
        };
        let run = session.run().clone();
        if let Ok(None) = &result {
            screen.say(&format!(
                "{}: waiting for a person: {}; `tribunal answer {id}` takes the answer and goes on",
                run.spec().subject(),
                named(&company.people.awaited(&run))
            ));
        }
        result.map(|_| run)
    })
}

/// The exit code of several runs: the worst one counts. One that waits for a person has not passed.
pub(crate) fn exit<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Exit {
    let exits = runs.into_iter().map(|run| run.end().map_or(Exit::NotPassed, |end| Exit::from(end.outcome)));
    exits.max().unwrap_or(Exit::Pass)
}

/// The time of a theater's round goes on while a person thinks, and the usual one is meant for programs.
fn warn_of_short_rounds(screen: &Screen, spec: &RunSpec, people: &People) {
    let seats = people.seats(spec);
    if let Some(stage) = stage_of(spec).filter(|stage| !seats.is_empty() && stage.per_round_timeout_ms <= SHORT_ROUND) {
        screen.say(&format!(
            "{}: a round ends after {} s, also while a person thinks ({}); `theater.per_round_timeout_ms` gives more time",
            spec.subject(),
            stage.per_round_timeout_ms / 1000,
            seats.join(", ")
        ));
    }
}

/// How many theaters of a project may run at once.
fn most_at_once(project: &Project) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    project.config().theater.max_concurrent_runs.map_or_else(cores, |limit| limit as usize)
}

/// Waits until it is our turn. Who is told to stop meanwhile need not wait: nothing will be called.
async fn wait_for_turn(
    layout: &Layout,
    screen: &Screen,
    control: &Control,
    limit: usize,
    (run, queue): (RunId, Queue),
) -> Result<Ticket, Failure> {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let ticket = Ticket::draw(layout)?;
    let mut told = false;
    while !control.is_interrupted() && !ticket.is_due(limit)? {
        if !told {
            screen.say(&format!("waiting: {} runs are before this one, {limit} may run at once", ticket.ahead()?));
            told = true;
            lock().insert(run);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    lock().remove(&run);
    Ok(ticket)
}

/// Does what other processes ask of this run.
async fn obey(layout: &Layout, run: RunId, control: &Control, orders: &AtomicU32) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(INBOX_EVERY).await;
        if let Ok(taken) = inbox::take(layout, run) {
            for request in taken.requests {
                orders.fetch_add(1, Ordering::Relaxed);
                match request {
                    Request::Interrupt { by } => control.interrupt(&by),
                    Request::Steer { by, text } => control.steer(&by, &text),
                    Request::Reanchor { by, anchor } => control.reanchor(&by, anchor),
                }
            }
        }
    }
}

/// What asks us to stop.
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    count: u32,
}

impl Signals {
    pub(crate) fn new() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::environment(format!("cannot listen to signals: {error}"), None))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
            count: 0,
        })
    }

    /// The next one, and how many there have been.
    pub(crate) async fn next(&mut self) -> (&'static str, u32) {
        let name = tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.hangup.recv() => "SIGHUP",
        };
        self.count += 1;
        (name, self.count)
    }
}
