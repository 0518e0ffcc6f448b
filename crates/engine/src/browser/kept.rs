//! The browser of this process: started when it is first needed, kept for a while, ended with the command.
//!
//! Rounds of a run, pages of a check and trials of a fix come one by one, and a browser takes longer to start than to show
//! a page. So there is one for all of them, and it goes when nobody has asked it anything for some time.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::LookError;
use super::look::{PageVisit, STDERR_TAIL, VisitSeen, explained};
use super::program::BrowserProgram;
use super::site::{self, Site};
use super::visit::{Tab, greet};
use super::wire::Wire;
use super::{KEPT_LIMIT, PAGE_LIMIT, REST_LIMIT, START_LIMIT, TALK_LIMIT, profile};
use crate::process::{Bounds, Incoming, Outgoing, converse};

/// Between TERM and KILL. Nobody waits for a browser that has nothing to save.
const GRACE: Duration = Duration::from_millis(20);
/// So many visits wait for their turn; whoever comes next waits for a place.
const MAX_WAITING: usize = 64;

/// Those of this process. There are as many as programs were named: one, nearly always.
static KEPT: Mutex<Vec<Keeper>> = Mutex::new(Vec::new());

/// A browser that is started when somebody asks it, and stays for whoever asks next.
#[derive(Debug, Clone)]
pub struct KeptBrowser {
    visits: mpsc::Sender<AskedVisit>,
}

#[derive(Debug)]
struct Keeper {
    program: BrowserProgram,
    visits: mpsc::Sender<AskedVisit>,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct AskedVisit {
    site: Site,
    page: PageVisit,
    takes_pictures: bool,
    answer: oneshot::Sender<Result<VisitSeen, LookError>>,
}

impl KeptBrowser {
    /// The one of this process. It is not started before it is asked something, or told to get ready.
    pub fn of(program: &BrowserProgram) -> Self {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        // A task ends with the runtime that it belongs to.
        kept.retain(|keeper| !keeper.visits.is_closed() && !keeper.task.is_finished());
        if let Some(keeper) = kept.iter().find(|keeper| keeper.program == *program) {
            return Self { visits: keeper.visits.clone() };
        }
        let (visits, asked) = mpsc::channel(MAX_WAITING);
        let cancel = CancellationToken::new();
        let task = tokio::spawn(keep(program.clone(), asked, cancel.clone()));
        kept.push(Keeper { program: program.clone(), visits: visits.clone(), cancel, task });
        Self { visits }
    }

    /// Sees a page. A browser that breaks costs the page that it was at, and the next one gets another browser. A page
    /// whose style sheets cannot be read is not seen: nobody would see it so.
    pub async fn see(&self, site: Site, page: PageVisit, takes_pictures: bool) -> Result<VisitSeen, LookError> {
        let (answer, answered) = oneshot::channel();
        let gone = || LookError::Ended { tail: "it was closed".to_owned() };
        let asked = AskedVisit { site, page, takes_pictures, answer };
        self.visits.send(asked).await.map_err(|_| gone())?;
        let seen = answered.await.unwrap_or_else(|_| Err(gone()))?;
        match seen.unread_look() {
            Some(address) => Err(LookError::SheetUnread { address: shown_address(address) }),
            None => Ok(seen),
        }
    }
}

/// An address of the project without what only we know.
fn shown_address(address: &str) -> String {
    site::below_root(address).unwrap_or(address).to_owned()
}

/// Ends every browser that this process keeps, and waits until nothing is left of them.
pub async fn close_kept() {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    for Keeper { cancel, task, .. } in kept {
        cancel.cancel();
        let _ = task.await;
    }
}

async fn keep(program: BrowserProgram, mut visits: mpsc::Receiver<AskedVisit>, cancel: CancellationToken) {
    let mut is_useless = false;
    loop {
        let next = tokio::select! {
            () = cancel.cancelled() => return,
            next = visits.recv() => next,
        };
        let Some(next) = next else { return };
        if is_useless {
            // The second browser that does not start would not start either.
            let tail = format!("`{}` did not start before", program.path().display());
            let _ = next.answer.send(Err(LookError::Ended { tail }));
            continue;
        }
        is_useless = !stint(&program, next, &mut visits, &cancel).await;
    }
}

/// One browser, from its start to its end. Says whether it was of any use.
async fn stint(
    program: &BrowserProgram,
    first: AskedVisit,
    visits: &mut mpsc::Receiver<AskedVisit>,
    cancel: &CancellationToken,
) -> bool {
    let mut at = Some(first);
    let mut has_started = false;
    let failed = |at: Option<AskedVisit>, error: LookError| {
        if let Some(asked) = at {
            let _ = asked.answer.send(Err(error));
        }
    };
    let profile = match profile() {
        Ok(profile) => profile,
        Err(error) => {
            failed(at, LookError::Profile(error));
            return true;
        }
    };
    let idle = REST_LIMIT + PAGE_LIMIT + START_LIMIT;
    let bounds = Bounds { idle, total: KEPT_LIMIT, grace: GRACE, stdout: TALK_LIMIT, stderr_tail: STDERR_TAIL };
    let command = program.command(profile.path());
    let (held, started) = (&mut at, &mut has_started);
    let talked =
        converse(command, &bounds, cancel, move |incoming, outgoing| talk(incoming, outgoing, held, started, visits))
            .await;
    let error = match talked {
        Err(error) => Some(LookError::Start(error)),
        Ok(_) if cancel.is_cancelled() => Some(LookError::Cancelled),
        Ok((ended, Some(Err(error)))) => Some(explained(error, &ended)),
        Ok((_, Some(Ok(())))) => None,
        Ok((ended, None)) => Some(explained(LookError::Ended { tail: String::new() }, &ended)),
    };
    if let Some(error) = error {
        failed(at, error);
    }
    has_started || cancel.is_cancelled()
}

/// Shows one page after the other. The one that it is at stays in `at` until it is answered.
async fn talk(
    incoming: Incoming,
    outgoing: Outgoing,
    at: &mut Option<AskedVisit>,
    has_started: &mut bool,
    visits: &mut mpsc::Receiver<AskedVisit>,
) -> Result<(), LookError> {
    let mut wire = Wire::new(incoming, outgoing);
    timeout(START_LIMIT, greet(&mut wire)).await.map_err(|_| LookError::Silent { after: START_LIMIT })??;
    *has_started = true;
    while let Some(asked) = at {
        let visit = Tab::visit(&mut wire, &asked.site, &asked.page, asked.takes_pictures);
        let seen = timeout(PAGE_LIMIT, visit).await.unwrap_or(Err(LookError::Slow { after: PAGE_LIMIT }));
        match seen {
            Err(error) if error.is_final() => return Err(error),
            seen => {
                if let Some(asked) = at.take() {
                    // Whoever asked may have left.
                    let _ = asked.answer.send(seen);
                }
            }
        }
        *at = tokio::select! {
            next = visits.recv() => next,
            () = sleep(REST_LIMIT) => None,
        };
    }
    Ok(())
}
