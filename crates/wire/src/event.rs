//! What the stream said, one fact at a time.

use std::borrow::Cow;

use crate::warning::Warning;

/// A fact and where in the stream it stands.
///
/// Events borrow from the input or the parser's buffer; [`WireEvent::into_owned`] is for who wants to keep them.
#[derive(Debug, Clone, PartialEq)]
pub struct WireEvent<'a> {
    /// The byte of the stream, counted from 0, of the tag (for an artifact's piece: of the text) that says so.
    pub position: u64,
    pub fact: Fact<'a>,
}

/// Facts in stream order. Numbers are the stream's *claims*, except that scores are already on our scale.
///
/// A scoreboard may rely on the nesting: `RoundOpened (PanelistOpened … PanelistClosed)* RoundEnded`, then perhaps
/// `ShipOpened … ShipClosed`; every round ends in exactly one `RoundEnded`; a role opens at most once a round.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact<'a> {
    RunStarted {
        version: u32,
        max_rounds: Option<u32>,
        threshold: Option<f64>,
        scale: Option<f64>,
    },
    RoundOpened {
        round: u32,
    },
    PanelistOpened {
        round: u32,
        role: Cow<'a, str>,
        /// `None`: not scored.
        score: Option<f64>,
        /// The number of must-fixes the tag announces; the demands themselves follow.
        must_fix: Option<u32>,
    },
    Noted {
        round: u32,
        role: Cow<'a, str>,
        text: Cow<'a, str>,
    },
    DimScored {
        round: u32,
        role: Cow<'a, str>,
        name: Cow<'a, str>,
        score: Option<f64>,
        note: Cow<'a, str>,
    },
    MustFixDemanded {
        round: u32,
        role: Cow<'a, str>,
        text: Cow<'a, str>,
    },
    PanelistClosed {
        round: u32,
        role: Cow<'a, str>,
    },
    /// Followed by any number of `ArtifactChunk` and one `ArtifactClosed`.
    ArtifactOpened {
        source: Source,
        mime: Cow<'a, str>,
    },
    /// The next bytes of the artifact, as they came; how they are cut depends on how the stream was cut.
    ArtifactChunk(Cow<'a, [u8]>),
    ArtifactClosed {
        bytes: u64,
    },
    RoundEnded {
        round: u32,
        composite: Option<f64>,
        must_fix: Option<u32>,
        decision: ClaimedDecision,
        reason: Cow<'a, str>,
    },
    ShipOpened {
        round: Option<u32>,
        composite: Option<f64>,
        status: Option<ShipStatus>,
    },
    Summarised {
        text: Cow<'a, str>,
    },
    ShipClosed,
    RunEnded,
    Warned(Warning),
}

/// Whose artifact it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The designer's draft of a round.
    Draft { round: u32 },
    /// The one inside `SHIP`.
    Ship,
}

/// What the stream wants to do after a round. The gate decides; this is hearsay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimedDecision {
    Continue,
    Ship,
}

/// The `status` of a `SHIP`, where it is one we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShipStatus {
    Shipped,
    BelowThreshold,
    TimedOut,
    Interrupted,
}

impl ClaimedDecision {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Ship => "ship",
        }
    }

    /// Whatever is not plainly a wish to ship goes on.
    pub(crate) fn read(said: &[u8]) -> Self {
        if said.trim_ascii().eq_ignore_ascii_case(b"ship") { Self::Ship } else { Self::Continue }
    }
}

impl ShipStatus {
    const ALL: [Self; 4] = [Self::Shipped, Self::BelowThreshold, Self::TimedOut, Self::Interrupted];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::BelowThreshold => "below_threshold",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
        }
    }

    pub(crate) fn read(said: &[u8]) -> Option<Self> {
        let said = said.trim_ascii();
        Self::ALL.into_iter().find(|status| said.eq_ignore_ascii_case(status.as_str().as_bytes()))
    }
}

impl WireEvent<'_> {
    pub fn into_owned(self) -> WireEvent<'static> {
        WireEvent { position: self.position, fact: self.fact.into_owned() }
    }
}

impl Fact<'_> {
    pub fn into_owned(self) -> Fact<'static> {
        match self {
            Self::RunStarted { version, max_rounds, threshold, scale } => {
                Fact::RunStarted { version, max_rounds, threshold, scale }
            }
            Self::RoundOpened { round } => Fact::RoundOpened { round },
            Self::PanelistOpened { round, role, score, must_fix } => {
                Fact::PanelistOpened { round, role: own(role), score, must_fix }
            }
            Self::Noted { round, role, text } => Fact::Noted { round, role: own(role), text: own(text) },
            Self::DimScored { round, role, name, score, note } => {
                Fact::DimScored { round, role: own(role), name: own(name), score, note: own(note) }
            }
            Self::MustFixDemanded { round, role, text } => {
                Fact::MustFixDemanded { round, role: own(role), text: own(text) }
            }
            Self::PanelistClosed { round, role } => Fact::PanelistClosed { round, role: own(role) },
            Self::ArtifactOpened { source, mime } => Fact::ArtifactOpened { source, mime: own(mime) },
            Self::ArtifactChunk(bytes) => Fact::ArtifactChunk(Cow::Owned(bytes.into_owned())),
            Self::ArtifactClosed { bytes } => Fact::ArtifactClosed { bytes },
            Self::RoundEnded { round, composite, must_fix, decision, reason } => {
                Fact::RoundEnded { round, composite, must_fix, decision, reason: own(reason) }
            }
            Self::ShipOpened { round, composite, status } => Fact::ShipOpened { round, composite, status },
            Self::Summarised { text } => Fact::Summarised { text: own(text) },
            Self::ShipClosed => Fact::ShipClosed,
            Self::RunEnded => Fact::RunEnded,
            Self::Warned(warning) => Fact::Warned(warning),
        }
    }
}

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
