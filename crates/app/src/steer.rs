//! Telling a run what is wanted.

use tribunal_kernel::RunId;

use crate::error::AppError;
use crate::input::{MAX_DIRECTIVE, bounded};
use crate::pool::RunPool;
use crate::project::Project;
use crate::tell::{Message, tell};

/// A directive: every turn that starts from now on is told.
#[derive(Debug, Clone)]
pub struct SteerRequest {
    /// A run's id, a part of it, or its subject.
    pub run: String,
    pub text: String,
    pub by: String,
}

/// What was noted down: the run, and the directive's number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steered {
    pub run: RunId,
    pub directive: usize,
}

/// Notes a directive down, wherever the run is driven.
pub async fn steer(project: &Project, pool: Option<&RunPool>, request: SteerRequest) -> Result<Steered, AppError> {
    let text = request.text.trim();
    if text.is_empty() {
        return Err(AppError::invalid("there is nothing to say", "tribunal steer RUN \"Keep it under 200 words.\""));
    }
    bounded("the directive", text, MAX_DIRECTIVE)?;
    let id = project.find(Some(&request.run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(AppError::conflict(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then it can be steered",
        ));
    }
    let before = run.directives().len();
    let message = Message::Directive { by: request.by, text: text.to_owned() };
    tell(project, pool, id, message, |run| run.directives().len() > before).await?;
    Ok(Steered { run: id, directive: before + 1 })
}
