//! What can go wrong with stored things. Messages name the file and the line; `hint` says what to do.

use std::io;
use std::path::{Path, PathBuf};
use tribunal_kernel::{Digest, RunId, Seq};

use crate::backend::FencingToken;
use crate::index::IndexError;

/// Why the store did not do what was asked.
///
/// A `place` is where the thing lies, in the backend's words: a file for the file store, a subject for a stream.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no run {run} ({place})")]
    NoRun { run: RunId, place: String },
    #[error("run {run} exists already ({place})")]
    RunExists { run: RunId, place: String },
    /// Another writer has the run. `holder` is what it said of itself.
    #[error("run {run} is being written by another process: {holder}")]
    Held { run: RunId, holder: String },
    /// Who opens runs here does not come to an end with it.
    #[error("another process has been opening runs here for more than {seconds} s ({place})")]
    Busy { place: String, seconds: u64 },
    /// The caller's idea of the log is out of date: it has to read again before it writes.
    #[error("run {run}: expected to append after event {expected}, but the log is at event {actual}")]
    Conflict { run: RunId, expected: Seq, actual: Seq },
    /// Somebody else has taken the lease meanwhile: whoever has the newest token drives the run.
    #[error("run {run} was taken over by another process (our lease has token {held}, the newest has {current})")]
    Fenced { run: RunId, held: FencingToken, current: FencingToken },
    /// Somebody removed what we keep of the run: nothing that would be written from now on could be found again.
    #[error("run {run} is gone: somebody removed {place} while the run went on")]
    Gone { run: RunId, place: String },
    /// Nobody knows what is left, so nobody spends.
    #[error("cannot use the shared account {place}: {why}")]
    AccountClosed { place: String, why: String },
    /// An earlier append failed or was given up half-way, so nobody knows what is on the disk.
    #[error("{place}: an earlier append failed; nothing more is written until the log is reopened")]
    Poisoned { place: String },
    /// The lock did not keep somebody else out.
    #[error("{place}: another program changed the log while it was locked ({expected} bytes expected, {actual} found)")]
    Intruded { place: String, expected: u64, actual: u64 },
    /// The file that was written has no name any more.
    #[error("{place}: another program put another file in the place of the log; what was written since is lost")]
    Replaced { place: String },
    /// Never repaired: history that does not verify is not history.
    #[error("{place}, line {line} (byte {offset}): {damage}")]
    Damaged { place: String, line: u64, offset: u64, damage: Damage },
    #[error("blob {digest} is missing ({place})")]
    NoBlob { digest: Digest, place: String },
    #[error("{place}: the blob does not match its name: its bytes have the digest {found}")]
    BlobDamaged { digest: Digest, found: Digest, place: String },
    #[error("an event of {bytes} bytes is too large for the log (limit {limit})")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("cannot parse the grades in {}: {why}", path.display())]
    Grades { path: PathBuf, why: String },
    /// Something of ours that cannot be understood.
    #[error("cannot parse {place}: {why}")]
    Unreadable { place: String, why: String, hint: &'static str },
    #[error(transparent)]
    Lists(Box<IndexError>),
    #[error("cannot write this as JSON: {source}")]
    Unwritable { source: serde_json::Error },
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// The async runtime is going away, and this was not begun any more.
    #[error("the program is shutting down")]
    ShuttingDown,
}

/// What is wrong with a line of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("it is not of the form {{\"seq\":…,\"time\":…,\"prev\":…,\"event\":…,\"hash\":…}}")]
    Shape,
    #[error("its bytes do not match its hash (stated {stated}, computed {computed})")]
    Hash { stated: String, computed: Digest },
    #[error("it has the number {found}, expected {expected}")]
    Seq { expected: Seq, found: Seq },
    #[error("it does not follow the line before it (prev {found}, expected {expected})")]
    Chain { expected: String, found: String },
    #[error("its event cannot be parsed: {why}")]
    Event { why: String },
    #[error("it ends with byte {found:#04x} instead of a newline")]
    Newline { found: u8 },
    #[error("it is longer than {limit} bytes")]
    TooLong { limit: u64 },
}

impl StoreError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoRun { .. } => "`tribunal status` lists the runs of this workspace".into(),
            Self::Held { .. } => "wait for it, or stop it with `tribunal interrupt`".into(),
            Self::Busy { .. } => "try again; a `tribunal` that was stopped (Ctrl-Z) keeps its locks until it ends".into(),
            Self::Fenced { .. } => "`tribunal status` shows its current state".into(),
            Self::Gone { .. } => {
                "restore the .tribunal folder from a backup; `run.sandbox` keeps agents from it where something confines them"
                    .into()
            }
            Self::AccountClosed { .. } => {
                "if no other run that shares it is active, remove it and `tribunal resume` the run it belongs to: the \
                 account is rebuilt from the log"
                    .into()
            }
            Self::Unreadable { hint, .. } => (*hint).into(),
            Self::Lists(error) => return error.hint(),
            Self::Conflict { .. } | Self::Poisoned { .. } => "`tribunal resume` reads the log again and continues".into(),
            Self::Replaced { .. } => {
                "keep agents and tools that rewrite files out of `.tribunal`; `tribunal resume` goes on from what is there".into()
            }
            Self::Intruded { .. } => "is the workspace on a network file system without locks? use a local one".into(),
            Self::Damaged { damage: Damage::Event { .. }, .. } => {
                "the line is intact, so a newer tribunal may have written it: update this one".into()
            }
            Self::Damaged { place, line, .. } => {
                format!("restore {place} from a backup; the {} lines before are intact", line - 1)
            }
            Self::NoBlob { .. } => "restore the file from a backup; `tribunal verify` lists all that is missing".into(),
            Self::BlobDamaged { place, .. } => format!("restore {place} from a backup"),
            Self::Grades { .. } => {
                "a newer tribunal may have written it; otherwise remove it, and `tribunal agents conformance` grades again"
                    .into()
            }
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk".into(),
                io::ErrorKind::PermissionDenied => "check who owns the .tribunal folder".into(),
                io::ErrorKind::ReadOnlyFilesystem => "the workspace must be writable".into(),
                _ => return None,
            },
            Self::RunExists { .. } | Self::TooLarge { .. } | Self::Unwritable { .. } | Self::ShuttingDown => {
                return None;
            }
        };
        Some(hint)
    }

    /// For `map_err`: what was being done to which path.
    pub(crate) fn io(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { action, path, source }
    }
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error,
            error => Self::Lists(Box::new(error)),
        }
    }
}
