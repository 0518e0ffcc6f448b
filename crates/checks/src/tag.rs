//! The attributes of a start tag as they stand in the source.

use crate::place::Span;

/// An attribute; places are relative to the tag's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute<'t> {
    pub(crate) name: &'t str,
    /// From the name to behind the closing quote.
    pub(crate) whole: Span,
    /// The value without quotes, when there is one.
    pub(crate) value: Option<Span>,
}

/// Reads the attributes of `<name …>`, as the tokenizer does.
pub(crate) fn attributes(tag: &str) -> Vec<Attribute<'_>> {
    let bytes = tag.as_bytes();
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    let mut at = bytes.iter().position(|byte| is_space(*byte) || *byte == b'/').unwrap_or(bytes.len());
    let mut found = Vec::new();
    loop {
        while at < bytes.len() && (is_space(bytes[at]) || bytes[at] == b'/') {
            at += 1;
        }
        if at >= bytes.len() || bytes[at] == b'>' {
            return found;
        }
        let start = at;
        // A leading `=` belongs to the name, strange as it is.
        at += 1;
        while at < bytes.len() && !is_space(bytes[at]) && !matches!(bytes[at], b'/' | b'>' | b'=') {
            at += 1;
        }
        let name = Span::new(start, at);
        let mut next = at;
        while next < bytes.len() && is_space(bytes[next]) {
            next += 1;
        }
        let mut value = None;
        if bytes.get(next) == Some(&b'=') {
            at = next + 1;
            while at < bytes.len() && is_space(bytes[at]) {
                at += 1;
            }
            let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
            let from = if quote.is_some() { at + 1 } else { at };
            let is_end = |byte: u8| quote.map_or(is_space(byte) || byte == b'>', |quote| byte == quote);
            let to = bytes[from..].iter().position(|byte| is_end(*byte)).map_or(bytes.len(), |length| from + length);
            value = Some(Span::new(from, to));
            at = if quote.is_some() { (to + 1).min(bytes.len()) } else { to };
        }
        found.push(Attribute { name: name.of(tag), whole: Span::new(start, at), value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_where_they_stand() {
        for (tag, want) in [
            ("<p>", ""),
            ("<img src=a.png alt=\"\">", "src=a.png alt="),
            ("<a href='x>y' class = \"b c\" hidden>", "href=x>y class=b c hidden"),
            ("<br/>", ""),
            ("<input disabled/>", "disabled"),
            ("<p title=\"ö\" id=ü>", "title=ö id=ü"),
            ("<p x", "x"),
            ("<p x=\"", "x="),
        ] {
            let shown = attributes(tag).into_iter().map(|attr| match attr.value {
                Some(value) => format!("{}={}", attr.name, value.of(tag)),
                None => attr.name.to_owned(),
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), want, "{tag}");
        }
    }
}
