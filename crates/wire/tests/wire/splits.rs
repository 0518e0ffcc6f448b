//! However a stream is cut, the parser says the same about it, keeps no more than it may, and works no more than linearly.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use tribunal_wire::{Parser, Record, Settings, write};

use crate::streams::{damaged, run, soup};

/// Bytes looked at for each byte of a stream, at most.
pub(crate) const WORK_PER_BYTE: u64 = 6;

/// Parses in these chunks and checks, after each, what is kept and how much work it was.
#[track_caller]
pub(crate) fn parse_bounded<'c>(settings: &Settings, chunks: impl IntoIterator<Item = &'c [u8]>) -> Record {
    let chunks: Vec<&[u8]> = chunks.into_iter().collect();
    let mut parser = Parser::new(settings.clone());
    for chunk in &chunks {
        let failed = parser.push(chunk, &mut |_| ()).is_err();
        let (kept, work, bytes) = (parser.buffered(), parser.work(), parser.position());
        assert!(kept <= settings.max_block_bytes, "{kept} bytes kept");
        assert!(work <= WORK_PER_BYTE * bytes + 64, "{work} bytes looked at of {bytes}");
        if failed {
            break;
        }
    }
    Record::of(settings.clone(), chunks)
}

fn cut<'s>(stream: &'s [u8], at: &[Index]) -> Vec<&'s [u8]> {
    let mut cuts: Vec<usize> = at.iter().map(|index| index.index(stream.len() + 1)).collect();
    cuts.sort_unstable();
    let mut chunks = Vec::new();
    let mut from = 0;
    for to in cuts.into_iter().chain([stream.len()]) {
        chunks.push(&stream[from..to]);
        from = to;
    }
    chunks
}

fn same_however_cut(settings: &Settings, stream: &[u8], at: &[Index]) {
    let whole = parse_bounded(settings, [stream]);
    assert_eq!(parse_bounded(settings, stream.chunks(1)), whole, "byte by byte");
    assert_eq!(parse_bounded(settings, cut(stream, at)), whole, "cut at random");
}

fn settings() -> impl Strategy<Value = Settings> {
    select(&[16, 60, 200, 1024, 262_144][..])
        .prop_map(|max_block_bytes| Settings { max_block_bytes, ..Settings::default() })
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soups(settings in settings(), stream in soup(), at in cuts()) {
        same_however_cut(&settings, &stream, &at);
    }

    #[test]
    fn arbitrary_bytes(settings in settings(), stream in prop::collection::vec(any::<u8>(), 0..300), at in cuts()) {
        same_however_cut(&settings, &stream, &at);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_streams(facts in run(), at in cuts()) {
        same_however_cut(&Settings::default(), &write(&facts), &at);
    }

    #[test]
    fn damaged_streams(settings in settings(), stream in run().prop_flat_map(|facts| damaged(write(&facts))), at in cuts()) {
        same_however_cut(&settings, &stream, &at);
    }
}
