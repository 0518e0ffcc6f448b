//! What a start came to: what is decided, what is driven here, what another process drives, what cannot be read.

use tribunal_engine::Session;
use tribunal_kernel::{Decision, Run, RunId};

use crate::error::AppError;
use crate::project::Project;
use crate::stale::InputChange;
use crate::{drive, watching};

/// What was opened, and what needs nobody.
#[derive(Debug, Default)]
pub struct OpenedRuns {
    /// One for each subject, in the order in which they were named.
    pub places: Vec<OpenedPlace>,
    /// What is to be driven here: one for each [`OpenedPlace::Here`].
    pub sessions: Vec<Session>,
}

/// What became of one subject of a start.
#[derive(Debug)]
pub enum OpenedPlace {
    Settled(Box<Settled>),
    /// The next session is its.
    Here,
    /// Another process drives its run: it is not paid for twice.
    Elsewhere(RunId),
    /// Its log is damaged. That keeps nobody from the others.
    Unreadable {
        subject: String,
        why: AppError,
    },
}

/// A decision that stands.
#[derive(Debug)]
pub struct Settled {
    pub subject: String,
    pub decision: Decision,
    /// The run in which it was made, where it is ours.
    pub run: Option<Box<Run>>,
    /// What its inputs are otherwise now: then it is stale.
    pub changes: Vec<InputChange>,
}

/// How one subject of a start ended.
#[derive(Debug)]
pub enum PlaceEnd {
    Settled(Box<Settled>),
    /// It was driven, here or elsewhere.
    Run(Box<Run>),
    Unreadable {
        subject: String,
        why: AppError,
    },
}

impl OpenedRuns {
    /// What is decided already.
    pub fn settled(&self) -> impl Iterator<Item = &Settled> {
        self.places.iter().filter_map(|place| match place {
            OpenedPlace::Settled(settled) => Some(&**settled),
            _ => None,
        })
    }

    /// Drives what is to be driven here, and waits for what others drive.
    pub async fn finish(self, project: &Project) -> Result<Vec<PlaceEnd>, AppError> {
        let mut driven = drive::drive(project, self.sessions).await?.into_iter();
        let mut ends = Vec::new();
        for place in self.places {
            ends.push(match place {
                OpenedPlace::Settled(settled) => PlaceEnd::Settled(settled),
                OpenedPlace::Here => match driven.next() {
                    Some(run) => PlaceEnd::Run(Box::new(run)),
                    None => return Err(AppError::environment("a bug: a run was opened and not driven", None)),
                },
                OpenedPlace::Elsewhere(run) => PlaceEnd::Run(Box::new(watching::to_the_end(project, run).await?)),
                OpenedPlace::Unreadable { subject, why } => PlaceEnd::Unreadable { subject, why },
            });
        }
        Ok(ends)
    }
}

impl PlaceEnd {
    /// The run, where there is one that can be read.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Settled(settled) => settled.run.as_deref(),
            Self::Run(run) => Some(run),
            Self::Unreadable { .. } => None,
        }
    }

    /// The same, for whoever asked for one thing: what cannot be read is the answer then.
    pub fn into_run(self) -> Result<Option<Run>, AppError> {
        match self {
            Self::Settled(settled) => Ok(settled.run.map(|run| *run)),
            Self::Run(run) => Ok(Some(*run)),
            Self::Unreadable { why, .. } => Err(why),
        }
    }
}
