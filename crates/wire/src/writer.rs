//! The protocol, written: what the parser makes of it is what was written.

use std::borrow::Cow;
use std::fmt::Display;

use memchr::memmem;

use crate::body::{SECTION_END, SECTION_START};
use crate::event::{Fact, ShipStatus};

/// Turns facts into the bytes of a stream.
///
/// Facts must come in the order in which a parser reports them. Warnings write nothing, as they say nothing.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    /// `]` at the end of the artifact so far: none, one, or two and more.
    brackets: usize,
}

impl Writer {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write(&mut self, fact: &Fact<'_>) {
        match fact {
            Fact::RunStarted { version, max_rounds, threshold, scale } => {
                self.open("CRITIQUE_RUN");
                self.attribute("version", Some(version));
                self.attribute("maxRounds", max_rounds.as_ref());
                self.attribute("threshold", threshold.as_ref());
                self.attribute("scale", scale.as_ref());
                self.put(">\n");
            }
            Fact::RoundOpened { round } => {
                self.open("ROUND");
                self.attribute("n", Some(round));
                self.put(">\n");
            }
            Fact::PanelistOpened { role, score, must_fix, .. } => {
                self.open("PANELIST");
                self.attribute("role", Some(&escaped(role)));
                self.attribute("score", score.as_ref());
                self.attribute("must_fix", must_fix.as_ref());
                self.put(">\n");
            }
            Fact::Noted { text, .. } => self.element("NOTES", text),
            Fact::DimScored { name, score, note, .. } => {
                self.open("DIM");
                self.attribute("name", Some(&escaped(name)));
                self.attribute("score", score.as_ref());
                self.put(">");
                self.put(&escaped(note));
                self.put("</DIM>\n");
            }
            Fact::MustFixDemanded { text, .. } => self.element("MUST_FIX", text),
            Fact::PanelistClosed { .. } => self.put("</PANELIST>\n"),
            Fact::ArtifactOpened { mime, .. } => {
                self.open("ARTIFACT");
                self.attribute("mime", Some(&escaped(mime)));
                self.put(">");
                self.out.extend_from_slice(SECTION_START);
                self.brackets = 0;
            }
            Fact::ArtifactChunk(bytes) => self.section(bytes),
            Fact::ArtifactClosed { .. } => {
                self.out.extend_from_slice(SECTION_END);
                self.put("</ARTIFACT>\n");
            }
            Fact::RoundEnded { round, composite, must_fix, decision, reason } => {
                self.open("ROUND_END");
                self.attribute("n", Some(round));
                self.attribute("composite", composite.as_ref());
                self.attribute("must_fix", must_fix.as_ref());
                self.attribute("decision", Some(&decision.as_str()));
                self.put(">");
                self.element("REASON", reason);
                self.put("</ROUND_END>\n</ROUND>\n");
            }
            Fact::ShipOpened { round, composite, status } => {
                self.open("SHIP");
                self.attribute("round", round.as_ref());
                self.attribute("composite", composite.as_ref());
                self.attribute("status", status.map(ShipStatus::as_str).as_ref());
                self.put(">\n");
            }
            Fact::Summarised { text } => self.element("SUMMARY", text),
            Fact::ShipClosed => self.put("</SHIP>\n"),
            Fact::RunEnded => self.put("</CRITIQUE_RUN>\n"),
            Fact::Warned(_) => {}
        }
    }

    /// Takes what has been written since the last time, so that a long stream need not be kept whole.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn element(&mut self, tag: &str, text: &str) {
        self.open(tag);
        self.put(">");
        self.put(&escaped(text));
        self.put("</");
        self.put(tag);
        self.put(">\n");
    }

    fn open(&mut self, tag: &str) {
        self.put("<");
        self.put(tag);
    }

    /// `value` is escaped already, or is a number.
    fn attribute(&mut self, name: &str, value: Option<&impl Display>) {
        if let Some(value) = value {
            self.put(&format!(" {name}=\"{value}\""));
        }
    }

    /// Splits every `]]>` over two sections, also where it is split over two pieces.
    fn section(&mut self, piece: &[u8]) {
        let mut rest = piece;
        let lead = piece.iter().take_while(|&&byte| byte == b']').count();
        let joined = 2 <= self.brackets + lead && lead < 2 && piece.get(lead) == Some(&b'>');
        if joined {
            let (before, after) = piece.split_at(lead);
            self.out.extend_from_slice(before);
            self.split_section();
            rest = after;
        }
        while let Some(at) = memmem::find(rest, SECTION_END) {
            let (before, after) = rest.split_at(at + SECTION_END.len() - 1);
            self.out.extend_from_slice(before);
            self.split_section();
            rest = after;
        }
        self.out.extend_from_slice(rest);
        let tail = piece.iter().rev().take_while(|&&byte| byte == b']').take(2).count();
        self.brackets = if tail == piece.len() { (self.brackets + tail).min(2) } else { tail };
    }

    fn split_section(&mut self) {
        self.out.extend_from_slice(SECTION_END);
        self.out.extend_from_slice(SECTION_START);
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Writes a whole stream.
pub fn write<'f, 'a: 'f>(facts: impl IntoIterator<Item = &'f Fact<'a>>) -> Vec<u8> {
    let mut writer = Writer::new();
    for fact in facts {
        writer.write(fact);
    }
    writer.take()
}

/// Text or a value without anything that a parser would take for markup.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}
