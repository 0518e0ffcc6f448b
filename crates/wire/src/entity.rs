//! `&lt; &gt; &amp; &quot; &apos; &#…;`

use std::borrow::Cow;

/// The longest reference read, `&` and `;` included. Longer ones are plain text.
pub(crate) const MAX_ENTITY_BYTES: usize = 12;

/// The character a reference (from `&` to `;`) stands for. What is no reference of ours stays as it is written.
pub(crate) fn resolve(reference: &[u8]) -> Option<char> {
    let name = reference.strip_prefix(b"&")?.strip_suffix(b";")?;
    let code = match name {
        b"lt" => return Some('<'),
        b"gt" => return Some('>'),
        b"amp" => return Some('&'),
        b"quot" => return Some('"'),
        b"apos" => return Some('\''),
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        _ => return None,
    };
    char::from_u32(code)
}

/// Whether a reference that begins with `&` could go on with this byte.
pub(crate) fn may_continue(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'#'
}

/// Decodes every reference in an attribute's value. Never longer than the input.
pub(crate) fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'&', raw) else { return Cow::Borrowed(raw) };
    let mut decoded = raw[..first].to_vec();
    let mut rest = &raw[first..];
    while !rest.is_empty() {
        if let Some((character, len)) = leading(rest) {
            decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[len..];
        } else {
            let plain = memchr::memchr(b'&', &rest[1..]).map_or(rest.len(), |next| next + 1);
            decoded.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
        }
    }
    Cow::Owned(decoded)
}

/// The reference at the very start, if it is all there, and its length.
pub(crate) fn leading(text: &[u8]) -> Option<(char, usize)> {
    let window = &text[..text.len().min(MAX_ENTITY_BYTES)];
    let len = memchr::memchr(b';', window)? + 1;
    resolve(&window[..len]).map(|character| (character, len))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    // `from_str_radix` would take a sign.
    let plain = digits.first()?.is_ascii_hexdigit();
    plain.then(|| u32::from_str_radix(str::from_utf8(digits).ok()?, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_and_the_rest_is_left_alone() {
        let rows = [
            ("the five", "&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
            ("decimal and hexadecimal", "&#65;&#x42;&#X43;&#128640;", "ABC🚀"),
            ("decoded once only", "&amp;lt;", "&lt;"),
            ("unknown name", "a&nbsp;b", "a&nbsp;b"),
            ("no end", "AT&T and &lt", "AT&T and &lt"),
            ("too long", "&#0000000000065;", "&#0000000000065;"),
            ("no character", "&#xD800;&#x110000;&#;&#x;&#+65;", "&#xD800;&#x110000;&#;&#x;&#+65;"),
            ("ampersands in a row", "&&&lt;&", "&&<&"),
            ("nothing", "", ""),
        ];
        for (name, raw, decoded) in rows {
            assert_eq!(decode(raw.as_bytes()), decoded.as_bytes(), "{name}");
        }
    }
}
