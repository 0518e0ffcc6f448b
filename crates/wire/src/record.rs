//! A whole parse at once, in owned events: for tests, tools and small inputs.

use std::borrow::Cow;

use crate::error::Error;
use crate::event::{Fact, WireEvent};
use crate::parser::{Parser, StreamEnd};
use crate::settings::ParserSettings;

/// Everything a stream said, with each artifact's pieces joined, so that two cuttings of one stream compare equal.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamRecord {
    pub events: Vec<WireEvent<'static>>,
    pub end: Result<StreamEnd, Error>,
}

impl StreamRecord {
    /// Parses a stream that arrives in these chunks.
    pub fn of<'c>(settings: ParserSettings, chunks: impl IntoIterator<Item = &'c [u8]>) -> Self {
        let mut parser = Parser::new(settings);
        let mut events = Vec::new();
        for chunk in chunks {
            // An error is kept by the parser and comes back from `finish`.
            if parser.push(chunk, &mut |event| join(&mut events, event)).is_err() {
                break;
            }
        }
        Self { events, end: parser.finish() }
    }

    pub fn facts(&self) -> impl Iterator<Item = &Fact<'static>> {
        self.events.iter().map(|event| &event.fact)
    }
}

/// Appends an event; a piece of an artifact is joined to the piece before it.
fn join(events: &mut Vec<WireEvent<'static>>, event: WireEvent<'_>) {
    if let Fact::ArtifactChunk(more) = &event.fact
        && let Some(WireEvent { fact: Fact::ArtifactChunk(Cow::Owned(sofar)), .. }) = events.last_mut()
    {
        sofar.extend_from_slice(more);
        return;
    }
    events.push(event.into_owned());
}
