//! What can be wrong with a workspace, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_kernel::{Digest, LoopKind};

use crate::StoreError;

/// Why a workspace could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("`{asset}` cannot be the name of an asset")]
    BadAsset { asset: String },
    /// Never overwritten: it may be all that is left of somebody's work.
    #[error("{}: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("{}: version {found} is not known, only {known} is", path.display())]
    Version { path: PathBuf, found: u64, known: u64 },
    #[error("{}: {bytes} bytes are too many for a workspace file (limit {limit})", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    /// A text that the log cites.
    #[error("{what} is missing (blob {digest})")]
    MissingText { what: String, digest: Digest },
    /// A text that the log cites and that is not what it should be.
    #[error("{what} is damaged: {why}")]
    BadText { what: String, why: String },
    #[error("{}: held by another process for more than {}s", path.display(), waited.as_secs())]
    Busy { path: PathBuf, waited: Duration },
    #[error("a run of the loop `{kind}` has no review files")]
    NoReview { kind: LoopKind },
    #[error("{} is not inside the workspace", path.display())]
    Outside { path: PathBuf },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkspaceError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::BadAsset { .. } => {
                "use lower-case letters, digits and `_`, starting with a letter: `title_detail`".into()
            }
            Self::Damaged { path, .. } => {
                format!("nothing was changed; fix {} or move it away, and run again", path.display())
            }
            Self::Version { .. } => "a newer program wrote it: update tribunal".into(),
            Self::TooLarge { path, .. } => format!("move {} away if it does not belong there", path.display()),
            Self::MissingText { .. } | Self::BadText { .. } => {
                "restore .tribunal/blobs from a backup; `tribunal verify` lists all that is missing".into()
            }
            Self::Busy { .. } => "another tribunal is writing to this workspace: wait for it and run again".into(),
            Self::Outside { .. } | Self::NoReview { .. } => return None,
            Self::Store(error) => return error.hint(),
        };
        Some(hint)
    }

    /// For `map_err`: what was being done to which path.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let error = StoreError::io(action, path);
        move |source| error(source).into()
    }

    pub(super) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }
}
