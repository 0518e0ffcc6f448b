//! `.tribunal/runs/<run>/live.ndjson`: what turns in flight say, for other processes on this machine. Never synced,
//! begun again when it is long, and gone when nobody drives the run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use tribunal_kernel::RunId;
use tribunal_kernel::watch::LiveFrame;

use crate::{Layout, StoreError};

/// A file that is longer is begun again: whoever listens is not that far behind.
const LONG: u64 = 256 * 1024;
/// So much is read at a time.
const PIECE: u64 = 64 * 1024;

/// Appends what is told. One process drives a run, so one process writes.
pub(crate) fn tell(layout: &Layout, run: RunId, frames: &[LiveFrame]) -> Result<(), StoreError> {
    let path = layout.live(run);
    let mut text = Vec::new();
    for frame in frames {
        serde_json::to_writer(&mut text, frame).map_err(|source| StoreError::Unwritable { source })?;
        text.push(b'\n');
    }
    if fs::metadata(&path).is_ok_and(|file| file.len() > LONG) {
        end(layout, run)?;
    }
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(&text)).map_err(StoreError::io("write", &path))
}

/// Removes the file. Another one begins with the next that is told.
pub(crate) fn end(layout: &Layout, run: RunId) -> Result<(), StoreError> {
    let path = layout.live(run);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", &path)(error)),
        _ => Ok(()),
    }
}

/// Follows the file, whichever it is at the moment.
#[derive(Debug)]
pub(crate) struct LiveReader {
    path: PathBuf,
    /// Which file was read, and how far.
    read: Option<(u64, u64)>,
}

impl LiveReader {
    pub(crate) fn new(layout: &Layout, run: RunId) -> Self {
        Self { path: layout.live(run), read: None }
    }

    /// What was told since. What cannot be read is lost, as it may be.
    pub(crate) fn more(&mut self) -> Vec<LiveFrame> {
        let Ok(file) = fs::metadata(&self.path) else {
            self.read = None;
            return Vec::new();
        };
        let from = self.read.filter(|(ino, at)| *ino == file.ino() && *at <= file.len()).map_or(0, |(_, at)| at);
        let Ok(text) = piece(&self.path, from, file.len()) else { return Vec::new() };
        // What has no end yet is there the next time.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.read = Some((file.ino(), from + whole as u64));
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

fn piece(path: &Path, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if to > from {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        file.take(PIECE.min(to - from)).read_to_end(&mut text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::{SeatName, TurnId};

    const RUN: RunId = RunId(uuid::Uuid::from_u128(7));

    fn said(text: &str) -> LiveFrame {
        LiveFrame { turn: TurnId(1), role: SeatName::new("critic"), text: text.into(), tool: None }
    }

    #[test]
    fn a_long_file_is_begun_again_and_half_a_line_waits() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        fs::create_dir_all(layout.run(RUN)).unwrap();
        let mut reader = LiveReader::new(&layout, RUN);
        assert_eq!(reader.more(), []);
        tell(&layout, RUN, &[said("a")]).unwrap();
        assert_eq!((reader.more(), reader.more()), (vec![said("a")], vec![]));

        let mut file = OpenOptions::new().append(true).open(layout.live(RUN)).unwrap();
        let line = serde_json::to_string(&said("b")).unwrap();
        file.write_all(&line.as_bytes()[..9]).unwrap();
        assert_eq!(reader.more(), []);
        file.write_all(format!("{}\nnonsense\n", &line[9..]).as_bytes()).unwrap();
        assert_eq!(reader.more(), [said("b")]);

        let long = said(&"x".repeat(40_000));
        for _ in 0..50 {
            tell(&layout, RUN, std::slice::from_ref(&long)).unwrap();
            assert!(fs::metadata(layout.live(RUN)).unwrap().len() < LONG + 50_000);
            assert_eq!(reader.more(), std::slice::from_ref(&long));
        }
        end(&layout, RUN).unwrap();
        end(&layout, RUN).unwrap();
        assert_eq!(reader.more(), []);
        tell(&layout, RUN, &[said("c")]).unwrap();
        assert_eq!(reader.more(), [said("c")]);
    }
}
