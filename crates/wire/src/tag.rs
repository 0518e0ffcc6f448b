//! The protocol's vocabulary.

use crate::attributes::Attributes;

/// A tag as the lexer read it.
#[derive(Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) name: Name,
    pub(crate) form: Form,
    /// Empty for closing and unknown tags, whose insides nobody asks for.
    pub(crate) attributes: Attributes<'a>,
    /// The text before it, where text is wanted: everything since the tag that made it so. Of a whole element: its text.
    pub(crate) text: &'a [u8],
    /// Position of the `<`.
    pub(crate) start: u64,
    /// Position after the `>`.
    pub(crate) end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `<NAME …>`
    Open,
    /// `<NAME …/>`
    Empty,
    /// `<NAME …>text</NAME>`
    Whole,
    /// `</NAME>`
    Close,
    /// `<NAME … <`: the next tag began before this one ended.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    CritiqueRun,
    Round,
    Panelist,
    Notes,
    Dim,
    MustFix,
    Artifact,
    RoundEnd,
    Reason,
    Ship,
    Summary,
    /// Not of the protocol, but known: what models put around their thoughts.
    Think,
    Thinking,
    Unknown,
}

impl Name {
    pub(crate) const MAX_BYTES: usize = 12;

    /// The name these letters, in any case, stand for.
    pub(crate) fn read(letters: &[u8]) -> Self {
        // Length and first letter leave one name to compare with.
        let likely = match (letters.len(), letters.first().map(u8::to_ascii_uppercase)) {
            (3, Some(b'D')) => Self::Dim,
            (4, Some(b'S')) => Self::Ship,
            (5, Some(b'N')) => Self::Notes,
            (5, Some(b'R')) => Self::Round,
            (5, Some(b'T')) => Self::Think,
            (6, Some(b'R')) => Self::Reason,
            (7, Some(b'S')) => Self::Summary,
            (8, Some(b'A')) => Self::Artifact,
            (8, Some(b'M')) => Self::MustFix,
            (8, Some(b'P')) => Self::Panelist,
            (8, Some(b'T')) => Self::Thinking,
            (9, Some(b'R')) => Self::RoundEnd,
            (12, Some(b'C')) => Self::CritiqueRun,
            _ => return Self::Unknown,
        };
        if same_word(letters, likely.as_str()) { likely } else { Self::Unknown }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::CritiqueRun => "CRITIQUE_RUN",
            Self::Round => "ROUND",
            Self::Panelist => "PANELIST",
            Self::Notes => "NOTES",
            Self::Dim => "DIM",
            Self::MustFix => "MUST_FIX",
            Self::Artifact => "ARTIFACT",
            Self::RoundEnd => "ROUND_END",
            Self::Reason => "REASON",
            Self::Ship => "SHIP",
            Self::Summary => "SUMMARY",
            Self::Think => "THINK",
            Self::Thinking => "THINKING",
            Self::Unknown => "",
        }
    }

    /// Whether it holds text and nothing but text.
    pub(crate) fn holds_text(self) -> bool {
        matches!(self, Self::Notes | Self::Dim | Self::MustFix | Self::Reason | Self::Summary)
    }

    /// Whether it is a word of the protocol.
    pub(crate) fn is_protocol(self) -> bool {
        !matches!(self, Self::Think | Self::Thinking | Self::Unknown)
    }
}

/// A name while it arrives; what is too long for a name of ours is only counted.
#[derive(Debug, Default)]
pub(crate) struct NameBuffer {
    letters: [u8; Name::MAX_BYTES],
    len: usize,
}

impl NameBuffer {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.letters.get_mut(self.len) {
            *slot = byte;
        }
        self.len = self.len.saturating_add(1);
    }

    pub(crate) fn name(&self) -> Name {
        self.letters.get(..self.len).map_or(Name::Unknown, Name::read)
    }
}

/// Whether these letters, in any case, are the word. Models nearly always write it as we do, which is quicker to see.
pub(crate) fn same_word(letters: &[u8], word: &str) -> bool {
    letters == word.as_bytes() || letters.eq_ignore_ascii_case(word.as_bytes())
}

pub(crate) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}
