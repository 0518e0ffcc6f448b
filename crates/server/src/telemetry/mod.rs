//! What the server tells of the runs that it sees, to people who watch many of them.
//!
//! Everything here is a projection of the log: an entry, and the run after it, come in; numbers, lines and spans come
//! out. Neither kernel nor engine knows of it, and nothing here can hold up a run.
//!
//! Each entry is taken once, when it becomes durable. What happened before the server started is in the log, and is
//! not told again: counters start at zero, as those who scrape them expect.
//!
//! | file | noun |
//! |---|---|
//! | `labels` | by which words runs and turns are told apart |
//! | `metrics` | counters and histograms for Prometheus |
//! | `money` | what was paid, exactly |
//! | `journal` | a line for what a person on call wants to know |
//! | `traces`, `span` | how long everything took, as spans |
//! | `watch` | what sees every entry and passes it to the others |
//! | `otlp` | spans on their way to a collector |

pub mod journal;
mod labels;
pub mod metrics;
mod money;
pub mod otlp;
mod span;
pub mod traces;
mod watch;

#[cfg(test)]
mod tests;

pub use journal::{Journal, JournalLine};
pub use metrics::Metrics;
pub use otlp::Exporter;
pub use span::{SpanId, SpanStatus, TraceId, TraceSpan, Value};
pub use traces::Tracer;
pub use watch::Scribe;
pub(crate) use watch::Watch;
