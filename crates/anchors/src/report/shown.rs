//! Texts of others, with nothing in them that a terminal would obey.

use std::borrow::Cow;

/// The text with everything escaped that a terminal would obey instead of showing it: what somebody else wrote could hide
/// itself, or what stands beside it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if acts(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks that turn the direction of the text around, and those that nobody sees.
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => true,
        c => c.is_control(),
    }
}

/// The same on one line.
pub(super) fn line(text: &str) -> String {
    visible(
        &text.split(['\n', '\r', '\t']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "),
    )
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(visible("a\tb\nc é 漢 👍"), "a\tb\nc é 漢 👍");
        assert_eq!(visible("x\r\u{1b}[2K\u{1b}[8my"), "x\\u{d}\\u{1b}[2K\\u{1b}[8my");
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{9b}d"), "a\\u{202e}b\\u{200b}c\\u{9b}d");
    }
}
