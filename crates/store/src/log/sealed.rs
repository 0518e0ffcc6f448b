//! A log as bytes, wherever they came from, with the hash of every line.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use tribunal_kernel::{Digest, Entry, Seq};

use super::line::{self, ChainHead};
use crate::StoreError;

/// So much of a log's end is read first: most lines are shorter.
const TAIL: u64 = 16 * 1024;

/// A log whose chain holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedLog {
    pub entries: Vec<Entry>,
    /// The hash of every line, in order.
    pub hashes: Vec<Digest>,
}

/// Where a log ends: its last event, and the hash that vouches for everything up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct LogTip {
    pub seq: Seq,
    pub hash: Digest,
}

impl SealedLog {
    /// Reads a log; `place` says where it is from. A last line without its newline is left out: nobody finished it.
    pub fn parse(bytes: &[u8], place: &str) -> Result<Self, StoreError> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (mut entries, mut hashes) = (Vec::new(), Vec::new());
        let (mut head, mut offset) = (ChainHead::START, 0);
        for piece in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let entry = line::read(&piece[..piece.len() - 1], &mut head).map_err(|damage| StoreError::Damaged {
                place: place.to_owned(),
                line: entries.len() as u64 + 1,
                offset,
                damage,
            })?;
            entries.push(entry);
            hashes.push(head.digest());
            offset += piece.len() as u64;
        }
        Ok(Self { entries, hashes })
    }

    /// Where it ends; nothing, if it is empty.
    pub fn tip(&self) -> Option<LogTip> {
        Some(LogTip { seq: self.entries.last()?.seq, hash: *self.hashes.last()? })
    }

    /// The number of the event whose line has this hash.
    pub fn place_of(&self, hash: Digest) -> Option<Seq> {
        let index = self.hashes.iter().position(|known| *known == hash)?;
        Some(self.entries[index].seq)
    }
}

/// Where a log with these bytes ends, by its last line alone.
pub(crate) fn tip_of(bytes: &[u8]) -> Option<LogTip> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n')?;
    let last = bytes[..whole].rsplit(|byte| *byte == b'\n').next()?;
    let line = line::LogLine::split(last).ok()?;
    line.check_hash().ok()?;
    let head = line.head();
    Some(LogTip { seq: head.seq, hash: head.digest() })
}

/// The same for a file, of which no more is read than needed: lists ask for it of every run.
pub(crate) fn tip_of_file(file: &File) -> io::Result<Option<LogTip>> {
    let end = file.metadata()?.len();
    let mut size = TAIL;
    loop {
        let from = end.saturating_sub(size);
        let mut bytes = vec![0; usize::try_from(end - from).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, from)?;
        let last = bytes.iter().rposition(|byte| *byte == b'\n');
        if from == 0 || last.is_some_and(|last| bytes[..last].contains(&b'\n')) {
            return Ok(tip_of(&bytes));
        }
        size = size.saturating_mul(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::log::lines_of;
    use std::io::Write as _;

    #[test]
    fn a_log_is_read_with_its_hashes_and_not_when_one_is_wrong() {
        let events = conformance::events(conformance::run_id(1)).take(7);
        let entries: Vec<Entry> =
            (1..).zip(events).map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event }).collect();
        let bytes = lines_of(&entries).unwrap();
        let sealed = SealedLog::parse(&bytes, "here").unwrap();
        assert_eq!(sealed.entries, entries);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let last = sealed.tip().unwrap();
        assert!(text.trim_end().ends_with(&format!("\"hash\":\"{}\"}}", last.hash)), "{last:?}");
        assert_eq!(sealed.place_of(last.hash), Some(last.seq));
        assert_eq!(sealed.place_of(Digest::of("another")), None);

        assert_eq!(tip_of(&bytes), Some(last));
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        assert_eq!(tip_of_file(&file).unwrap(), Some(last));
        file.write_all("x".repeat(100_000).as_bytes()).unwrap();
        assert_eq!(tip_of_file(&file).unwrap(), Some(last), "a torn tail is longer than what is read first");

        let cut = &bytes[..bytes.len() - 1];
        assert_eq!(SealedLog::parse(cut, "here").unwrap().entries.len(), entries.len() - 1, "nobody finished it");
        assert_eq!(SealedLog::parse(b"", "here").unwrap().tip(), None);
        for (from, to) in [("\"seq\":2", "\"seq\":3"), ("round_opened", "round_0pened")] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(SealedLog::parse(changed.as_bytes(), "here").is_err(), "{from}");
        }
        let without_second: Vec<&str> =
            text.split_inclusive('\n').enumerate().filter(|(n, _)| *n != 1).map(|(_, line)| line).collect();
        let without_second = without_second.concat();
        assert!(SealedLog::parse(without_second.as_bytes(), "here").is_err());
    }
}
