//! The example of the specification, fact by fact.

use crate::support::{SPECIMEN, at, parse, parse_chunks};
use tribunal_wire::{Fact, Parser, ParserSettings, WireEvent};

#[test]
fn a_run_is_read_fact_by_fact() {
    let expected = r#"run v1 rounds=3 threshold=8 scale=10
round 1
  designer
    designer notes "A calm hero."
    draft of round 1 "text/html"
    | "<h1>Hi</h1>"
    11 bytes
  /designer
  critic score=6.4 must_fix=1
    critic dim "contrast" score=4 "CTA 3.9:1, fails AA."
    critic must fix "Darken the CTA."
  /critic
  brand score=7 must_fix=0
  /brand
  a11y score=5.5 must_fix=1
    a11y must fix "Restore the focus ring."
  /a11y
  copy score=8 must_fix=0
  /copy
/round 1 composite=6.66 must_fix=2 continue "Below 8.0."
ship round=1 composite=6.66 status=shipped
  shipped artifact "text/html"
    | "<h1>Hello</h1>"
    14 bytes
  summary "One round."
/ship
/run
ok: run ended
"#;
    assert_eq!(parse(SPECIMEN).to_string(), expected);
}

#[test]
fn every_fact_knows_where_it_stands() {
    let record = parse(format!("noise {SPECIMEN}"));
    let stream = format!("noise {SPECIMEN}");
    for event in &record.events {
        let expected = match &event.fact {
            Fact::RunStarted { .. } => at(&stream, "<CRITIQUE_RUN"),
            Fact::RoundOpened { .. } => at(&stream, "<ROUND n"),
            Fact::PanelistOpened { role, .. } => at(&stream, &format!("<PANELIST role=\"{role}\"")),
            Fact::Noted { .. } => at(&stream, "<NOTES"),
            Fact::DimScored { .. } => at(&stream, "<DIM"),
            Fact::MustFixDemanded { text, .. } => at(&stream, &format!("<MUST_FIX>{text}")),
            Fact::ArtifactChunk(bytes) => at(&stream, str::from_utf8(bytes).unwrap()),
            Fact::RoundEnded { .. } => at(&stream, "<ROUND_END"),
            Fact::ShipOpened { .. } => at(&stream, "<SHIP"),
            Fact::Summarised { .. } => at(&stream, "<SUMMARY"),
            Fact::ShipClosed => at(&stream, "</SHIP"),
            Fact::RunEnded => at(&stream, "</CRITIQUE_RUN"),
            _ => continue,
        };
        assert_eq!(event.position, expected, "{event}");
    }
}

/// Lists, for every fact, how many bytes had been pushed when it was reported.
#[test]
fn a_fact_is_reported_with_the_byte_that_completes_it() {
    let mut parser = Parser::new(ParserSettings::default());
    let mut reported = Vec::new();
    for (index, byte) in SPECIMEN.bytes().enumerate() {
        parser.push(&[byte], &mut |event: WireEvent<'_>| reported.push((index + 1, event.fact.to_string()))).unwrap();
    }
    let completed_by = |fact: &str, tail: &str| {
        let (bytes, _) = reported.iter().find(|(_, line)| line.trim().starts_with(fact)).expect("the fact");
        assert!(SPECIMEN[..*bytes].ends_with(tail), "{fact} came after {:?}", &SPECIMEN[..*bytes]);
    };
    completed_by("run v1", "scale=\"10\">");
    completed_by("round 1", "<ROUND n=\"1\">");
    completed_by("critic score", "must_fix=\"1\">");
    completed_by("critic dim", "</DIM>");
    completed_by("critic must fix", "</MUST_FIX>");
    completed_by("draft of round 1", "mime=\"text/html\">");
    completed_by("| \"<\"", "<![CDATA[<");
    completed_by("/critic", "</PANELIST>");
    completed_by("/round 1", "</ROUND_END>");
    completed_by("ship", "status=\"shipped\">");
    completed_by("/run", "</CRITIQUE_RUN>");
}

#[test]
fn every_chunk_size_gives_the_same() {
    let whole = parse(SPECIMEN);
    for size in 1..=SPECIMEN.len() {
        assert_eq!(parse_chunks(ParserSettings::default(), SPECIMEN.as_bytes(), size), whole, "chunks of {size}");
    }
}

#[test]
fn an_error_stays_and_nothing_follows_it() {
    let mut parser = Parser::new(ParserSettings::default());
    let mut facts = 0;
    let broken = "<CRITIQUE_RUN version=\"1\"></ROUND>";
    let first = parser.push(broken.as_bytes(), &mut |_| facts += 1).unwrap_err();
    let second = parser.push(SPECIMEN.as_bytes(), &mut |_| facts += 1).unwrap_err();
    assert_eq!((facts, &first), (1, &second));
    assert_eq!(parser.finish().unwrap_err(), first);
    assert_eq!(first.to_string(), "malformed_block at byte 26: /ROUND does not close the innermost open tag");
}
