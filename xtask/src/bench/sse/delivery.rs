//! How long frames were on their way: from durable in the log to understood by a reader.

use super::reader::Received;

/// Over all frames of all readers; times in milliseconds.
#[derive(Debug, PartialEq)]
pub(super) struct Delivery {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) slowest: f64,
    /// Frames a second that arrived, over all readers.
    pub(super) a_second: f64,
    /// Frames that came twice or out of turn.
    pub(super) faults: u64,
    /// How often a reader was too far behind, was dropped, and came back.
    pub(super) returns: u64,
    /// Frames that never came.
    pub(super) missing: u64,
}

impl Delivery {
    /// `durable` says when each event was durable. What a reader got before counts as no time: the hub sees a line
    /// when it is written, and the disk may take its time.
    pub(super) fn of(durable: &[u64], received: &[Received]) -> Self {
        let mut times: Vec<u64> = received
            .iter()
            .flat_map(|reader| reader.moments.iter().zip(durable).map(|(came, durable)| came.saturating_sub(*durable)))
            .collect();
        let first = durable.first().copied().unwrap_or_default();
        let last = received.iter().filter_map(|reader| reader.moments.last()).max().copied().unwrap_or_default();
        let a_second = times.len() as f64 / (last.saturating_sub(first).max(1) as f64 / 1e9);
        let missing = (durable.len() * received.len()).saturating_sub(times.len()) as u64;
        let mut percentile = |percent: usize| {
            let at = times.len().saturating_sub(1) * percent / 100;
            if times.is_empty() { 0.0 } else { *times.select_nth_unstable(at).1 as f64 / 1e6 }
        };
        let (p50, p99, slowest) = (percentile(50), percentile(99), percentile(100));
        let faults = received.iter().map(|reader| reader.faults).sum();
        let returns = received.iter().map(|reader| reader.returns).sum();
        Self { p50, p99, slowest, a_second, faults, returns, missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_on_its_way_from_durable_to_understood() {
        let durable: Vec<u64> = (0..100).map(|number| number * 1_000_000).collect();
        let late = |by: u64| Received { moments: durable.iter().map(|at| at + by).collect(), ..Received::default() };
        let mut early = late(0);
        early.moments.pop();
        early.moments[50] -= 500_000;
        early.faults = 1;
        early.returns = 2;
        assert_eq!(
            Delivery::of(&durable, &[early, late(2_000_000)]),
            Delivery { p50: 2.0, p99: 2.0, slowest: 2.0, a_second: 199.0 / 0.101, faults: 1, returns: 2, missing: 1 }
        );
    }
}
