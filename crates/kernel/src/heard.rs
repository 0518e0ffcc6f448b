//! What a turn says before it has ended.
//!
//! One session can play several seats: a panel that streams its whole trial is one turn, and what each seat says in
//! it is recorded as it comes. Nothing is decided on it before it is durable.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::verdict::{Correction, Dim};
use crate::{Draft, DraftId, Finding, Judgement, Round, Score, SeatName, Verdict};

/// One thing that a turn in flight said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Utterance {
    /// The session has begun to speak for its seats.
    Began,
    /// A seat begins to speak.
    Opened {
        round: Round,
        seat: SeatName,
    },
    Drafted {
        round: Round,
        draft: Draft,
    },
    Scored {
        round: Round,
        seat: SeatName,
        dim: Dim,
    },
    Found {
        round: Round,
        seat: SeatName,
        finding: Finding,
    },
    /// A seat has spoken: its scores and findings came before.
    Closed {
        round: Round,
        seat: SeatName,
        judgement: Judgement,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<Score>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        corrections: Vec<Correction>,
    },
    RoundEnded {
        round: Round,
        claim: Claim,
    },
    /// The session wants to hand something over.
    Shipped {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<Round>,
        claim: Claim,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<Draft>,
    },
    Warned {
        warning: String,
        position: u64,
    },
    /// What it said cannot be read any further.
    Broke {
        reason: String,
        position: u64,
        message: String,
    },
    Ended,
}

/// What a session claims about a round. Hearsay: the gate has its own numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Claim {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<Score>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wants_to_ship: bool,
    /// Its reason, or its summary.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Where in its output it says so.
    pub position: u64,
}

/// Why a session cannot be followed any further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    pub reason: String,
    pub position: u64,
    pub message: String,
}

/// Everything that a turn has said so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    verdicts: Vec<(Round, SeatName, Verdict)>,
    drafts: Vec<(Round, Draft)>,
    claims: Vec<(Round, Claim)>,
    /// The seat that is speaking, and what it has said.
    speaking: Option<(Round, SeatName, Vec<Dim>, Vec<Finding>)>,
    /// Who has spoken, also those who only drafted.
    spoken: Vec<(Round, SeatName)>,
    ship: Option<(Option<Round>, Claim, Option<Draft>)>,
    broke: Option<Break>,
    ended: bool,
}

impl Heard {
    /// Takes in what was said. Gives the seat that has just finished, with its round.
    pub(crate) fn apply(&mut self, utterance: Utterance) -> Option<(Round, &SeatName, &Verdict)> {
        match utterance {
            Utterance::Began | Utterance::Warned { .. } => {}
            Utterance::Opened { round, seat } => {
                self.spoken.push((round, seat.clone()));
                self.speaking = Some((round, seat, Vec::new(), Vec::new()));
            }
            Utterance::Drafted { round, draft } => self.drafts.push((round, draft)),
            Utterance::Scored { dim, .. } => {
                if let Some((_, _, dims, _)) = &mut self.speaking {
                    dims.push(dim);
                }
            }
            Utterance::Found { finding, .. } => {
                if let Some((_, _, _, findings)) = &mut self.speaking {
                    findings.push(finding);
                }
            }
            Utterance::Closed { round, seat, judgement, score, corrections } => {
                let (_, _, dims, findings) = self.speaking.take()?;
                // A judge that speaks before there is a draft judges nothing, but has spoken.
                let draft = self.drafts.last().map_or(DraftId(Uuid::nil()), |(_, draft)| draft.id);
                let verdict = Verdict { score, dims, findings, corrections, ..Verdict::new(draft, judgement) };
                self.verdicts.push((round, seat, verdict));
                return self.verdicts.last().map(|(round, seat, verdict)| (*round, seat, verdict));
            }
            Utterance::RoundEnded { round, claim } => self.claims.push((round, claim)),
            Utterance::Shipped { round, claim, draft } => self.ship = Some((round, claim, draft)),
            Utterance::Broke { reason, position, message } => self.broke = Some(Break { reason, position, message }),
            Utterance::Ended => self.ended = true,
        }
        None
    }

    /// The verdicts of a round, in the order in which they were given.
    pub fn verdicts(&self, round: Round) -> impl Iterator<Item = (&SeatName, &Verdict)> {
        self.verdicts.iter().filter(move |(of, ..)| *of == round).map(|(_, seat, verdict)| (seat, verdict))
    }

    /// The last draft that was there at the end of `round`.
    pub fn draft(&self, round: Round) -> Option<&Draft> {
        self.drafts.iter().rev().find(|(of, _)| *of <= round).map(|(_, draft)| draft)
    }

    /// Every draft, oldest first.
    pub fn drafts(&self) -> impl Iterator<Item = (Round, &Draft)> {
        self.drafts.iter().map(|(round, draft)| (*round, draft))
    }

    /// Whether a seat has spoken in a round.
    pub fn has_spoken(&self, round: Round, seat: &SeatName) -> bool {
        self.spoken.iter().any(|(of, who)| *of == round && who == seat)
    }

    /// What it said at the end of a round, once it is there.
    pub fn claim(&self, round: Round) -> Option<&Claim> {
        self.claims.iter().find(|(of, _)| *of == round).map(|(_, claim)| claim)
    }

    /// What it wants to hand over, and as which round.
    pub fn ship(&self) -> Option<(Option<Round>, &Claim, Option<&Draft>)> {
        self.ship.as_ref().map(|(round, claim, draft)| (*round, claim, draft.as_ref()))
    }

    pub fn broke(&self) -> Option<&Break> {
        self.broke.as_ref()
    }

    /// Whether it has said all that it had to say.
    pub fn is_over(&self) -> bool {
        self.ended || self.broke.is_some()
    }

    /// The last round that somebody spoke in.
    pub fn latest_round(&self) -> Option<Round> {
        self.spoken.last().map(|(round, _)| *round)
    }
}

impl Utterance {
    /// The blob that it cites.
    pub(crate) fn cites(&self) -> Option<crate::Digest> {
        match self {
            Self::Drafted { draft, .. } | Self::Shipped { draft: Some(draft), .. } => Some(draft.content),
            _ => None,
        }
    }
}
