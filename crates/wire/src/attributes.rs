//! `name="value"`, in any order, quotes and spacing.

use std::borrow::Cow;

use crate::class::{self, NAME, SPACE, VALUE};
use crate::entity;
use crate::key::Key;

/// The attributes of one tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes<'a> {
    inside: &'a [u8],
    spans: &'a Spans,
}

/// Where in the inside of a tag the values of its attributes are. Reused from tag to tag.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// By key; of any other attribute nobody asks for the value.
    list: [Span; Key::COUNT],
    /// One bit for each key that the tag has: what the list holds for the others is of some tag before it.
    present: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    /// Without quotes.
    value: (usize, usize),
    /// Whether the value may have entities.
    coded: bool,
}

impl<'a> Attributes<'a> {
    /// Of the spans that a scan of this `inside` found.
    pub(crate) fn new(inside: &'a [u8], spans: &'a Spans) -> Self {
        Self { inside, spans }
    }

    /// Looks up the values of several keys.
    pub(crate) fn pick<const N: usize>(self, keys: [Key; N]) -> [Option<Cow<'a, [u8]>>; N] {
        keys.map(|key| {
            let span = self.spans.get(key)?;
            let value = &self.inside[span.value.0..span.value.1];
            Some(if span.coded { entity::decode(value) } else { Cow::Borrowed(value) })
        })
    }
}

impl Spans {
    /// Finds the attributes in the inside of a tag, however they are written; what cannot be made out is stepped over.
    pub(crate) fn scan(&mut self, inside: &[u8]) {
        self.present = 0;
        let until = |from: usize, stop: &dyn Fn(u8) -> bool| {
            inside[from..].iter().position(|&byte| stop(byte)).map_or(inside.len(), |found| from + found)
        };
        let is_space = |byte: u8| byte.is_ascii_whitespace();
        let mut at = 0;
        loop {
            let start = until(at, &|byte| !is_space(byte) && byte != b'/' && byte != b'=');
            if start == inside.len() {
                return;
            }
            let end = until(start, &|byte| is_space(byte) || byte == b'/' || byte == b'=');
            let equals = until(end, &|byte| !is_space(byte));
            if inside.get(equals) != Some(&b'=') {
                self.put(&inside[start..end], Span { value: (end, end), coded: false });
                at = end;
                continue;
            }
            let value = until(equals + 1, &|byte| !is_space(byte));
            let (from, to) = match inside.get(value) {
                Some(&quote @ (b'"' | b'\'')) => (value + 1, until(value + 1, &|byte| byte == quote)),
                _ => (value, until(value, &is_space)),
            };
            self.put(&inside[start..end], Span { value: (from, to), coded: true });
            at = (to + 1).min(inside.len());
        }
    }

    /// Finds the attributes of a tag whose end is not known yet, if they are plainly written: names, quoted values without
    /// entities, white space. Returns the index of what follows them, which is not white space.
    pub(crate) fn scan_plain(&mut self, text: &[u8]) -> Option<usize> {
        self.present = 0;
        let mut at = 0;
        loop {
            let start = at + class::span(&text[at..], SPACE);
            let end = start + class::span(&text[start..], NAME);
            if start == end {
                return Some(start);
            }
            let (b'=', &quote @ (b'"' | b'\'')) = (text.get(end)?, text.get(end + 1)?) else { return None };
            let value = end + 2;
            let close = value + class::run(&text[value..], VALUE);
            if text.get(close) != Some(&quote) {
                return None;
            }
            self.put(&text[start..end], Span { value: (value, close), coded: false });
            at = close + 1;
        }
    }

    /// Of two attributes with one name the first counts.
    fn put(&mut self, name: &[u8], span: Span) {
        if let Some(key) = Key::read(name)
            && self.get(key).is_none()
        {
            self.list[key as usize] = span;
            self.present |= 1 << key as usize;
        }
    }

    fn get(&self, key: Key) -> Option<Span> {
        (self.present >> key as usize & 1 == 1).then(|| self.list[key as usize])
    }
}

/// Whether a quote that follows this text opens a value. The lexer asks, so that both agree on where a tag ends.
pub(crate) fn awaits_value(inside: &[u8]) -> bool {
    inside.trim_ascii_end().last() == Some(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_however_they_are_written() {
        let rows = [
            ("double quotes", r#" n="1" role="critic""#, [Some("1"), Some("critic")]),
            ("another order", r#" role="critic" n="1""#, [Some("1"), Some("critic")]),
            ("single quotes", " n='1' role='a \"b\"'", [Some("1"), Some("a \"b\"")]),
            ("spaces and line ends", "\n\tn\r\n =\n \"1\"\n  role = 'critic'\n", [Some("1"), Some("critic")]),
            ("no quotes", " n=1 role=critic", [Some("1"), Some("critic")]),
            ("no space between", r#" n="1"role="critic""#, [Some("1"), Some("critic")]),
            ("another letter case", r#" N="1" Role="critic""#, [Some("1"), Some("critic")]),
            ("first of two", r#" n="1" n="2""#, [Some("1"), None]),
            ("entities", r#" n="&#49;" role="a&amp;b""#, [Some("1"), Some("a&b")]),
            ("no value", r#" n role="critic""#, [Some(""), Some("critic")]),
            ("empty value", r#" n="""#, [Some(""), None]),
            ("a slash in a bare value", " n=8/10", [Some("8/10"), None]),
            ("angle brackets in a value", r#" n="<a>" role='>'"#, [Some("<a>"), Some(">")]),
            ("rubbish", r#" == "" '/ ="#, [None, None]),
            ("nothing", "", [None, None]),
        ];
        for (name, inside, expected) in rows {
            let mut spans = Spans::default();
            let expected = expected.map(|value| value.map(|value| Cow::Borrowed(value.as_bytes())));
            spans.scan(inside.as_bytes());
            assert_eq!(Attributes::new(inside.as_bytes(), &spans).pick([Key::N, Key::Role]), expected, "{name}");
            if spans.scan_plain(inside.as_bytes()) == Some(inside.len()) {
                assert_eq!(
                    Attributes::new(inside.as_bytes(), &spans).pick([Key::N, Key::Role]),
                    expected,
                    "{name}, plain"
                );
            }
        }
    }

    #[test]
    fn a_thousand_attributes_hide_none() {
        let mut spans = Spans::default();
        let inside = format!("{} n=\"2\"", " a=\"1\"".repeat(1000));
        spans.scan(inside.as_bytes());
        assert_eq!(Attributes::new(inside.as_bytes(), &spans).pick([Key::N]), [Some(b"2".as_slice().into())]);
        assert_eq!(spans.scan_plain(inside.as_bytes()), Some(inside.len()));
        assert_eq!(Attributes::new(inside.as_bytes(), &spans).pick([Key::N]), [Some(b"2".as_slice().into())]);
    }
}
