//! Parking: a provider takes no requests for now, so a turn waits instead of failing. No attempt is used, nothing escalates,
//! and no breaker counts it; the run's own limits alone end the waiting.

use std::time::Duration;

use crate::spec::FallbackAgent;
use crate::{Ask, Run, SeatName, Time, Turn};

/// How long to wait where nobody says how long, in minutes: the first time, the second, and so on; the last one from then on.
const GUESSES: [u64; 6] = [1, 2, 5, 10, 15, 30];
/// A provider that says "now" again and again is asked at growing intervals, up to this one.
const LONGEST_NOW: Duration = Duration::from_secs(60);

/// Seats of one agent that wait for the same moment go on at most so long one after the other.
const LONGEST_APART: Duration = Duration::from_secs(10);

/// Why a turn waits, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parking {
    pub since: Time,
    pub until: Time,
    /// In the words of whoever refused it.
    pub why: String,
    /// How often this turn was parked, this time included.
    pub times: u32,
}

/// When a turn goes on that was refused `now`, after its agent was refused `times` before: as the provider says, never at once again and
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

/// What is known of an agent whose provider takes no requests, or took none when it was last asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AgentLimit {
    pub(crate) until: Time,
    /// How often it was refused in a row. Seats that were refused at the same time were refused once.
    times: u32,
}

impl AgentLimit {
    pub(crate) fn see(&mut self, at: Time, until: Time) {
        if self.until <= at {
            self.times += 1;
        }
        self.until = self.until.max(until);
    }
}

impl Run {
    /// Until when a turn waits for its provider, if it does: as long as it was told, or as another turn of the same agent was
    /// told since. And when the time has come, the seats of one agent go one after the other: the first finds out for the
    /// others whether it is really over. They wait for its end, or for a while.
    pub fn parked_until(&self, turn: &Turn, now: Time) -> Option<Time> {
        let parking = turn.parked.as_deref()?;
        let agent = self.agent_of(turn);
        let told = self.limit_of(agent).map_or(parking.until, |limit| limit.until.max(parking.until));
        let is_before = |other: &&Turn| other.id < turn.id && other.parked.is_some() && self.agent_of(other) == agent;
        let before = u32::try_from(self.in_flight().filter(is_before).count()).unwrap_or(u32::MAX);
        let apart = (parking.until.since(parking.since) / 4).min(LONGEST_APART);
        Some(told.plus(apart.saturating_mul(before))).filter(|until| now < *until)
    }

    /// The turns that wait for their providers, with when they go on.
    pub fn parked(&self, now: Time) -> impl Iterator<Item = (&Turn, Parking)> {
        self.in_flight().filter_map(move |turn| {
            let until = self.parked_until(turn, now)?;
            Some((turn, Parking { until, ..turn.parked.as_deref()?.clone() }))
        })
    }

    /// Whether nothing can happen before a parked turn goes on.
    pub fn is_parked(&self, now: Time) -> bool {
        self.end().is_none()
            && self.in_flight().next().is_some()
            && self.in_flight().all(|turn| self.parked_until(turn, now).is_some())
    }

    /// Whether whoever drove it had nothing to do but wait: all that is in flight was parked, be the time over or not.
    pub fn is_left_waiting(&self) -> bool {
        self.end().is_none() && self.in_flight().next().is_some() && self.in_flight().all(|turn| turn.parked.is_some())
    }

    /// When the next parked turn goes on.
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        self.in_flight().filter_map(|turn| self.parked_until(turn, now)).min()
    }

    /// How much time since a moment turns were, or will be, parked: what a loop's own clock does not count.
    pub(crate) fn paused_since(&self, moment: Time) -> Duration {
        self.pauses().after(moment)
    }

    /// Until when an agent's provider takes no requests, as far as it said.
    pub fn limited_until(&self, agent: &str, now: Time) -> Option<Time> {
        self.limit_of(agent).map(|limit| limit.until).filter(|until| now < *until)
    }

    /// How often an agent was refused in a row before a refusal `now`.
    pub fn refusals_before(&self, agent: &str, now: Time) -> u32 {
        let limit = self.limit_of(agent).copied().unwrap_or_default();
        limit.times.saturating_sub(u32::from(now < limit.until))
    }

    /// Who is called for a turn: whoever sits in its seat, or took it over.
    pub fn agent_of<'a>(&'a self, turn: &'a Turn) -> &'a str {
        let binding = self.spec().seats.get(&turn.seat);
        turn.stand_in.as_deref().unwrap_or_else(|| binding.map_or(turn.seat.as_str(), |binding| &binding.agent))
    }

    /// The fallback of a seat for a task. A judge is never replaced: its control was another one's.
    fn fallback(&self, seat: &SeatName, task: &str) -> Option<&FallbackAgent> {
        let is_judging = self.spec().def().is_judging(&crate::control::shown_task(task));
        self.spec().seats.get(seat)?.fallback.as_ref().filter(|_| !is_judging)
    }

    /// Whether a call is rather one of the fallback: whoever sits there is not free, and the other one is, or is sooner.
    pub(crate) fn is_passed(&self, ask: &Ask, now: Time) -> bool {
        let Some(fallback) = self.fallback(&ask.seat, &ask.task) else { return false };
        let own = self.spec().seats.get(&ask.seat).and_then(|binding| self.limited_until(&binding.agent, now));
        own.is_some_and(|own| self.limited_until(&fallback.agent, now).is_none_or(|other| other < own))
    }

    /// Who is asked instead of waiting until then with a turn that was refused: the other one of the agent in its seat and its
    /// fallback, if that one is free, or is sooner.
    pub fn passed_to(&self, turn: &Turn, until: Time, now: Time) -> Option<&str> {
        let fallback = self.fallback(&turn.seat, &turn.task)?;
        let own = self.spec().seats.get(&turn.seat)?;
        let other = if turn.stand_in.is_some() { &own.agent } else { &fallback.agent };
        self.limited_until(other, now).is_none_or(|free| free < until).then_some(other.as_str())
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
