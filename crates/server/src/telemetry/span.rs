//! A span: something that took a while, and what it was part of.

use std::fmt;
use tribunal_kernel::{RunId, Time};

/// A run's trace. Its id is the run's id, so that whoever knows the run finds the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(pub [u8; 16]);

/// Derived from the run and from what the span is about, not drawn: the same log always gives the same spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(pub [u8; 8]);

/// Something that took a while.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSpan {
    pub trace: TraceId,
    pub id: SpanId,
    pub parent: Option<SpanId>,
    pub name: &'static str,
    pub start: Time,
    pub end: Time,
    pub attributes: Vec<(&'static str, Value)>,
    pub status: SpanStatus,
}

/// What is said of a span.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Count(u64),
    Number(f64),
}

/// Whether it went as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanStatus {
    Unset,
    Ok,
    Error,
}

impl From<RunId> for TraceId {
    fn from(run: RunId) -> Self {
        Self(run.0.into_bytes())
    }
}

impl SpanId {
    /// The id of a run's span of this name that `parts` tell from the others.
    pub(super) fn derive(run: RunId, name: &str, parts: &[u64]) -> Self {
        let parts: Vec<[u8; 8]> = parts.iter().map(|part| part.to_be_bytes()).collect();
        let parts: Vec<&[u8]> = parts.iter().map(<[u8; 8]>::as_slice).collect();
        let mut id = [0; 8];
        id.copy_from_slice(&run.derive(name, &parts).as_bytes()[..8]);
        Self(id)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => count.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
