//! Why a run stays.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tribunal_kernel::{Run, RunId, theater};

use crate::error::AppError;
use crate::project::Project;
use crate::proof::anchor;

/// Why a run stays, the strongest reason first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptBecause {
    Unreadable,
    Driven,
    Unfinished,
    /// Work that is nowhere else.
    Work,
    /// A proof or another thing outside.
    Outside(String),
    /// Its hash is kept elsewhere: without the log it would look as if somebody had tampered with it.
    Anchored,
    /// An agent of the configuration plays it back.
    Recording,
    /// An agent's stop rests on it.
    Stop,
    Newest,
    Young,
    /// A run that stays.
    Cited(RunId),
}

impl KeptBecause {
    /// In a word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Driven => "driven",
            Self::Unfinished => "unfinished",
            Self::Work => "work",
            Self::Outside(_) => "proof",
            Self::Anchored => "anchored",
            Self::Recording => "recording",
            Self::Stop => "stop",
            Self::Newest => "newest",
            Self::Young => "young",
            Self::Cited(_) => "cited",
        }
    }
}

impl fmt::Display for KeptBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("it cannot be read"),
            Self::Driven => f.write_str("it is running"),
            Self::Unfinished => f.write_str("it is not finished"),
            Self::Work => f.write_str("its work was not taken over"),
            Self::Outside(what) => write!(f, "{what}"),
            Self::Anchored => f.write_str("its hash is anchored"),
            Self::Recording => f.write_str("an agent plays it back"),
            Self::Stop => f.write_str("an agent stopped because of it"),
            Self::Newest => f.write_str("it is the newest on its asset"),
            Self::Young => f.write_str("it is not old enough"),
            Self::Cited(run) => write!(f, "run {run} may build on it"),
        }
    }
}

/// What is noted outside of all logs.
pub(super) struct Outside {
    anchored: BTreeSet<RunId>,
    stops: BTreeSet<RunId>,
}

impl Outside {
    pub(super) async fn of(project: &Project) -> Result<Self, AppError> {
        let found = anchor::found(project).await;
        // Whoever does not know which runs are anchored removes none.
        if let Some(problem) = found.problems.first() {
            return Err(AppError::conflict(
                format!("nothing was removed, since nobody can tell which runs are anchored: {problem}"),
                "make it readable; `tribunal verify` lists what cannot be read",
            ));
        }
        let anchored = found.anchors.into_iter().map(|anchor| anchor.run).collect();
        let stops = project.store.stops().read().await?;
        Ok(Self { anchored, stops: stops.stops.iter().filter_map(|stop| stop.run).collect() })
    }

    pub(super) fn keeps(&self, project: &Project, run: RunId) -> Option<KeptBecause> {
        let id = run.to_string();
        let mut played = project.config().agents.values().filter_map(|agent| agent.run.as_deref());
        if self.anchored.contains(&run) {
            Some(KeptBecause::Anchored)
        } else if played.any(|name| is_named(&id, name)) {
            Some(KeptBecause::Recording)
        } else {
            self.stops.contains(&run).then_some(KeptBecause::Stop)
        }
    }
}

/// Whether a part of an id means this run.
fn is_named(id: &str, name: &str) -> bool {
    !name.is_empty() && id.contains(&name.to_lowercase())
}

/// What a run cites of others.
#[derive(Debug, Default)]
pub(super) struct Citations {
    runs: BTreeSet<RunId>,
    /// Parts of ids.
    recordings: BTreeSet<String>,
    is_unknown: bool,
}

impl Citations {
    pub(super) fn of(run: &Run) -> Self {
        let spec = run.spec();
        let mut runs: BTreeSet<RunId> = spec.fork.iter().flat_map(|fork| [fork.run, fork.origin]).collect();
        runs.extend(spec.controls.passed.iter().map(|passed| passed.run));
        runs.extend(run.turns().iter().filter_map(|turn| turn.bill()?.copied));
        runs.extend(spec.settings_of::<theater::Settings>().and_then(|settings| settings.given.rerun_of));
        let recordings = spec.agents.values().filter_map(|agent| agent.0.get("run").and_then(Value::as_str));
        Self { runs, recordings: recordings.map(str::to_owned).collect(), is_unknown: false }
    }

    /// Of a log that cannot be read: it may build on any other.
    pub(super) fn unknown() -> Self {
        Self { is_unknown: true, ..Self::default() }
    }

    fn has(&self, run: RunId) -> bool {
        let id = run.to_string();
        self.is_unknown || self.runs.contains(&run) || self.recordings.iter().any(|name| is_named(&id, name))
    }
}

/// Keeps what is cited by what is kept, and by that, and so on.
pub(super) fn keep_cited(kept: &mut BTreeMap<RunId, KeptBecause>, all: &BTreeMap<RunId, Citations>) {
    let mut fresh: Vec<RunId> = kept.keys().copied().collect();
    while let Some(run) = fresh.pop() {
        let Some(citations) = all.get(&run) else { continue };
        for cited in all.keys().filter(|other| **other != run && citations.has(**other)) {
            if !kept.contains_key(cited) {
                kept.insert(*cited, KeptBecause::Cited(run));
                fresh.push(*cited);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn id(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    #[test]
    fn what_is_cited_stays_however_far_it_is() {
        let cites =
            |runs: &[u128]| Citations { runs: runs.iter().map(|run| id(*run)).collect(), ..Citations::default() };
        let recording = Citations { recordings: [id(6).to_string()[30..].to_owned()].into(), ..Citations::default() };
        let all: BTreeMap<RunId, Citations> = [
            (id(1), cites(&[])),
            (id(2), cites(&[1])),
            (id(3), cites(&[2, 3])),
            (id(4), cites(&[])),
            (id(5), recording),
        ]
        .into_iter()
        .chain([(id(6), cites(&[])), (id(7), cites(&[4]))])
        .collect();
        let mut kept = [(id(3), KeptBecause::Young), (id(5), KeptBecause::Newest)].into();
        keep_cited(&mut kept, &all);
        let expected = [
            (id(1), KeptBecause::Cited(id(2))),
            (id(2), KeptBecause::Cited(id(3))),
            (id(3), KeptBecause::Young),
            (id(5), KeptBecause::Newest),
            (id(6), KeptBecause::Cited(id(5))),
        ];
        assert_eq!(kept, expected.into(), "4 is cited by 7 alone, which goes");
    }
}
