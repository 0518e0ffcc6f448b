//! Whether an event can follow what happened before.

use super::{Run, index};
use crate::{Entry, Event, Outcome, Turn};

impl Run {
    /// Whether `entry` can follow. It always can, in a log that we wrote.
    pub(super) fn check(&self, entry: &Entry) -> Result<(), &'static str> {
        let needs = |holds: bool, why| if holds { Ok(()) } else { Err(why) };
        needs(entry.seq == self.seq.next(), "its number is not the next one")?;
        let open_round = self.rounds.last().filter(|state| state.closed.is_none()).map(|state| state.round);
        match &entry.event {
            Event::RunOpened { .. } => Err("the run is open already"),
            Event::DecisionReopened { .. } | Event::RunResumed { .. } => {
                needs(self.in_flight.is_empty() || self.end.is_none(), "the run ended with a turn in flight")
            }
            Event::DraftSelected { .. } => Ok(()),
            Event::ItemsDecided { .. } => {
                let waits = self.end.as_ref().is_some_and(|end| end.outcome == Outcome::NeedsHuman);
                needs(waits && !self.rounds.is_empty(), "the run does not wait for a person's decision")
            }
            // Whoever resumes a run that was cut short may say first what is wanted.
            Event::DirectiveGiven { .. } | Event::Reanchored { .. } => {
                needs(self.end.as_ref().is_none_or(|end| !end.outcome.is_sticky()), "the run is decided")
            }
            _ if self.end.is_some() => Err("the run has ended"),
            Event::RoundOpened { round } => {
                needs(open_round.is_none(), "a round is open already")?;
                needs(self.rounds.last().is_none_or(|state| state.round < *round), "its round is over")
            }
            Event::TurnStarted { turn, round, .. } => {
                needs(index(*turn) == self.turns.len(), "turns are numbered in order")?;
                needs(open_round == Some(*round), "its round is not open")
            }
            Event::Ruled { turn, .. } => {
                let is_open = |turn: &Turn| turn.said().is_some() && turn.ruling.is_none();
                needs(self.turn(*turn).is_some_and(is_open), "its turn brought nothing to rule on")
            }
            Event::Heard { turn, .. }
            | Event::TurnAnswered { turn, .. }
            | Event::TurnParked { turn, .. }
            | Event::TurnFailed { turn, .. } => needs(self.in_flight.contains(turn), "its turn is not in flight"),
            Event::RoundClosed { round, .. } => needs(open_round == Some(*round), "its round is not open"),
            Event::RunClosed { .. } => needs(self.in_flight.is_empty(), "a turn is in flight"),
            Event::InterruptRequested { .. } | Event::SpentElsewhere { .. } => Ok(()),
        }
    }
}
