//! A log that somebody else writes, followed without reading it again.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tribunal_kernel::{Entry, RunId, Seq};

use super::MAX_LINE;
use super::line::{self, Head};
use super::lines::{Lines, Piece};
use crate::error::Damage;
use crate::{Layout, StoreError, files};

/// Follows a run's log. Every line is verified against the one before, as if the log were read as a whole.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: Option<File>,
    head: Head,
    offset: u64,
    /// Nothing behind this byte is read.
    end: u64,
}

/// Every run that has a folder, in no order. Whether there is a log in it is not looked at: there may be thousands.
pub fn names(layout: &Layout) -> Result<Vec<RunId>, StoreError> {
    files::names(layout)
}

/// When a file or folder was changed, if it is there.
pub fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

/// The length of a run's log in bytes, if there is one.
pub fn length(layout: &Layout, run: RunId) -> Option<u64> {
    fs::metadata(layout.log(run)).ok().filter(fs::Metadata::is_file).map(|log| log.len())
}

impl Follower {
    /// Follows the log of `run` from its beginning. It need not be there yet.
    pub fn new(layout: &Layout, run: RunId) -> Self {
        Self { path: layout.log(run), file: None, head: Head::START, offset: 0, end: u64::MAX }
    }

    /// The same, up to this byte of the log and no further.
    pub fn up_to(self, end: u64) -> Self {
        Self { end, ..self }
    }

    /// The last entry that was given.
    pub fn seq(&self) -> Seq {
        self.head.seq
    }

    /// How much of the log has been followed, in bytes.
    pub fn bytes(&self) -> u64 {
        self.offset
    }

    /// The entries that are new, `limit` at most. A line that is being written is left for the next time.
    pub fn more(&mut self, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let read = StoreError::io("read", &self.path);
        let file = match &mut self.file {
            Some(file) => file,
            none => match File::open(&self.path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(StoreError::io("open", &self.path)(error)),
            },
        };
        let end = match file.metadata() {
            Ok(metadata) => metadata.len().min(self.end),
            Err(error) => return Err(read(error)),
        };
        let mut entries = Vec::new();
        if end <= self.offset {
            return Ok(entries);
        }
        let mut lines = Lines::new(file, self.offset, end);
        while entries.len() < limit {
            let damage = match lines.next() {
                Err(error) => return Err(read(error)),
                Ok(None | Some(Piece::Unterminated(_))) => break,
                Ok(Some(Piece::TooLong)) => Damage::TooLong { limit: MAX_LINE },
                Ok(Some(Piece::Line(piece))) => match line::read(piece, &mut self.head) {
                    Ok(entry) => {
                        entries.push(entry);
                        self.offset = lines.offset();
                        continue;
                    }
                    Err(damage) => damage,
                },
            };
            // What came before it is good: the damage is told when nothing else is left to tell.
            if entries.is_empty() {
                let (place, line) = (self.path.display().to_string(), self.head.seq.0 + 1);
                return Err(StoreError::Damaged { place, line, offset: self.offset, damage });
            }
            break;
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileStore, Log, Store};
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
        let store = FileStore::new(root.path());
        let mut follower = Follower::new(store.layout(), RUN);
        assert_eq!(follower.more(10).unwrap(), [], "nobody has written yet");
        let mut log = store.create(RUN).await.unwrap();
        let first = log.append(Seq(0), rounds(1, 5)).await.unwrap();
        assert_eq!(follower.more(3).unwrap(), first[..3]);
        assert_eq!(follower.seq(), Seq(3));
        let second = log.append(Seq(5), rounds(6, 6)).await.unwrap();
        assert_eq!(follower.more(10).unwrap(), [&first[3..], &second[..]].concat());
        assert_eq!(follower.more(10).unwrap(), []);
        assert_eq!(names(store.layout()).unwrap(), [RUN]);
        assert_eq!(length(store.layout(), RUN), Some(follower.bytes()));
        let mut bounded = Follower::new(store.layout(), RUN).up_to(follower.bytes() - 1);
        assert_eq!(bounded.more(10).unwrap(), first, "the last line ends behind the bound");
    }

    #[tokio::test]
    async fn half_a_line_is_waited_for_and_a_changed_one_is_told() {
        let root = tempfile::tempdir().unwrap();
        let store = FileStore::new(root.path());
        let mut log = store.create(RUN).await.unwrap();
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
