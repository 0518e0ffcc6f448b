//! Telling a run what is wanted.

use tribunal_kernel::RunId;
use tribunal_store::backend::RunRequest;

use crate::error::AppError;
use crate::input::{MAX_DIRECTIVE, bounded};
use crate::pool::RunPool;
use crate::project::Project;
use crate::tell::tell;

/// A directive: every turn that starts from now on is told.
#[derive(Debug, Clone)]
pub struct SteerRequest {
    pub(crate) run: String,
    pub(crate) text: String,
    pub(crate) by: String,
}

impl SteerRequest {
    /// Tells `run`, which is a run's id, a part of it, or its subject. Refuses what says nothing, or too much.
    pub fn new(run: String, text: &str, by: String) -> Result<Self, AppError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(AppError::invalid(
                "the instruction is empty",
                "tribunal steer RUN \"Keep it under 200 words.\"",
            ));
        }
        bounded("the directive", text, MAX_DIRECTIVE)?;
        Ok(Self { run, text: text.to_owned(), by })
    }

    /// The run that is meant.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What is wanted.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// What was noted down: the run, and the directive's number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steered {
    pub run: RunId,
    pub directive: usize,
}

/// Notes a directive down, wherever the run is driven.
pub async fn steer(project: &Project, pool: Option<&RunPool>, request: SteerRequest) -> Result<Steered, AppError> {
    let id = project.find(Some(&request.run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(AppError::conflict(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then you can steer it",
        ));
    }
    let before = run.directives().len();
    let told = RunRequest::Steer { by: request.by, text: request.text };
    tell(project, pool, id, told, |run| run.directives().len() > before).await?;
    Ok(Steered { run: id, directive: before + 1 })
}
