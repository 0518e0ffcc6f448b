//! Output without what is meant for a terminal.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The text without escape sequences; a carriage return ends a line, as it does for the eye.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => clean.push('\n'),
            _ => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Skips what follows an escape: colours and movements (`[`), titles and links (`]`), or a single character. A
/// sequence that is not closed ends with its line, so that it cannot hide the rest of the output.
fn skip_sequence(chars: &mut Peekable<Chars<'_>>) {
    match chars.next_if(|c| *c != '\n') {
        Some('[') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        }
        Some(']') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}
