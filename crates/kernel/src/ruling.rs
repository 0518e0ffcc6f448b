//! Rulings: what a loop says of a draft that a turn brought.

use serde::{Deserialize, Serialize};
use tribunal_anchors::Color;

use crate::ballot::JudgedItem;
use crate::turn::TurnErrorKind;
use crate::{Score, TurnError};

/// Whether a draft takes the place of the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub accepted: bool,
    /// Why not; the seat is told when it is asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The worst colour that it was given, where colours were given: compared before the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Color>,
    /// Whether everything that is asked for is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// What the draft is worth, where the loop scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// What was put to the vote, and what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<JudgedItem>,
    /// How many anchors a person had put in the place of the first: under another one the ruling is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<u32>,
}

impl Ruling {
    /// The draft is taken.
    pub fn accept(score: Option<Score>) -> Self {
        Self { accepted: true, score, ..Self::reject(Vec::new(), None) }
    }

    /// What the seat is told, if the draft is sent back.
    pub(crate) fn rejection(&self) -> Option<TurnError> {
        let message = format!("the draft was rejected:\n- {}", self.reasons.join("\n- "));
        (!self.accepted).then_some(TurnError { kind: TurnErrorKind::Misfit, message, hint: None })
    }

    /// The draft is sent back.
    pub fn reject(reasons: Vec<String>, score: Option<Score>) -> Self {
        Self { accepted: false, reasons, tier: None, complete: false, score, items: Vec::new(), under: None }
    }
}
