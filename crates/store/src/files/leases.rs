//! Leases in files: a lock that the operating system keeps, and a token that only grows.

use super::FileBackend;
use crate::backend::{Holder, Lease, Leases, StoreReply};
use crate::log::fence::Fence;
use crate::log::lock::{self, RunLock};
use crate::{Layout, StoreError};
use tribunal_kernel::RunId;

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
