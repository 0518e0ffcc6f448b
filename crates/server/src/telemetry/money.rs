//! Money that is counted: in millionths, so that sums stay exact, and shown in dollars.

use prometheus_client::encoding::{CounterValueEncoder, EncodeCounterValue};
use prometheus_client::metrics::counter::Atomic;
use std::sync::atomic::{AtomicU64, Ordering};
use tribunal_kernel::Usd;

/// What is in the till.
#[derive(Debug, Default)]
pub(super) struct Till(AtomicU64);

/// An amount, as a counter shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) struct Dollars(pub(super) Usd);

impl Atomic<Dollars> for Till {
    fn inc(&self) -> Dollars {
        self.inc_by(Dollars(Usd(1_000_000)))
    }

    fn inc_by(&self, Dollars(amount): Dollars) -> Dollars {
        Dollars(Usd(self.0.fetch_add(amount.0, Ordering::Relaxed)))
    }

    fn get(&self) -> Dollars {
        Dollars(Usd(self.0.load(Ordering::Relaxed)))
    }
}

impl EncodeCounterValue for Dollars {
    fn encode(&self, encoder: &mut CounterValueEncoder<'_>) -> Result<(), std::fmt::Error> {
        dollars(self.0).encode(encoder)
    }
}

/// For showing, not for arithmetic.
pub(super) fn dollars(amount: Usd) -> f64 {
    amount.0 as f64 / 1e6
}
