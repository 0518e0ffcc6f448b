//! The rounds of a run, their drafts, and what those are judged against.

use tribunal_anchors::Anchor;

use super::{RoundState, Run};
use crate::{Draft, Round, Turn, TurnId};

impl Run {
    /// A round, if it was opened.
    pub fn round(&self, round: Round) -> Option<&RoundState> {
        // Their numbers grow.
        let at = self.rounds.binary_search_by_key(&round, |state| state.round).ok()?;
        Some(&self.rounds[at])
    }

    /// The turns of one round.
    pub fn turns_of(&self, round: Round) -> impl Iterator<Item = &Turn> {
        let first = self.round(round).map(|state| state.first_turn);
        self.turns[first.unwrap_or(self.turns.len())..].iter().take_while(move |turn| turn.round == round)
    }

    /// Every draft that was proposed, oldest first.
    pub fn drafts(&self) -> impl Iterator<Item = &Draft> {
        self.turns.iter().flat_map(Turn::drafts).map(|(_, draft)| draft)
    }

    /// The last draft of a round that was not sent back.
    pub fn draft_of(&self, round: Round) -> Option<&Draft> {
        // But for those that were listened to, turns bring drafts of their own rounds alone.
        let streams = self.streams.iter().filter_map(|id| self.turn(*id));
        let kept = self.turns_of(round).chain(streams).filter(|turn| turn.rejection.is_none());
        let drafts = kept.flat_map(|turn| turn.drafts().map(move |(of, draft)| (turn.id, of, draft)));
        // Of one turn the last one; `max_by_key` takes the last of equals.
        drafts.filter(|(_, of, _)| *of == round).max_by_key(|(id, ..)| *id).map(|(.., draft)| draft)
    }

    /// The draft that stands at the end of a round, as the loop sees it.
    pub fn standing(&self, round: Round) -> Option<&Draft> {
        self.spec.trial().standing(self, round)
    }

    /// What drafts are judged against now, besides the brief.
    pub fn anchor(&self) -> Option<&Anchor> {
        self.reanchored().or_else(|| self.spec.trial().anchor(self))
    }

    /// How many anchors people have put in the place of the first. Whatever was said under another one is void.
    pub fn reanchorings(&self) -> u32 {
        u32::try_from(self.anchors.len()).unwrap_or(u32::MAX)
    }

    /// The first turn that the anchor holds for, where a person put it in the place of another one.
    pub(crate) fn anchored_since(&self) -> Option<TurnId> {
        self.anchors.last().map(|(since, _)| *since)
    }

    /// What they were judged against when this turn was started.
    pub(crate) fn anchor_of(&self, turn: &Turn) -> Option<&Anchor> {
        let by_person = self.anchors.iter().rev().find(|(from, _)| *from <= turn.id).map(|(_, anchor)| &**anchor);
        by_person.or_else(|| self.spec.trial().anchor(self))
    }

    /// What a person put in the place of the anchor that the run began with.
    pub fn reanchored(&self) -> Option<&Anchor> {
        self.anchors.last().map(|(_, anchor)| &**anchor)
    }
}
