//! What the lexer and the grammar say to each other.

use crate::tag::{Name, Tag};

#[derive(Debug)]
pub(crate) enum Token<'a> {
    Tag(Tag<'a>),
    /// A comment, or a CDATA section where no text is wanted: it is skipped.
    Oddity {
        start: u64,
    },
    /// A piece of an artifact.
    Piece {
        at: u64,
        bytes: &'a [u8],
    },
    /// The stream went past the limit at this position.
    Oversize {
        position: u64,
    },
}

/// What the grammar wants to see. It changes only after a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Prose in which a run may begin: nothing but the names that matter there is a tag.
    Hunt {
        /// Whether a `ROUND` matters, too, if it comes at once.
        round: bool,
    },
    /// Tags, no text.
    Tags,
    /// Tags and the text between them.
    Text,
    /// The pieces of an artifact, then its closing tag.
    Artifact,
    /// Nothing but the closing tag of this name.
    Closer(Name),
}

impl Mode {
    /// Whether a tag of this name is one here.
    pub(crate) fn awaits(self, name: Name) -> bool {
        match self {
            Self::Hunt { round } => match name {
                Name::CritiqueRun | Name::Think | Name::Thinking => true,
                Name::Round => round,
                _ => false,
            },
            _ => true,
        }
    }
}
