//! Many pages with one browser, and another one when it dies.

use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tribunal_checks::FontService;
use tribunal_checks::seen::{Picture, View};

use super::error::LookError;
use super::program::BrowserProgram;
use super::site::Site;
use super::visit::{Tab, greet};
use super::wire::Wire;
use super::{PAGE_LIMIT, START_LIMIT, TALK_LIMIT, profile};
use crate::process::{Bounds, How, Incoming, Outgoing, ProcessEnd, converse};

/// Between TERM and KILL: a browser has nothing to save.
const GRACE: Duration = Duration::from_millis(500);
pub(super) const STDERR_TAIL: usize = 2048;

/// A page to see.
#[derive(Debug, Clone)]
pub struct PageVisit {
    pub file: PathBuf,
    /// The page's text, where it is not the one in the file.
    pub text: Option<String>,
    pub windows: Vec<Window>,
    /// Whether the focus of every control is looked at.
    pub focus: bool,
    /// Expressions that are evaluated in the page at the end.
    pub scripts: Vec<String>,
}

/// One window that a page is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub width: u32,
    pub dark: bool,
}

/// What was seen of a page.
#[derive(Debug, Default)]
pub struct VisitSeen {
    /// One for every window.
    pub views: Vec<View>,
    /// One for every window, where pictures are taken.
    pub pictures: Vec<Picture>,
    /// What the scripts gave.
    pub answers: Vec<Value>,
    /// Addresses outside of the project that the page asked for.
    pub refused: Vec<String>,
    /// Files of the project that were not there.
    pub missing: Vec<String>,
    /// Style sheets among those two: without them the page looks as nobody meant it.
    pub unread_sheets: Vec<String>,
}

impl VisitSeen {
    /// A style sheet that was not read and that the page's look depends on.
    pub fn unread_look(&self) -> Option<&str> {
        let has_a_look = |address: &&String| FontService::of(address).is_none();
        self.unread_sheets.iter().find(has_a_look).map(String::as_str)
    }
}

/// A browser that can be asked to look at pages.
#[derive(Debug, Clone)]
pub struct Lookout {
    program: BrowserProgram,
    site: Site,
    page_limit: Duration,
    start_limit: Duration,
}

/// How far one browser came.
enum Stint {
    Done,
    /// The page at which it was of no use any more, and why.
    Broke(usize, LookError),
}

impl Lookout {
    pub fn new(program: BrowserProgram, site: Site) -> Self {
        Self { program, site, page_limit: PAGE_LIMIT, start_limit: START_LIMIT }
    }

    /// The same with other limits than the usual ones.
    pub fn bounded(self, start: Duration, page: Duration) -> Self {
        Self { start_limit: start, page_limit: page, ..self }
    }

    /// Sees every page, one after the other, and hands each over with its number. A browser that breaks costs the page
    /// it was at; one that cannot be started costs all that are left.
    pub async fn look(
        &self,
        pages: &[PageVisit],
        cancel: &CancellationToken,
        mut take: impl FnMut(usize, Result<VisitSeen, LookError>),
    ) {
        let mut first = 0;
        while first < pages.len() {
            match self.stint(pages, first, cancel, &mut take).await {
                Ok(Stint::Done) => return,
                Ok(Stint::Broke(at, error)) => {
                    take(at, Err(error));
                    first = at + 1;
                }
                Err(error) => {
                    // The second browser that does not start would not start either.
                    take(first, Err(error));
                    for (number, _) in pages.iter().enumerate().skip(first + 1) {
                        take(number, Err(self.unstarted(cancel)));
                    }
                    return;
                }
            }
        }
    }

    fn unstarted(&self, cancel: &CancellationToken) -> LookError {
        if cancel.is_cancelled() {
            return LookError::Cancelled;
        }
        LookError::Ended { tail: format!("`{}` did not start before", self.program.path().display()) }
    }

    async fn stint(
        &self,
        pages: &[PageVisit],
        first: usize,
        cancel: &CancellationToken,
        take: &mut impl FnMut(usize, Result<VisitSeen, LookError>),
    ) -> Result<Stint, LookError> {
        let profile = profile().map_err(LookError::Profile)?;
        let rest = u32::try_from(pages.len() - first).unwrap_or(u32::MAX);
        let total = self.start_limit + self.page_limit.saturating_mul(rest);
        let bounds = Bounds { idle: total, total, grace: GRACE, stdout: TALK_LIMIT, stderr_tail: STDERR_TAIL };
        let command = self.program.command(profile.path());
        let (ended, said) = converse(command, &bounds, cancel, move |incoming, outgoing| {
            self.talk(incoming, outgoing, pages, first, take)
        })
        .await?;
        match said {
            _ if cancel.is_cancelled() => Err(LookError::Cancelled),
            Some(Ok(Stint::Broke(at, error))) => Ok(Stint::Broke(at, explained(error, &ended))),
            Some(Ok(Stint::Done)) => Ok(Stint::Done),
            Some(Err(error)) => Err(explained(error, &ended)),
            None => Err(explained(LookError::Ended { tail: String::new() }, &ended)),
        }
    }

    async fn talk(
        &self,
        incoming: Incoming,
        outgoing: Outgoing,
        pages: &[PageVisit],
        first: usize,
        take: &mut impl FnMut(usize, Result<VisitSeen, LookError>),
    ) -> Result<Stint, LookError> {
        let mut wire = Wire::new(incoming, outgoing);
        let silent = |_| LookError::Silent { after: self.start_limit };
        timeout(self.start_limit, greet(&mut wire)).await.map_err(silent)??;
        for (number, page) in pages.iter().enumerate().skip(first) {
            let seen = timeout(self.page_limit, Tab::visit(&mut wire, &self.site, page, false)).await;
            match seen.unwrap_or(Err(LookError::Slow { after: self.page_limit })) {
                Err(error) if error.is_final() => return Ok(Stint::Broke(number, error)),
                seen => take(number, seen),
            }
        }
        Ok(Stint::Done)
    }
}

/// What the browser printed at its end says more than that it ended.
pub(super) fn explained(error: LookError, ended: &ProcessEnd) -> LookError {
    match error {
        LookError::Ended { .. } if ended.how == How::TooMuchOutput => {
            LookError::TooMuch { limit: usize::try_from(TALK_LIMIT).unwrap_or(usize::MAX) }
        }
        LookError::Ended { .. } => {
            let last = ended.stderr_tail.lines().rev().map(str::trim).find(|line| !line.is_empty());
            LookError::Ended { tail: last.unwrap_or_default().to_owned() }
        }
        error => error,
    }
}
