//! However a stream is cut, the parser says the same about it: over generated streams that shrink when one fails.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use tribunal_wire::{ParserSettings, write};

use crate::bounds;
use crate::streams::{damaged, run, soup};

fn same_however_cut(settings: &ParserSettings, stream: &[u8], at: &[Index]) {
    let cuts: Vec<usize> = at.iter().map(|index| index.index(stream.len() + 1)).collect();
    bounds::same_however_cut(settings, stream, &cuts);
}

fn settings() -> impl Strategy<Value = ParserSettings> {
    select(&[16, 60, 200, 1024, 262_144][..])
        .prop_map(|max_block_bytes| ParserSettings { max_block_bytes, ..ParserSettings::default() })
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
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_streams(facts in run(), at in cuts()) {
        same_however_cut(&ParserSettings::default(), &write(&facts), &at);
    }

    #[test]
    fn damaged_streams(settings in settings(), stream in run().prop_flat_map(|facts| damaged(write(&facts))), at in cuts()) {
        same_however_cut(&settings, &stream, &at);
    }
}
