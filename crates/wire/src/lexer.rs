//! From bytes to tags and text, whatever the chunks.
//!
//! One byte of look-ahead and a small state is all that is carried from chunk to chunk, besides the attributes of a
//! tag that is not complete yet. What is skipped is never copied.

mod markup;

use memchr::{memchr2, memchr3};

use crate::ansi::{Ansi, ESC};
use crate::attributes::{Attributes, Spans};
use crate::body::{self, Body};
use crate::class::{self, SPACE, is_control};
use crate::entity::{self, MAX_ENTITY_BYTES};
use crate::input::Input;
use crate::tag::{Form, Name, NameBuffer, Tag, starts_name};
use crate::token::{Mode, Token};
use crate::whole::{WholeTag, whole_tag, whole_text};

#[derive(Debug)]
pub(crate) struct Lexer {
    mode: Mode,
    state: State,
    ansi: Ansi,
    body: Body,
    name: NameBuffer,
    /// The inside of the open tag after its name.
    inside: Vec<u8>,
    spans: Spans,
    /// The text since the tag that made text wanted, decoded.
    text: Vec<u8>,
    entity: [u8; MAX_ENTITY_BYTES],
    entity_len: usize,
    /// Where the markup in progress began.
    start: u64,
    /// The byte of the stream that the open block must not go past.
    limit: u64,
    max_tag_bytes: u64,
    work: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    /// After `<`.
    Opened,
    /// After `</`.
    Slashed,
    /// After `<!`.
    Banged,
    /// After `<!-`.
    Dashed,
    /// After so many bytes of `<![CDATA[`.
    Bracketed(usize),
    Name {
        closing: bool,
    },
    /// In a tag of ours; the quote that is open, if any.
    Inside {
        quote: Option<u8>,
    },
    /// In a closing or unknown tag, of which only the end matters.
    Rest {
        name: Name,
        closing: bool,
        slash: bool,
    },
    /// In `<!-- … -->`, after so many dashes.
    Comment {
        dashes: u8,
    },
    /// In a CDATA section outside artifacts, after so many `]`.
    Section {
        brackets: usize,
    },
    Entity,
    Body,
}

/// A token whose bytes are still where they are.
enum Step<'a> {
    Tag { name: Name, form: Form },
    WholeTag { name: Name, form: Form, inside: &'a [u8] },
    Oddity,
    Piece { at: u64, bytes: &'a [u8] },
    Held { at: u64 },
}

impl Lexer {
    pub(crate) fn new(max_tag_bytes: u64) -> Self {
        Self {
            mode: Mode::Hunt { round: false },
            state: State::Ground,
            ansi: Ansi::default(),
            body: Body::new(),
            name: NameBuffer::default(),
            inside: Vec::new(),
            spans: Spans::default(),
            text: Vec::new(),
            entity: [0; MAX_ENTITY_BYTES],
            entity_len: 0,
            start: 0,
            limit: u64::MAX,
            max_tag_bytes,
            work: 0,
        }
    }

    /// To be called after every tag: what comes next, and how far the open block may go.
    pub(crate) fn enter(&mut self, mode: Mode, limit: u64) {
        // A stray tag in the middle of a text does not end it.
        if mode != Mode::Text || self.mode != Mode::Text {
            self.text.clear();
        }
        self.mode = mode;
        self.limit = limit;
        self.inside.clear();
        match mode {
            Mode::Artifact => self.body.artifact(),
            Mode::Closer(name) => self.body.plain(name),
            Mode::Hunt { .. } | Mode::Tags | Mode::Text => return,
        }
        self.state = State::Body;
    }

    /// The next token, or nothing when the chunk is used up.
    // Its one caller is generic and so compiled elsewhere: without the hint every token would be copied on its way there.
    #[inline]
    pub(crate) fn next<'a, 'i: 'a>(&'a mut self, input: &mut Input<'i>) -> Option<Token<'a>> {
        let step = loop {
            let byte = input.peek()?;
            self.work += 1;
            let plain = self.state == State::Ground && self.ansi == Ansi::Outside;
            if plain && input.position() < self.limit {
                if let Some(step) = self.on_ground(input) {
                    break step;
                }
                continue;
            }
            let bound = self.bound();
            if bound <= input.position() && !self.may_close_block(byte, input.position()) {
                return Some(Token::Oversize { position: bound });
            }
            if let Some(step) = self.step(byte, bound, input) {
                break step;
            }
        };
        Some(match step {
            Step::Tag { name, form } => {
                self.spans.scan(&self.inside);
                self.work += self.inside.len() as u64;
                let attributes = Attributes::new(&self.inside, &self.spans);
                Token::Tag(Tag { name, form, attributes, text: &self.text, start: self.start, end: input.position() })
            }
            Step::WholeTag { name, form, inside } => {
                let attributes = Attributes::new(inside, &self.spans);
                Token::Tag(Tag { name, form, attributes, text: &self.text, start: self.start, end: input.position() })
            }
            Step::Oddity => Token::Oddity { start: self.start },
            Step::Piece { at, bytes } => Token::Piece { at, bytes },
            Step::Held { at } => Token::Piece { at, bytes: self.body.held() },
        })
    }

    /// Bytes kept from chunk to chunk.
    pub(crate) fn buffered(&self) -> usize {
        self.inside.len() + self.text.len() + self.body.held().len()
    }

    /// Bytes looked at so far, counting a byte again whenever it is looked at again.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Where the stream gets too long: the end of the block, or of the tag whose inside has to be kept.
    fn bound(&self) -> u64 {
        match self.state {
            State::Inside { .. } => self.limit.min(self.start.saturating_add(self.max_tag_bytes)),
            _ => self.limit,
        }
    }

    /// Whether this byte past the limit may be part of the tag that closes the block, which does not count.
    fn may_close_block(&self, byte: u8, position: u64) -> bool {
        match self.state {
            State::Ground => byte == b'<' && position == self.limit,
            State::Opened => byte == b'/',
            State::Slashed => starts_name(byte),
            State::Name { closing } | State::Rest { closing, .. } => closing,
            _ => false,
        }
    }

    fn step<'a>(&mut self, byte: u8, bound: u64, input: &mut Input<'a>) -> Option<Step<'a>> {
        match self.state {
            State::Body => return self.in_body(bound, input),
            State::Comment { dashes } => return self.in_comment(byte, dashes, bound, input),
            _ => {}
        }
        if self.ansi != Ansi::Outside {
            if self.ansi.eats(byte) {
                input.skip(1);
            }
            return None;
        }
        if is_control(byte) {
            self.ansi.begin(byte);
            input.skip(1);
            return None;
        }
        match self.state {
            // Only at the limit, where only a tag may begin.
            State::Ground => self.on_angle(input),
            State::Opened => self.after_angle(byte, input),
            State::Slashed => self.after_slash(byte, input),
            State::Banged => self.after_bang(byte, input),
            State::Dashed => self.after_dash(byte, input),
            State::Bracketed(read) => self.after_bracket(byte, read, input),
            State::Name { closing } => self.in_name(byte, closing, input),
            State::Inside { quote } => self.inside(byte, quote, bound, input),
            State::Rest { name, closing, slash } => self.in_rest(byte, name, closing, slash, bound, input),
            State::Section { brackets } => self.in_section(byte, brackets, bound, input),
            State::Entity => self.in_entity(byte, input),
            State::Body | State::Comment { .. } => None,
        }
    }

    /// Reads up to the next tag or other markup.
    #[inline]
    fn on_ground<'a>(&mut self, input: &mut Input<'a>) -> Option<Step<'a>> {
        loop {
            let rest = input.rest(self.limit);
            match (rest.first()?, self.mode) {
                (b'<', _) => return self.on_angle(input),
                (&ESC, _) => {
                    self.ansi.begin(ESC);
                    input.skip(1);
                    return None;
                }
                (b'&', Mode::Text) => {
                    let Some((character, len)) = entity::leading(rest) else {
                        self.entity_len = 0;
                        self.hold_entity(b'&', input);
                        self.state = State::Entity;
                        return None;
                    };
                    self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    input.skip(len);
                }
                // Other control characters are dropped from the finished text, where it costs less.
                (_, Mode::Text) => {
                    let text = memchr3(b'<', b'&', ESC, rest).unwrap_or(rest.len());
                    self.work += text as u64;
                    self.text.extend_from_slice(input.take(text));
                }
                _ => {
                    // Between tags there is little; memchr is for prose.
                    let space = class::span(rest, SPACE);
                    let prose = match rest.get(space) {
                        None | Some(b'<') => space,
                        Some(_) => space + memchr2(b'<', ESC, &rest[space..]).unwrap_or(rest.len() - space),
                    };
                    self.work += prose as u64;
                    input.skip(prose);
                    if space < prose {
                        self.forget_round();
                    }
                }
            }
        }
    }

    #[inline]
    fn on_angle<'a>(&mut self, input: &mut Input<'a>) -> Option<Step<'a>> {
        self.start = input.position();
        let bound = self.limit.min(self.start.saturating_add(self.max_tag_bytes));
        if let Some(WholeTag { name, form, inside, len }) = whole_tag(input.rest(bound), &mut self.spans)
            && self.mode.awaits(name)
        {
            self.work += len as u64;
            input.skip(len);
            let form = if form == Form::Open && self.reads_on(name, input) { Form::Whole } else { form };
            return Some(Step::WholeTag { name, form, inside });
        }
        self.state = State::Opened;
        input.skip(1);
        None
    }

    /// Reads on to the closing tag of a leaf, where all of it is here. Outside blocks no leaf is worth reading, nor would its
    /// text have a limit.
    fn reads_on(&mut self, name: Name, input: &mut Input<'_>) -> bool {
        if self.mode != Mode::Tags || self.limit == u64::MAX || !name.holds_text() {
            return false;
        }
        let rest = input.rest(self.limit);
        let Some(len) = whole_text(name, rest, &mut self.text) else {
            self.text.clear();
            return false;
        };
        self.work += len as u64;
        input.skip(len);
        true
    }

    /// A round that belongs to a run without version follows it at once: after anything else it is prose, too.
    fn forget_round(&mut self) {
        if let Mode::Hunt { round } = &mut self.mode {
            *round = false;
        }
    }

    fn in_body<'a>(&mut self, bound: u64, input: &mut Input<'a>) -> Option<Step<'a>> {
        let step = self.body.step(input, bound, &mut self.work);
        let step = match step {
            body::Step::More => return None,
            body::Step::Piece { at, bytes } => Step::Piece { at, bytes },
            body::Step::Held { at } => Step::Held { at },
            body::Step::Closed { at } => {
                let name = if let Mode::Closer(name) = self.mode { name } else { Name::Artifact };
                self.start = at;
                self.state = State::Rest { name, closing: true, slash: false };
                return None;
            }
        };
        (self.mode == Mode::Artifact).then_some(step)
    }
}
