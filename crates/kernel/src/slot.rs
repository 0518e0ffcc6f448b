//! A slot: one call that a loop needs, over all its attempts.

use crate::turn::{Turn, TurnError};
use crate::{Judgement, Said};

/// Where a needed call stands.
#[derive(Debug, Clone, Copy)]
pub enum Slot<'a> {
    /// Not asked yet, or asked in vain with attempts left: the next one is `attempt`, told of `feedback`.
    Open {
        attempt: u32,
        feedback: Option<&'a TurnError>,
    },
    InFlight,
    Answered {
        turn: &'a Turn,
        said: &'a Said,
    },
    /// No attempt is left, or none can help.
    Exhausted {
        error: &'a TurnError,
        attempts: u32,
    },
}

impl Slot<'_> {
    /// The judgement that this call brought, once nothing more will come of it.
    /// A seat that did not answer has not passed anything.
    pub fn judgement(&self) -> Option<Judgement> {
        match self {
            Self::Open { .. } | Self::InFlight => None,
            Self::Answered { said, .. } => Some(said.verdict().map_or(Judgement::Abstain, |verdict| verdict.judgement)),
            Self::Exhausted { .. } => Some(Judgement::Error),
        }
    }
}
