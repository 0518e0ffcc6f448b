//! What is written is read.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tribunal_wire::{Fact, ParserSettings, StreamEnd, Writer, write};

use crate::streams::run;
use crate::support::{SPECIMEN, artifacts, parse, parse_chunks};

/// What an artifact must be made of to be taken for its own end.
const SCRAPS: &[&str] = &["x", "]", "]]", "]]>", ">", "<", "<![CDATA[", "</ARTIFACT>", "</PANELIST>"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_what_was_written_gives_what_was_meant(facts in run()) {
        let record = parse(write(&facts));
        prop_assert_eq!(record.facts().collect::<Vec<_>>(), facts.iter().collect::<Vec<_>>());
        prop_assert_eq!(record.end, Ok(StreamEnd::RunEnded));
    }

    #[test]
    fn an_artifact_may_be_written_in_any_pieces(scraps in vec(select(SCRAPS), 1..20), size in 1..5_usize) {
        let bytes = scraps.concat();
        let mut writer = Writer::new();
        let draft = parse(SPECIMEN);
        for fact in draft.facts() {
            if let Fact::ArtifactChunk(_) = fact {
                bytes.as_bytes().chunks(size).for_each(|piece| writer.write(&Fact::ArtifactChunk(piece.into())));
            } else {
                writer.write(fact);
            }
        }
        let record = parse_chunks(ParserSettings::default(), &writer.take(), size);
        prop_assert_eq!(&record.end, &Ok(StreamEnd::RunEnded));
        prop_assert_eq!(artifacts(&record), [bytes.as_bytes(), bytes.as_bytes()]);
    }
}

#[test]
fn the_specimen_survives() {
    let record = parse(SPECIMEN);
    assert_eq!(parse(write(record.facts())).to_string(), record.to_string());
}
