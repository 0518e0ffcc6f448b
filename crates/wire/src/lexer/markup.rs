//! The lexer inside markup: what follows a `<` or `&`, one byte at a time where it has to be.

use memchr::memchr;

use super::{Lexer, State, Step};
use crate::attributes::awaits_value;
use crate::body::{SECTION_END, SECTION_START};
use crate::class::{self, NAME, is_control};
use crate::entity::{self, MAX_ENTITY_BYTES};
use crate::input::Input;
use crate::tag::{Form, Name, starts_name};
use crate::token::Mode;

impl Lexer {
    pub(super) fn after_angle<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Option<Step<'a>> {
        self.state = match byte {
            _ if starts_name(byte) => {
                self.name.clear();
                self.name.push(byte);
                State::Name { closing: false }
            }
            _ if matches!(self.mode, Mode::Hunt { .. }) => return self.literal(b"<"),
            b'/' => State::Slashed,
            b'!' => State::Banged,
            b'?' => State::Rest { name: Name::Unknown, closing: false, slash: false },
            _ => return self.literal(b"<"),
        };
        input.skip(1);
        None
    }

    pub(super) fn after_slash<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Option<Step<'a>> {
        if !starts_name(byte) {
            return self.literal(b"</");
        }
        self.name.clear();
        self.name.push(byte);
        self.state = State::Name { closing: true };
        input.skip(1);
        None
    }

    pub(super) fn after_bang<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Option<Step<'a>> {
        self.state = match byte {
            b'-' => State::Dashed,
            b'[' => State::Bracketed(b"<![".len()),
            _ if starts_name(byte) => State::Rest { name: Name::Unknown, closing: false, slash: false },
            _ => return self.literal(b"<!"),
        };
        input.skip(1);
        None
    }

    pub(super) fn after_dash<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Option<Step<'a>> {
        if byte != b'-' {
            return self.literal(b"<!-");
        }
        self.state = State::Comment { dashes: 0 };
        input.skip(1);
        Some(Step::Oddity)
    }

    pub(super) fn after_bracket<'a>(&mut self, byte: u8, read: usize, input: &mut Input<'a>) -> Option<Step<'a>> {
        if byte != SECTION_START[read] {
            return self.literal(&SECTION_START[..read]);
        }
        input.skip(1);
        if read + 1 < SECTION_START.len() {
            self.state = State::Bracketed(read + 1);
            return None;
        }
        self.state = State::Section { brackets: 0 };
        (self.mode != Mode::Text).then_some(Step::Oddity)
    }

    pub(super) fn in_name<'a>(&mut self, byte: u8, closing: bool, input: &mut Input<'a>) -> Option<Step<'a>> {
        if class::is(byte, NAME) {
            self.name.push(byte);
            input.skip(1);
            return None;
        }
        let name = self.name.name();
        self.state = if !self.mode.awaits(name) {
            // Prose is full of angle brackets: whatever is not awaited there ends at once and hides nothing.
            self.forget_round();
            State::Ground
        } else if closing || !name.is_protocol() {
            State::Rest { name, closing, slash: false }
        } else {
            State::Inside { quote: None }
        };
        None
    }

    pub(super) fn inside<'a>(
        &mut self,
        byte: u8,
        quote: Option<u8>,
        bound: u64,
        input: &mut Input<'a>,
    ) -> Option<Step<'a>> {
        if let Some(quote) = quote {
            if byte == quote {
                self.state = State::Inside { quote: None };
                self.keep(1, input);
            } else {
                let run = run(input.rest(bound), |byte| byte == quote || is_control(byte));
                self.keep(run, input);
            }
            return None;
        }
        match byte {
            b'>' => {
                input.skip(1);
                let form = if self.inside.last() == Some(&b'/') { Form::Empty } else { Form::Open };
                if form == Form::Empty {
                    self.inside.pop();
                }
                Some(self.tag(self.name.name(), form))
            }
            b'<' => Some(self.tag(self.name.name(), Form::Broken)),
            b'"' | b'\'' => {
                if awaits_value(&self.inside) {
                    self.state = State::Inside { quote: Some(byte) };
                }
                self.keep(1, input);
                None
            }
            _ => {
                let run = run(input.rest(bound), |byte| matches!(byte, b'>' | b'<' | b'"' | b'\'') || is_control(byte));
                self.keep(run, input);
                None
            }
        }
    }

    /// Quotes mean nothing here: one that is never closed must not hide the tags that follow.
    pub(super) fn in_rest<'a>(
        &mut self,
        byte: u8,
        name: Name,
        closing: bool,
        slash: bool,
        bound: u64,
        input: &mut Input<'a>,
    ) -> Option<Step<'a>> {
        match byte {
            b'>' => {
                input.skip(1);
                let form = match (closing, slash) {
                    (true, _) => Form::Close,
                    (false, true) => Form::Empty,
                    (false, false) => Form::Open,
                };
                Some(self.tag(name, form))
            }
            b'<' => Some(self.tag(name, Form::Broken)),
            _ => {
                // Past the limit a closing tag reads on byte by byte.
                let rest = input.rest(bound.max(input.position() + 1));
                let run = run(rest, |byte| matches!(byte, b'>' | b'<') || is_control(byte));
                self.work += run as u64;
                let slash = rest[run - 1] == b'/';
                self.state = State::Rest { name, closing, slash };
                input.skip(run);
                None
            }
        }
    }

    pub(super) fn in_comment<'a>(
        &mut self,
        byte: u8,
        dashes: u8,
        bound: u64,
        input: &mut Input<'a>,
    ) -> Option<Step<'a>> {
        self.state = match byte {
            b'-' => State::Comment { dashes: dashes.saturating_add(1).min(2) },
            b'>' if dashes == 2 => State::Ground,
            _ => {
                let rest = input.rest(bound);
                let skipped = memchr(b'-', rest).unwrap_or(rest.len());
                self.work += skipped as u64;
                input.skip(skipped);
                self.state = State::Comment { dashes: 0 };
                return None;
            }
        };
        input.skip(1);
        None
    }

    pub(super) fn in_section<'a>(
        &mut self,
        byte: u8,
        brackets: usize,
        bound: u64,
        input: &mut Input<'a>,
    ) -> Option<Step<'a>> {
        let next = match (byte, brackets) {
            (b'>', 2) => {
                input.skip(1);
                self.state = State::Ground;
                return None;
            }
            (b']', 2) => {
                self.put(input.take(1));
                2
            }
            (b']', _) => {
                input.skip(1);
                brackets + 1
            }
            (_, 0) => {
                let run = run(input.rest(bound), |byte| byte == b']' || is_control(byte));
                self.work += run as u64;
                self.put(input.take(run));
                0
            }
            _ => {
                self.put(&SECTION_END[..brackets]);
                0
            }
        };
        self.state = State::Section { brackets: next };
        None
    }

    pub(super) fn in_entity<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Option<Step<'a>> {
        // The last place is for the `;`.
        if entity::may_continue(byte) && self.entity_len + 1 < MAX_ENTITY_BYTES {
            self.hold_entity(byte, input);
            return None;
        }
        if byte == b';' {
            self.hold_entity(byte, input);
            if let Some(character) = entity::resolve(&self.entity[..self.entity_len]) {
                self.entity_len = character.encode_utf8(&mut self.entity).len();
            }
        }
        self.state = State::Ground;
        self.text.extend_from_slice(&self.entity[..self.entity_len]);
        None
    }

    fn tag<'a>(&mut self, name: Name, form: Form) -> Step<'a> {
        self.state = State::Ground;
        Step::Tag { name, form }
    }

    /// What looked like markup is text.
    fn literal<'a>(&mut self, text: &'static [u8]) -> Option<Step<'a>> {
        self.state = State::Ground;
        self.forget_round();
        self.put(text);
        None
    }

    fn put(&mut self, text: &[u8]) {
        if self.mode == Mode::Text {
            self.text.extend_from_slice(text);
        }
    }

    fn keep(&mut self, count: usize, input: &mut Input<'_>) {
        self.work += count as u64;
        self.inside.extend_from_slice(input.take(count));
    }

    pub(super) fn hold_entity(&mut self, byte: u8, input: &mut Input<'_>) {
        self.entity[self.entity_len] = byte;
        self.entity_len += 1;
        input.skip(1);
    }
}

/// Bytes before the first that stops.
fn run(bytes: &[u8], stop: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| stop(byte)).unwrap_or(bytes.len())
}
