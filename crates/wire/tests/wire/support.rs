//! What the tests of the parser share: short ways to write streams and to read what came of them.

use tribunal_wire::{Error, Fact, ParserSettings, StreamRecord, WireEvent};

/// A complete run with every kind of tag, as the specification shows it.
pub(crate) const SPECIMEN: &str = r#"<CRITIQUE_RUN version="1" maxRounds="3" threshold="8.0" scale="10">
  <ROUND n="1">
    <PANELIST role="designer"><NOTES>A calm hero.</NOTES><ARTIFACT mime="text/html"><![CDATA[<h1>Hi</h1>]]></ARTIFACT></PANELIST>
    <PANELIST role="critic" score="6.4" must_fix="1">
      <DIM name="contrast" score="4">CTA 3.9:1, fails AA.</DIM>
      <MUST_FIX>Darken the CTA.</MUST_FIX>
    </PANELIST>
    <PANELIST role="brand" score="7" must_fix="0"></PANELIST>
    <PANELIST role="a11y" score="5.5" must_fix="1"><MUST_FIX>Restore the focus ring.</MUST_FIX></PANELIST>
    <PANELIST role="copy" score="8" must_fix="0"/>
    <ROUND_END n="1" composite="6.66" must_fix="2" decision="continue"><REASON>Below 8.0.</REASON></ROUND_END>
  </ROUND>
  <SHIP round="1" composite="6.66" status="shipped"><ARTIFACT mime="text/html"><![CDATA[<h1>Hello</h1>]]></ARTIFACT><SUMMARY>One round.</SUMMARY></SHIP>
</CRITIQUE_RUN>
"#;

/// The designer's part of a first round, without which no round may close.
pub(crate) const DRAFT: &str =
    r#"<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<p>]]></ARTIFACT></PANELIST>"#;

/// What the parser makes of [`DRAFT`].
pub(crate) const DRAFT_LINES: &str = r#"  designer
    draft of round 1 "text/html"
    | "<p>"
    3 bytes
  /designer
"#;

/// Parses a stream in one piece under the default settings.
pub(crate) fn parse(stream: impl AsRef<[u8]>) -> StreamRecord {
    parse_under(ParserSettings::default(), stream)
}

pub(crate) fn parse_under(settings: ParserSettings, stream: impl AsRef<[u8]>) -> StreamRecord {
    StreamRecord::of(settings, [stream.as_ref()])
}

pub(crate) fn parse_chunks(settings: ParserSettings, stream: &[u8], size: usize) -> StreamRecord {
    StreamRecord::of(settings, stream.chunks(size))
}

/// A first round around these blocks, in a run.
pub(crate) fn round(blocks: &str) -> String {
    format!("<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\">{DRAFT}{blocks}</ROUND></CRITIQUE_RUN>")
}

/// A run of one complete round and whatever follows it.
pub(crate) fn after_round(rest: &str) -> String {
    format!("<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\">{DRAFT}</ROUND>{rest}</CRITIQUE_RUN>")
}

/// A critic that says this, in a complete run.
pub(crate) fn critic(says: &str) -> String {
    round(&format!("<PANELIST role=\"critic\" score=\"6\">{says}</PANELIST>"))
}

/// The lines of the blocks in a [`round`]: everything between the draft and the end.
pub(crate) fn in_round(record: &StreamRecord) -> String {
    between(record, &format!("run v1\nround 1\n{DRAFT_LINES}"), "/round 1 continue \"\"\n/run\nok: run ended\n")
}

/// The lines of what a [`critic`] said.
pub(crate) fn in_critic(record: &StreamRecord) -> String {
    let head = format!("run v1\nround 1\n{DRAFT_LINES}  critic score=6\n");
    between(record, &head, "  /critic\n/round 1 continue \"\"\n/run\nok: run ended\n")
}

pub(crate) fn between(record: &StreamRecord, head: &str, tail: &str) -> String {
    let lines = record.to_string();
    match lines.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) {
        Some(middle) => middle.to_owned(),
        None => panic!("not between\n{head}…\n{tail}but\n{lines}"),
    }
}

/// Kind and position of every warning.
pub(crate) fn warnings(record: &StreamRecord) -> Vec<(&'static str, u64)> {
    let warning = |event: &WireEvent<'_>| match &event.fact {
        Fact::Warned(warning) => Some((warning.kind(), event.position)),
        _ => None,
    };
    record.events.iter().filter_map(warning).collect()
}

/// Kind and position of the error that ended the stream.
#[track_caller]
pub(crate) fn error(record: &StreamRecord) -> (&'static str, u64) {
    let error: &Error = record.end.as_ref().expect_err("the stream to fail");
    (error.kind(), error.position())
}

/// Position of the first occurrence, for expectations.
#[track_caller]
pub(crate) fn at(stream: &str, needle: &str) -> u64 {
    stream.find(needle).expect("needle in the stream") as u64
}

/// The artifacts' bytes, one after the other.
pub(crate) fn artifacts(record: &StreamRecord) -> Vec<Vec<u8>> {
    let mut artifacts = Vec::new();
    for fact in record.facts() {
        match fact {
            Fact::ArtifactOpened { .. } => artifacts.push(Vec::new()),
            Fact::ArtifactChunk(bytes) => artifacts.last_mut().expect("an open artifact").extend_from_slice(bytes),
            _ => {}
        }
    }
    artifacts
}
