//! Who spent what.

use serde::Serialize;
use std::collections::BTreeMap;

use crate::{Run, SeatName, Usage};

/// What one agent in one seat spent on one model. Whoever took a turn over spent it, and not who sits there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    pub seat: SeatName,
    pub agent: String,
    pub model: Option<String>,
    /// Calls that ended.
    pub calls: u32,
    /// Calls of these that were answered from another run's ledger.
    pub copied: u32,
    /// All of them together; `estimated` if any of it is our guess.
    #[serde(flatten)]
    pub usage: Usage,
}

/// What every seat spent on every model and agent, in the order of their names. Seats that were never called are not in it.
pub fn shares(run: &Run) -> Vec<Share> {
    let mut shares = BTreeMap::<(SeatName, Option<&str>, &str), Share>::new();
    for turn in run.turns() {
        let Some(bill) = turn.bill() else { continue };
        let (agent, model) = (run.agent_of(turn), run.model(turn));
        let share = shares.entry((turn.seat.clone(), model, agent)).or_insert_with(|| Share {
            seat: turn.seat.clone(),
            agent: agent.to_owned(),
            model: model.map(str::to_owned),
            calls: 0,
            copied: 0,
            usage: Usage::default(),
        });
        share.calls += 1;
        share.copied += u32::from(bill.copied.is_some());
        share.usage = share.usage.plus(bill.usage);
    }
    shares.into_values().collect()
}
