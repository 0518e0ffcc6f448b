//! When the leader is killed: after a while, or right when something on the disk has become another.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tribunal_testkit::dice::Dice;

use super::plays::Play;
use super::plays::desk::MANY;
use super::scene::Scene;

/// How often is looked.
const LOOK: Duration = Duration::from_micros(300);

/// When it is killed.
#[derive(Debug, Clone)]
pub(super) enum Moment {
    After(Duration),
    /// The log has grown so often.
    Log {
        times: u32,
    },
    /// The last good commit, or our branch, has become another so often.
    Commit {
        times: u32,
    },
    /// So many of the worker's files are there.
    Files {
        count: usize,
    },
}

impl Moment {
    /// One of them; `whole` is how long a run takes that nobody kills.
    pub(super) fn thrown(dice: &mut Dice, play: &Play, whole: Duration) -> Self {
        let millis = u32::try_from(whole.as_millis()).unwrap_or(u32::MAX).max(10);
        // Only a desk has commits of its own, and a worker's files.
        match dice.below(if play.is_desk() { 10 } else { 7 }) {
            0..4 => Self::After(Duration::from_millis(dice.below(millis * 2 / 3).into())),
            4..7 => Self::Log { times: 1 + dice.below(12) },
            7..9 => Self::Commit { times: 1 + dice.below(4) },
            _ => Self::Files { count: 1 + dice.below(MANY) as usize },
        }
    }
}

/// Looks until the moment is there, or `is_over` says that it never comes.
pub(super) fn wait(moment: &Moment, scene: &Scene, mut is_over: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    let seen = |scene: &Scene| match moment {
        Moment::After(_) => 0,
        Moment::Log { .. } => scene.logs().iter().filter_map(|log| fs::metadata(log).ok()).map(|it| it.len()).sum(),
        Moment::Commit { .. } => tips(scene),
        Moment::Files { .. } => files(scene) as u64,
    };
    let (mut last, mut changes) = (seen(scene), 0u32);
    loop {
        if is_over() {
            return false;
        }
        let now = seen(scene);
        changes += u32::from(now != last);
        last = now;
        let is_there = match moment {
            Moment::After(pause) => *pause <= begun.elapsed(),
            Moment::Log { times } | Moment::Commit { times } => *times <= changes,
            Moment::Files { count } => *count as u64 <= now,
        };
        if is_there {
            return true;
        }
        std::thread::sleep(LOOK);
    }
}

/// A number that is another when the state of a tree, or a branch of ours, is.
fn tips(scene: &Scene) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for path in below(&scene.trees(), "state.json").into_iter().chain(below(&scene.branches(), "")) {
        for byte in fs::read(path).unwrap_or_default() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    sum
}

/// How many of the files are there that the worker writes one by one.
fn files(scene: &Scene) -> usize {
    let folders = fs::read_dir(scene.trees()).into_iter().flatten().flatten();
    folders.map(|run| fs::read_dir(scene.many(&run.path())).into_iter().flatten().count()).max().unwrap_or(0)
}

/// Files below a folder, two levels deep, of a name or of any.
fn below(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_file() {
            found.push(path);
        } else if path.is_dir() {
            let inner = fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path());
            found.extend(inner.filter(|path| path.is_file()));
        }
    }
    found.retain(|path| name.is_empty() || path.ends_with(name));
    found.sort();
    found
}
