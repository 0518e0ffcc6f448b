//! A log's chain, with everything that is wrong with it.

use std::fs::File;
use std::io;
use std::path::Path;
use tribunal_kernel::Entry;

use super::report::{VerifyPlace, VerifyReport};
use crate::error::Damage;
use crate::log::MAX_LINE;
use crate::log::line::{ChainHead, Hex, LogLine};
use crate::log::lines::{FileLines, Piece};
use crate::log::tail::{self, TailVerdict};

/// What could be read of a log.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Each with the offset of its line.
    pub(super) entries: Vec<(u64, Entry)>,
    /// Nothing is wrong with it, but perhaps its tail is torn.
    pub(super) is_whole: bool,
}

/// What the next line has to follow, as far as that is known after a bad one.
struct Expected {
    line: u64,
    head: Option<ChainHead>,
    hashes: Vec<Hex>,
}

pub(super) fn check(file: &File, path: &Path, report: &mut VerifyReport) -> io::Result<Chain> {
    let end = file.metadata()?.len();
    let mut lines = FileLines::new(file, 0, end);
    let mut chain = Chain { entries: Vec::new(), is_whole: true };
    let mut expected = Expected { line: 1, head: Some(ChainHead::START), hashes: vec![ChainHead::START.hash] };
    loop {
        let offset = lines.offset();
        let verdict = match lines.next()? {
            None => return Ok(chain),
            Some(Piece::Line(piece)) => match expected.check(piece, &mut chain, offset) {
                Ok(()) => continue,
                Err(damage) => {
                    // Looking ahead has its own place in the file: what follows is checked here, too.
                    let mut rest = FileLines::new(file, offset + piece.len() as u64 + 1, end);
                    tail::judge_line(piece, offset, damage, &mut rest)?
                }
            },
            Some(Piece::Unterminated(piece)) => tail::judge_unterminated(piece, offset),
            Some(Piece::TooLong) => TailVerdict::Damaged(Damage::TooLong { limit: MAX_LINE }),
        };
        match verdict {
            TailVerdict::Torn => {
                let what =
                    format!("{} bytes of an interrupted append; they are removed when the log is opened", end - offset);
                report.note(VerifyPlace::line(path, expected.line, offset), what);
                return Ok(chain);
            }
            TailVerdict::Damaged(damage) => {
                chain.is_whole = false;
                report.problem(VerifyPlace::line(path, expected.line, offset), damage.to_string());
            }
        }
        expected.line += 1;
    }
}

impl Expected {
    fn check(&mut self, piece: &[u8], chain: &mut Chain, offset: u64) -> Result<(), Damage> {
        let head = self.head.take();
        let hashes = std::mem::take(&mut self.hashes);
        let line = LogLine::split(piece)?;
        // A bad line is one fault: the next one may name the hash it states or the one it ought to have.
        self.hashes = line.hashes().to_vec();
        line.check_hash()?;
        self.head = Some(line.head());
        let seq = head.map_or(line.seq, |head| head.seq.next());
        line.check_follows(seq, &hashes)?;
        chain.entries.push((offset, line.entry()?));
        self.line += 1;
        Ok(())
    }
}
