//! Events as short lines of text, for expectations and for eyes.

use std::fmt;

use crate::event::{Fact, ShipStatus, Source, WireEvent};
use crate::record::StreamRecord;

impl fmt::Display for StreamRecord {
    /// One fact a line, without positions; the last line is how the stream ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fact in self.facts() {
            writeln!(f, "{fact}")?;
        }
        match &self.end {
            Ok(end) => writeln!(f, "ok: {end}"),
            Err(error) => writeln!(f, "error: {error}"),
        }
    }
}

impl fmt::Display for WireEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{} {}", self.position, self.fact)
    }
}

impl fmt::Display for Fact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunStarted { version, max_rounds, threshold, scale } => {
                write!(f, "run v{version}")?;
                said(f, "rounds", max_rounds.as_ref())?;
                said(f, "threshold", threshold.as_ref())?;
                said(f, "scale", scale.as_ref())
            }
            Self::RoundOpened { round } => write!(f, "round {round}"),
            Self::PanelistOpened { role, score, must_fix, .. } => {
                write!(f, "  {role}")?;
                said(f, "score", score.as_ref())?;
                said(f, "must_fix", must_fix.as_ref())
            }
            Self::Noted { role, text, .. } => write!(f, "    {role} notes {text:?}"),
            Self::DimScored { role, name, score, note, .. } => {
                write!(f, "    {role} dim {name:?}")?;
                said(f, "score", score.as_ref())?;
                write!(f, " {note:?}")
            }
            Self::MustFixDemanded { role, text, .. } => write!(f, "    {role} must fix {text:?}"),
            Self::PanelistClosed { role, .. } => write!(f, "  /{role}"),
            Self::ArtifactOpened { source: Source::Draft { round }, mime } => {
                write!(f, "    draft of round {round} {mime:?}")
            }
            Self::ArtifactOpened { source: Source::Ship, mime } => write!(f, "  shipped artifact {mime:?}"),
            Self::ArtifactChunk(bytes) => write!(f, "    | {:?}", String::from_utf8_lossy(bytes)),
            Self::ArtifactClosed { bytes } => write!(f, "    {bytes} bytes"),
            Self::RoundEnded { round, composite, must_fix, decision, reason } => {
                write!(f, "/round {round}")?;
                said(f, "composite", composite.as_ref())?;
                said(f, "must_fix", must_fix.as_ref())?;
                write!(f, " {} {reason:?}", decision.as_str())
            }
            Self::ShipOpened { round, composite, status } => {
                f.write_str("ship")?;
                said(f, "round", round.as_ref())?;
                said(f, "composite", composite.as_ref())?;
                said(f, "status", status.map(ShipStatus::as_str).as_ref())
            }
            Self::Summarised { text } => write!(f, "  summary {text:?}"),
            Self::ShipClosed => f.write_str("/ship"),
            Self::RunEnded => f.write_str("/run"),
            Self::Warned(warning) => write!(f, "! {warning}"),
        }
    }
}

/// ` name=value`, or nothing where the stream did not say.
fn said(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name}={value}"))
}
