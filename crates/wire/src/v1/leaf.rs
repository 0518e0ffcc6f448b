//! The tags that hold text: notes, demands, reasons, artifacts.

use std::borrow::Cow;

use super::Grammar;
use super::place::Place;
use crate::event::{Fact, Source, WireEvent};
use crate::key::Key;
use crate::number::ScaledScore;
use crate::settings::ParserSettings;
use crate::tag::{Name, Tag};
use crate::text::{clean, says_nothing};
use crate::warning::Warning;

/// An open tag that holds no further tags of the protocol, and where it was opened.
#[derive(Debug, PartialEq)]
pub(super) enum Leaf {
    Notes {
        at: u64,
    },
    Dim {
        at: u64,
        score: Option<f64>,
    },
    MustFix {
        at: u64,
    },
    Reason {
        at: u64,
    },
    Summary {
        at: u64,
    },
    Artifact {
        at: u64,
        heard: bool,
        bytes: u64,
        blank: bool,
    },
    /// Nothing in it counts: thoughts, and leaves that are out of place.
    Skipped {
        at: u64,
        name: Name,
    },
}

impl Leaf {
    pub(super) fn name(&self) -> Name {
        match self {
            Self::Notes { .. } => Name::Notes,
            Self::Dim { .. } => Name::Dim,
            Self::MustFix { .. } => Name::MustFix,
            Self::Reason { .. } => Name::Reason,
            Self::Summary { .. } => Name::Summary,
            Self::Artifact { .. } => Name::Artifact,
            Self::Skipped { name, .. } => *name,
        }
    }

    pub(super) fn at(&self) -> u64 {
        match *self {
            Self::Notes { at }
            | Self::Dim { at, .. }
            | Self::MustFix { at }
            | Self::Reason { at }
            | Self::Summary { at }
            | Self::Artifact { at, .. }
            | Self::Skipped { at, .. } => at,
        }
    }
}

impl Grammar {
    pub(super) fn open_dim(&mut self, tag: &Tag<'_>, settings: &ParserSettings, sink: &mut impl FnMut(WireEvent<'_>)) {
        let [name, score] = tag.attributes.pick([Key::Name, Key::Score]);
        let score = score.and_then(|said| ScaledScore::read(&said, settings.scale));
        if let Some(score) = score {
            self.warn_if_clamped(tag.start, score, sink);
        }
        self.kept.clear();
        self.kept.extend_from_slice(name.as_deref().unwrap_or_default());
        self.leaf = Some(Leaf::Dim { at: tag.start, score: score.map(|score| score.value) });
    }

    /// Only the designer drafts, once a round, and a `SHIP` has one artifact; any other is read past.
    pub(super) fn open_artifact(&mut self, tag: &Tag<'_>, sink: &mut impl FnMut(WireEvent<'_>)) {
        let source = match &mut self.place {
            Place::Panelist { may_draft: may_draft @ true, .. } => {
                *may_draft = false;
                Some(Source::Draft { round: self.round })
            }
            Place::Ship { dropped: false, may_attach: may_attach @ true, .. } => {
                *may_attach = false;
                Some(Source::Ship)
            }
            _ => None,
        };
        if let Some(source) = source {
            let [mime] = tag.attributes.pick([Key::Mime]);
            let fact = Fact::ArtifactOpened { source, mime: clean(mime.as_deref().unwrap_or_default()) };
            sink(WireEvent { position: tag.start, fact });
        } else {
            self.warn(tag.start, Warning::UnknownTag, sink);
        }
        self.leaf = Some(Leaf::Artifact { at: tag.start, heard: source.is_some(), bytes: 0, blank: true });
    }

    pub(super) fn piece(&mut self, position: u64, piece: &[u8], sink: &mut impl FnMut(WireEvent<'_>)) {
        if let Some(Leaf::Artifact { heard: true, bytes, blank, .. }) = &mut self.leaf {
            *bytes += piece.len() as u64;
            *blank = *blank && piece.iter().all(u8::is_ascii_whitespace);
            sink(WireEvent { position, fact: Fact::ArtifactChunk(Cow::Borrowed(piece)) });
        }
    }

    /// `tag` is the closing tag, or the tag itself if it is empty.
    pub(super) fn close_leaf(
        &mut self,
        tag: &Tag<'_>,
        settings: &ParserSettings,
        sink: &mut impl FnMut(WireEvent<'_>),
    ) {
        let Some(leaf) = self.leaf.take() else { return };
        let round = self.round;
        let text = clean(tag.text);
        let role = match self.place {
            Place::Panelist { seat: Some(seat), .. } => Cow::Borrowed(settings.cast[seat].as_str()),
            _ => Cow::Borrowed(""),
        };
        let (position, fact) = match &leaf {
            _ if self.place.is_dropped() => return,
            Leaf::MustFix { .. } if says_nothing(&text) => return,
            Leaf::Notes { at } => (*at, Fact::Noted { round, role, text }),
            Leaf::Dim { at, score } => {
                (*at, Fact::DimScored { round, role, name: clean(&self.kept), score: *score, note: text })
            }
            Leaf::MustFix { at } => (*at, Fact::MustFixDemanded { round, role, text }),
            Leaf::Summary { at } => (*at, Fact::Summarised { text }),
            Leaf::Artifact { heard: true, bytes, blank, .. } => {
                if !blank {
                    match &mut self.place {
                        Place::Ship { attached, .. } => *attached = true,
                        _ => self.drafts |= 1_u128.checked_shl(round).unwrap_or(0),
                    }
                }
                (tag.start, Fact::ArtifactClosed { bytes: *bytes })
            }
            // It is part of what the round's end says, and waits for its end.
            Leaf::Reason { .. } => {
                self.kept.extend_from_slice(tag.text);
                return;
            }
            Leaf::Artifact { .. } | Leaf::Skipped { .. } => return,
        };
        sink(WireEvent { position, fact });
        self.kept.clear();
    }
}
