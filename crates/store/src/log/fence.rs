//! The fence: a number that grows with every lease of a run. Who has an older one does not write any more.
//!
//! The lock keeps writers out while it is held; the fence keeps out one that lost it without noticing. An append looks
//! at the fence and writes while it holds the file shared; a new lease raises it while it holds the file alone. So no
//! append falls between the two.

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tribunal_kernel::RunId;

use crate::StoreError;
use crate::backend::FencingToken;

/// The file is overwritten in place, with so many bytes every time: there is no moment at which it is cut short.
const LENGTH: usize = 32;

/// A fence that nobody passes meanwhile.
#[derive(Debug)]
pub(crate) struct Fence {
    path: PathBuf,
    file: File,
    token: FencingToken,
}

#[derive(Serialize, Deserialize)]
struct Post {
    token: FencingToken,
}

const REMOVE: &str = "remove the file if no process is driving the run";

impl Fence {
    /// Waits for appends under way and lets no new one begin.
    pub(crate) fn close(path: &Path) -> Result<Self, StoreError> {
        let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = options.map_err(StoreError::io("open", path))?;
        lock(&file, path, FlockOperation::LockExclusive)?;
        let token = read(&file, path)?;
        Ok(Self { path: path.to_owned(), file, token })
    }

    /// The next token: the only one that passes from now on.
    pub(crate) fn raise(&mut self) -> Result<FencingToken, StoreError> {
        let next = self.token.0.checked_add(1).map(FencingToken).ok_or_else(|| StoreError::Unreadable {
            place: self.path.display().to_string(),
            why: "its token cannot grow any more".into(),
            hint: REMOVE,
        })?;
        let mut text = serde_json::to_vec(&Post { token: next }).map_err(|source| StoreError::Unwritable { source })?;
        text.resize(LENGTH - 1, b' ');
        text.push(b'\n');
        self.file.write_all_at(&text, 0).map_err(StoreError::io("write", &self.path))?;
        self.token = next;
        Ok(next)
    }
}

/// Lets a writer with this token pass, for as long as the file that it gets is open.
pub(crate) fn pass(path: &Path, run: RunId, held: FencingToken) -> Result<File, StoreError> {
    // Opened again every time: a file that was replaced has no say any more.
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Gone { run, place: path.display().to_string() });
        }
        Err(error) => return Err(StoreError::io("open", path)(error)),
    };
    lock(&file, path, FlockOperation::LockShared)?;
    match read(&file, path)? {
        current if current == held => Ok(file),
        current => Err(StoreError::Fenced { run, held, current }),
    }
}

fn lock(file: &File, path: &Path, operation: FlockOperation) -> Result<(), StoreError> {
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(StoreError::io("lock", path)(error.into())),
        }
    }
}

fn read(mut file: &File, path: &Path) -> Result<FencingToken, StoreError> {
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(StoreError::io("read", path))?;
    // New, or written by a process that a power failure ended together with all others: nobody holds a token.
    if text.iter().all(|byte| *byte == 0) {
        return Ok(FencingToken(0));
    }
    let unreadable = |error: serde_json::Error| StoreError::Unreadable {
        place: path.display().to_string(),
        why: error.to_string(),
        hint: REMOVE,
    };
    Ok(serde_json::from_slice::<Post>(&text).map_err(unreadable)?.token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::run_id;

    #[test]
    fn only_the_newest_token_passes_and_never_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lease.json");
        let (run, next) = (run_id(1), || Fence::close(&path).unwrap().raise().unwrap());
        assert!(matches!(pass(&path, run, FencingToken(0)), Err(StoreError::Gone { .. })), "no fence, no way");
        let first = next();
        drop(pass(&path, run, first).unwrap());
        let second = next();
        assert!(second > first);
        let refused = pass(&path, run, first).unwrap_err();
        assert!(matches!(refused, StoreError::Fenced { held, current, .. } if (held, current) == (first, second)));
        drop(pass(&path, run, second).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().len(), LENGTH as u64);

        std::fs::write(&path, format!("{{\"token\":{}}}", u64::MAX)).unwrap();
        assert!(matches!(Fence::close(&path).unwrap().raise(), Err(StoreError::Unreadable { .. })), "it cannot grow");
        std::fs::write(&path, "").unwrap();
        assert!(pass(&path, run, second).is_err(), "an empty fence lets nobody pass");
        std::fs::write(&path, "{\"token\":").unwrap();
        assert!(pass(&path, run, second).is_err());
        let error = Fence::close(&path).unwrap_err();
        assert!(error.to_string().contains("lease.json") && error.hint().is_some(), "{error}");
    }

    #[test]
    fn raising_waits_for_the_append_under_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lease.json");
        let token = Fence::close(&path).unwrap().raise().unwrap();
        let passing = pass(&path, run_id(1), token).unwrap();
        std::thread::scope(|scope| {
            let raising = scope.spawn(|| Fence::close(&path).unwrap().raise().unwrap());
            for _ in 0..10 {
                drop(pass(&path, run_id(1), token).expect("nobody has raised it"));
                std::thread::yield_now();
            }
            drop(passing);
            assert_eq!(raising.join().unwrap(), FencingToken(token.0 + 1));
        });
        assert!(pass(&path, run_id(1), token).is_err());
    }
}
