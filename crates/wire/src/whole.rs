//! The common case: a tag, or a tag with its text and closing tag, that is all there in the chunk, plainly written.
//!
//! Whatever is not plain — cut off, interrupted by control characters, running into another tag — is left to the
//! lexer's states, which read anything. Here nothing is decided that they would decide otherwise.

use memchr::memchr3;

use crate::ansi::ESC;
use crate::attributes::Spans;
use crate::class::{self, SPACE};
use crate::entity;
use crate::tag::{Form, Name};

#[derive(Debug)]
pub(crate) struct WholeTag<'a> {
    pub(crate) name: Name,
    pub(crate) form: Form,
    pub(crate) inside: &'a [u8],
    pub(crate) len: usize,
}

/// Reads the protocol tag that begins with the first byte.
pub(crate) fn whole_tag<'a>(text: &'a [u8], spans: &mut Spans) -> Option<WholeTag<'a>> {
    let closing = text.get(1) == Some(&b'/');
    let after_angle = text.get(if closing { 2 } else { 1 }..)?;
    let (name, after_name) = leading_name(after_angle)?;
    let (form, inside, end) = match after_name.first()? {
        b'>' if closing => (Form::Close, b"".as_slice(), 1),
        _ if closing => return None,
        b'>' | b'/' => {
            spans.scan(b"");
            end(after_name, 0)?
        }
        &byte if class::is(byte, SPACE) => end(after_name, spans.scan_plain(after_name)?)?,
        _ => return None,
    };
    Some(WholeTag { name, form, inside, len: text.len() - after_name.len() + end })
}

/// Reads the text that follows an open tag, and its closing tag, if nothing else is between. Returns how long both are and
/// leaves the text, decoded, in `decoded`.
pub(crate) fn whole_text(name: Name, text: &[u8], decoded: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    loop {
        let run = memchr3(b'<', b'&', ESC, &text[at..])?;
        decoded.extend_from_slice(&text[at..at + run]);
        at += run;
        match text[at] {
            b'&' => {
                let (character, len) = entity::leading(&text[at..])?;
                decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += len;
            }
            b'<' => {
                let closed = text[at..].strip_prefix(b"</")?.strip_prefix(name.as_str().as_bytes())?;
                return closed.starts_with(b">").then_some(text.len() - closed.len() + 1);
            }
            _ => return None,
        }
    }
}

/// The protocol's name at the start, as we write it ourselves, and what follows it.
fn leading_name(text: &[u8]) -> Option<(Name, &[u8])> {
    // One candidate for each first letter, so that the comparisons have fixed lengths and cost next to nothing.
    let (name, rest) = match text.first()? {
        b'A' => (Name::Artifact, text.strip_prefix(b"ARTIFACT")?),
        b'C' => (Name::CritiqueRun, text.strip_prefix(b"CRITIQUE_RUN")?),
        b'D' => (Name::Dim, text.strip_prefix(b"DIM")?),
        b'M' => (Name::MustFix, text.strip_prefix(b"MUST_FIX")?),
        b'N' => (Name::Notes, text.strip_prefix(b"NOTES")?),
        b'P' => (Name::Panelist, text.strip_prefix(b"PANELIST")?),
        b'R' => match text.strip_prefix(b"ROUND") {
            Some(rest) => rest.strip_prefix(b"_END").map_or((Name::Round, rest), |rest| (Name::RoundEnd, rest)),
            None => (Name::Reason, text.strip_prefix(b"REASON")?),
        },
        b'S' => match text.strip_prefix(b"SHIP") {
            Some(rest) => (Name::Ship, rest),
            None => (Name::Summary, text.strip_prefix(b"SUMMARY")?),
        },
        _ => return None,
    };
    Some((name, rest))
}

/// `>` or `/>` at `at`, and nothing else.
fn end(text: &[u8], at: usize) -> Option<(Form, &[u8], usize)> {
    match text[at..] {
        [b'>', ..] => Some((Form::Open, &text[..at], at + 1)),
        [b'/', b'>', ..] => Some((Form::Empty, &text[..at], at + 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_read_to_its_closing_tag_and_any_other_left_alone() {
        let rows = [
            ("text", "Darken it.</DIM> x", Some(("Darken it.", 16))),
            ("nothing", "</DIM>", Some(("", 6))),
            ("entities", "a &lt; b &amp; c</DIM>", Some(("a < b & c", 22))),
            ("no entity", "AT&T</DIM>", None),
            ("cut in the text", "Darken", None),
            ("cut in the closing tag", "Darken</DIM", None),
            ("another closing tag", "Darken</NOTES>", None),
            ("a longer name", "Darken</DIMS>", None),
            ("another tag", "Darken <b>it</b></DIM>", None),
            ("an escape", "Darken\x1b[0m</DIM>", None),
        ];
        for (name, text, expected) in rows {
            let mut decoded = Vec::new();
            let len = whole_text(Name::Dim, text.as_bytes(), &mut decoded);
            let read = len.map(|len| (String::from_utf8(decoded).unwrap(), len));
            assert_eq!(read, expected.map(|(text, len)| (text.to_owned(), len)), "{name}");
        }
    }

    #[test]
    fn plain_tags_are_read_at_once_and_others_left_alone() {
        let rows = [
            ("open", "<ROUND n=\"1\"> x", Some((Name::Round, Form::Open, " n=\"1\"", 13))),
            ("empty", "<DIM/>", Some((Name::Dim, Form::Empty, "", 6))),
            ("close", "</MUST_FIX>", Some((Name::MustFix, Form::Close, "", 11))),
            ("another letter case", "</must_fix>", None),
            ("quoted brackets", "<DIM name='<a>'>", Some((Name::Dim, Form::Open, " name='<a>'", 16))),
            ("cut in the name", "<ROUN", None),
            ("cut after the name", "<ROUND", None),
            ("cut inside", "<ROUND n=\"1", None),
            ("cut before the end", "<ROUND n=\"1\"", None),
            ("name too long", "<ROUND_ENDING>", None),
            ("unknown", "<b>", None),
            ("broken", "<ROUND <", None),
            ("bare value", "<ROUND n=1>", None),
            ("control character", "<ROUND\0>", None),
            ("control character in a value", "<ROUND n=\"\x1b1\">", None),
            ("space before the end", "</ROUND >", None),
            ("nothing", "<", None),
        ];
        for (name, text, expected) in rows {
            let expected = expected.map(|(name, form, inside, len)| (name, form, inside.as_bytes(), len));
            let read = whole_tag(text.as_bytes(), &mut Spans::default());
            assert_eq!(read.map(|tag| (tag.name, tag.form, tag.inside, tag.len)), expected, "{name}");
        }
    }
}
