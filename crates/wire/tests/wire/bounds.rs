//! What holds for every stream whatever it says: the parser does not panic, keeps no more than it may, works no more than
//! linearly, and says the same however the stream is cut. Shared with the fuzz target.

use tribunal_wire::{Parser, ParserSettings, StreamRecord};

/// Bytes looked at for each byte of a stream, at most.
const WORK_PER_BYTE: u64 = 6;

/// What may be looked at beyond that, however short the stream.
const WORK_AT_LEAST: u64 = 64;

/// Block caps to choose from: so small that everything is too long, the least that is allowed, and the default.
const CAPS: [usize; 5] = [16, 60, 200, 1024, 262_144];

/// A chunk of a random cutting is at most so long.
const CHUNK_MAX: usize = 96;

/// Bytes at the end of a fuzzer's input that choose cap and cuts. At the end, so that what is before them is the stream
/// as it stands, and a corpus can be read.
const CHOICE_BYTES: usize = 3;

/// The whole check, with everything chosen by the bytes themselves.
pub(crate) fn check(data: &[u8]) {
    let (stream, choice) = data.split_at(data.len().saturating_sub(CHOICE_BYTES));
    let choice = choice.iter().fold(0_usize, |choice, byte| choice << 8 | usize::from(*byte));
    let settings = ParserSettings { max_block_bytes: CAPS[choice % CAPS.len()], ..ParserSettings::default() };
    same_however_cut(&settings, stream, &cuts(stream.len(), choice));
}

/// Parses the stream at once, byte by byte, and cut at these places.
#[track_caller]
pub(crate) fn same_however_cut(settings: &ParserSettings, stream: &[u8], cuts: &[usize]) {
    let whole = parse_bounded(settings, [stream]);
    assert_eq!(parse_bounded(settings, stream.chunks(1)), whole, "byte by byte");
    assert_eq!(parse_bounded(settings, pieces(stream, cuts)), whole, "cut at {cuts:?}");
}

/// Parses in these chunks and checks, after each, what is kept and how much work it was.
#[track_caller]
pub(crate) fn parse_bounded<'c>(settings: &ParserSettings, chunks: impl IntoIterator<Item = &'c [u8]>) -> StreamRecord {
    let chunks: Vec<&[u8]> = chunks.into_iter().collect();
    let mut parser = Parser::new(settings.clone());
    for chunk in &chunks {
        let failed = parser.push(chunk, &mut |_| ()).is_err();
        let (kept, work, bytes) = (parser.buffered(), parser.work(), parser.position());
        assert!(kept <= settings.max_block_bytes, "{kept} bytes kept");
        assert!(work <= WORK_PER_BYTE * bytes + WORK_AT_LEAST, "{work} bytes looked at of {bytes}");
        if failed {
            break;
        }
    }
    StreamRecord::of(settings.clone(), chunks)
}

fn pieces<'s>(stream: &'s [u8], cuts: &[usize]) -> Vec<&'s [u8]> {
    let mut cuts = cuts.to_vec();
    cuts.sort_unstable();
    let mut from = 0;
    let ends = cuts.into_iter().chain([stream.len()]);
    ends.map(|to| &stream[std::mem::replace(&mut from, to)..to]).collect()
}

/// Places all over a stream, from a number.
fn cuts(len: usize, choice: usize) -> Vec<usize> {
    let mut step = choice;
    let places = std::iter::successors(Some(0), |at| {
        // Any walk over the remainders does: it only has to differ from number to number.
        step = step.wrapping_mul(0x6_255).wrapping_add(0x3619) & 0xffff;
        Some(at + 1 + (step >> 4) % CHUNK_MAX)
    });
    places.take_while(|at| *at < len).skip(1).collect()
}
