//! Errors as people see them: what is wrong, where, and a hint.

use std::fmt;
use tribunal_config::{ConfigErrors, ReadError};
use tribunal_engine::DriveError;
use tribunal_store::StoreError;
use tribunal_store::index::IndexError;
use tribunal_store::workspace::WorkspaceError;

use crate::exit::Exit;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// One or more errors, each with its hint.
    errors: Vec<(String, Option<String>)>,
}

impl Failure {
    /// The user asked for something that makes no sense.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, errors: vec![(message.into(), Some(hint.into()))] }
    }

    /// The user did not want to wait.
    pub(crate) fn interrupted() -> Self {
        let hint = "`tribunal resume` goes on with the turn that was in flight".to_owned();
        Self { exit: Exit::Interrupted, errors: vec![("stopped at once".into(), Some(hint))] }
    }

    /// Every error with its hint.
    pub(crate) fn errors(&self) -> &[(String, Option<String>)] {
        &self.errors
    }

    /// What is wrong, without hints.
    pub(crate) fn message(&self) -> String {
        self.errors.iter().map(|(message, _)| message.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// Something outside of us failed.
    pub(crate) fn environment(message: impl Into<String>, hint: Option<String>) -> Self {
        Self { exit: Exit::Failed, errors: vec![(message.into(), hint)] }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (message, hint)) in self.errors.iter().enumerate() {
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

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Self {
        let errors = errors.iter().map(|error| (error.to_string(), error.hint())).collect();
        Self { exit: Exit::Usage, errors }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self { exit: Exit::Usage, errors: vec![(error.to_string(), error.hint())] }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = if matches!(error, StoreError::NoRun { .. }) { Exit::Usage } else { Exit::Failed };
        Self { exit, errors: vec![(error.to_string(), error.hint())] }
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => error.into(),
            other => {
                let hint = "`tribunal verify` says what is wrong with the log".to_owned();
                Self::environment(other.to_string(), Some(hint))
            }
        }
    }
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        Self::environment(error.to_string(), error.hint())
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::environment(error.to_string(), error.hint())
    }
}
