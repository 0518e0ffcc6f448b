//! What verifying found.

use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use tribunal_kernel::RunId;

/// More problems than this are counted, not listed.
const MAX_LISTED: usize = 1000;

/// What is intact and what is not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    pub runs: Vec<VerifiedRun>,
    /// How many blobs were checked against their names.
    pub blobs: u64,
    /// What is wrong. Verified means that there are none.
    pub problems: Vec<VerifyFinding>,
    /// How many problems were found beyond those that are listed.
    pub unlisted: u64,
    /// What is worth knowing and not wrong: a torn tail, blobs that nobody cites.
    pub notes: Vec<VerifyFinding>,
}

/// A run that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedRun {
    pub run: RunId,
    pub file: PathBuf,
    /// How many events could be read.
    pub events: u64,
    /// How often they cite blobs.
    pub citations: u64,
    /// Every line verifies, but perhaps for a torn tail.
    pub is_whole: bool,
}

/// Something found, and where. `Display` gives both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyFinding {
    #[serde(flatten)]
    pub place: VerifyPlace,
    pub what: String,
}

/// A file, or a line in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyPlace {
    pub file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Where the line begins, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl VerifyReport {
    /// Whether everything that was looked at is intact.
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn problem(&mut self, place: VerifyPlace, what: String) {
        if self.problems.len() < MAX_LISTED {
            self.problems.push(VerifyFinding { place, what });
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn note(&mut self, place: VerifyPlace, what: String) {
        self.notes.push(VerifyFinding { place, what });
    }
}

impl VerifyPlace {
    pub(super) fn file(path: &Path) -> Self {
        Self { file: path.to_owned(), line: None, offset: None }
    }

    pub(super) fn line(path: &Path, line: u64, offset: u64) -> Self {
        Self { file: path.to_owned(), line: Some(line), offset: Some(offset) }
    }
}

impl fmt::Display for VerifyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl fmt::Display for VerifyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match self.offset {
            Some(offset) => write!(f, " (byte {offset})"),
            None => Ok(()),
        }
    }
}
