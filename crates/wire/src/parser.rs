//! The push parser: finds the run in the noise, chooses the grammar by its version, and feeds it.

use std::fmt;

use crate::error::Error;
use crate::event::WireEvent;
use crate::input::Input;
use crate::lexer::Lexer;
use crate::prologue::{Opening, Prologue};
use crate::settings::ParserSettings;
use crate::tag::{Form, Name, Tag};
use crate::text::clean;
use crate::token::Token;
use crate::v1::{self, Grammar};

/// The most of a foreign version that an error quotes.
const MAX_QUOTED_CHARS: usize = 32;

/// Takes the bytes of one stream, in any chunks, and reports facts as soon as they are complete.
#[derive(Debug)]
pub struct Parser {
    settings: ParserSettings,
    lexer: Lexer,
    stage: Stage,
    consumed: u64,
}

/// How a stream without errors ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// Nothing in it was a run.
    NoRun,
    /// The run is complete, from its first tag to its last.
    RunEnded,
}

#[derive(Debug)]
enum Stage {
    Before(Prologue),
    Version1(Grammar),
    /// After the run: nothing matters any more.
    Over,
    Failed(Error),
}

impl Parser {
    pub fn new(settings: ParserSettings) -> Self {
        let lexer = Lexer::new(settings.max_block_bytes as u64);
        Self { settings, lexer, stage: Stage::Before(Prologue::default()), consumed: 0 }
    }

    /// Reads the next chunk. After an error every further call returns the same error and reports nothing.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(WireEvent<'_>)) -> Result<(), Error> {
        let mut input = Input::new(chunk, self.consumed);
        self.consumed += chunk.len() as u64;
        loop {
            match &self.stage {
                Stage::Over => return Ok(()),
                Stage::Failed(error) => return Err(error.clone()),
                Stage::Before(_) | Stage::Version1(_) => {}
            }
            let Some(token) = self.lexer.next(&mut input) else { return Ok(()) };
            let is_tag = matches!(token, Token::Tag(_));
            if let Err(error) = self.stage.take(&token, &self.settings, sink) {
                self.stage = Stage::Failed(error);
            } else if is_tag {
                self.after_tag();
            }
        }
    }

    /// Tells how the stream ended, or why it cannot have.
    pub fn finish(self) -> Result<StreamEnd, Error> {
        match self.stage {
            Stage::Before(_) => Ok(StreamEnd::NoRun),
            Stage::Version1(grammar) => Err(grammar.cut(self.consumed)),
            Stage::Over => Ok(StreamEnd::RunEnded),
            Stage::Failed(error) => Err(error),
        }
    }

    /// Bytes pushed so far.
    pub fn position(&self) -> u64 {
        self.consumed
    }

    /// Bytes the parser keeps from one push to the next; never more than the block cap.
    pub fn buffered(&self) -> usize {
        let kept = if let Stage::Version1(grammar) = &self.stage { grammar.buffered() } else { 0 };
        kept + self.lexer.buffered()
    }

    /// Bytes looked at so far, a byte counted as often as it was looked at: a small multiple of [`Self::position`]
    /// whatever the stream and its chunks.
    pub fn work(&self) -> u64 {
        self.lexer.work()
    }

    /// What the tag meant decides how the bytes after it are read.
    fn after_tag(&mut self) {
        match &self.stage {
            Stage::Before(prologue) => self.lexer.enter(prologue.mode(), u64::MAX),
            Stage::Version1(grammar) if grammar.is_over() => self.stage = Stage::Over,
            Stage::Version1(grammar) => self.lexer.enter(grammar.mode(), grammar.limit(&self.settings)),
            Stage::Over | Stage::Failed(_) => {}
        }
    }
}

impl Stage {
    fn take(
        &mut self,
        token: &Token<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        match (self, token) {
            (Self::Version1(grammar), token) => grammar.take(token, settings, sink),
            (stage @ Self::Before(_), Token::Tag(tag)) => stage.begin(tag, settings, sink),
            (_, &Token::Oversize { position }) => {
                Err(Error::OversizeBlock { position, cap: settings.max_block_bytes as u64 })
            }
            _ => Ok(()),
        }
    }

    /// The one place that knows which versions there are.
    fn begin(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        let Self::Before(prologue) = self else { return Ok(()) };
        let Some(Opening { at, version, claims }) = prologue.take(tag) else { return Ok(()) };
        if version.trim_ascii() != v1::VERSION_ATTRIBUTE {
            let found = clean(&version).chars().take(MAX_QUOTED_CHARS).collect();
            return Err(Error::ProtocolVersionMismatch { position: at, found });
        }
        let mut grammar = Grammar::start(at, claims, settings, sink);
        match (tag.name, tag.form) {
            (Name::Round, _) => grammar.tag(tag, settings, sink)?,
            (_, Form::Empty) => grammar.tag(&Tag { form: Form::Close, ..*tag }, settings, sink)?,
            _ => {}
        }
        *self = Self::Version1(grammar);
        Ok(())
    }
}

impl fmt::Display for StreamEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRun => "no run",
            Self::RunEnded => "run ended",
        })
    }
}
