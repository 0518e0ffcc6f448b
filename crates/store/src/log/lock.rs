//! One writer at a time. The operating system's lock is what counts; the text in the file only says who has it.

use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;
use tribunal_kernel::{RunId, Time};

use crate::backend::Holder;
use crate::{Layout, StoreError, atomic, clock, dir};

/// A lock that is only looked at ([`held`]), or let go of by a process that is just dying, is free a moment later.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Who is writing to `run` now, if anybody is.
pub fn holder(layout: &Layout, run: RunId) -> Result<Option<Holder>, StoreError> {
    let unknown = || Holder { pid: 0, host: String::new(), since: Time::default(), what: "an unknown process".into() };
    Ok(held(&layout.lock(run))?.map(|mut file| said(&mut file).unwrap_or_else(unknown)))
}

/// The file at `path`, if somebody has it locked.
pub(crate) fn held(path: &Path) -> Result<Option<File>, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("open", path)(error)),
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(None),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(Some(file)),
        Err(error) => Err(StoreError::io("lock", path)(error.into())),
    }
}

/// The lock of one run, as long as it lives.
#[derive(Debug)]
pub(crate) struct RunLock {
    file: File,
}

impl RunLock {
    /// Takes the lock or says who has it.
    pub(crate) fn take(path: &Path, run: RunId, what: &str) -> Result<Self, StoreError> {
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(StoreError::io("open", path))?;
            if !lock(&file).map_err(StoreError::io("lock", path))? {
                let mut text = String::new();
                // Whatever it is, it is shown to a person.
                let _ = file.read_to_string(&mut text);
                let text = text.trim();
                let holder = if text.is_empty() { "an unknown process".into() } else { text.to_owned() };
                return Err(StoreError::Held { run, holder });
            }
            if is_at(&file, path).map_err(StoreError::io("read", path))? {
                return Self { file }.held_for(what, path);
            }
            // Somebody replaced the file between our opening and our locking it.
        }
    }

    /// Takes the lock from whoever has it, by putting another file in its place. The old holder notices nothing: what
    /// keeps it from writing is the fence.
    pub(crate) fn replace(path: &Path, run: RunId, what: &str) -> Result<Self, StoreError> {
        let file = atomic::temporary(dir::parent(path), b"", atomic::NEW_FILE)?;
        if !lock(file.as_file()).map_err(StoreError::io("lock", file.path()))? {
            return Err(StoreError::Held { run, holder: "an unknown process".into() });
        }
        let file = file.persist(path).map_err(|error| StoreError::io("rename to", path)(error.error))?;
        Self { file }.held_for(what, path)
    }

    fn held_for(mut self, what: &str, path: &Path) -> Result<Self, StoreError> {
        self.say(what).map_err(StoreError::io("write", path))?;
        Ok(self)
    }

    fn say(&mut self, what: &str) -> io::Result<()> {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let holder = Holder { pid: std::process::id(), host, since: clock::now(), what: what.to_owned() };
        let mut text = serde_json::to_vec(&holder)?;
        text.push(b'\n');
        self.file.set_len(0)?;
        self.file.write_all(&text)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // The text would only mislead people; the lock itself goes with the file. The file stays: removing it would
        // let two processes lock two files of one name.
        let _ = self.file.set_len(0);
    }
}

/// Whether `path` still names this file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Locks a file for as long as it is open. False: somebody else has it.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    for attempt in 1.. {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) if attempt == TRIES => break,
            Err(rustix::io::Errno::WOULDBLOCK) => thread::sleep(BETWEEN_TRIES),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn said(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
