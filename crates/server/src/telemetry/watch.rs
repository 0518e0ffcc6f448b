//! The watch: sees every entry that the hub passes on, and tells it in all three ways.

use std::sync::Arc;
use tribunal_kernel::{Entry, Run};

use super::journal::{Journal, JournalLevel};
use super::otlp::ExportReport;
use super::{Exporter, JournalLine, Metrics, Tracer, journal};
use crate::hub::Observer;

/// Where lines go.
pub type Scribe = Box<dyn FnMut(&JournalLine) + Send>;

/// Counts, notes down and measures what runs do.
pub(crate) struct Watch {
    metrics: Arc<Metrics>,
    scribe: Option<Scribe>,
    traces: Option<(Tracer, Exporter)>,
    /// So many spans were lost when it was last told.
    dropped: u64,
}

impl Watch {
    pub(crate) fn new(metrics: Arc<Metrics>, scribe: Option<Scribe>, exporter: Option<Exporter>) -> Self {
        Self { metrics, scribe, traces: exporter.map(|exporter| (Tracer::default(), exporter)), dropped: 0 }
    }
}

impl Observer for Watch {
    fn observe(&mut self, run: &Run, entry: &Entry) {
        self.metrics.observe(run, entry);
        if let Some(scribe) = &mut self.scribe {
            journal::lines(run, entry).iter().for_each(scribe);
        }
        if let Some((tracer, exporter)) = &mut self.traces {
            exporter.send(tracer.fold(run, entry));
            let ExportReport { dropped, trouble, .. } = exporter.report();
            // Said once when it begins and then at the end of each run: a collector that is away is no reason to be loud.
            if let (Some(why), Some(scribe)) = (trouble, &mut self.scribe)
                && self.dropped < dropped
                && (self.dropped == 0 || run.end().is_some())
            {
                self.dropped = dropped;
                let lost = Journal::SpansDropped { dropped, why };
                scribe(&JournalLine::new(run, entry, JournalLevel::Warn, lost));
            }
            if run.end().is_some() {
                tracer.forget(run.spec().run);
            }
        }
    }

    fn readers(&mut self, now: usize, dropped: usize) {
        self.metrics.sse_subscribers.set(i64::try_from(now).unwrap_or(i64::MAX));
        self.metrics.sse_dropped.inc_by(u64::try_from(dropped).unwrap_or(u64::MAX));
    }
}
