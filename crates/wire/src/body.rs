//! The inside of an artifact, passed on as it comes, up to the tag that closes it.
//!
//! An artifact is one or more CDATA sections with white space around them, or plain text. A section ends at the first
//! `]]>` that a closing tag or the next section follows. Artifacts carry CDATA of their own that the model forgot to
//! split; so a `]]>` followed by anything else is taken for text, and from then on, as the end of the section cannot be
//! trusted any more, the closing tag alone ends the artifact, as in plain text.

use memchr::{memchr, memmem};

use crate::closer::{Closer, Match};
use crate::input::Input;
use crate::tag::Name;

pub(crate) const SECTION_START: &[u8] = b"<![CDATA[";
pub(crate) const SECTION_END: &[u8] = b"]]>";

const MIN_WINDOW: usize = 32;
const MAX_WINDOW: usize = 64 * 1024;

/// What to do next with the bytes of a body.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// Nothing to report yet.
    More,
    /// Text of the body.
    Piece { at: u64, bytes: &'a [u8] },
    /// Text of the body that had to be held back: in [`Body::held`] until the next step.
    Held { at: u64 },
    /// The closing tag began at `at` and its name is read.
    Closed { at: u64 },
}

/// A region that only its closing tag ends.
#[derive(Debug)]
pub(crate) struct Body {
    closer: Closer,
    phase: Phase,
    /// `]` seen at the end of what was read, which may be the beginning of `]]>`: none, one or two.
    brackets: usize,
    /// Bytes that may turn out to be markup or text. Holds white space beside the markup, so the block cap bounds it.
    held: Vec<u8>,
    /// Bytes at the end of `held` that match the markup looked for.
    matched: usize,
    release: bool,
    /// The next byte is a `<` or `]` that has been found to be worth holding back.
    suspect: bool,
    /// How far to look for the closing tag at once. It is looked for in more than one way, and each way may look past what
    /// another has found; so the window grows with the text, and never costs much more than the text is long.
    window: usize,
    finder: memmem::Finder<'static>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// White space before the first section, or before what turns out to be plain text.
    Before,
    Section,
    /// Just after `]]>`, which is held together with the white space that follows.
    After,
    /// Plain text: nothing but the closing tag is special.
    Plain,
    /// Text after a `]]>` that did not end the section: the closing tag ends it, with or without `]]>` in front.
    Ragged,
}

impl Body {
    pub(crate) fn new() -> Self {
        Self {
            closer: Closer::new(Name::Artifact),
            phase: Phase::Before,
            brackets: 0,
            held: Vec::new(),
            matched: 0,
            release: false,
            suspect: false,
            window: MIN_WINDOW,
            finder: memmem::Finder::new(SECTION_END),
        }
    }

    /// Starts an artifact.
    pub(crate) fn artifact(&mut self) {
        self.begin(Name::Artifact, Phase::Before);
    }

    /// Starts a region without sections, of which only the end is of interest.
    pub(crate) fn plain(&mut self, closer: Name) {
        self.begin(closer, Phase::Plain);
    }

    pub(crate) fn held(&self) -> &[u8] {
        &self.held
    }

    /// Reads on, up to the stream's byte `limit`; `work` counts the bytes looked at.
    pub(crate) fn step<'a>(&mut self, input: &mut Input<'a>, limit: u64, work: &mut u64) -> Step<'a> {
        if self.release {
            self.release = false;
            self.held.clear();
            self.matched = 0;
        }
        let Some(byte) = input.peek() else { return Step::More };
        match self.phase {
            Phase::Before | Phase::After => self.edge(byte, input, limit),
            _ if !self.held.is_empty() => self.closing(byte, input),
            _ if self.brackets != 0 => self.bracket(byte, input, limit),
            Phase::Section => self.section(input, limit, work),
            Phase::Plain | Phase::Ragged => self.text(byte, input, limit, work),
        }
    }

    fn begin(&mut self, closer: Name, phase: Phase) {
        if self.closer.name() != closer {
            self.closer = Closer::new(closer);
        }
        self.phase = phase;
        self.brackets = 0;
        self.held.clear();
        self.matched = 0;
        self.release = false;
        self.suspect = false;
        self.window = MIN_WINDOW;
    }

    /// Inside a section: everything up to `]]>`, or up to what may be its beginning.
    fn section<'a>(&mut self, input: &mut Input<'a>, limit: u64, work: &mut u64) -> Step<'a> {
        let at = input.position();
        let rest = input.rest(limit);
        if let Some(end) = self.finder.find(rest) {
            *work += end as u64;
            if end == 0 {
                self.section_ended(input);
                return Step::More;
            }
            return Step::Piece { at, bytes: input.take(end) };
        }
        *work += rest.len() as u64;
        self.brackets = rest.iter().rev().take(SECTION_END.len() - 1).take_while(|&&byte| byte == b']').count();
        let bytes = input.take(rest.len() - self.brackets);
        input.skip(self.brackets);
        if bytes.is_empty() { Step::More } else { Step::Piece { at, bytes } }
    }

    fn section_started(&mut self) {
        self.held.clear();
        self.matched = 0;
        self.phase = Phase::Section;
    }

    fn section_ended(&mut self, input: &mut Input<'_>) {
        input.skip(SECTION_END.len() - self.brackets);
        self.brackets = 0;
        self.held.extend_from_slice(SECTION_END);
        self.phase = Phase::After;
    }

    /// After one or two `]` that ended the last chunk.
    fn bracket<'a>(&mut self, byte: u8, input: &mut Input<'a>, limit: u64) -> Step<'a> {
        let at = input.position() - self.brackets as u64;
        match (byte, self.brackets) {
            (b'>', 2) => {
                self.section_ended(input);
                Step::More
            }
            (b']', 1) => {
                self.brackets = 2;
                input.skip(1);
                Step::More
            }
            // More of the same: however many there are, the last two are the ones to hold.
            (b']', _) => {
                let run = input.rest(limit).iter().take_while(|&&byte| byte == b']').count();
                Step::Piece { at, bytes: input.take(run) }
            }
            _ => {
                let bytes = &SECTION_END[..self.brackets];
                self.brackets = 0;
                Step::Piece { at, bytes }
            }
        }
    }

    /// Text: everything up to the closing tag, or up to what may be its beginning.
    fn text<'a>(&mut self, byte: u8, input: &mut Input<'a>, limit: u64, work: &mut u64) -> Step<'a> {
        if self.suspect {
            self.suspect = false;
            return self.hold(byte, input, limit);
        }
        let rest = input.rest(limit);
        let rest = &rest[..rest.len().min(self.window)];
        self.window = (self.window * 2).min(MAX_WINDOW);
        let bracket = if self.phase == Phase::Ragged { memchr(b']', rest) } else { None };
        let before = &rest[..bracket.unwrap_or(rest.len())];
        *work += 2 * before.len() as u64;
        let stop = self.closer.find(before).unwrap_or(before.len());
        if stop == 0 {
            return self.hold(byte, input, limit);
        }
        self.suspect = stop < rest.len();
        Step::Piece { at: input.position(), bytes: input.take(stop) }
    }

    /// Holds back a `<` or `]` that may be the beginning of the end.
    fn hold<'a>(&mut self, byte: u8, input: &mut Input<'a>, limit: u64) -> Step<'a> {
        if self.closes_here(input, limit) {
            return self.closed(input);
        }
        input.skip(1);
        if byte == b']' {
            self.brackets = 1;
        } else {
            self.held.push(byte);
            self.matched = 1;
        }
        Step::More
    }

    /// Reads the name of the closing tag, if all of it is here.
    fn closes_here(&mut self, input: &mut Input<'_>, limit: u64) -> bool {
        let closes = self.closer.matches(input.rest(limit)) == Match::Fully;
        if closes {
            self.matched = self.closer.len();
            input.skip(self.matched);
        }
        closes
    }

    /// After a `<` that may begin the closing tag.
    fn closing<'a>(&mut self, byte: u8, input: &mut Input<'a>) -> Step<'a> {
        self.held.push(byte);
        match self.closer.matches(&self.held) {
            Match::Partly => {
                input.skip(1);
                self.matched += 1;
                Step::More
            }
            Match::Fully => self.closed(input),
            Match::No => {
                self.held.pop();
                self.release(input)
            }
        }
    }

    /// Around sections: white space, then the next section, the closing tag, or text after all.
    fn edge<'a>(&mut self, byte: u8, input: &mut Input<'a>, limit: u64) -> Step<'a> {
        if self.matched == 0 {
            if byte.is_ascii_whitespace() {
                self.held.push(byte);
                input.skip(1);
                return Step::More;
            }
            if input.rest(limit).starts_with(SECTION_START) {
                input.skip(SECTION_START.len());
                self.section_started();
                return Step::More;
            }
            if self.closes_here(input, limit) {
                return self.closed(input);
            }
        }
        self.held.push(byte);
        let markup = &self.held[self.held.len() - self.matched - 1..];
        if markup == SECTION_START {
            input.skip(1);
            self.section_started();
            return Step::More;
        }
        match self.closer.matches(markup) {
            Match::Fully => self.closed(input),
            Match::No if !SECTION_START.starts_with(markup) => {
                self.held.pop();
                self.phase = if self.phase == Phase::After { Phase::Ragged } else { Phase::Plain };
                self.release(input)
            }
            _ => {
                input.skip(1);
                self.matched += 1;
                Step::More
            }
        }
    }

    /// The last byte pushed, which delimits the name, is not consumed: it belongs to the rest of the tag.
    fn closed<'a>(&mut self, input: &Input<'a>) -> Step<'a> {
        let at = input.position() - self.matched as u64;
        self.held.clear();
        self.matched = 0;
        Step::Closed { at }
    }

    /// What was held is text.
    fn release<'a>(&mut self, input: &Input<'a>) -> Step<'a> {
        if self.held.is_empty() {
            return Step::More;
        }
        self.release = true;
        Step::Held { at: input.position() - self.held.len() as u64 }
    }
}
