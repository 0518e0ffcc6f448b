//! Whoever looks on while a use case is at work: a terminal, the journal of a server, or nobody.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tribunal_agents::Activity;
use tribunal_kernel::{Entry, Run, RunSpec, TurnId};

use crate::error::AppError;
use crate::people::{People, Question};

/// What people are told besides results. Results are returned, never said.
pub trait Console: Debug + Send + Sync {
    /// A line for people.
    fn say(&self, line: &str);

    /// Something that is odd and keeps nobody from going on.
    fn note(&self, text: &str);

    /// A run is about to be driven: who shows how it goes on.
    fn progress(&self, spec: &RunSpec, people: &People) -> Box<dyn RunProgress>;

    /// Whoever can ask a person here and now.
    fn prompter(&self) -> Option<Arc<dyn Prompter>> {
        None
    }
}

/// Shows how one run goes on.
pub trait RunProgress: Debug + Send + Sync {
    /// Something became durable.
    fn entry(&mut self, run: &Run, entry: &Entry);

    /// A turn in flight says something. Nothing of it is kept.
    fn glimpse(&mut self, turn: TurnId, activity: &Activity);

    /// A warning.
    fn note(&self, text: &str);
}

/// What comes of asking somebody: their answer, checked; nothing, if they do not want to now.
pub type Prompted<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, AppError>> + Send + 'a>>;

/// Asks a person who is there: at a terminal.
pub trait Prompter: Debug + Send + Sync {
    fn ask(&self, question: Question) -> Prompted<'_>;
}

/// A console that nobody looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Console for Silent {
    fn say(&self, _: &str) {}

    fn note(&self, _: &str) {}

    fn progress(&self, _: &RunSpec, _: &People) -> Box<dyn RunProgress> {
        Box::new(Self)
    }
}

impl RunProgress for Silent {
    fn entry(&mut self, _: &Run, _: &Entry) {}

    fn glimpse(&mut self, _: TurnId, _: &Activity) {}

    fn note(&self, _: &str) {}
}
