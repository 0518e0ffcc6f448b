//! A whole log, verified, on all cores.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use tribunal_kernel::{Entry, Seq};

use super::MAX_LINE;
use super::line::{self, ChainHead, Hex, LogLine};
use super::lines::{FileLines, Piece};
use super::tail::{self, TailVerdict};
use crate::error::Damage;
use crate::{StoreError, Torn};

/// Smaller logs are read by one thread: starting others takes longer.
const PARALLEL_FROM: u64 = 1024 * 1024;
/// More threads than this do not make the memory faster.
const MAX_THREADS: u64 = 8;

/// What a log holds.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) entries: Vec<Entry>,
    pub(crate) head: ChainHead,
    /// The length of all good lines.
    pub(crate) bytes: u64,
    pub(crate) torn: Option<Torn>,
}

/// Reads and verifies the log at `path` as far as it goes now. What is appended meanwhile is left out.
pub(crate) fn read(file: &File, path: &Path) -> Result<Contents, StoreError> {
    let end = file.metadata().map_err(StoreError::io("read", path))?.len();
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let result = if end >= PARALLEL_FROM && threads > 1 {
        // Whatever is unusual is left to the careful reader, which knows where it is.
        in_parallel(file, end, threads.min(MAX_THREADS)).map_or_else(|| in_order(file, path, end), Ok)
    } else {
        in_order(file, path, end)
    };
    result.map_err(|error| match error {
        Failure::Io(error) => StoreError::io("read", path)(error),
        Failure::Store(error) => error,
    })
}

/// The first entry of the log at `path`, and nothing after it.
pub(crate) fn first(file: &File, path: &Path) -> Result<Option<Entry>, StoreError> {
    let end = file.metadata().map_err(StoreError::io("read", path))?.len();
    match FileLines::new(file, 0, end).next().map_err(StoreError::io("read", path))? {
        Some(Piece::Line(piece)) => line::read(piece, &mut ChainHead::START.clone())
            .map(Some)
            .map_err(|damage| StoreError::Damaged { place: path.display().to_string(), line: 1, offset: 0, damage }),
        Some(Piece::Unterminated(_) | Piece::TooLong) | None => Ok(None),
    }
}

enum Failure {
    Io(io::Error),
    Store(StoreError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn in_order(file: &File, path: &Path, end: u64) -> Result<Contents, Failure> {
    let mut entries = Vec::new();
    let mut head = ChainHead::START;
    let mut lines = FileLines::new(file, 0, end);
    loop {
        let offset = lines.offset();
        let verdict = match lines.next()? {
            None => return Ok(Contents { entries, head, bytes: offset, torn: None }),
            Some(Piece::Line(piece)) => match line::read(piece, &mut head) {
                Ok(entry) => {
                    entries.push(entry);
                    continue;
                }
                Err(damage) => {
                    let piece = piece.to_owned();
                    tail::judge_line(&piece, offset, damage, &mut lines)?
                }
            },
            Some(Piece::Unterminated(piece)) => tail::judge_unterminated(piece, offset),
            Some(Piece::TooLong) => TailVerdict::Damaged(Damage::TooLong { limit: MAX_LINE }),
        };
        return match verdict {
            TailVerdict::Torn => {
                Ok(Contents { entries, head, bytes: offset, torn: Some(Torn { bytes: end - offset }) })
            }
            TailVerdict::Damaged(damage) => {
                let (place, line) = (path.display().to_string(), head.seq.0 + 1);
                Err(Failure::Store(StoreError::Damaged { place, line, offset, damage }))
            }
        };
    }
}

/// `None` when anything at all is not as it should be.
fn in_parallel(file: &File, end: u64, threads: u64) -> Option<Contents> {
    let mut parts: Vec<Part> = thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads)
            .map(|index| scope.spawn(move || part(file, end * index / threads, end * (index + 1) / threads, end)))
            .collect();
        spawned.into_iter().map(|thread| thread.join().ok().flatten()).collect::<Option<_>>()
    })?;

    let mut head = ChainHead::START;
    for part in parts.iter().filter(|part| !part.entries.is_empty()) {
        if part.after != head {
            return None;
        }
        head = part.head;
    }
    let mut entries = std::mem::take(&mut parts.first_mut()?.entries);
    entries.reserve_exact(parts.iter().map(|part| part.entries.len()).sum());
    for part in &mut parts {
        entries.append(&mut part.entries);
    }
    Some(Contents { entries, head, bytes: end, torn: None })
}

/// The lines that begin within some part of a file, and what they claim to follow.
struct Part {
    entries: Vec<Entry>,
    after: ChainHead,
    head: ChainHead,
}

fn part(file: &File, from: u64, to: u64, end: u64) -> Option<Part> {
    let mut lines = FileLines::new(file, from.saturating_sub(1), end);
    if from > 0 {
        // The line that begins before this part belongs to the one before, also when it ends just there.
        let Some(Piece::Line(_)) = lines.next().ok()? else { return None };
    }
    let mut part = Part { entries: Vec::new(), after: ChainHead::START, head: ChainHead::START };
    while lines.offset() < to {
        let Some(Piece::Line(piece)) = lines.next().ok()? else { return None };
        if part.entries.is_empty() {
            part.after = claimed(piece)?;
            part.head = part.after;
        }
        part.entries.push(line::read(piece, &mut part.head).ok()?);
    }
    Some(part)
}

/// The head that a line says it follows.
fn claimed(piece: &[u8]) -> Option<ChainHead> {
    let line = LogLine::split(piece).ok()?;
    let hash: Hex = *line.prev();
    Some(ChainHead { seq: Seq(line.seq.0.checked_sub(1)?), hash })
}
