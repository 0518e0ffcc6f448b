//! Where in a run the stream is.

use std::borrow::Cow;

use crate::event::{ClaimedDecision, Fact};
use crate::tag::Name;

/// The innermost open tag that may hold others.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    Run,
    /// `ended`: its `ROUND_END` has been read, nothing more belongs into it.
    Round {
        ended: bool,
    },
    Panelist {
        /// Index in the cast; `None` if the block is dropped.
        seat: Option<usize>,
        may_draft: bool,
    },
    RoundEnd {
        claim: RoundClaim,
        reasoned: bool,
    },
    Ship {
        dropped: bool,
        round: Option<u32>,
        may_attach: bool,
        /// It brought an artifact that is not blank.
        attached: bool,
        summarised: bool,
    },
    Over,
}

/// What a `ROUND_END` says about its round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoundClaim {
    pub(super) composite: Option<f64>,
    pub(super) must_fix: Option<u32>,
    pub(super) decision: ClaimedDecision,
}

impl Place {
    pub(super) fn name(&self) -> Name {
        match self {
            Self::Run | Self::Over => Name::CritiqueRun,
            Self::Round { .. } => Name::Round,
            Self::Panelist { .. } => Name::Panelist,
            Self::RoundEnd { .. } => Name::RoundEnd,
            Self::Ship { .. } => Name::Ship,
        }
    }

    /// Whether the cap counts here. Runs and rounds have no cap: nothing of them has to be kept.
    pub(super) fn is_block(&self) -> bool {
        matches!(self, Self::Panelist { .. } | Self::RoundEnd { .. } | Self::Ship { .. })
    }

    /// Whether what the block says is not to be heard.
    pub(super) fn is_dropped(&self) -> bool {
        matches!(self, Self::Panelist { seat: None, .. } | Self::Ship { dropped: true, .. })
    }
}

impl RoundClaim {
    /// Of a round that closed without `ROUND_END`.
    pub(super) const SILENT: Self = Self { composite: None, must_fix: None, decision: ClaimedDecision::Continue };

    pub(super) fn fact(self, round: u32, reason: Cow<'_, str>) -> Fact<'_> {
        let Self { composite, must_fix, decision } = self;
        Fact::RoundEnded { round, composite, must_fix, decision, reason }
    }
}
