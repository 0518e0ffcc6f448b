//! Why a use case could not do its work: what kind of trouble it is, what is wrong, and a hint.
//!
//! Every edge turns the kind into its own language, in one table each: exit codes (`cli`), HTTP statuses (`server`),
//! errors of the Model Context Protocol (`cli::mcp`).

use std::fmt;
use tribunal_agents::house::ViewerError;
use tribunal_config::{ConfigErrors, ReadError};
use tribunal_engine::DriveError;
use tribunal_store::StoreError;
use tribunal_store::index::IndexError;
use tribunal_store::workspace::WorkspaceError;

/// What kind of trouble it is: what an edge decides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be meant like this: a value out of range, words that exclude each other, nothing to do.
    Invalid,
    /// The project's configuration does not allow it: a key that is unknown, a seat that nobody can take.
    Config,
    /// What the request names is not there: a run, a file, an agent.
    NotFound,
    /// What the request names is out of bounds for whoever asks: a path outside of the project.
    Forbidden,
    /// The request is larger than anybody could mean.
    TooLarge,
    /// An answer does not fit the question.
    Misfit,
    /// Not now: the run is decided, or of a kind that cannot do this.
    Conflict,
    /// What the request names is decided, and its inputs changed since: whoever asks says which of the two counts.
    Stale,
    /// Not now: another process drives the run.
    Held,
    /// Not now: as much as may go on at once goes on already.
    Busy,
    /// Whoever asked did not want to wait.
    Interrupted,
    /// Something outside of us failed: the disk, a program, a damaged log.
    Environment,
}

impl ErrorKind {
    pub const ALL: [Self; 12] = [
        Self::Invalid,
        Self::Config,
        Self::NotFound,
        Self::Forbidden,
        Self::TooLarge,
        Self::Misfit,
        Self::Conflict,
        Self::Stale,
        Self::Held,
        Self::Busy,
        Self::Interrupted,
        Self::Environment,
    ];

    /// Its name, as programs see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Config => "config",
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
            Self::TooLarge => "too_large",
            Self::Misfit => "misfit",
            Self::Conflict => "conflict",
            Self::Stale => "stale",
            Self::Held => "held",
            Self::Busy => "busy",
            Self::Interrupted => "interrupted",
            Self::Environment => "environment",
        }
    }
}

/// Why a use case could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    pub kind: ErrorKind,
    /// One or more of them: a configuration is read to its end.
    problems: Vec<ErrorDetail>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorDetail {
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
}

impl AppError {
    fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<Option<String>>) -> Self {
        Self { kind, problems: vec![ErrorDetail { message: message.into(), hint: hint.into() }] }
    }

    /// The same with other words for what nobody typed like that.
    #[must_use]
    pub fn reworded(mut self, from: &str, to: &str) -> Self {
        for ErrorDetail { message, .. } in &mut self.problems {
            *message = message.replace(from, to);
        }
        self
    }

    /// The request cannot be meant like this.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message, hint.into())
    }

    /// The project's configuration does not allow it.
    pub fn misconfigured(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message, hint.into())
    }

    /// What was named is not there.
    pub fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message, hint.into())
    }

    /// What was named is out of bounds for whoever asks.
    pub fn forbidden(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, message, hint.into())
    }

    /// Larger than anybody could mean.
    pub fn too_large(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, message, hint.into())
    }

    /// An answer does not fit the question: `why` says where.
    pub fn misfit(why: impl Into<String>) -> Self {
        Self::new(ErrorKind::Misfit, why, None)
    }

    /// Not as things stand.
    pub fn conflict(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message, hint.into())
    }

    /// Decided, and changed since.
    pub fn stale(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Stale, message, hint.into())
    }

    /// As much as may go on at once goes on already.
    pub fn busy(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Busy, message, hint.into())
    }

    /// Whoever asked did not want to wait.
    pub fn interrupted() -> Self {
        let hint = "`tribunal resume` continues with the turn that was in flight".to_owned();
        Self::new(ErrorKind::Interrupted, "stopped at once", hint)
    }

    /// Something outside of us failed.
    pub fn environment(message: impl Into<String>, hint: impl Into<Option<String>>) -> Self {
        Self::new(ErrorKind::Environment, message, hint)
    }

    /// The same, where it is the request that does not fit the configuration, and not the other way round.
    pub(crate) fn of_request(self) -> Self {
        let kind = if self.kind == ErrorKind::Config { ErrorKind::Invalid } else { self.kind };
        Self { kind, ..self }
    }

    /// Everything that is wrong.
    pub fn problems(&self) -> &[ErrorDetail] {
        &self.problems
    }

    /// What is wrong, without hints.
    pub fn message(&self) -> String {
        self.problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// The first hint there is.
    pub fn hint(&self) -> Option<&str> {
        self.problems.iter().find_map(|problem| problem.hint.as_deref())
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ErrorDetail { message, hint }) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "error: {message}")?;
            if let Some(hint) = hint {
                write!(f, "\nhint: {hint}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for AppError {}

impl From<ConfigErrors> for AppError {
    fn from(errors: ConfigErrors) -> Self {
        let problems =
            errors.iter().map(|error| ErrorDetail { message: error.to_string(), hint: error.hint() }).collect();
        Self { kind: ErrorKind::Config, problems }
    }
}

impl From<ReadError> for AppError {
    fn from(error: ReadError) -> Self {
        Self::new(ErrorKind::Config, error.to_string(), error.hint())
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::NoRun { .. } => ErrorKind::NotFound,
            StoreError::Held { .. } => ErrorKind::Held,
            _ => ErrorKind::Environment,
        };
        Self::new(kind, error.to_string(), error.hint())
    }
}

impl From<DriveError> for AppError {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => error.into(),
            other => {
                let hint = "`tribunal verify` shows what is wrong with the log".to_owned();
                Self::environment(other.to_string(), hint)
            }
        }
    }
}

impl From<WorkspaceError> for AppError {
    fn from(error: WorkspaceError) -> Self {
        Self::environment(error.to_string(), error.hint())
    }
}

impl From<ViewerError> for AppError {
    fn from(error: ViewerError) -> Self {
        Self::environment(error.what, error.hint)
    }
}

impl From<IndexError> for AppError {
    fn from(error: IndexError) -> Self {
        Self::environment(error.to_string(), error.hint())
    }
}
