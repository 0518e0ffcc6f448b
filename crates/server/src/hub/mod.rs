//! The hub: follows the logs of all runs, whoever drives them, and tells every reader.
//!
//! The log is the only truth, so there is one way from a run to its readers, through the backend's logs: it makes no
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
//! | `live` | what turns in flight say, which no log has |
//! | `sweep` | runs that nobody follows: whether one is new, or goes on again |

mod frames;
mod history;
mod live;
mod mailbox;
mod position;
mod recent;
mod sweep;
#[cfg(test)]
mod tests;

use axum::body::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tribunal_kernel::watch::{WatchFrame, Watcher};
use tribunal_kernel::{Entry, Run, RunId, Seq, Time};
use tribunal_store::backend::{Follow, LogMark};
use tribunal_store::{Backend, BlockingBackend, StoreError};

use frames::Batch;
pub use history::History;
use live::LiveTurns;
pub use mailbox::{MAILBOX, Mailbox};
use position::is_new;
pub use position::{Cursor, Position, Unreadable};
use recent::Recent;
use sweep::{Extent, Known};

/// How often logs are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often we look for runs that are new or go on again.
const SWEEP_EVERY: Duration = Duration::from_millis(200);
/// How long a log is followed that makes no sense, or has no end, since it last grew.
const LINGER: Duration = Duration::from_secs(60);
/// Entries that are taken from one log at a time, so that a long one does not keep the others waiting.
const AT_A_TIME: usize = 256;
/// How long after its last reader a run is still followed, and its frames written out: readers that were dropped are on
/// their way back.
const AWAY: Duration = Duration::from_secs(3);
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
    store: BlockingBackend,
    state: Mutex<State>,
}

struct State {
    /// Those that are followed aside.
    known: Known,
    followed: BTreeMap<RunId, Followed>,
    /// Runs that are followed no more and are so young that a cursor has to name them, lest they are taken for new.
    young: BTreeMap<RunId, Position>,
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
    follower: Box<dyn Follow>,
    watcher: Watcher,
    /// What lies before this was there when the server came: it is not news.
    news_from: LogMark,
    /// The newest moment in it.
    last: Time,
    readers: Vec<Arc<Mailbox>>,
    recent: Recent,
    live: LiveTurns,
    /// When somebody read it last.
    heard: Option<Instant>,
    since: Instant,
}

/// A reader's place: first what was missed, then what comes.
#[derive(Debug)]
pub struct ReaderPlace {
    pub missed: History,
    pub mailbox: Arc<Mailbox>,
    /// The place after what was missed.
    pub caught_up: CaughtUp,
}

/// Where a reader stands that was told all it had missed, and nothing else yet.
#[derive(Debug, Clone)]
pub enum CaughtUp {
    Run(RunId, Position),
    All(Cursor),
}

impl Hub {
    /// Follows the runs of a project from now on, in a thread that ends with the hub.
    pub async fn start(store: Arc<dyn Backend>, observer: Box<dyn Observer>) -> io::Result<Arc<Self>> {
        let heads = store.logs().heads().await.unwrap_or_default();
        let hub = Arc::new(Self { store: BlockingBackend::new(store), state: Mutex::new(State::new(observer)) });
        hub.lock().known.begin(heads);
        let watched = Arc::downgrade(&hub);
        thread::Builder::new().name("hub".into()).spawn(move || watch(&watched))?;
        Ok(hub)
    }

    /// Reads the stream of one run, from `after` on. Blocks while the log is read for the first time.
    pub fn read(&self, run: RunId, after: Position) -> Result<ReaderPlace, StoreError> {
        self.head(run)?;
        let mut state = self.lock();
        state.follow(&self.store, run);
        state.advance(&self.store, run);
        let mailbox = Arc::new(Mailbox::default());
        let (mut missed, mut told) = (History::nothing(), after);
        if let Some(followed) = state.followed.get_mut(&run) {
            missed = match followed.recent.after(after) {
                Some(written) => History::written(written),
                None => History::of_run(&self.store, run, after, followed.follower.mark()),
            };
            mailbox.offer_if_room(&live::written(followed.live.so_far()));
            followed.readers.push(mailbox.clone());
            followed.heard = Some(Instant::now());
            told = told.max(Position::after(followed.follower.seq()));
        }
        state.count_readers();
        if state.is_closed {
            mailbox.close();
        }
        Ok(ReaderPlace { missed, mailbox, caught_up: CaughtUp::Run(run, told) })
    }

    /// What a run has told so far, after a place. Nobody is told what comes.
    pub fn past(&self, run: RunId, after: Position) -> Result<History, StoreError> {
        Ok(History::of_run(&self.store, run, after, self.head(run)?))
    }

    /// Reads the stream of all runs: from `after` on, or from now on. Blocks while the logs are looked at.
    pub fn read_all(&self, after: Option<Cursor>) -> ReaderPlace {
        let mut state = self.lock();
        // What is there already was before this reader's time.
        state.sweep(&self.store);
        state.advance_all(&self.store);
        let mailbox = Arc::new(Mailbox::default());
        state.readers.push(mailbox.clone());
        state.count_readers();
        if state.is_closed {
            mailbox.close();
        }
        let now = state.cursor();
        let missed = match after {
            None => History::nothing(),
            Some(cursor) => {
                let followed = state.followed.iter().map(|(run, followed)| (*run, followed.extent()));
                History::of_all(&self.store, cursor, now.clone(), state.known.iter().chain(followed))
            }
        };
        ReaderPlace { missed, mailbox, caught_up: CaughtUp::All(now) }
    }

    /// Reads on from where a reader stands that fell behind while it was told what it had missed.
    pub fn read_on(&self, caught_up: CaughtUp) -> Result<ReaderPlace, StoreError> {
        match caught_up {
            CaughtUp::Run(run, after) => self.read(run, after),
            CaughtUp::All(cursor) => Ok(self.read_all(Some(cursor))),
        }
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

    /// How many runs are followed, and how many more a cursor names.
    #[cfg(test)]
    fn held(&self) -> (usize, usize) {
        let state = self.lock();
        (state.followed.len(), state.young.len())
    }

    /// How far a run's log goes. Refuses a run that is not there.
    fn head(&self, run: RunId) -> Result<LogMark, StoreError> {
        let none = || StoreError::NoRun { run, place: self.store.name().to_owned() };
        self.store.wait(self.store.logs().head(run))?.ok_or_else(none)
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
                state.sweep(&hub.store);
                state.advance_all(&hub.store);
                state.forget(&hub.store);
            } else {
                state.advance_open(&hub.store);
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

impl State {
    fn new(observer: Box<dyn Observer>) -> Self {
        Self {
            known: Known::default(),
            followed: BTreeMap::new(),
            young: BTreeMap::new(),
            readers: Vec::new(),
            observer,
            swept: None,
            latest: Time(0),
            dropped: 0,
            is_closed: false,
        }
    }

    /// Looks for runs that are new, and for those that go on again.
    fn sweep(&mut self, store: &BlockingBackend) {
        self.swept = Some(Instant::now());
        for run in self.known.look(store, |run| self.followed.contains_key(&run)) {
            self.follow(store, run);
        }
    }

    fn follow(&mut self, store: &BlockingBackend, run: RunId) {
        if self.followed.contains_key(&run) {
            return;
        }
        let Ok(mut follower) = store.wait(store.logs().follow(run, Seq(0))) else { return };
        let Extent { mark: news_from, last, .. } = self.known.take(run);
        self.young.remove(&run);
        let mut watcher = Watcher::default();
        follower.bound(Some(news_from));
        // What is no news is only folded.
        while follower.mark() < news_from {
            let Ok(entries) = store.wait(follower.next(AT_A_TIME)) else { break };
            if entries.is_empty() || entries.iter().any(|entry| watcher.follow(entry).is_err()) {
                break;
            }
        }
        follower.bound(None);
        let (readers, recent, since) = (Vec::new(), Recent::default(), Instant::now());
        let live = LiveTurns::default();
        let followed = Followed { follower, watcher, news_from, last, readers, recent, live, heard: None, since };
        self.followed.insert(run, followed);
    }

    /// Takes in what was appended to a log, and tells it. A log that cannot be read is left alone: `verify` says more.
    fn advance(&mut self, store: &BlockingBackend, run: RunId) {
        let Some(mut followed) = self.followed.remove(&run) else { return };
        loop {
            let before = Position::after(followed.follower.seq());
            let entries = store.wait(followed.follower.next(AT_A_TIME)).unwrap_or_default();
            if entries.is_empty() {
                break;
            }
            followed.since = Instant::now();
            let mut news = Vec::new();
            for entry in &entries {
                followed.last = followed.last.max(entry.time);
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
        followed.tell_live(store);
        self.followed.insert(run, followed);
    }

    /// Takes in what was appended to the logs that somebody may be writing to.
    fn advance_open(&mut self, store: &BlockingBackend) {
        let open = self.followed.iter().filter(|(_, followed)| !followed.has_ended()).map(|(run, _)| *run);
        for run in open.collect::<Vec<_>>() {
            self.advance(store, run);
        }
    }

    fn advance_all(&mut self, store: &BlockingBackend) {
        for run in self.followed.keys().copied().collect::<Vec<_>>() {
            self.advance(store, run);
        }
    }

    /// Tells the readers of all runs.
    fn tell_all(&mut self, run: RunId, news: &[(Position, WatchFrame)]) {
        if self.readers.is_empty() {
            return;
        }
        let mut cursor = self.cursor();
        for chunk in news.chunks(BATCH) {
            let mut batch = Batch::default();
            for (position, frame) in chunk {
                cursor.see(run, *position);
                batch.push(&cursor, frame);
            }
            self.dropped += offer(&mut self.readers, &batch.into_bytes(), chunk.len());
        }
    }

    /// The place after everything that was told. What has ended is named as long as it would be taken for new.
    fn cursor(&self) -> Cursor {
        let followed =
            self.followed.iter().filter(|(run, followed)| !followed.has_ended() || is_new(**run, self.latest));
        let followed = followed.map(|(run, followed)| (*run, Position::after(followed.follower.seq())));
        let young = self.young.iter().filter(|(run, _)| is_new(**run, self.latest));
        Cursor::new(self.latest, followed.chain(young.map(|(run, told)| (*run, *told))))
    }

    /// Stops following what has ended, unless somebody reads it. All that is kept is how far its log goes.
    fn forget(&mut self, store: &BlockingBackend) {
        for followed in self.followed.values_mut() {
            followed.readers.retain(|mailbox| !is_abandoned(mailbox));
            if !followed.readers.is_empty() {
                followed.heard = Some(Instant::now());
            } else if !followed.is_awaited() {
                followed.recent.forget();
            }
        }
        self.readers.retain(|mailbox| !is_abandoned(mailbox));
        let over = self.followed.iter().filter(|(run, followed)| followed.is_over(store, **run)).map(|(run, _)| *run);
        for run in over.collect::<Vec<_>>() {
            if let Some(followed) = self.followed.remove(&run) {
                self.young.insert(run, Position::after(followed.follower.seq()));
                self.known.put(run, followed.extent());
            }
        }
        self.young.retain(|run, _| is_new(*run, self.latest));
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

    /// Tells its readers what turns in flight say. After what the log tells, so that they know the turns.
    fn tell_live(&mut self, store: &BlockingBackend) {
        let Some(run) = self.watcher.run().filter(|_| !self.readers.is_empty()) else {
            self.live.rest();
            return;
        };
        let told = self.live.hear(store, run);
        if !told.is_empty() {
            let bytes = live::written(told.iter());
            self.readers.iter().for_each(|mailbox| mailbox.offer_if_room(&bytes));
        }
    }

    /// Whether nobody needs it any more: it has ended, all of it was told, and nobody reads it.
    fn is_over(&self, store: &BlockingBackend, run: RunId) -> bool {
        if !self.readers.is_empty() || self.is_awaited() {
            return false;
        }
        let is_old = self.since.elapsed() > LINGER;
        match self.watcher.run() {
            Some(state) if state.end().is_none() => false,
            Some(_) => is_old || store.wait(store.logs().head(run)).ok().flatten() == Some(self.follower.mark()),
            None => is_old,
        }
    }

    /// Whether nobody writes to it, unless somebody goes on with it.
    fn has_ended(&self) -> bool {
        self.watcher.run().is_some_and(|run| run.end().is_some())
    }

    fn extent(&self) -> Extent {
        let (read, told) = (self.follower.mark(), Position::after(self.follower.seq()));
        // What was there when the server came may not be read yet.
        Extent { mark: read.max(self.news_from), last: self.last, told: (read >= self.news_from).then_some(told) }
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
        f.debug_struct("Hub").field("store", &self.store).finish_non_exhaustive()
    }
}
