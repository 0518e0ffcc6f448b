//! Inputs: what a program in a seat works on, as a value.
//!
//! A model is told in words what to do; a program of ours is handed the value that those words were made from. So no
//! program reads sentences, and no sentence can be reworded out from under one. An input is not in the log: it follows
//! from the run, and as long as its turn is in flight it stays the same.
//!
//! The kernel knows texts by their digests. Whoever performs the turn fetches them: agents see `TurnInput<Arc<str>>`.

use crate::last_look;
use crate::prompt::MissingBlob;
use crate::rules::{self, RulesInput};
use crate::theater::{FixInput, MeasureInput, PageInput};
use crate::trial::Ask;
use crate::{Digest, Run, Turn, desk, judge};

/// One variant for each kind of work that programs do.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnInput<B = Digest> {
    /// A draft is to be made out of what is there.
    Fix(FixInput<B>),
    /// A draft is to be measured.
    Measure(MeasureInput<B>),
    /// Commands are to be run on a draft, and files looked at.
    Rules(RulesInput<B>),
    /// The desk's own seat has something to do.
    Errand(desk::Errand),
    /// Work is to be looked at, beside what was seen when its checks ran.
    Inspect(desk::InspectInput),
    /// A change is to be tried by what can be run.
    Collect(judge::CollectInput),
}

impl TurnInput {
    /// The blobs to fetch before anybody can work on it.
    pub fn blobs(&self) -> Vec<Digest> {
        match self {
            Self::Fix(fix) => fix.page.iter().flat_map(PageInput::blobs).collect(),
            Self::Measure(measure) => measure.page.blobs().collect(),
            Self::Rules(rules) => vec![rules.draft],
            Self::Errand(_) | Self::Inspect(_) | Self::Collect(_) => Vec::new(),
        }
    }

    /// The same with its texts. `fetch` gives the text of a blob.
    pub fn supply<T>(self, fetch: impl Fn(Digest) -> Option<T>) -> Result<TurnInput<T>, MissingBlob> {
        let fetch = |digest| fetch(digest).ok_or(MissingBlob(digest));
        Ok(match self {
            Self::Fix(FixInput { page, has_demands }) => {
                TurnInput::Fix(FixInput { page: page.map(|page| page.supply(fetch)).transpose()?, has_demands })
            }
            Self::Measure(MeasureInput { page, scale }) => {
                TurnInput::Measure(MeasureInput { page: page.supply(fetch)?, scale })
            }
            Self::Rules(RulesInput { anchor, draft, may_run }) => {
                TurnInput::Rules(RulesInput { anchor, draft: fetch(draft)?, may_run })
            }
            Self::Errand(errand) => TurnInput::Errand(errand),
            Self::Inspect(inspect) => TurnInput::Inspect(inspect),
            Self::Collect(collect) => TurnInput::Collect(collect),
        })
    }
}

impl Run {
    /// What a program in the seat of this turn works on, where the loop has work for programs.
    pub fn input(&self, turn: &Turn) -> Option<TurnInput> {
        if turn.seat == *rules::RULES {
            return rules::input(self, self.anchor_of(turn)?, &turn.task, turn.round).map(TurnInput::Rules);
        }
        if turn.seat == *last_look::LAST_LOOK {
            return last_look::input(self, turn);
        }
        self.spec().trial().input(self, &Ask::of(turn))
    }
}
