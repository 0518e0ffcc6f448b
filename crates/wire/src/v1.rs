//! Version 1 of the protocol: which tag may stand where, and what it says.
//!
//! The grammar is four levels deep at most, so its whole stack is a [`Place`] and perhaps a [`Leaf`] in it.

mod block;
mod claims;
mod leaf;
mod place;

use std::borrow::Cow;

pub(crate) use claims::Claims;
use leaf::Leaf;
use place::{Place, RoundClaim};

use crate::error::{Error, Malformed};
use crate::event::{Fact, WireEvent};
use crate::number::ScaledScore;
use crate::settings::{DESIGNER, ParserSettings};
use crate::tag::{Form, Name, Tag};
use crate::text::clean;
use crate::token::{Mode, Token};
use crate::warning::Warning;

pub(crate) const VERSION: u32 = 1;
pub(crate) const VERSION_ATTRIBUTE: &[u8] = b"1";

/// Rounds whose drafts are remembered for a `SHIP` without artifact. The engine cuts a stream long before.
const REMEMBERED_ROUNDS: u32 = u128::BITS;

#[derive(Debug)]
pub(crate) struct Grammar {
    place: Place,
    leaf: Option<Leaf>,
    /// The name of the open `DIM` until its note is read, or the reason of the open `ROUND_END`.
    kept: Vec<u8>,
    /// The open round or the last one; 0 before the first.
    round: u32,
    /// By index in the cast: who has spoken in this round.
    spoken: Vec<bool>,
    /// One bit for each round that has a draft.
    drafts: u128,
    shipped: bool,
    /// Unknown tags still open, so that `<b>…</b>` warns once.
    strays: u64,
    run_at: u64,
    round_at: u64,
    block_at: u64,
    /// Where the content of the open block begins: the cap is counted from here.
    content_at: u64,
}

impl Grammar {
    /// Starts a run whose `CRITIQUE_RUN` stood at `at`.
    pub(crate) fn start(
        at: u64,
        claims: Claims,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Self {
        let grammar = Self {
            place: Place::Run,
            leaf: None,
            kept: Vec::new(),
            round: 0,
            spoken: vec![false; settings.cast.len()],
            drafts: 0,
            shipped: false,
            strays: 0,
            run_at: at,
            round_at: at,
            block_at: at,
            content_at: at,
        };
        sink(WireEvent { position: at, fact: claims.fact() });
        for setting in claims.mismatches(settings) {
            grammar.warn(at, Warning::ConfigMismatch { setting }, sink);
        }
        grammar
    }

    pub(crate) fn take(
        &mut self,
        token: &Token<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        match *token {
            Token::Tag(ref tag) => return self.tag(tag, settings, sink),
            Token::Oddity { start } => self.warn(start, Warning::UnknownTag, sink),
            Token::Piece { at, bytes } => self.piece(at, bytes, sink),
            Token::Oversize { position } => {
                return Err(Error::OversizeBlock { position, cap: settings.max_block_bytes as u64 });
            }
        }
        Ok(())
    }

    /// What the lexer should look for now.
    pub(crate) fn mode(&self) -> Mode {
        match &self.leaf {
            None => Mode::Tags,
            Some(Leaf::Artifact { .. }) => Mode::Artifact,
            Some(Leaf::Skipped { name, .. }) => Mode::Closer(*name),
            Some(_) if self.place.is_dropped() => Mode::Tags,
            Some(_) => Mode::Text,
        }
    }

    /// The byte that the open block must not go past.
    pub(crate) fn limit(&self, settings: &ParserSettings) -> u64 {
        if self.place.is_block() { self.content_at.saturating_add(settings.max_block_bytes as u64) } else { u64::MAX }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.place == Place::Over
    }

    pub(crate) fn buffered(&self) -> usize {
        self.kept.len()
    }

    /// The stream ended here, before the run did.
    pub(crate) fn cut(&self, position: u64) -> Error {
        let (name, opened) = match (&self.leaf, &self.place) {
            (Some(leaf), _) => (leaf.name(), leaf.at()),
            (None, Place::Run | Place::Over) => (Name::CritiqueRun, self.run_at),
            (None, Place::Round { .. }) => (Name::Round, self.round_at),
            (None, place) => (place.name(), self.block_at),
        };
        malformed(position, Malformed::Unclosed { tag: name.as_str(), opened })
    }

    pub(crate) fn tag(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        let closes_leaf = tag.form == Form::Close && self.leaf.as_ref().is_some_and(|leaf| leaf.name() == tag.name);
        if closes_leaf {
            self.close_leaf(tag, settings, sink);
            return Ok(());
        }
        let name = tag.name.as_str();
        match tag.form {
            _ if !tag.name.is_protocol() => self.stray(tag, sink),
            Form::Broken => return Err(malformed(tag.start, Malformed::Broken { tag: name })),
            Form::Close if self.leaf.is_some() => {
                return Err(malformed(tag.start, Malformed::Unbalanced { tag: name }));
            }
            _ if self.leaf.is_some() => return Err(malformed(tag.start, Malformed::OutOfPlace { tag: name })),
            Form::Close => self.close(tag, settings, sink)?,
            Form::Open => self.open(tag, settings, sink)?,
            Form::Empty | Form::Whole => {
                self.open(tag, settings, sink)?;
                if self.leaf.is_some() {
                    self.close_leaf(tag, settings, sink);
                } else {
                    self.close(tag, settings, sink)?;
                }
            }
        }
        Ok(())
    }

    /// A tag that is not of this protocol. Only the tag is skipped; but thoughts between blocks are skipped whole, as
    /// they may rehearse the protocol.
    fn stray(&mut self, tag: &Tag<'_>, sink: &mut impl FnMut(WireEvent<'_>)) {
        if tag.form == Form::Close && self.strays != 0 {
            self.strays -= 1;
            return;
        }
        self.warn(tag.start, Warning::UnknownTag, sink);
        if tag.form == Form::Open {
            if self.leaf.is_none() && tag.name != Name::Unknown {
                self.leaf = Some(Leaf::Skipped { at: tag.start, name: tag.name });
            } else {
                self.strays += 1;
            }
        }
    }

    fn open(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        match (&mut self.place, tag.name) {
            (Place::Run, Name::Round) if !self.shipped => self.open_round(tag, sink)?,
            (Place::Run, Name::Ship) if self.round != 0 => self.open_ship(tag, sink),
            (Place::Round { ended: false }, Name::Panelist) => self.open_panelist(tag, settings, sink),
            (Place::Round { ended: false }, Name::RoundEnd) => self.open_round_end(tag, settings)?,
            (Place::Panelist { .. }, Name::Notes) => self.leaf = Some(Leaf::Notes { at: tag.start }),
            (Place::Panelist { .. }, Name::MustFix) => self.leaf = Some(Leaf::MustFix { at: tag.start }),
            (Place::Panelist { .. }, Name::Dim) => self.open_dim(tag, settings, sink),
            (Place::RoundEnd { reasoned: reasoned @ false, .. }, Name::Reason) => {
                *reasoned = true;
                self.leaf = Some(Leaf::Reason { at: tag.start });
            }
            (Place::Ship { summarised: summarised @ false, .. }, Name::Summary) => {
                *summarised = true;
                self.leaf = Some(Leaf::Summary { at: tag.start });
            }
            (_, Name::Artifact) => self.open_artifact(tag, sink),
            (_, Name::Notes | Name::Dim | Name::MustFix | Name::Reason | Name::Summary) => {
                self.warn(tag.start, Warning::UnknownTag, sink);
                self.leaf = Some(Leaf::Skipped { at: tag.start, name: tag.name });
            }
            _ => return Err(malformed(tag.start, Malformed::OutOfPlace { tag: tag.name.as_str() })),
        }
        Ok(())
    }

    fn close(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) -> Result<(), Error> {
        let place = match (&self.place, tag.name) {
            (Place::Panelist { seat, .. }, Name::Panelist) => {
                if let Some(role) = seat.map(|seat| settings.cast[seat].as_str()) {
                    let fact = Fact::PanelistClosed { round: self.round, role: Cow::Borrowed(role) };
                    sink(WireEvent { position: tag.start, fact });
                }
                Place::Round { ended: false }
            }
            (Place::RoundEnd { claim, .. }, Name::RoundEnd) => {
                sink(WireEvent { position: self.block_at, fact: claim.fact(self.round, clean(&self.kept)) });
                Place::Round { ended: true }
            }
            (Place::Round { ended }, Name::Round) => {
                if !ended {
                    self.need_draft(tag.start, settings)?;
                    let fact = RoundClaim::SILENT.fact(self.round, Cow::Borrowed(""));
                    sink(WireEvent { position: tag.start, fact });
                }
                Place::Run
            }
            (Place::Ship { dropped, round, attached, .. }, Name::Ship) => {
                if !dropped {
                    if !attached && !self.has_draft(round.unwrap_or(self.round)) {
                        return Err(Error::MissingArtifact { position: tag.start });
                    }
                    sink(WireEvent { position: tag.start, fact: Fact::ShipClosed });
                }
                Place::Run
            }
            (Place::Run, Name::CritiqueRun) => {
                if self.round == 0 {
                    return Err(Error::MissingArtifact { position: tag.start });
                }
                sink(WireEvent { position: tag.start, fact: Fact::RunEnded });
                Place::Over
            }
            _ => return Err(malformed(tag.start, Malformed::Unbalanced { tag: tag.name.as_str() })),
        };
        self.place = place;
        self.kept.clear();
        Ok(())
    }

    /// The first round must leave something to judge.
    fn need_draft(&self, position: u64, settings: &ParserSettings) -> Result<(), Error> {
        let needed = self.round == 1 && settings.cast.iter().any(|role| is_designer(role));
        if needed && !self.has_draft(1) { Err(Error::MissingArtifact { position }) } else { Ok(()) }
    }

    fn has_draft(&self, round: u32) -> bool {
        round < REMEMBERED_ROUNDS && self.drafts >> round & 1 == 1
    }

    fn warn_if_clamped(&self, position: u64, score: ScaledScore, sink: &mut impl FnMut(WireEvent<'_>)) {
        if score.is_clamped() {
            self.warn(position, Warning::ScoreClamped { said: score.said }, sink);
        }
    }

    /// Nobody is warned about the inside of a block that is dropped.
    fn warn(&self, position: u64, warning: Warning, sink: &mut impl FnMut(WireEvent<'_>)) {
        if !self.place.is_dropped() {
            sink(WireEvent { position, fact: Fact::Warned(warning) });
        }
    }
}

fn is_designer(role: &str) -> bool {
    role.eq_ignore_ascii_case(DESIGNER)
}

fn malformed(position: u64, why: Malformed) -> Error {
    Error::MalformedBlock { position, why }
}
