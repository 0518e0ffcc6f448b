//! What can be wrong with an index, and what to do about it.

use rusqlite::{Error, ErrorCode};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Why the index could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{}: the index is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("{}: the index has version {found}, this program knows {known}", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("{}: this is a database, but not an index of tribunal", path.display())]
    Foreign { path: PathBuf },
    #[error("{}: another process is writing to the index", path.display())]
    Busy { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Sqlite { path: PathBuf, source: Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IndexError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Damaged { .. } | Self::Newer { .. } => {
                Some("`tribunal reindex` rebuilds it from the logs; nothing is lost".into())
            }
            Self::Foreign { path } => Some(format!("move {} away, then `tribunal reindex`", path.display())),
            Self::Busy { .. } => Some("wait for it and try again".into()),
            Self::Sqlite { .. } => None,
            Self::Store(error) => error.hint(),
        }
    }

    /// For `map_err`: what an error of the database at `path` means.
    pub(super) fn at(path: &Path) -> impl FnOnce(Error) -> Self {
        let path = path.to_owned();
        move |source| match &source {
            Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged { path, why: source.to_string() },
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy { path },
                _ => Self::Sqlite { path, source },
            },
            // We wrote it ourselves, so what we cannot read back was not written by us.
            Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..) | Error::IntegralValueOutOfRange(..) => {
                Self::Damaged { path, why: source.to_string() }
            }
            _ => Self::Sqlite { path, source },
        }
    }
}
