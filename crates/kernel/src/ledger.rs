//! The call ledger: answers that were paid for, and where they are found again.

use std::collections::BTreeMap;

use crate::control::is_control;
use crate::{Digest, Round, Run, RunId, SeatName, Turn, TurnError, TurnState};

/// The answers of a run that another one branches off from.
#[derive(Debug, Clone)]
pub struct CallLedger {
    run: RunId,
    from: Round,
    /// What came of each call before the branch.
    places: BTreeMap<Place, PaidCall>,
    /// Answers after it, and those of controls, by the digest of all that determines them.
    requests: BTreeMap<Digest, Digest>,
}

/// A call's name: round, seat, task and attempt.
type Place = (Round, SeatName, String, u32);

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaidCall {
    /// The blob of the raw answer.
    Answer(Digest),
    /// It brought nothing, and it would not be the same trial if it brought something now.
    Failure(TurnError),
}

impl CallLedger {
    /// What `run` has paid for, for a trial that is played anew from the round `from` on.
    pub fn of(run: &Run, from: Round) -> Self {
        let mut ledger = Self { run: run.spec().run, from, places: BTreeMap::new(), requests: BTreeMap::new() };
        // Whoever took a turn over is not who would be asked again.
        for turn in run.turns().iter().filter(|turn| turn.stand_in.is_none() || turn.round < from) {
            let kept = match &turn.state {
                TurnState::Answered { raw, .. } => PaidCall::Answer(*raw),
                // What we ended ourselves, or could not start, says nothing about the trial.
                TurnState::Failed { error, .. } if error.kind.is_retryable() => PaidCall::Failure(error.clone()),
                TurnState::Failed { .. } | TurnState::InFlight => continue,
            };
            // What a control shows of one judge, it shows of no other.
            if turn.round < from && !is_control(&turn.task) {
                ledger.places.insert(place(turn), kept);
            } else if let PaidCall::Answer(raw) = kept {
                ledger.requests.insert(turn.request, raw);
            }
        }
        ledger
    }

    /// The run whose answers these are.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// What is known of a call. Before the branch everything is as it was, whoever sits there now; after it an answer
    /// is taken only for the same question to the same agent.
    pub fn find(&self, turn: &Turn) -> Option<PaidCall> {
        if turn.round < self.from && !is_control(&turn.task) {
            self.places.get(&place(turn)).cloned()
        } else {
            self.requests.get(&turn.request).copied().map(PaidCall::Answer)
        }
    }

    /// The answer before the branch that a seat gave to a task, whichever attempt brought it. The last one counts: those
    /// before it were sent back.
    pub fn answer(&self, round: Round, seat: &SeatName, task: &str) -> Option<Digest> {
        let attempt = |number| (round, seat.clone(), task.to_owned(), number);
        let attempts = self.places.range(attempt(0)..=attempt(u32::MAX));
        attempts.rev().find_map(|(_, kept)| match kept {
            PaidCall::Answer(raw) => Some(*raw),
            PaidCall::Failure(_) => None,
        })
    }
}

fn place(turn: &Turn) -> Place {
    (turn.round, turn.seat.clone(), turn.task.clone(), turn.attempt)
}
