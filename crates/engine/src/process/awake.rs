//! Time that does not count what this process slept through: a stop by a signal, a machine that stood still.
//!
//! Who was not there to listen cannot say that somebody was silent.

use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How often it is looked whether we are awake: what is slept through is known to about so much.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A busy machine rings so much too late; beyond it, we were not running.
const LATE: Duration = Duration::from_millis(500);

/// Waits, and notices when it was not awake.
#[derive(Debug)]
pub(crate) struct AwakeWatch {
    /// When we want to be woken next.
    look: Option<Instant>,
}

impl AwakeWatch {
    pub(crate) fn new() -> Self {
        Self { look: None }
    }

    /// Comes back at `due`, or earlier to look around: with the time that was slept through since it was last called.
    ///
    /// May be dropped before it is ready; the next call finds out what was missed meanwhile.
    pub(crate) async fn until(&mut self, due: Instant) -> Duration {
        let soon = Instant::now() + LOOK_EVERY;
        let look = *self.look.get_or_insert(due.min(soon));
        sleep_until(look).await;
        self.look = None;
        let late = Instant::now().saturating_duration_since(look);
        if late > LATE { late } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_nothing_disturbs_misses_nothing() {
        let (begun, mut watch) = (Instant::now(), AwakeWatch::new());
        let due = begun + Duration::from_secs(5);
        while Instant::now() < due {
            assert_eq!(watch.until(due).await, Duration::ZERO);
        }
        assert_eq!(begun.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_slept_through_is_told_once() {
        let mut watch = AwakeWatch::new();
        let due = Instant::now() + Duration::from_secs(600);
        // Begun, dropped because something else was ready, and then the process was stopped for a minute.
        assert!(tokio::time::timeout(Duration::from_millis(10), watch.until(due)).await.is_err());
        tokio::time::advance(Duration::from_secs(60)).await;
        let missed = watch.until(due).await;
        assert!(missed > Duration::from_secs(58) && missed < Duration::from_secs(61), "{missed:?}");
        assert_eq!(watch.until(due).await, Duration::ZERO);
    }
}
