//! Simulated time: tokio's clock, which a paused runtime moves on by itself when everybody waits.

use tokio::time::Instant;
use tribunal_engine::Clock;
use tribunal_kernel::Time;

/// The time since the simulation began, on top of a fixed date.
#[derive(Debug, Clone, Copy)]
pub struct SimClock {
    begun: Instant,
}

impl SimClock {
    /// 2026-01-01.
    const EPOCH: Time = Time(1_767_225_600_000);

    /// A clock that starts now. Needs a tokio runtime.
    pub fn start() -> Self {
        Self { begun: Instant::now() }
    }
}

impl Clock for SimClock {
    fn now(&self) -> Time {
        Self::EPOCH.plus(self.begun.elapsed())
    }
}
