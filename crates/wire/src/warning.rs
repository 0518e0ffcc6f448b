//! What the parser put up with.

use std::fmt;

/// Something in the stream that was repaired or left out; the event around it has the position.
///
/// Warnings that need the panel's arithmetic (`composite_mismatch`, `missing_role`, `weak_debate`) are the scoreboard's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning {
    /// A comment, a tag that is not of this protocol, or one that has no business at this place.
    UnknownTag,
    /// A `PANELIST` whose role is not in the cast: its block is dropped.
    UnknownRole,
    /// A role spoke twice in a round: the first block stays, this one is dropped.
    DuplicateRole,
    /// A second `SHIP`: the first stays, this one is dropped.
    DuplicateShip,
    /// A score outside `0..=scale`; `said` is the number before clamping, on our scale.
    ScoreClamped { said: f64 },
    /// A judge without a readable score.
    ScoreMissing,
    /// The stream claims another value for a setting than the configuration has.
    ConfigMismatch { setting: ClaimedSetting },
}

/// A setting that a stream may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimedSetting {
    MaxRounds,
    Threshold,
    Scale,
}

impl Warning {
    /// The name in events, metrics and transcripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownTag => "unknown_tag",
            Self::UnknownRole => "unknown_role",
            Self::DuplicateRole => "duplicate_role",
            Self::DuplicateShip => "duplicate_ship",
            Self::ScoreClamped { .. } => "score_clamped",
            Self::ScoreMissing => "score_missing",
            Self::ConfigMismatch { .. } => "config_mismatch",
        }
    }
}

impl ClaimedSetting {
    /// The attribute of `CRITIQUE_RUN` that claims it.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::MaxRounds => "maxRounds",
            Self::Threshold => "threshold",
            Self::Scale => "scale",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::ScoreClamped { said } => write!(f, " (said {said})"),
            Self::ConfigMismatch { setting } => write!(f, " ({})", setting.attribute()),
            _ => Ok(()),
        }
    }
}
