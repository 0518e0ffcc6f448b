//! Appending, durably.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use tribunal_kernel::{Entry, Event, RunId, Seq, Time};

use super::MAX_LINE;
use super::line::{self, ChainHead};
use crate::StoreError;

/// What a writer needs of a file. Tests put one in its place that fails.
pub(crate) trait Medium: Send + 'static {
    fn len(&self) -> io::Result<u64>;
    /// One call for all bytes: what a crash leaves of them is a prefix.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Returns when everything written is on the disk.
    fn sync(&self) -> io::Result<()>;
    /// Whether it is what lies there: whoever looks for the log finds this one.
    fn is_at(&self, path: &Path) -> io::Result<bool>;
}

impl Medium for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        let own = self.metadata()?;
        match fs::metadata(path) {
            Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The end of a log.
#[derive(Debug)]
pub(crate) struct LineWriter<M> {
    run: RunId,
    path: PathBuf,
    medium: M,
    head: ChainHead,
    /// How long the file is, as far as we wrote it.
    bytes: u64,
    poisoned: bool,
    /// The last batch, kept for its capacity.
    buffer: Vec<u8>,
}

/// A buffer that a large event made larger than this is not kept.
const KEPT_BUFFER: usize = 64 * 1024;

impl<M: Medium> LineWriter<M> {
    /// A writer behind a file's last line, which has been read and synced.
    pub(crate) fn new(run: RunId, path: PathBuf, medium: M, head: ChainHead, bytes: u64) -> Self {
        Self { run, path, medium, head, bytes, poisoned: false, buffer: Vec::new() }
    }

    pub(crate) fn seq(&self) -> Seq {
        self.head.seq
    }

    /// See [`crate::Log::append`].
    pub(crate) fn append(&mut self, expected: Seq, events: Vec<(Time, Event)>) -> Result<Vec<Entry>, StoreError> {
        if self.poisoned {
            return Err(StoreError::Poisoned { place: self.place() });
        }
        if expected != self.head.seq {
            return Err(StoreError::Conflict { run: self.run, expected, actual: self.head.seq });
        }
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.encode(events, &mut buffer).and_then(|(head, entries)| {
            // A failed sync may have thrown the pages away, and the next one would succeed without them. So after a
            // failure nothing is written here any more; who opens the log again sees what there is.
            self.poisoned = true;
            self.commit(&buffer)?;
            self.poisoned = false;
            self.head = head;
            self.bytes += buffer.len() as u64;
            Ok(entries)
        });
        buffer.clear();
        if buffer.capacity() <= KEPT_BUFFER {
            self.buffer = buffer;
        }
        result
    }

    fn encode(&self, events: Vec<(Time, Event)>, out: &mut Vec<u8>) -> Result<(ChainHead, Vec<Entry>), StoreError> {
        let mut head = self.head;
        let mut entries = Vec::with_capacity(events.len());
        for (time, event) in events {
            // Later times have no form of their own in a line.
            let time = time.min(Time::MAX);
            let from = out.len();
            head = line::write(out, &head, time, &event).map_err(|source| StoreError::Unwritable { source })?;
            let bytes = (out.len() - from) as u64;
            if bytes > MAX_LINE {
                return Err(StoreError::TooLarge { bytes, limit: MAX_LINE });
            }
            entries.push(Entry { seq: head.seq, time, event });
        }
        Ok((head, entries))
    }

    fn commit(&mut self, batch: &[u8]) -> Result<(), StoreError> {
        let actual = self.medium.len().map_err(StoreError::io("read", &self.path))?;
        if actual != self.bytes {
            return Err(StoreError::Intruded { place: self.place(), expected: self.bytes, actual });
        }
        self.medium.write(batch).map_err(StoreError::io("write", &self.path))?;
        self.medium.sync().map_err(StoreError::io("sync", &self.path))?;
        // A program that saves by renaming leaves us with a file that has no name any more: what is in it is lost, and
        // nobody may be told otherwise.
        match self.medium.is_at(&self.path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Replaced { place: self.place() }),
            Err(error) => Err(StoreError::io("find", &self.path)(error)),
        }
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{events, run_id};

    /// A file that fails at its `fail_at`th operation, after it has written half of what it should.
    struct Faulty {
        bytes: Vec<u8>,
        writes: u32,
        fail_write: Option<u32>,
        fail_sync: Option<u32>,
    }

    impl Medium for Faulty {
        fn len(&self) -> io::Result<u64> {
            Ok(self.bytes.len() as u64)
        }

        fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.writes += 1;
            if self.fail_write == Some(self.writes) {
                self.bytes.extend_from_slice(&bytes[..bytes.len() / 2]);
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend_from_slice(bytes);
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            if self.fail_sync == Some(self.writes) { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
        }

        fn is_at(&self, _: &Path) -> io::Result<bool> {
            Ok(true)
        }
    }

    #[test]
    fn after_a_failure_nothing_more_is_written() {
        let run = run_id(1);
        for (name, fail_write, fail_sync) in [("write", Some(2), None), ("sync", None, Some(2))] {
            let medium = Faulty { bytes: Vec::new(), writes: 0, fail_write, fail_sync };
            let mut writer = LineWriter::new(run, "log".into(), medium, ChainHead::START, 0);
            let mut events = events(run);
            let mut batch = || events.by_ref().take(2).collect();
            writer.append(Seq(0), batch()).unwrap();
            let error = writer.append(Seq(2), batch()).unwrap_err();
            assert!(error.to_string().starts_with(&format!("cannot {name} log: ")), "{error}");
            assert_eq!(writer.seq(), Seq(2), "what failed is not believed");
            for _ in 0..2 {
                assert!(matches!(writer.append(Seq(2), batch()), Err(StoreError::Poisoned { .. })), "{name}");
            }
            assert_eq!(writer.medium.writes, 2, "{name}");
        }
    }

    #[test]
    fn a_batch_is_one_write() {
        let run = run_id(1);
        let medium = Faulty { bytes: Vec::new(), writes: 0, fail_write: None, fail_sync: None };
        let mut writer = LineWriter::new(run, "log".into(), medium, ChainHead::START, 0);
        writer.append(Seq(0), events(run).take(50).collect()).unwrap();
        assert_eq!(writer.medium.writes, 1);
        assert_eq!(memchr::memchr_iter(b'\n', &writer.medium.bytes).count(), 50);
    }
}
