//! The hub: follows the logs of all runs, whoever drives them, and tells every reader.
//!
//! The log is the only truth, so there is one way from a run to its readers, through the log's file: it makes no
//! difference whether this process drives the run or another one. One thread follows all logs; a frame is written out
//! once for all readers of a stream.
//!
//! | file | noun |
//! |---|---|
//! | `position` | places in streams, as they stand in `Last-Event-ID` |
//! | `mailbox` | what a reader has not taken yet, bounded |
//! | `frames` | frames as server-sent events |
//! | `recent` | what was told last, for readers that come back |
//! | `history` | what a reader missed, read from the log |

mod frames;
mod history;
mod mailbox;
mod position;
mod recent;

use axum::body::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tribunal_kernel::watch::{WatchFrame, Watcher};
use tribunal_kernel::{Entry, Run, RunId, Time};
use tribunal_store::log::follow::{length, lengths};
use tribunal_store::{Follower, Layout, StoreError};

use frames::Batch;
pub use history::History;
pub use mailbox::{MAILBOX, Mailbox};
pub use position::{Cursor, Position, Unreadable};
use recent::Recent;

/// How often logs are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often we look for runs that are new or go on again.
const SWEEP_EVERY: Duration = Duration::from_millis(200);
/// How long a run that has ended is followed: readers that come back find their place in the stream of all runs.
const LINGER: Duration = Duration::from_secs(60);
/// Entries that are taken from one log at a time, so that a long one does not keep the others waiting.
const AT_A_TIME: usize = 256;
/// How long after its last reader a run's frames are still written out: readers that were dropped are on their way back.
const AWAY: Duration = Duration::from_secs(10);
/// Frames that are written out together. A batch must fit a mailbox several times.
const BATCH: usize = 64;

/// Sees every entry that is appended while the server runs, once, with the run after it.
pub trait Observer: Send {
    fn observe(&mut self, run: &Run, entry: &Entry);
    /// A reader came, went, or was dropped because it did not keep up.
    fn readers(&mut self, _now: usize, _dropped: usize) {}
}

/// Follows all logs of a project.
pub struct Hub {
    layout: Layout,
    state: Mutex<State>,
}

struct State {
    /// Every run there is, with the length of its log when it was last looked at; those that are followed aside.
    known: BTreeMap<RunId, u64>,
    followed: BTreeMap<RunId, Followed>,
    /// Who reads the stream of all runs.
    readers: Vec<Arc<Mailbox>>,
    observer: Box<dyn Observer>,
    swept: Option<Instant>,
    /// The newest moment in any log.
    latest: Time,
    dropped: usize,
    is_closed: bool,
}

struct Followed {
    follower: Follower,
    watcher: Watcher,
    /// What lies before this was there when the server came: it is not news.
    news_from: u64,
    readers: Vec<Arc<Mailbox>>,
    recent: Recent,
    /// When somebody read it last.
    heard: Option<Instant>,
    since: Instant,
}

/// A reader's place: first what was missed, then what comes.
#[derive(Debug)]
pub struct ReaderPlace {
    pub missed: History,
    pub mailbox: Arc<Mailbox>,
}

impl Hub {
    /// Follows the runs under `layout` from now on, in a thread that ends with the hub.
    pub fn start(layout: Layout, observer: Box<dyn Observer>) -> io::Result<Arc<Self>> {
        let hub = Arc::new(Self { layout, state: Mutex::new(State::new(observer)) });
        hub.lock().sweep(&hub.layout, true);
        let watched = Arc::downgrade(&hub);
        thread::Builder::new().name("hub".into()).spawn(move || watch(&watched))?;
        Ok(hub)
    }

    /// Reads the stream of one run, from `after` on. Blocks while the log is read for the first time.
    pub fn read(&self, run: RunId, after: Position) -> Result<ReaderPlace, StoreError> {
        self.length(run)?;
        let mut state = self.lock();
        state.follow(&self.layout, run);
        state.advance(run);
        let mailbox = Arc::new(Mailbox::default());
        let mut missed = History::nothing();
        if let Some(followed) = state.followed.get_mut(&run) {
            missed = match followed.recent.after(after) {
                Some(written) => History::written(written),
                None => History::of_run(&self.layout, run, after, followed.follower.bytes()),
            };
            followed.readers.push(mailbox.clone());
        }
        state.count_readers();
        if state.is_closed {
            mailbox.close();
        }
        Ok(ReaderPlace { missed, mailbox })
    }

    /// What a run has told so far, after a place. Nobody is told what comes.
    pub fn past(&self, run: RunId, after: Position) -> Result<History, StoreError> {
        Ok(History::of_run(&self.layout, run, after, self.length(run)?))
    }

    /// Reads the stream of all runs: from `after` on, or from now on.
    pub fn read_all(&self, after: Option<Cursor>) -> ReaderPlace {
        let mut state = self.lock();
        // What is there already was before this reader's time.
        state.sweep(&self.layout, false);
        state.advance_all();
        let mailbox = Arc::new(Mailbox::default());
        state.readers.push(mailbox.clone());
        state.count_readers();
        if state.is_closed {
            mailbox.close();
        }
        let missed = match after {
            None => History::nothing(),
            Some(cursor) => {
                let followed = state
                    .followed
                    .iter()
                    .map(|(run, followed)| (*run, followed.follower.bytes().max(followed.news_from)));
                let runs = state.known.iter().map(|(run, length)| (*run, *length)).chain(followed);
                History::of_all(&self.layout, cursor, runs.collect())
            }
        };
        ReaderPlace { missed, mailbox }
    }

    /// Ends all streams. Readers get what is in their mailboxes.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        for mailbox in state.followed.values().flat_map(|followed| &followed.readers).chain(&state.readers) {
            mailbox.close();
        }
    }

    /// How many readers there are.
    pub fn readers(&self) -> usize {
        self.lock().reader_count()
    }

    /// The length of a run's log. Refuses a run that is not there.
    fn length(&self, run: RunId) -> Result<u64, StoreError> {
        let none = || StoreError::NoRun { run, place: self.layout.run(run).display().to_string() };
        length(&self.layout, run).ok_or_else(none)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at the logs again and again, until the hub is gone.
fn watch(hub: &Weak<Hub>) {
    loop {
        {
            let Some(hub) = hub.upgrade() else { return };
            let mut state = hub.lock();
            if state.is_closed {
                return;
            }
            if state.swept.is_none_or(|swept| swept.elapsed() >= SWEEP_EVERY) {
                state.sweep(&hub.layout, false);
            }
            state.advance_all();
            state.forget();
        }
        thread::sleep(LOOK_EVERY);
    }
}

impl State {
    fn new(observer: Box<dyn Observer>) -> Self {
        Self {
            known: BTreeMap::new(),
            followed: BTreeMap::new(),
            readers: Vec::new(),
            observer,
            swept: None,
            latest: Time(0),
            dropped: 0,
            is_closed: false,
        }
    }

    /// Looks for runs that are new, and for those that go on again. What is there at the start is no news.
    fn sweep(&mut self, layout: &Layout, is_start: bool) {
        self.swept = Some(Instant::now());
        let Ok(runs) = lengths(layout) else { return };
        for (run, length) in runs {
            if self.followed.contains_key(&run) {
                continue;
            }
            match self.known.get(&run).copied() {
                None if is_start => {
                    self.known.insert(run, length);
                }
                None => {
                    self.known.insert(run, 0);
                    self.follow(layout, run);
                }
                Some(known) if length > known => self.follow(layout, run),
                Some(_) => {}
            }
        }
    }

    fn follow(&mut self, layout: &Layout, run: RunId) {
        if self.followed.contains_key(&run) {
            return;
        }
        let news_from = self.known.remove(&run).unwrap_or_default();
        let (mut follower, mut watcher) = (Follower::new(layout, run).up_to(news_from), Watcher::default());
        // What is no news is only folded.
        while follower.bytes() < news_from {
            let Ok(entries) = follower.more(AT_A_TIME) else { break };
            if entries.is_empty() || entries.iter().any(|entry| watcher.follow(entry).is_err()) {
                break;
            }
        }
        let follower = follower.up_to(u64::MAX);
        let (readers, recent, since) = (Vec::new(), Recent::default(), Instant::now());
        let followed = Followed { follower, watcher, news_from, readers, recent, heard: None, since };
        self.followed.insert(run, followed);
    }

    /// Takes in what was appended to a log, and tells it. A log that cannot be read is left alone: `verify` says more.
    fn advance(&mut self, run: RunId) {
        let Some(mut followed) = self.followed.remove(&run) else { return };
        loop {
            let before = Position::after(followed.follower.seq());
            let entries = followed.follower.more(AT_A_TIME).unwrap_or_default();
            if entries.is_empty() {
                break;
            }
            followed.since = Instant::now();
            let mut news = Vec::new();
            for entry in &entries {
                self.latest = self.latest.max(entry.time);
                let Ok(told) = frames::of_entry(&mut followed.watcher, entry) else { break };
                news.extend(told);
                if let Some(run) = followed.watcher.run() {
                    self.observer.observe(run, entry);
                }
            }
            self.dropped += followed.tell(before, &news);
            self.tell_all(run, &news);
        }
        self.followed.insert(run, followed);
    }

    fn advance_all(&mut self) {
        for run in self.followed.keys().copied().collect::<Vec<_>>() {
            self.advance(run);
        }
    }

    /// Tells the readers of all runs.
    fn tell_all(&mut self, run: RunId, news: &[(Position, WatchFrame)]) {
        if self.readers.is_empty() {
            return;
        }
        let others = self.followed.iter();
        let seen = others.map(|(other, followed)| (*other, Position::after(followed.follower.seq())));
        let mut cursor = Cursor::new(self.latest, seen);
        for chunk in news.chunks(BATCH) {
            let mut batch = Batch::default();
            for (position, frame) in chunk {
                cursor.see(run, *position);
                batch.push(&cursor, frame);
            }
            self.dropped += offer(&mut self.readers, &batch.into_bytes(), chunk.len());
        }
    }

    /// Stops following what has ended long ago, unless somebody reads it.
    fn forget(&mut self) {
        for followed in self.followed.values_mut() {
            followed.readers.retain(|mailbox| !is_abandoned(mailbox));
            if followed.readers.is_empty() && !followed.is_awaited() {
                followed.recent.forget();
            }
        }
        self.readers.retain(|mailbox| !is_abandoned(mailbox));
        let is_over = |followed: &Followed| followed.watcher.run().is_none_or(|run| run.end().is_some());
        let done: Vec<RunId> = self
            .followed
            .iter()
            .filter(|(_, followed)| {
                followed.readers.is_empty() && is_over(followed) && followed.since.elapsed() > LINGER
            })
            .map(|(run, _)| *run)
            .collect();
        for run in done {
            if let Some(followed) = self.followed.remove(&run) {
                self.known.insert(run, followed.follower.bytes());
            }
        }
        self.count_readers();
    }

    fn reader_count(&self) -> usize {
        self.readers.len() + self.followed.values().map(|followed| followed.readers.len()).sum::<usize>()
    }

    fn count_readers(&mut self) {
        let (now, dropped) = (self.reader_count(), std::mem::take(&mut self.dropped));
        self.observer.readers(now, dropped);
    }
}

impl Followed {
    /// Tells its readers what comes after `before`. How many did not keep up.
    fn tell(&mut self, before: Position, news: &[(Position, WatchFrame)]) -> usize {
        if !self.readers.is_empty() {
            self.heard = Some(Instant::now());
        }
        if !self.is_awaited() {
            self.recent.forget();
            return 0;
        }
        let mut dropped = 0;
        for chunk in news.chunks(BATCH) {
            let mut batch = Batch::default();
            for (position, frame) in chunk {
                batch.push(position, frame);
            }
            let ends = chunk.iter().map(|(position, _)| *position).zip(batch.ends.iter().copied()).collect();
            let bytes = batch.into_bytes();
            dropped += offer(&mut self.readers, &bytes, chunk.len());
            self.recent.keep(before, ends, bytes);
        }
        dropped
    }

    /// Whether somebody reads it, or did until a moment ago.
    fn is_awaited(&self) -> bool {
        self.heard.is_some_and(|heard| heard.elapsed() <= AWAY)
    }
}

/// Gives everybody the same frames. How many did not keep up.
fn offer(readers: &mut Vec<Arc<Mailbox>>, bytes: &Bytes, frames: usize) -> usize {
    let before = readers.len();
    readers.retain(|mailbox| mailbox.offer(bytes, frames));
    before - readers.len()
}

/// Whether nobody takes anything out of a mailbox any more: the reader's end was dropped.
fn is_abandoned(mailbox: &Arc<Mailbox>) -> bool {
    Arc::strong_count(mailbox) == 1
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").field("layout", &self.layout).finish_non_exhaustive()
    }
}
