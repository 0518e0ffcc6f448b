//! Who reads the streams: our parser in chunks, and quick-xml as something to compare with.
//!
//! quick-xml pulls, so it cannot be pushed chunks. It reads either the whole stream from memory, which is what it does
//! best, or through a buffer of the chunk's size, which is as near as it comes to a stream that arrives. It knows nothing
//! of the protocol: it checks names, decodes text and walks attributes.

use std::hint::black_box;
use std::io::BufReader;
use std::time::Instant;

use anyhow::{Context, Result};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use tribunal_wire::{Fact, Parser, ParserSettings};

/// One pass over a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub(super) megabytes_per_second: f64,
    /// The most bytes that the reader held at any time.
    pub(super) held: usize,
}

/// Our parser. Held is what it keeps from one chunk to the next.
pub(super) fn ours(stream: &[u8], chunk: usize) -> Result<Pass> {
    let begun = Instant::now();
    let mut parser = Parser::new(ParserSettings::default());
    let (mut facts, mut bytes, mut held) = (0_u64, 0_usize, 0);
    for piece in stream.chunks(chunk) {
        let read = parser.push(piece, &mut |event| match event.fact {
            Fact::ArtifactChunk(piece) => bytes += piece.len(),
            _ => facts += 1,
        });
        read.context("our parser")?;
        held = held.max(parser.buffered());
    }
    black_box((facts, bytes));
    Ok(pass(stream, begun, held))
}

/// quick-xml with the whole stream in memory, where it copies nothing: held is the stream.
pub(super) fn quick_xml_in_memory(stream: &[u8]) -> Result<Pass> {
    let begun = Instant::now();
    let mut reader = Reader::from_reader(stream);
    let mut seen = 0;
    loop {
        match reader.read_event().context("quick-xml")? {
            Event::Eof => break,
            event => seen += look(&event)?,
        }
    }
    black_box(seen);
    Ok(pass(stream, begun, stream.len()))
}

/// quick-xml through a buffer: held are that buffer and the event that quick-xml puts together beside it.
pub(super) fn quick_xml_buffered(stream: &[u8], chunk: usize) -> Result<Pass> {
    let begun = Instant::now();
    let mut reader = Reader::from_reader(BufReader::with_capacity(chunk, stream));
    let (mut seen, mut event_bytes) = (0, Vec::new());
    loop {
        match reader.read_event_into(&mut event_bytes).context("quick-xml")? {
            Event::Eof => break,
            event => seen += look(&event)?,
        }
        event_bytes.clear();
    }
    black_box(seen);
    Ok(pass(stream, begun, event_bytes.capacity() + chunk))
}

/// What anybody would at least do with an event.
fn look(event: &Event<'_>) -> Result<usize> {
    Ok(match event {
        Event::Start(tag) | Event::Empty(tag) => attributes(tag)?,
        Event::Text(text) => text.len(),
        Event::CData(text) => text.len(),
        _ => 1,
    })
}

fn attributes(tag: &BytesStart<'_>) -> Result<usize> {
    let mut bytes = 0;
    for attribute in tag.attributes() {
        bytes += attribute?.value.len();
    }
    Ok(bytes)
}

fn pass(stream: &[u8], begun: Instant, held: usize) -> Pass {
    Pass { megabytes_per_second: stream.len() as f64 / 1e6 / begun.elapsed().as_secs_f64(), held }
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Artifacts, Form, stream};
    use super::*;

    #[test]
    fn all_of_them_read_the_same_streams() {
        for form in [Form::Cdata, Form::Inline] {
            let stream = stream(50_000, Artifacts::Each(2_000), form);
            assert!(ours(&stream, 64).unwrap().held < 300, "{form:?}");
            assert_eq!(quick_xml_in_memory(&stream).unwrap().held, stream.len(), "{form:?}");
            assert!(quick_xml_buffered(&stream, 64).unwrap().held < 10_000, "{form:?}");
        }
    }
}
