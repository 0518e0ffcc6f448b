//! One writer at a time. The operating system's lock is what counts; the text in the file only says who has it.

use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tribunal_kernel::{RunId, Time};

use crate::backend::Holder;
use crate::{Layout, StoreError, atomic, clock, dir, plain};

/// A lock that is only looked at ([`held`]), or let go of by a process that is just dying, is free a moment later.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// A process that was killed keeps its locks until the system has put it away, which takes as long as it takes to write
/// what it had under way; and one that just took the lock says a moment later who it is.
const DYING: Duration = Duration::from_secs(5);

/// Who is writing to `run` now, if anybody is.
pub fn holder(layout: &Layout, run: RunId) -> Result<Option<Holder>, StoreError> {
    let unknown = || Holder { pid: 0, host: String::new(), since: Time::default(), what: "an unknown process".into() };
    Ok(held(&layout.lock(run))?.map(|mut file| said(&mut file).unwrap_or_else(unknown)))
}

/// The file at `path`, if somebody has it locked.
pub(crate) fn held(path: &Path) -> Result<Option<File>, StoreError> {
    let file = match plain::open(path) {
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
        let begun = Instant::now();
        loop {
            let options = &mut OpenOptions::new();
            let mut file = plain::open_as(options.read(true).write(true).create(true).truncate(false), path)
                .map_err(StoreError::io("open", path))?;
            if !lock(&file).map_err(StoreError::io("lock", path))? {
                let mut text = String::new();
                // Whatever it is, it is shown to a person.
                let _ = file.read_to_string(&mut text);
                let text = text.trim();
                if begun.elapsed() < DYING && serde_json::from_str(text).map_or(text.is_empty(), |it| is_dying(&it)) {
                    continue;
                }
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

/// The lock of the file at `path`, as long as it is open: waits for whoever has it, but not for ever.
pub(crate) fn waited_for(path: &Path, patience: Duration) -> Result<File, StoreError> {
    // Never removed: a second process could lock a file that has no name any more.
    let file = plain::open_as(File::options().write(true).create(true).truncate(false), path);
    let file = file.map_err(StoreError::io("open", path))?;
    let begun = Instant::now();
    while !lock(&file).map_err(StoreError::io("lock", path))? {
        if begun.elapsed() >= patience {
            return Err(StoreError::Busy { place: path.display().to_string(), seconds: patience.as_secs() });
        }
    }
    Ok(file)
}

/// Whether who holds a lock is dead, or was killed and is not gone yet.
fn is_dying(holder: &Holder) -> bool {
    let here = rustix::system::uname();
    let Some(pid) = i32::try_from(holder.pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    if holder.host != here.nodename().to_string_lossy() {
        return false;
    }
    if rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH) {
        return true;
    }
    // Where the system tells: SIGKILL is on its way, or all that is left of it is its number.
    let status = std::fs::read_to_string(format!("/proc/{}/status", holder.pid)).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let kill = 1_u64 << (rustix::process::Signal::KILL.as_raw() - 1);
    let is_killed = |name| u64::from_str_radix(field(name), 16).is_ok_and(|pending| pending & kill != 0);
    field("State:").starts_with(['Z', 'X']) || is_killed("SigPnd:") || is_killed("ShdPnd:")
}

fn said(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::run_id;

    /// The lock as a process of this number holds it.
    fn held_by(path: &Path, pid: u32) -> File {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let holder = Holder { pid, host, since: Time::default(), what: "tribunal run".into() };
        std::fs::write(path, serde_json::to_vec(&holder).unwrap()).unwrap();
        let file = File::open(path).unwrap();
        assert!(lock(&file).unwrap());
        file
    }

    #[test]
    fn the_lock_of_a_process_that_is_dying_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let held = held_by(&path, gone.id());
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(300));
                drop(held);
            });
            RunLock::take(&path, run_id(1), "tribunal resume").expect("its holder is dead");
        });
    }

    #[test]
    fn the_lock_of_a_process_that_lives_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _held = held_by(&path, std::process::id());
        let begun = Instant::now();
        assert!(matches!(RunLock::take(&path, run_id(1), "tribunal run"), Err(StoreError::Held { .. })));
        assert!(begun.elapsed() < DYING, "it is said at once");
    }
}
