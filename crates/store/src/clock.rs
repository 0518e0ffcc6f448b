//! What time it is, where the store itself needs to know: who took a lock when, which request came first.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tribunal_kernel::Time;

pub(crate) fn since_1970() -> Duration {
    // A clock before 1970 is wrong; nothing here depends on it being right.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

pub(crate) fn now() -> Time {
    Time::default().plus(since_1970())
}
