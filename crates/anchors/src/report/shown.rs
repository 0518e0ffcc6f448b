//! Texts of others, with nothing in them that a terminal would obey.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with everything escaped that a terminal would obey instead of showing it: what somebody else wrote could hide
/// itself, or what stands beside it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if acts(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// The same for JSON: what a terminal obeys is escaped as JSON escapes it, so that it says the same to a program.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.contains(acts) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        // All of them are inside of strings: outside there is nothing but white space, and that does not act.
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}"); // a string takes everything
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks that turn the direction of the text around, and those that nobody sees.
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
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
    use super::{visible, visible_json};

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(visible("a\tb\nc é 漢 👍"), "a\tb\nc é 漢 👍");
        assert_eq!(visible("x\r\u{1b}[2K\u{1b}[8my"), "x\\u{d}\\u{1b}[2K\\u{1b}[8my");
        let json = serde_json::json!({ "a": "x\u{1b}[2J\u{9b}y\u{202e}\u{7f}é\n" });
        let shown = visible_json(&json.to_string()).into_owned();
        assert_eq!(shown, r#"{"a":"x\u001b[2J\u009by\u202e\u007fé\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), json);
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{9b}d"), "a\\u{202e}b\\u{200b}c\\u{9b}d");
    }
}
