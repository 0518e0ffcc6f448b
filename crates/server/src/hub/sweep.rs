//! Looking for runs that are new or go on again, among however many have ended.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tribunal_kernel::{RunId, Time};
use tribunal_store::Layout;
use tribunal_store::log::follow::{changed, length, names};

use super::position::Position;

/// The folder of all runs is listed this often although it does not look changed: not every file system says so at once.
const LIST_EVERY: Duration = Duration::from_secs(2);
/// So many of the newest runs are looked at every time: whoever goes on with one goes on with one of these.
const NEWEST: usize = 256;
/// Of the others, so many every time, in turn.
const OLDER: usize = 256;
/// By how much the time of an entry may be later than that of its file, where we have not read it: clocks are set back.
const CLOCK_MS: u64 = 60_000;

/// Runs that nobody follows. Nothing else is kept of them.
#[derive(Debug, Default)]
pub(super) struct Known {
    runs: BTreeMap<RunId, Extent>,
    /// When the folder of all runs was changed, as of the last look, and whether it was listed since.
    folder: Option<(SystemTime, bool)>,
    listed: Option<Instant>,
    /// The last of the older ones that was looked at.
    older: Option<RunId>,
}

/// How far a log goes, as far as it was looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// In bytes.
    pub(super) length: u64,
    /// No entry is newer.
    pub(super) last: Time,
    /// The place after everything, where the log was read.
    pub(super) told: Option<Position>,
}

impl Extent {
    const NOTHING: Self = Self { length: 0, last: Time(0), told: None };
}

impl Known {
    /// Takes note of what is there before anything is news.
    pub(super) fn begin(&mut self, layout: &Layout) {
        for run in names(layout).unwrap_or_default() {
            let length = length(layout, run).unwrap_or_default();
            let at = changed(&layout.log(run)).unwrap_or(SystemTime::now());
            let ms = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
            let last = Time(u64::try_from(ms).unwrap_or(u64::MAX).saturating_add(CLOCK_MS));
            self.runs.insert(run, Extent { length, last, told: None });
        }
    }

    /// Runs that are new, or longer than they were. `is_followed` says which ones somebody looks at anyway.
    pub(super) fn look(&mut self, layout: &Layout, is_followed: impl Fn(RunId) -> bool) -> Vec<RunId> {
        let mut found = Vec::new();
        if self.is_folder_due(layout)
            && let Ok(runs) = names(layout)
        {
            let there: BTreeSet<RunId> = runs.into_iter().collect();
            self.runs.retain(|run, _| there.contains(run));
            found.extend(there.into_iter().filter(|run| !self.runs.contains_key(run) && !is_followed(*run)));
        }
        for run in self.due() {
            let before = self.runs.get(&run).map_or(0, |extent| extent.length);
            if length(layout, run).is_some_and(|length| length > before) {
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

    /// Whether a run may have come or gone since the folder was listed.
    fn is_folder_due(&mut self, layout: &Layout) -> bool {
        let now = changed(&layout.runs());
        let is_same = now.is_some() && self.folder.map(|(at, _)| at) == now;
        // Two changes may have one time: what was changed is listed once more when that time has passed.
        let is_settled = is_same && self.folder.is_some_and(|(_, is_settled)| is_settled);
        let is_due = !is_settled || self.listed.is_none_or(|listed| listed.elapsed() >= LIST_EVERY);
        self.folder = now.map(|at| (at, is_same));
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
    use uuid::Uuid;

    fn run(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    fn write(layout: &Layout, number: u128, text: &str) {
        fs::create_dir_all(layout.run(run(number))).unwrap();
        fs::write(layout.log(run(number)), text).unwrap();
    }

    #[test]
    fn what_comes_and_what_grows_is_found_however_many_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let many = 2 * u128::try_from(NEWEST + OLDER).unwrap();
        for number in 1..=many {
            write(&layout, number, "x");
        }
        let mut known = Known::default();
        known.begin(&layout);
        assert_eq!(known.look(&layout, |_| false), [], "what is there is no news");
        write(&layout, many + 1, "");
        assert_eq!(known.look(&layout, |_| false), [run(many + 1)], "although nothing is in it yet");
        assert_eq!(known.look(&layout, |new| new == run(many + 1)), []);
        known.put(run(many + 1), Extent::NOTHING);

        write(&layout, many, "xx");
        assert_eq!(known.look(&layout, |_| false), [run(many)], "of the newest at once");
        known.put(run(many), Extent { length: 2, ..Extent::NOTHING });
        for old in [1, 300, many / 2] {
            write(&layout, old, "xx");
            let looks = known.runs.len() / OLDER + 1;
            let found: Vec<RunId> = (0..looks).flat_map(|_| known.look(&layout, |_| false)).collect();
            assert!(found.contains(&run(old)), "{old} is found when its turn comes");
            known.put(run(old), Extent { length: 2, ..Extent::NOTHING });
        }
        fs::remove_dir_all(layout.run(run(7))).unwrap();
        known.look(&layout, |_| false);
        assert!(!known.runs.contains_key(&run(7)), "nothing is kept of what is gone");
    }
}
