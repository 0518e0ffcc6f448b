//! What ends a parse.

use std::fmt;

/// Why the stream cannot be read further. Facts reported before it stand; nothing is reported after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    MalformedBlock {
        position: u64,
        why: Malformed,
    },
    /// `position` is the first byte past the cap.
    OversizeBlock {
        position: u64,
        cap: u64,
    },
    /// `position` is the tag that closed the round or the `SHIP` without one.
    MissingArtifact {
        position: u64,
    },
    ProtocolVersionMismatch {
        position: u64,
        found: String,
    },
}

/// What is wrong with the shape of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// The stream ended inside `tag`, which was opened at byte `opened`.
    Unclosed { tag: &'static str, opened: u64 },
    /// A tag where the grammar has no place for it.
    OutOfPlace { tag: &'static str },
    /// A closing tag that closes nothing, or not the innermost open tag.
    Unbalanced { tag: &'static str },
    /// A tag that runs into the next `<` before its `>`.
    Broken { tag: &'static str },
    /// Rounds are numbered 1, 2, 3, … and a `ROUND_END` names its own round.
    WrongRound { expected: u32, found: u32 },
}

impl Error {
    /// The name in events, metrics and transcripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::MalformedBlock { .. } => "malformed_block",
            Self::OversizeBlock { .. } => "oversize_block",
            Self::MissingArtifact { .. } => "missing_artifact",
            Self::ProtocolVersionMismatch { .. } => "protocol_version_mismatch",
        }
    }

    /// The byte of the stream, counted from 0, where it went wrong.
    pub fn position(&self) -> u64 {
        match *self {
            Self::MalformedBlock { position, .. }
            | Self::OversizeBlock { position, .. }
            | Self::MissingArtifact { position }
            | Self::ProtocolVersionMismatch { position, .. } => position,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: ", self.kind(), self.position())?;
        match self {
            Self::MalformedBlock { why, .. } => why.fmt(f),
            Self::OversizeBlock { cap, .. } => write!(f, "more than {cap} bytes in one block"),
            Self::MissingArtifact { .. } => f.write_str("nothing to ship in this block"),
            Self::ProtocolVersionMismatch { found, .. } => write!(f, "no parser for version `{found}`"),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed { tag, opened } => write!(f, "stream ended inside {tag}, opened at byte {opened}"),
            Self::OutOfPlace { tag } => write!(f, "{tag} is out of place"),
            Self::Unbalanced { tag } => write!(f, "/{tag} does not close the innermost open tag"),
            Self::Broken { tag } => write!(f, "tag {tag} has no end"),
            Self::WrongRound { expected, found } => write!(f, "round {found} where round {expected} belongs"),
        }
    }
}

impl std::error::Error for Error {}
