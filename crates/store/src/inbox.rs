//! Requests to a run that another process drives. The driver alone may write to the log, so others ask it.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tribunal_kernel::RunId;

use crate::backend::{RefusedRequest, RunRequest, TakenRequests};
use crate::{Layout, StoreError, atomic, clock, dir};

/// A file that is longer than this is not a request.
const MAX_REQUEST: u64 = 1024 * 1024;
/// So many are taken at a time; the rest waits for the next time.
const MAX_TAKEN: usize = 1000;

/// Leaves a request for whoever drives `run`, now or later.
pub fn send(layout: &Layout, run: RunId, request: &RunRequest) -> Result<(), StoreError> {
    // Requests of one process have an order, whatever the clock does meanwhile.
    static LAST: AtomicU64 = AtomicU64::new(0);
    if !layout.log(run).is_file() {
        return Err(StoreError::NoRun { run, place: layout.run(run).display().to_string() });
    }
    let bytes = serde_json::to_vec(request).map_err(|source| StoreError::Unwritable { source })?;
    let now = u64::try_from(clock::since_1970().as_nanos()).unwrap_or(u64::MAX);
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(now.max(last + 1)));
    let nanos = now.max(last.unwrap_or_default() + 1);
    let name = format!("{nanos:020}-{:010}", std::process::id());
    atomic::write(&layout.request(run, &name), &bytes).map(drop)
}

/// Takes all requests out of the inbox, each of them once, whoever else takes.
pub fn take(layout: &Layout, run: RunId) -> Result<TakenRequests, StoreError> {
    let mut taken = TakenRequests::default();
    let folder = layout.inbox(run);
    let Some(_turnstile) = turnstile(&folder)? else { return Ok(taken) };
    for file in waiting(&folder)? {
        let request = read(&file);
        if let Err(error) = fs::remove_file(&file) {
            // Those that are out already must not be lost.
            if taken == TakenRequests::default() {
                return Err(StoreError::io("remove", &file)(error));
            }
            break;
        }
        match request {
            Ok(request) => taken.requests.push(request),
            Err(why) => taken.refused.push(RefusedRequest { place: file.display().to_string(), why }),
        }
    }
    if taken != TakenRequests::default() {
        // What was taken does not come back after a power failure. If this fails, it might: better twice than never.
        let _ = dir::sync(&folder);
    }
    Ok(taken)
}

/// One at a time takes out of an inbox. Nothing, if there is none.
fn turnstile(folder: &Path) -> Result<Option<File>, StoreError> {
    let file = match File::open(folder) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("open", folder)(error)),
    };
    loop {
        match flock(&file, FlockOperation::LockExclusive) {
            Ok(()) => return Ok(Some(file)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(StoreError::io("lock", folder)(error.into())),
        }
    }
}

/// The finished files of an inbox, oldest first.
fn waiting(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let names = match fs::read_dir(folder) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("list", folder)(error)),
    };
    let mut files = Vec::new();
    for name in names {
        let name = name.map_err(StoreError::io("list", folder))?;
        let unfinished = name.file_name().as_encoded_bytes().starts_with(atomic::UNFINISHED.as_bytes());
        if !unfinished && name.file_type().is_ok_and(|kind| !kind.is_dir()) {
            files.push(name.path());
        }
    }
    files.sort_unstable();
    files.truncate(MAX_TAKEN);
    Ok(files)
}

fn read(file: &Path) -> Result<RunRequest, String> {
    let length = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if length > MAX_REQUEST {
        return Err(format!("it has {length} bytes, more than {MAX_REQUEST}"));
    }
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}
