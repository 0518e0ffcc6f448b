//! How turns end or wait, in the books of a run; and how it begins again.

use super::{Run, index};
use crate::breaker::Streak;
use crate::parking::Parking;
use crate::{Spend, Time, TurnId, TurnState, Usage};

impl Run {
    /// A turn is over: what it took replaces what was set aside for it.
    pub(super) fn settle(&mut self, id: TurnId, usage: Usage, state: TurnState) {
        let turn = &mut self.turns[index(id)];
        turn.state = state;
        self.budget.settle(turn.reserved, Spend::from(usage));
        if usage != Usage::default() {
            let turn = &self.turns[index(id)];
            let key = (self.agent_of(turn).to_owned(), self.model(turn).map(str::to_owned));
            self.costliest.entry(key).or_default().see(usage);
        }
        self.judges.see(&self.turns[index(id)]);
        self.in_flight.retain(|in_flight| *in_flight != id);
    }

    /// A turn waits. What it took all the same is paid; what is set aside for it stays aside.
    pub(super) fn park(
        &mut self,
        id: TurnId,
        at: Time,
        until: Time,
        why: String,
        taken_by: Option<String>,
        usage: Usage,
    ) {
        self.budget.spent = self.budget.spent.plus(Spend::from(usage));
        let turn = &mut self.turns[index(id)];
        let times = turn.parked.as_ref().map_or(0, |parking| parking.times) + 1;
        if let Some(agent) = taken_by {
            turn.stand_in = Some(agent.into());
        } else {
            turn.parked = Some(Box::new(Parking { since: at, until, why, times }));
            // Who waits for its turn after the others has not begun, either.
            let until = self.parked_until(&self.turns[index(id)], at).unwrap_or(until);
            self.pauses.add(at, until);
        }
    }

    pub(super) fn restart(&mut self, at: Time) {
        // Whoever resumes wants it tried now.
        self.limited.clear();
        self.end = None;
        self.interrupt = None;
        self.failures = Streak::default();
        self.fresh_from = self.next_turn();
        self.cut = None;
        self.clock_from = at;
    }
}
