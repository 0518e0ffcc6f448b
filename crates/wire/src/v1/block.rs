//! The tags that structure a run: `ROUND`, `PANELIST`, `ROUND_END`, `SHIP`.

use std::borrow::Cow;

use super::place::{Place, RoundClaim};
use super::{Grammar, is_designer, malformed};
use crate::error::{Error, Malformed};
use crate::event::{ClaimedDecision, Fact, ShipStatus, WireEvent};
use crate::key::Key;
use crate::number::{self, ScaledScore};
use crate::settings::ParserSettings;
use crate::tag::{Tag, same_word};
use crate::warning::Warning;

impl Grammar {
    pub(super) fn open_round(&mut self, tag: &Tag<'_>, sink: &mut impl FnMut(WireEvent<'_>)) -> Result<(), Error> {
        let [n] = tag.attributes.pick([Key::N]);
        self.round = expect_round(tag.start, self.round.saturating_add(1), n.as_deref())?;
        self.round_at = tag.start;
        self.place = Place::Round { ended: false };
        self.spoken.fill(false);
        sink(WireEvent { position: tag.start, fact: Fact::RoundOpened { round: self.round } });
        Ok(())
    }

    pub(super) fn open_panelist(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) {
        let [role, score, must_fix] = tag.attributes.pick([Key::Role, Key::Score, Key::MustFix]);
        let said = role.as_deref().unwrap_or_default().trim_ascii();
        let seat = settings.cast.iter().position(|role| same_word(said, role));
        let dropped = match seat {
            None => Some(Warning::UnknownRole),
            Some(seat) => self.spoken[seat].then_some(Warning::DuplicateRole),
        };
        if let Some(warning) = dropped {
            self.warn(tag.start, warning, sink);
        }
        let seat = seat.filter(|_| dropped.is_none());
        let may_draft = seat.is_some_and(|seat| is_designer(&settings.cast[seat]));
        self.open_block(tag, Place::Panelist { seat, may_draft });
        let Some(seat) = seat else { return };
        self.spoken[seat] = true;
        let role = settings.cast[seat].as_str();
        let score = score.and_then(|said| ScaledScore::read(&said, settings.scale));
        let fact = Fact::PanelistOpened {
            round: self.round,
            role: Cow::Borrowed(role),
            score: score.map(|score| score.value),
            must_fix: must_fix.and_then(|said| number::count(&said)),
        };
        sink(WireEvent { position: tag.start, fact });
        match score {
            Some(score) => self.warn_if_clamped(tag.start, score, sink),
            None if may_draft => {}
            None => self.warn(tag.start, Warning::ScoreMissing, sink),
        }
    }

    pub(super) fn open_round_end(&mut self, tag: &Tag<'_>, settings: &ParserSettings) -> Result<(), Error> {
        let [n, composite, must_fix, decision] =
            tag.attributes.pick([Key::N, Key::Composite, Key::MustFix, Key::Decision]);
        expect_round(tag.start, self.round, n.as_deref())?;
        self.need_draft(tag.start, settings)?;
        let claim = RoundClaim {
            composite: composite.and_then(|said| number::finite(&said)),
            must_fix: must_fix.and_then(|said| number::count(&said)),
            decision: decision.map_or(ClaimedDecision::Continue, |said| ClaimedDecision::read(&said)),
        };
        self.open_block(tag, Place::RoundEnd { claim, reasoned: false });
        Ok(())
    }

    pub(super) fn open_ship(&mut self, tag: &Tag<'_>, sink: &mut impl FnMut(WireEvent<'_>)) {
        let [round, composite, status] = tag.attributes.pick([Key::Round, Key::Composite, Key::Status]);
        let round = round.and_then(|said| number::count(&said));
        let dropped = self.shipped;
        if dropped {
            self.warn(tag.start, Warning::DuplicateShip, sink);
        } else {
            let composite = composite.and_then(|said| number::finite(&said));
            let status = status.and_then(|said| ShipStatus::read(&said));
            sink(WireEvent { position: tag.start, fact: Fact::ShipOpened { round, composite, status } });
        }
        self.shipped = true;
        self.open_block(tag, Place::Ship { dropped, round, may_attach: true, attached: false, summarised: false });
    }

    fn open_block(&mut self, tag: &Tag<'_>, place: Place) {
        self.place = place;
        self.block_at = tag.start;
        self.content_at = tag.end;
    }
}

/// The number a tag gives to its round has to be the right one; where there is none to be read, it is understood.
fn expect_round(position: u64, expected: u32, said: Option<&[u8]>) -> Result<u32, Error> {
    match said.and_then(number::count) {
        Some(found) if found != expected => Err(malformed(position, Malformed::WrongRound { expected, found })),
        _ => Ok(expected),
    }
}
