//! Requests to a run that another process drives. The driver alone may write to the log, so others ask it.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use tribunal_anchors::Anchor;
use tribunal_kernel::RunId;

use crate::{Layout, StoreError, atomic, clock};

/// A file that is longer than this is not a request.
const MAX_REQUEST: u64 = 1024 * 1024;
/// So many are taken at a time; the rest waits for the next time.
const MAX_TAKEN: usize = 1000;

/// What can be asked of a running run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Stop now.
    Interrupt { by: String },
    /// Do it like this.
    Steer { by: String, text: String },
    /// Judge by this from now on.
    Reanchor { by: String, anchor: Box<Anchor> },
}

/// What was in an inbox.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// In the order of their sending.
    pub requests: Vec<Request>,
    /// Files that were no requests. They are gone.
    pub refused: Vec<Refused>,
}

/// A file that was no request, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    pub file: PathBuf,
    pub why: String,
}

/// Leaves a request for whoever drives `run`, now or later.
pub fn send(layout: &Layout, run: RunId, request: &Request) -> Result<(), StoreError> {
    // Requests of one process within one tick of the clock still have an order.
    static SENT: AtomicU32 = AtomicU32::new(0);
    if !layout.log(run).is_file() {
        return Err(StoreError::NoRun { run, place: layout.run(run).display().to_string() });
    }
    let bytes = serde_json::to_vec(request).map_err(|source| StoreError::Unwritable { source })?;
    let nanos = clock::since_1970().as_nanos();
    let name = format!("{nanos:020}-{:010}-{:010}", SENT.fetch_add(1, Ordering::Relaxed), std::process::id());
    atomic::write(&layout.request(run, &name), &bytes).map(drop)
}

/// Takes all requests out of the inbox. For the driver of `run` alone.
pub fn take(layout: &Layout, run: RunId) -> Result<Taken, StoreError> {
    let mut taken = Taken::default();
    for file in waiting(&layout.inbox(run))? {
        let request = read(&file);
        fs::remove_file(&file).map_err(StoreError::io("remove", &file))?;
        match request {
            Ok(request) => taken.requests.push(request),
            Err(why) => taken.refused.push(Refused { file, why }),
        }
    }
    Ok(taken)
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

fn read(file: &Path) -> Result<Request, String> {
    let length = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if length > MAX_REQUEST {
        return Err(format!("it has {length} bytes, more than {MAX_REQUEST}"));
    }
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}
