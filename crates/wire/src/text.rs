//! From the bytes between two tags to the text in an event.

use std::borrow::Cow;

use crate::class::is_plain;

/// Trims, repairs what is not UTF-8, and drops what became a control character only by decoding: `&#27;`, U+009B.
///
/// Borrows unless there is something to repair or drop; then it is a copy for the time of one event.
pub(crate) fn clean(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.trim_ascii();
    let text = match str::from_utf8(bytes) {
        Ok(text) if is_plain(bytes) => return Cow::Borrowed(text),
        Ok(text) => Cow::Borrowed(text.trim()),
        Err(_) => Cow::Owned(String::from_utf8_lossy(bytes).trim().to_owned()),
    };
    if text.chars().any(is_noise) {
        let kept: String = text.chars().filter(|&character| !is_noise(character)).collect();
        return Cow::Owned(kept.trim().to_owned());
    }
    text
}

fn is_noise(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r')
}

/// Whether a demand says in words that there is none.
pub fn says_nothing(demand: &str) -> bool {
    let text = demand.trim().trim_end_matches(['.', '!']).trim_end();
    let words =
        ["none", "n/a", "na", "-", "–", "nothing", "no", "no must-fix", "no must-fixes", "no issues", "nothing to fix"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_repaired_and_stripped() {
        let rows: [(&str, &[u8], &str); 6] = [
            ("trimmed", b" \n a b\t", "a b"),
            ("decoded escape", b"a\x1b[31mb", "a[31mb"),
            ("second control block", "a\u{9b}b\u{85}".as_bytes(), "ab"),
            ("same lead byte, no control", "§ 4 ° ½".as_bytes(), "§ 4 ° ½"),
            ("not UTF-8", b"caf\xe9 ", "caf\u{FFFD}"),
            ("trimmed again after stripping", b"\0 a \0", "a"),
        ];
        for (name, bytes, expected) in rows {
            assert_eq!(clean(bytes), expected, "{name}");
        }
        assert!(matches!(clean("§ fine".as_bytes()), Cow::Borrowed(_)));
    }
}
