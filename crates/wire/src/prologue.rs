//! Before the run: prose, fences, thoughts and markup, somewhere in which a run may begin.

use std::borrow::Cow;

use crate::key::Key;
use crate::tag::{Form, Name, Tag};
use crate::token::Mode;
use crate::v1::{self, Claims};

/// What has been seen so far that may matter.
#[derive(Debug, Default)]
pub(crate) struct Prologue {
    candidate: Option<Candidate>,
    thinking: Option<Name>,
}

/// A run begins.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    /// Position of its `CRITIQUE_RUN`.
    pub(crate) at: u64,
    pub(crate) version: Cow<'a, [u8]>,
    pub(crate) claims: Claims,
}

/// A `CRITIQUE_RUN` without version. Prose that talks about the tag looks just like it, so it counts as a run of version 1
/// only if a `ROUND` follows, with nothing but white space between.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    at: u64,
    claims: Claims,
}

impl Prologue {
    /// Takes a tag; the run begins with it, or began with the candidate before it.
    pub(crate) fn take<'a>(&mut self, tag: &Tag<'a>) -> Option<Opening<'a>> {
        self.thinking = None;
        let candidate = self.candidate.take();
        match (tag.name, tag.form) {
            (Name::CritiqueRun, Form::Open | Form::Empty) => {
                let [version] = tag.attributes.pick([Key::Version]);
                let (at, claims) = (tag.start, Claims::read(tag.attributes));
                if version.is_none() && tag.form == Form::Open {
                    self.candidate = Some(Candidate { at, claims });
                }
                version.map(|version| Opening { at, version, claims })
            }
            (Name::Round, Form::Open | Form::Empty) => {
                let Candidate { at, claims } = candidate?;
                Some(Opening { at, version: Cow::Borrowed(v1::VERSION_ATTRIBUTE), claims })
            }
            // A thought may rehearse the run, so nothing in it counts.
            (Name::Think | Name::Thinking, Form::Open) => {
                self.thinking = Some(tag.name);
                None
            }
            _ => None,
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        match self.thinking {
            Some(name) => Mode::Closer(name),
            None => Mode::Hunt { round: self.candidate.is_some() },
        }
    }
}
