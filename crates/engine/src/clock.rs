//! What time it is: the one place that asks.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};
use tribunal_kernel::Time;

/// A source of the time that goes into events.
pub trait Clock: Debug + Send + Sync {
    fn now(&self) -> Time;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)).min(Time::MAX)
    }
}
