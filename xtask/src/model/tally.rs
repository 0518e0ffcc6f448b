//! What the runs came to, as tables.

use std::collections::BTreeMap;
use std::fmt;

use super::trial::{Controls, Seen};

#[derive(Debug, Default)]
pub(super) struct Tally {
    seen: Vec<Seen>,
}

impl Tally {
    pub(super) fn add(&mut self, seen: Seen) {
        self.seen.push(seen);
    }

    /// Whether every run ended by itself and none on garbage.
    pub(super) fn is_well(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|seen| seen.exit.is_some() && !seen.is_garbage())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut endings: BTreeMap<_, (usize, usize)> = BTreeMap::new();
        let mut controls: BTreeMap<_, Controls> = BTreeMap::new();
        for seen in &self.seen {
            let place = (seen.trial.kind, seen.trial.manner);
            let exit = seen.exit.map_or("none".to_owned(), |exit| exit.to_string());
            let (runs, garbage) = endings.entry((place, seen.status.as_str(), exit)).or_default();
            *runs += 1;
            *garbage += usize::from(seen.is_garbage());
            let sum = controls.entry(place).or_default();
            *sum = sum.plus(seen.controls);
        }
        writeln!(f, "| loop | answers | ended as | exit | runs | converged on garbage |\n|---|---|---|---|---|---|")?;
        for (((kind, manner), status, exit), (runs, garbage)) in endings {
            writeln!(f, "| {} | {} | `{status}` | {exit} | {runs} | {garbage} |", kind.word(), manner.word())?;
        }
        writeln!(f, "\n| loop | answers | control calls | fault found | fault missed | inattentive | unreadable |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for ((kind, manner), Controls { calls, caught, missed, inattentive, unread }) in controls {
            let (kind, manner) = (kind.word(), manner.word());
            writeln!(f, "| {kind} | {manner} | {calls} | {caught} | {missed} | {inattentive} | {unread} |")?;
        }
        Ok(())
    }
}
