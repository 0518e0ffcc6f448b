//! Leases in files: a lock that the operating system keeps, and a token that only grows.

use super::FileBackend;
use crate::backend::{Holder, Lease, Leases, OpeningRight, StoreReply};
use crate::log::fence::Fence;
use crate::log::lock::{self, RunLock};
use crate::{Layout, StoreError, dir};
use std::time::Duration;
use tribunal_kernel::RunId;

/// Opening runs takes moments, also where there are many. Who takes longer than this is stopped or stuck.
const OPENING: Duration = Duration::from_secs(60);

impl Leases for FileBackend {
    fn take(&self, run: RunId) -> StoreReply<'_, Lease> {
        let what = self.what.clone();
        self.blocking(move |layout| {
            require(layout, run)?;
            take(layout, run, &what)
        })
    }

    fn seize(&self, run: RunId) -> StoreReply<'_, Lease> {
        let what = self.what.clone();
        self.blocking(move |layout| {
            require(layout, run)?;
            // Under the fence, so that of two who seize at once the later one has both lock and token.
            let mut fence = Fence::close(&layout.lease(run))?;
            let lock = RunLock::replace(&layout.lock(run), run, &what)?;
            Ok(Lease::new(run, fence.raise()?, lock))
        })
    }

    fn holder(&self, run: RunId) -> StoreReply<'_, Option<Holder>> {
        self.blocking(move |layout| lock::holder(layout, run))
    }

    fn opening(&self) -> StoreReply<'_, OpeningRight> {
        self.blocking(|layout| {
            dir::create_all(&layout.folder())?;
            Ok(OpeningRight::new(lock::waited_for(&layout.opening(), OPENING)?))
        })
    }
}

/// Takes the lock of a run whose folder is there, and the next token.
pub(super) fn take(layout: &Layout, run: RunId, what: &str) -> Result<Lease, StoreError> {
    let lock = RunLock::take(&layout.lock(run), run, what)?;
    let token = Fence::close(&layout.lease(run))?.raise()?;
    Ok(Lease::new(run, token, lock))
}

/// Looked at before the lock, which would leave a lock file where no run is.
fn require(layout: &Layout, run: RunId) -> Result<(), StoreError> {
    let log = layout.log(run);
    if log.is_file() { Ok(()) } else { Err(StoreError::NoRun { run, place: log.display().to_string() }) }
}
