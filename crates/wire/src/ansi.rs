//! Terminal noise: escape sequences and control characters, which are stripped outside artifacts.

use crate::class::is_control;

/// Where in an escape sequence the stream is.
///
/// No sequence ever swallows a `<` or a line end, so that one cut short costs a few letters, never a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ansi {
    #[default]
    Outside,
    /// After ESC.
    Escape,
    /// After ESC and intermediate bytes: `ESC ( B`.
    Intermediate,
    /// `ESC [` parameters final.
    Csi,
    /// `ESC ]`, `ESC P`, …: text up to BEL or ESC `\`.
    Text,
}

pub(crate) const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

impl Ansi {
    /// Takes in a control character.
    pub(crate) fn begin(&mut self, control: u8) {
        *self = if control == ESC { Self::Escape } else { Self::Outside };
    }

    /// Whether the byte is part of the sequence. If not, the sequence is over and the byte is yet to be read.
    pub(crate) fn eats(&mut self, byte: u8) -> bool {
        let next = match (*self, byte) {
            (Self::Outside, _) | (_, b'<' | b'\n' | b'\r') => None,
            (_, ESC) => Some(Self::Escape),
            (Self::Escape, b'[') | (Self::Csi, 0x20..=0x3f) => Some(Self::Csi),
            (Self::Escape, b']' | b'P' | b'X' | b'^' | b'_') => Some(Self::Text),
            (Self::Escape | Self::Intermediate, 0x20..=0x2f) => Some(Self::Intermediate),
            (Self::Escape | Self::Intermediate, 0x30..=0x7e) | (Self::Csi, 0x40..=0x7e) | (Self::Text, BEL) => {
                Some(Self::Outside)
            }
            (Self::Text, byte) if !is_control(byte) => Some(Self::Text),
            _ => None,
        };
        *self = next.unwrap_or_default();
        next.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(text: &str) -> String {
        let mut ansi = Ansi::default();
        let mut kept = Vec::new();
        for byte in text.bytes() {
            if ansi.eats(byte) {
            } else if is_control(byte) {
                ansi.begin(byte);
            } else {
                kept.push(byte);
            }
        }
        String::from_utf8(kept).unwrap()
    }

    #[test]
    fn sequences_go_and_text_stays() {
        let rows = [
            ("colour", "a\x1b[1;31mb\x1b[0mc", "abc"),
            ("private mode", "\x1b[?25lx\x1b[?25h", "x"),
            ("title", "\x1b]0;agent\x07x", "x"),
            ("hyperlink", "\x1b]8;;https://e.org\x1b\\x\x1b]8;;\x1b\\", "x"),
            ("charset", "\x1b(Bx", "x"),
            ("controls", "a\0b\x08c\x7fd", "abcd"),
            ("white space stays", "a\tb\r\nc", "a\tb\r\nc"),
            ("escape before a tag", "\x1b<ROUND>", "<ROUND>"),
            ("colour cut short before a tag", "\x1b[1;<ROUND>", "<ROUND>"),
            ("title cut short before a tag", "\x1b]0;agent<ROUND>", "<ROUND>"),
            ("title cut short by a line end", "\x1b]0;agent\nx", "\nx"),
            ("non-ASCII ends a colour", "\x1b[3é", "é"),
        ];
        for (name, input, kept) in rows {
            assert_eq!(strip(input), kept, "{name}");
        }
    }
}
