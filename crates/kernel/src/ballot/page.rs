//! A draft as its readers see it: without tags, comments, styles, scripts and templates. A text that is no page, a program
//! for example, stays as it is: `Vec<u8>` is no tag.

/// Stands where a tag within a line was: what it marks can be told apart. Where texts are compared it is nothing.
pub(super) const SEAM: char = '\u{1f}';

/// Elements within a line of text; others begin a line of their own.
const INLINE: [&str; 31] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "q", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tspan", "u", "var", "wbr",
];

/// Elements with a line of their own. Others are told from what stands between `<` and `>` by their attributes.
const BLOCKS: &str = "\
    address area article aside audio base blockquote body br button canvas caption center circle col colgroup \
    datalist dd defs desc details dialog div dl dt embed fieldset figcaption figure footer form g h1 h2 h3 h4 h5 \
    h6 head header hgroup hr html iframe img input legend li line link main map menu meta meter nav noscript \
    object ol optgroup option output p param path picture pre progress rect rp rt script search section select \
    slot source style summary svg symbol table tbody td template text textarea tfoot th thead title tr track ul \
    use video";

/// Elements of which nobody sees anything.
const HIDDEN: [&str; 3] = ["script", "style", "template"];

/// So many tags and comments may lack their ends before nobody looks for another one: each is looked for to the very end.
const MOST_UNCLOSED: usize = 64;

/// Names of characters, as pages use them; others are written as numbers.
const ENTITIES: [(&str, char); 20] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bdquo", '„'),
    ("copy", '©'),
    ("euro", '€'),
    ("gt", '>'),
    ("hellip", '…'),
    ("laquo", '«'),
    ("ldquo", '“'),
    ("lsquo", '‘'),
    ("lt", '<'),
    ("mdash", '—'),
    ("middot", '·'),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("quot", '"'),
    ("raquo", '»'),
    ("rdquo", '”'),
    ("rsquo", '’'),
    ("shy", '\u{ad}'),
];

/// The longest of them, with its marks: `&#x10ffff;`.
const LONGEST_ENTITY: usize = 10;

/// What its readers see.
pub(super) fn shown(text: &str) -> String {
    marked(text).replace(SEAM, "")
}

/// What its readers see, with [`SEAM`]s.
pub(super) fn marked(text: &str) -> String {
    let is_page = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').starts_with('<');
    let mut seen = String::with_capacity(text.len());
    let (mut rest, mut unclosed) = (text, 0);
    while let Some(at) = rest.find('<').filter(|_| unclosed < MOST_UNCLOSED) {
        let (before, tail) = rest.split_at(at);
        seen.push_str(before);
        // In Markdown, what stands in backticks is shown as it is.
        let is_code = !is_page && before.ends_with('`');
        match if is_code { Markup::None } else { Markup::at(tail) } {
            Markup::Some { length, is_inline } => {
                seen.push(if is_inline { SEAM } else { '\n' });
                rest = &tail[length..];
            }
            // It hides all the rest, as it does in a browser.
            Markup::Hidden if is_page => rest = "",
            kind @ (Markup::None | Markup::Unclosed | Markup::Hidden) => {
                unclosed += usize::from(!matches!(kind, Markup::None));
                seen.push('<');
                rest = &tail[1..];
            }
        }
    }
    // Of a page that nobody can make sense of, nothing more is seen.
    if unclosed < MOST_UNCLOSED || !is_page {
        seen.push_str(rest);
    }
    if !is_page {
        seen = linked(&seen);
    }
    spelled_out(&seen)
}

/// A text in Markdown with its links as they are read: their words, without where they lead. What is defined for links
/// alone, and titles of theirs, nobody reads.
fn linked(text: &str) -> String {
    let is_definition = |line: &str| {
        let line = line.trim_start();
        line.starts_with('[') && line.split_once("]:").is_some_and(|(name, _)| !name[1..].contains(['[', ']']))
    };
    let mut read = String::with_capacity(text.len());
    for line in text.split_inclusive('\n').filter(|line| !is_definition(line)) {
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            let Some(end) = rest[at + 2..].find(')') else { break };
            let words = &rest[..at];
            // The words begin where their own bracket opens; an exclamation mark before it belongs to a picture.
            match words.rfind('[') {
                Some(open) => {
                    read.push_str(words[..open].strip_suffix('!').unwrap_or(&words[..open]));
                    read.push_str(&words[open + 1..]);
                }
                None => read.push_str(words),
            }
            rest = &rest[at + 2 + end + 1..];
        }
        read.push_str(rest);
    }
    unescaped(&read)
}

/// Punctuation behind a backslash stands for itself.
fn unescaped(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' || !chars.peek().is_some_and(char::is_ascii_punctuation) {
            read.push(c);
        }
    }
    read
}

/// What a text begins with that is not text: a tag, a comment, or an element that nobody sees.
enum Markup {
    None,
    Some {
        length: usize,
        is_inline: bool,
    },
    /// A tag without its end.
    Unclosed,
    /// A comment or an element that nobody sees, without its end.
    Hidden,
}

impl Markup {
    fn at(text: &str) -> Self {
        let block = |length: usize| Self::Some { length, is_inline: false };
        if text.starts_with("<!--") {
            // `<!-->` is one, too.
            return text[2..].find("-->").map_or(Self::Hidden, |at| block(2 + at + 3));
        }
        if let Some(rest) = text.strip_prefix("<!").or_else(|| text.strip_prefix("<?")) {
            let is_declaration = rest.starts_with(|c: char| c.is_ascii_alphabetic());
            return match text.find('>').filter(|_| is_declaration) {
                Some(at) => block(at + 1),
                None if is_declaration => Self::Unclosed,
                None => Self::None,
            };
        }
        let Some(tag) = Tag::at(text) else { return Self::None };
        match (tag.length, !tag.is_closing && HIDDEN.contains(&tag.name.as_str())) {
            (None, _) => Self::Unclosed,
            (Some(_), true) => tag.end_of_element(text).map_or(Self::Hidden, block),
            (Some(length), false) => Self::Some { length, is_inline: INLINE.contains(&tag.name.as_str()) },
        }
    }
}

struct Tag {
    name: String,
    is_closing: bool,
    /// Nothing, if it does not end.
    length: Option<usize>,
}

impl Tag {
    /// The tag that `text` begins with: one of a known element, of one with a hyphen, or one with attributes in quotes.
    fn at(text: &str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let is_closing = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
        let name = inner.split(is_end).next().unwrap_or_default().to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let has_hyphen = name.contains('-') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let is_known =
            has_hyphen || INLINE.contains(&name.as_str()) || BLOCKS.split_whitespace().any(|block| block == name);
        let (attributes, has_quotes) = end_of_attributes(&inner[name.len()..]);
        let length = attributes.map(|attributes| text.len() - inner.len() + name.len() + attributes);
        (is_known || has_quotes).then_some(Self { name, is_closing, length })
    }

    /// Where the element ends that `text` begins with this tag of.
    fn end_of_element(&self, text: &str) -> Option<usize> {
        let closing = format!("</{}", self.name);
        let is_closing = |at: &usize| {
            let name = text.as_bytes().get(*at..*at + closing.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(closing.as_bytes()))
        };
        let from = text.match_indices('<').map(|(at, _)| at).find(is_closing)?;
        text[from..].find('>').map(|more| from + more + 1)
    }
}

/// How long the attributes are, with the `>` after them, and whether one has its value in quotes: such a value may have a `>`
/// in it.
fn end_of_attributes(text: &str) -> (Option<usize>, bool) {
    let (mut open, mut before, mut has_quotes) = (None, ' ', false);
    for (at, c) in text.char_indices() {
        match (open, c) {
            (Some(quote), c) if c == quote => open = None,
            (None, '"' | '\'') if before == '=' => (open, has_quotes) = (Some(c), true),
            (None, '>') => return (Some(at + 1), has_quotes),
            (Some(_) | None, _) => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    (None, has_quotes)
}

/// A text with its entities as the characters that they stand for.
fn spelled_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('&') {
        out.push_str(before);
        let entity = crate::text::head(tail, LONGEST_ENTITY - 1).split_once(';').map(|(name, _)| name);
        if let Some((name, c)) = entity.and_then(|name| Some((name, character(name)?))) {
            out.push(c);
            rest = &tail[name.len() + 1..];
        } else {
            out.push('&');
            rest = tail;
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_see() {
        for (text, seen) in [
            ("We <b>move</b> in June", "We move in June"),
            ("<p class=x>One</p><p>Two</p>", "\nOne\n\nTwo\n"),
            ("<p title=\"a > b\" hidden>Three</p>", "\nThree\n"),
            ("<p title='it\"s > b'>Four<br/>Five</p>", "\nFour\nFive\n"),
            ("<my-card when=May>Six</my-card><foo bar=\"x\">", "\nSix\n\n"),
            ("a<!-- no -->b<!--> c<!-- never closed", "a\nb\n c<!-- never closed"),
            ("<p>a<!-- never closed", "\na"),
            ("a<STYLE>p{}</Style >b<script>1<2</script>c<template><p>d</p></template>e", "a\nb\nc\ne"),
            ("a <template> never closed, 1 <b", "a <template> never closed, 1 <b"),
            ("<p>a<script>never closed", "\na"),
            ("<!doctype html><?xml version=1?>a", "\n\na"),
            ("2 &lt; 3 &amp;&amp; 4 &#62; &#x33; &mdash; &nope; AT&T &", "2 < 3 && 4 > 3 — &nope; AT&T &"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            // What is no page stays as it is.
            ("Vec<u8>, Map<K, V>, 1 < 2, a<b, x<!y, i <3 it", "Vec<u8>, Map<K, V>, 1 < 2, a<b, x<!y, i <3 it"),
            ("Never write `<script>` or `<!--` there.", "Never write `<script>` or `<!--` there."),
            ("if items.len()<limit && limit>0", "if items.len()<limit && limit>0"),
        ] {
            assert_eq!(shown(text), seen, "{text}");
        }
        assert_eq!(marked("We <b>move</b>"), format!("We {SEAM}move{SEAM}"));
    }

    #[test]
    fn a_wall_of_markup_is_no_trouble() {
        for wall in ["<b ", "<b =\"", "<!--", "<script>", "<!x", "</p "] {
            let wall = wall.repeat(30_000);
            assert_eq!(shown(&format!("a {wall}")), format!("a {wall}"), "a text");
            assert!(shown(&format!("<p>{wall}we move")).len() < wall.len(), "a page");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "[<>/!\\-=\"'&;#a-c \u{e9}`?]{0,40}") {
            let _ = shown(&text);
        }
    }
}
