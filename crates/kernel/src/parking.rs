//! Parking: a provider takes no requests for now, so a turn waits instead of failing. No attempt is used, nothing escalates,
//! and no breaker counts it; the run's own limits alone end the waiting.

use std::time::Duration;

use crate::{Run, Time, Turn};

/// How long to wait where nobody says how long, in minutes: the first time, the second, and so on; the last one from then on.
const GUESSES: [u64; 6] = [1, 2, 5, 10, 15, 30];
/// A provider that says "now" again and again is asked at growing intervals, up to this one.
const LONGEST_NOW: Duration = Duration::from_secs(60);

/// Why a turn waits, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parking {
    pub until: Time,
    /// In the words of whoever refused it.
    pub why: String,
    /// How often this turn was parked, this time included.
    pub times: u32,
}

/// When a turn goes on that was refused `now`, after `times` parkings before: as the provider says, never at once again and
/// again, and at growing intervals where it does not say.
pub fn goes_on(now: Time, said: Option<Duration>, times: u32) -> Time {
    let wait = if let Some(said) = said {
        said.max(Duration::from_secs(1 << times.min(6)).min(LONGEST_NOW))
    } else {
        let at = usize::try_from(times).unwrap_or(usize::MAX).min(GUESSES.len() - 1);
        Duration::from_secs(GUESSES[at] * 60)
    };
    now.plus(wait)
}

/// The times in which turns were parked: their union, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pauses(Vec<(Time, Time)>);

impl Pauses {
    /// Another one. Events come in the order of time, so it can only touch the last one.
    pub(crate) fn add(&mut self, from: Time, until: Time) {
        match self.0.last_mut() {
            Some((_, end)) if from <= *end => *end = until.max(*end),
            _ => self.0.push((from, until)),
        }
    }

    /// How much of them lies after a moment.
    fn after(&self, moment: Time) -> Duration {
        let spans = self.0.iter().rev().take_while(|(_, until)| moment < *until);
        spans.map(|(from, until)| until.since(moment.max(*from))).sum()
    }
}

impl Turn {
    /// Until when it waits, if it does.
    pub fn parked_until(&self, now: Time) -> Option<&Parking> {
        self.parked.as_deref().filter(|parking| now < parking.until)
    }
}

impl Run {
    /// The turns that wait for their providers, with when they go on.
    pub fn parked(&self, now: Time) -> impl Iterator<Item = (&Turn, &Parking)> {
        self.in_flight().filter_map(move |turn| Some((turn, turn.parked_until(now)?)))
    }

    /// Whether nothing can happen before a parked turn goes on.
    pub fn is_parked(&self, now: Time) -> bool {
        self.end().is_none()
            && self.in_flight().next().is_some()
            && self.in_flight().all(|turn| turn.parked_until(now).is_some())
    }

    /// When the next parked turn goes on.
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        self.parked(now).map(|(_, parking)| parking.until).min()
    }

    /// How much time since a moment turns were, or will be, parked: what a loop's own clock does not count.
    pub(crate) fn paused_since(&self, moment: Time) -> Duration {
        self.pauses().after(moment)
    }

    /// Who is called for a turn: whoever sits in its seat, or took it over.
    pub fn agent_of<'a>(&'a self, turn: &'a Turn) -> &'a str {
        let binding = self.spec().seats.get(&turn.seat);
        turn.stand_in.as_deref().unwrap_or_else(|| binding.map_or(turn.seat.as_str(), |binding| &binding.agent))
    }

    /// Who can take a turn over from the agent in its seat. A judge is never replaced: its control was another one's. And where
    /// money or tokens are limited, nobody is: what was set aside for the turn is what the other one costs.
    pub fn stand_in_for(&self, turn: &Turn, now: Time) -> Option<&str> {
        let is_judging = self.spec().def().is_judging(&crate::control::shown_task(&turn.task));
        let fallback = self.spec().seats.get(&turn.seat)?.fallback.as_ref()?;
        let limits = self.limits();
        let is_unlimited = limits.usd.is_none() && limits.tokens.is_none();
        let is_free = self.limited_until(&fallback.agent).is_none_or(|until| until <= now);
        (turn.stand_in.is_none() && !is_judging && is_unlimited && is_free).then_some(fallback.agent.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_say_when_is_asked_at_growing_intervals() {
        let seconds =
            |said: Option<u64>, times| goes_on(Time(0), said.map(Duration::from_secs), times).since(Time(0)).as_secs();
        assert_eq!(
            (0..8).map(|times| seconds(None, times)).collect::<Vec<_>>(),
            [60, 120, 300, 600, 900, 1800, 1800, 1800]
        );
        assert_eq!((0..8).map(|times| seconds(Some(0), times)).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(seconds(Some(7200), 3), 7200, "a provider that says when is believed");
    }

    #[test]
    fn pauses_that_overlap_count_once() {
        let mut pauses = Pauses::default();
        for (from, until) in [(10, 20), (15, 30), (16, 18), (50, 60)] {
            pauses.add(Time(from * 1000), Time(until * 1000));
        }
        for (moment, expected) in [(0, 30), (25, 15), (30, 10), (55, 5), (60, 0)] {
            assert_eq!(pauses.after(Time(moment * 1000)), Duration::from_secs(expected), "since {moment}");
        }
    }
}
