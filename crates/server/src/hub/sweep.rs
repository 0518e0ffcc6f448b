//! Looking for runs that are new or go on again, among however many have ended.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::{Duration, Instant};
use tribunal_kernel::{RunId, Time};
use tribunal_store::BlockingBackend;
use tribunal_store::backend::{LogHead, LogMark};

use super::position::Position;

/// All runs are listed this often although none seems to have come or gone: not every backend says so at once.
const LIST_EVERY: Duration = Duration::from_secs(2);
/// So many of the newest runs are looked at every time: whoever goes on with one goes on with one of these.
const NEWEST: usize = 256;
/// Of the others, so many every time, in turn.
const OLDER: usize = 256;
/// By how much the time of an entry may be later than the backend's, where we have not read it: clocks are set back.
const CLOCK_MS: u64 = 60_000;

/// Runs that nobody follows. Nothing else is kept of them.
#[derive(Debug, Default)]
pub(super) struct Known {
    runs: BTreeMap<RunId, Extent>,
    /// What the backend said of coming and going at the last look, and whether all runs were listed since.
    census: Option<(u64, bool)>,
    listed: Option<Instant>,
    /// The last of the older ones that was looked at.
    older: Option<RunId>,
}

/// How far a log goes, as far as it was looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) mark: LogMark,
    /// No entry is newer.
    pub(super) last: Time,
    /// The place after everything, where the log was read.
    pub(super) told: Option<Position>,
}

impl Extent {
    const NOTHING: Self = Self { mark: LogMark(0), last: Time(0), told: None };
}

impl Known {
    /// Takes note of what is there before anything is news.
    pub(super) fn begin(&mut self, heads: Vec<(RunId, LogHead)>) {
        for (run, LogHead { mark, changed }) in heads {
            let last = Time(changed.0.saturating_add(CLOCK_MS));
            self.runs.insert(run, Extent { mark, last, told: None });
        }
    }

    /// Runs that are new, or longer than they were. `is_followed` says which ones somebody looks at anyway.
    pub(super) fn look(&mut self, store: &BlockingBackend, is_followed: impl Fn(RunId) -> bool) -> Vec<RunId> {
        let mut found = Vec::new();
        if self.is_list_due(store)
            && let Ok(runs) = store.wait(store.logs().names())
        {
            let there: BTreeSet<RunId> = runs.into_iter().collect();
            self.runs.retain(|run, _| there.contains(run));
            found.extend(there.into_iter().filter(|run| !self.runs.contains_key(run) && !is_followed(*run)));
        }
        for run in self.due() {
            let before = self.runs.get(&run).map_or(LogMark(0), |extent| extent.mark);
            if store.wait(store.logs().head(run)).is_ok_and(|head| head.is_some_and(|head| head > before)) {
                found.push(run);
            }
        }
        found
    }

    /// Somebody follows it from now on.
    pub(super) fn take(&mut self, run: RunId) -> Extent {
        self.runs.remove(&run).unwrap_or(Extent::NOTHING)
    }

    /// Nobody follows it any more.
    pub(super) fn put(&mut self, run: RunId, extent: Extent) {
        self.runs.insert(run, extent);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (RunId, Extent)> {
        self.runs.iter().map(|(run, extent)| (*run, *extent))
    }

    /// Whether a run may have come or gone since all were listed.
    fn is_list_due(&mut self, store: &BlockingBackend) -> bool {
        let now = store.wait(store.logs().census()).ok().flatten();
        let is_same = now.is_some() && self.census.map(|(census, _)| census) == now;
        // Two changes at one time may be told as one: after a change they are listed once more.
        let is_settled = is_same && self.census.is_some_and(|(_, is_settled)| is_settled);
        let is_due = !is_settled || self.listed.is_none_or(|listed| listed.elapsed() >= LIST_EVERY);
        self.census = now.map(|census| (census, is_same));
        if is_due {
            self.listed = Some(Instant::now());
        }
        is_due
    }

    /// Those that are looked at this time.
    fn due(&mut self) -> Vec<RunId> {
        let mut due: Vec<RunId> = self.runs.keys().rev().take(NEWEST).copied().collect();
        let oldest = due.last().copied();
        let from = self.older.map_or(Bound::Unbounded, Bound::Excluded);
        let older = self.runs.range((from, Bound::Unbounded)).map(|(run, _)| *run);
        let older: Vec<RunId> =
            older.take_while(|run| oldest.is_some_and(|oldest| *run < oldest)).take(OLDER).collect();
        // Who comes to the newest begins again.
        self.older = older.last().copied().filter(|_| older.len() == OLDER);
        due.extend(older);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::Arc;
    use tribunal_store::FileBackend;
    use uuid::Uuid;

    fn run(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    fn write(store: &FileBackend, number: u128, text: &str) {
        let log = store.layout().log(run(number));
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(log, text).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_comes_and_what_grows_is_found_however_many_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        let files = FileBackend::new(folder.path());
        let store = BlockingBackend::new(Arc::new(files.clone()));
        let many = 2 * u128::try_from(NEWEST + OLDER).unwrap();
        for number in 1..=many {
            write(&files, number, "x");
        }
        tokio::task::block_in_place(|| {
            let mut known = Known::default();
            known.begin(store.wait(store.logs().heads()).unwrap());
            assert_eq!(known.look(&store, |_| false), [], "what is there is no news");
            write(&files, many + 1, "");
            assert_eq!(known.look(&store, |_| false), [run(many + 1)], "although nothing is in it yet");
            assert_eq!(known.look(&store, |new| new == run(many + 1)), []);
            known.put(run(many + 1), Extent::NOTHING);

            let two = Extent { mark: LogMark(2), ..Extent::NOTHING };
            write(&files, many, "xx");
            assert_eq!(known.look(&store, |_| false), [run(many)], "of the newest at once");
            known.put(run(many), two);
            for old in [1, 300, many / 2] {
                write(&files, old, "xx");
                let looks = known.runs.len() / OLDER + 1;
                let found: Vec<RunId> = (0..looks).flat_map(|_| known.look(&store, |_| false)).collect();
                assert!(found.contains(&run(old)), "{old} is found when its turn comes");
                known.put(run(old), two);
            }
            fs::remove_dir_all(files.layout().run(run(7))).unwrap();
            known.look(&store, |_| false);
            assert!(!known.runs.contains_key(&run(7)), "nothing is kept of what is gone");
        });
    }
}
