//! Lifting the lock of a decision.

use tribunal_engine::Session;
use tribunal_kernel::{Event, RunId};

use crate::error::AppError;
use crate::input::{MAX_DIRECTIVE, bounded};
use crate::project::Project;
use crate::resume;
use crate::views;

/// Nobody wants more rounds than this.
const MAX_ROUNDS: u32 = 100;

/// A decision that somebody does not accept.
#[derive(Debug, Clone)]
pub struct ReopenRequest {
    pub(crate) run: RunId,
    by: String,
    why: String,
    rounds: u32,
}

impl ReopenRequest {
    /// Opens `run` again for so many more rounds. Refuses who gives no reason, or wants none or too many.
    pub fn new(run: RunId, by: String, why: String, rounds: u32) -> Result<Self, AppError> {
        if why.trim().is_empty() {
            return Err(AppError::invalid("the reason is empty", "say why the decision should be lifted"));
        }
        bounded("the reason", &why, MAX_DIRECTIVE)?;
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            return Err(AppError::invalid(
                format!("`rounds` is {rounds}, but must be 1 to {MAX_ROUNDS}"),
                "you can reopen a run more than once",
            ));
        }
        Ok(Self { run, by, why, rounds })
    }

    /// The run, why, and for how many more rounds.
    pub fn parts(&self) -> (RunId, &str, u32) {
        (self.run, &self.why, self.rounds)
    }
}

/// Lifts the lock of a decision.
pub async fn reopen(project: &Project, request: ReopenRequest) -> Result<Session, AppError> {
    let ReopenRequest { run: id, by, why, rounds } = request;
    let mut session = resume::open_ended(project, id).await?;
    if !session.run().end().is_some_and(|end| end.outcome.is_sticky()) {
        return Err(AppError::conflict(
            format!("run {id} is not decided, so there is nothing to reopen"),
            "`tribunal resume` continues an unfinished run",
        ));
    }
    session.record(Event::DecisionReopened { by, why, rounds }, &[]).await?;
    views::bring_up_to_date(project, session.run()).await?;
    Ok(session)
}
