//! A log that somebody else writes, followed without reading it again.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use tribunal_kernel::{Digest, Entry, RunId, Seq, Time};

use super::MAX_LINE;
use super::line::{self, ChainHead};
use super::lines::{FileLines, Piece};
use super::tail::{self, TailVerdict};
use crate::backend::{LogHead, LogMark};
use crate::error::Damage;
use crate::{Layout, StoreError};

/// Follows a run's log. Every line is verified against the one before, as if the log were read as a whole.
#[derive(Debug, Clone)]
pub struct Follower {
    path: PathBuf,
    file: Option<Arc<File>>,
    head: ChainHead,
    offset: u64,
    /// Nothing behind this byte is read.
    end: u64,
    /// Nothing up to this entry is given.
    after: Seq,
    /// Of the lines that were given last.
    hashes: Vec<Digest>,
}

/// Where a run's log ends, if there is one.
pub(crate) fn head(layout: &Layout, run: RunId) -> Option<LogHead> {
    let log = fs::metadata(layout.log(run)).ok().filter(fs::Metadata::is_file)?;
    // Where nobody knows when it was changed, it may have been just now.
    let changed = log.modified().unwrap_or_else(|_| SystemTime::now());
    let ms = changed.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    Some(LogHead { mark: LogMark(log.len()), changed: Time(u64::try_from(ms).unwrap_or(u64::MAX)) })
}

impl Follower {
    /// Follows the log of `run` from its beginning. It need not be there yet.
    pub fn new(layout: &Layout, run: RunId) -> Self {
        Self {
            path: layout.log(run),
            file: None,
            head: ChainHead::START,
            offset: 0,
            end: u64::MAX,
            after: Seq(0),
            hashes: Vec::new(),
        }
    }

    /// The same, up to this byte of the log and no further.
    pub fn up_to(self, end: u64) -> Self {
        Self { end, ..self }
    }

    /// The same, from behind this entry on. What lies before is verified and not given.
    pub(crate) fn after(self, after: Seq) -> Self {
        Self { after, ..self }
    }

    /// From now on up to this byte and no further.
    pub(crate) fn bound(&mut self, end: u64) {
        self.end = end;
    }

    /// The last entry that was given, or behind which it begins.
    pub fn seq(&self) -> Seq {
        self.head.seq.max(self.after)
    }

    /// The hashes of the lines whose entries were given last.
    pub fn hashes(&self) -> &[Digest] {
        &self.hashes
    }

    /// How much of the log has been followed, in bytes.
    pub fn bytes(&self) -> u64 {
        self.offset
    }

    /// Whether the log goes on behind what has been followed. Half a line counts.
    pub(crate) fn has_news(&mut self) -> Result<bool, StoreError> {
        Ok(self.end()?.is_some_and(|end| end > self.offset))
    }

    /// The entries that are new, `limit` at most. A line that is being written is left for the next time.
    pub fn more(&mut self, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let (mut entries, mut suspicious) = (Vec::new(), None);
        self.hashes.clear();
        loop {
            let Some(damage) = self.read(limit, &mut entries)? else { return Ok(entries) };
            // What came before it is good: the damage is told when nothing else is left to tell.
            if !entries.is_empty() {
                return Ok(entries);
            }
            // A writer that came after a crash may be cutting off the tail just while we read it: half old, half new.
            if suspicious.as_ref() == Some(&damage) {
                let (place, line) = (self.path.display().to_string(), self.head.seq.0 + 1);
                return Err(StoreError::Damaged { place, line, offset: self.offset, damage });
            }
            suspicious = Some(damage);
        }
    }

    /// Adds new entries to those that are there, up to `limit`; or stops at a line that is damaged.
    fn read(&mut self, limit: usize, entries: &mut Vec<Entry>) -> Result<Option<Damage>, StoreError> {
        let Some(end) = self.end()?.filter(|end| *end > self.offset) else { return Ok(None) };
        let Some(file) = self.file.clone() else { return Ok(None) };
        let failed = |error| StoreError::io("read", &self.path)(error);
        let mut lines = FileLines::new(&file, self.offset, end);
        while entries.len() < limit {
            let (piece, damage) = match lines.next().map_err(failed)? {
                None | Some(Piece::Unterminated(_)) => return Ok(None),
                Some(Piece::TooLong) => return Ok(Some(Damage::TooLong { limit: MAX_LINE })),
                Some(Piece::Line(piece)) => {
                    let is_given = self.head.seq >= self.after;
                    match line::follow(piece, &mut self.head, is_given) {
                        Ok(entry) => {
                            if let Some(entry) = entry {
                                entries.push(entry);
                                self.hashes.push(self.head.digest());
                            }
                            self.offset = lines.offset();
                            continue;
                        }
                        Err(damage) => (piece.to_owned(), damage),
                    }
                }
            };
            // What a crash left is cut off by the next writer: it is waited for, like half a line.
            return match tail::judge_line(&piece, self.offset, damage, &mut lines).map_err(failed)? {
                TailVerdict::Torn => Ok(None),
                TailVerdict::Damaged(damage) => Ok(Some(damage)),
            };
        }
        Ok(None)
    }

    /// Where the log ends now, if there is one.
    fn end(&mut self) -> Result<Option<u64>, StoreError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => match File::open(&self.path) {
                Ok(file) => none.insert(Arc::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(StoreError::io("open", &self.path)(error)),
            },
        };
        let length = file.metadata().map_err(StoreError::io("read", &self.path))?.len();
        Ok(Some(length.min(self.end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileBackend;
    use crate::backend::Backend;
    use std::io::Write as _;
    use tribunal_kernel::{Event, Round, Time};
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::nil());

    fn rounds(from: u32, to: u32) -> Vec<(Time, Event)> {
        (from..=to).map(|round| (Time(u64::from(round)), Event::RoundOpened { round: Round(round) })).collect()
    }

    #[tokio::test]
    async fn what_is_appended_is_given_once_and_in_order() {
        let root = tempfile::tempdir().unwrap();
        let store = FileBackend::new(root.path());
        let mut follower = Follower::new(store.layout(), RUN);
        assert_eq!(follower.more(10).unwrap(), [], "nobody has written yet");
        let mut log = store.logs().create(RUN).await.unwrap();
        let first = log.append(Seq(0), rounds(1, 5)).await.unwrap();
        assert_eq!(follower.more(3).unwrap(), first[..3]);
        assert_eq!(follower.seq(), Seq(3));
        let second = log.append(Seq(5), rounds(6, 6)).await.unwrap();
        assert_eq!(follower.more(10).unwrap(), [&first[3..], &second[..]].concat());
        assert_eq!(follower.more(10).unwrap(), []);
        assert_eq!(head(store.layout(), RUN).map(|head| head.mark.0), Some(follower.bytes()));
        let mut bounded = Follower::new(store.layout(), RUN).up_to(follower.bytes() - 1);
        assert_eq!(bounded.more(10).unwrap(), first, "the last line ends behind the bound");
    }

    #[tokio::test]
    async fn half_a_line_is_waited_for_and_a_changed_one_is_told() {
        let root = tempfile::tempdir().unwrap();
        let store = FileBackend::new(root.path());
        let mut log = store.logs().create(RUN).await.unwrap();
        log.append(Seq(0), rounds(1, 2)).await.unwrap();
        let path = store.layout().log(RUN);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 10]).unwrap();
        let mut follower = Follower::new(store.layout(), RUN);
        assert_eq!(follower.more(10).unwrap().len(), 1);
        assert_eq!(follower.more(10).unwrap(), []);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&whole[whole.len() - 10..]).unwrap();
        assert_eq!(follower.more(10).unwrap().len(), 1);

        let changed = String::from_utf8(whole).unwrap().replace("\"round\":2", "\"round\":3");
        fs::write(&path, changed).unwrap();
        let mut follower = Follower::new(store.layout(), RUN);
        assert_eq!(follower.more(10).unwrap().len(), 1, "what is good is given first");
        let error = follower.more(10).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
