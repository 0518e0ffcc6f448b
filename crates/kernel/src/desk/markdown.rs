//! Markdown, as far as plans and memories need it: lines that know what they are.
//!
//! People and models write these files by hand, so a line is read for what it evidently is, not by the letter of
//! `CommonMark`. One rule is not bent: what stands inside a code fence is code, whatever it looks like.

/// A line and what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// From 1.
    pub(super) number: u32,
    pub(crate) raw: &'t str,
    pub(crate) kind: Kind<'t>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    Blank,
    Heading {
        level: usize,
        text: &'t str,
    },
    /// A bullet, a checkbox, or a numbered line, without its mark.
    Item {
        indent: usize,
        text: &'t str,
    },
    /// A table's row, with its bars.
    Row(&'t str),
    /// A fence that opens, with the language it names.
    Opening(&'t str),
    Closing,
    Code(&'t str),
    Comment,
    Text(&'t str),
}

/// The lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut state = State::Open;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).map(move |(number, raw)| Line { number, raw, kind: state.read(raw) })
}

/// What the line before leaves open.
enum State {
    Open,
    Comment,
    Fence { mark: u8, length: usize },
}

impl State {
    fn read<'t>(&mut self, raw: &'t str) -> Kind<'t> {
        let text = raw.trim();
        match *self {
            Self::Comment => {
                if text.contains("-->") {
                    *self = Self::Open;
                }
                Kind::Comment
            }
            Self::Fence { mark, length } => match fence(text) {
                Some((found, count, "")) if found == mark && length <= count => {
                    *self = Self::Open;
                    Kind::Closing
                }
                _ => Kind::Code(raw),
            },
            Self::Open => {
                if let Some((mark, length, info)) = fence(text) {
                    *self = Self::Fence { mark, length };
                    return Kind::Opening(info);
                }
                if let Some(comment) = text.strip_prefix("<!--") {
                    if !comment.contains("-->") {
                        *self = Self::Comment;
                    }
                    return Kind::Comment;
                }
                plain(raw, text)
            }
        }
    }
}

/// What a line outside of fences and comments is.
fn plain<'t>(raw: &'t str, text: &'t str) -> Kind<'t> {
    if text.is_empty() {
        return Kind::Blank;
    }
    if let Some((level, text)) = heading(text) {
        return Kind::Heading { level, text };
    }
    if text.starts_with('|') {
        return Kind::Row(text);
    }
    match item(text) {
        Some(text) => Kind::Item { indent: indent(raw), text },
        None => Kind::Text(text),
    }
}

/// The mark of a fence, its length, and what follows it.
fn fence(text: &str) -> Option<(u8, usize, &str)> {
    let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    let info = text[length..].trim();
    (length >= 3 && !info.contains('`')).then_some((mark, length, info))
}

/// `##Title` is taken for a heading, `#!` and `#tag` are not.
fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[level..];
    let is_heading = match rest.chars().next() {
        None => level > 0,
        Some(next) => next.is_whitespace() || (level > 1 && next.is_alphabetic()),
    };
    (is_heading && (1..=6).contains(&level)).then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// What follows a list's mark, and the checkbox after it.
fn item(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+', '•'])?,
        1..=9 => text[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
    let unchecked = ["[ ]", "[x]", "[X]", "[]"].into_iter().find_map(|mark| rest.strip_prefix(mark));
    Some(unchecked.map_or(rest, str::trim_start))
}

/// How deep a line stands; a tab counts as four.
fn indent(raw: &str) -> usize {
    raw.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// A text without the markup and the colon around it.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | ':'))
}

/// How a heading or a label is compared: lower case, without numbering, markup and emoji.
pub(super) fn title(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let text = text[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0).unwrap_or(text);
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The label that a line begins with, and what follows it: `**Test**: pytest`, `Notes:`.
pub(super) fn label(text: &str) -> Option<(&str, &str)> {
    /// Longer than this it is a sentence.
    const LONGEST: usize = 40;
    let (label, rest) = text.split_once(':')?;
    let rest = rest.trim_start_matches(['*', '_']);
    let is_label = label.len() <= LONGEST && label.split_whitespace().count() <= 4 && !label.contains('`');
    (is_label && (rest.is_empty() || rest.starts_with(char::is_whitespace))).then(|| (bare(label), rest.trim()))
}

/// The code spans of a line.
pub(super) fn spans(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find('`')?;
        let ticks = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let inner = &rest[start + ticks..];
        // A span that opens with several marks closes with several; those in between belong to it.
        let end = if ticks == 1 { inner.find('`') } else { inner.find("``") }?;
        rest = inner[end..].trim_start_matches('`');
        Some(inner[..end].trim())
    })
}
