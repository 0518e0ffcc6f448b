//! Names and numbers of things, each a type of its own so that they cannot be mixed up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

use crate::Digest;

/// A run: `UUIDv7`, so that ids sort by the time of their opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RunId(#[schemars(with = "String")] pub Uuid);

/// The place of an event in its run's log, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seq(pub u64);

/// A turn's number in its run, from 1. A turn keeps its number when a crash makes the engine call it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TurnId(pub u32);

/// A round's number, from 1. The engine numbers rounds; what a model calls a round is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Round(pub u32);

/// A role in a run: `creator`, `reviewer`, `critic`, …
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SeatName(pub String);

/// One proposal of the work. Two proposals with the same text are two drafts with one content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DraftId(#[schemars(with = "String")] pub Uuid);

impl RunId {
    /// Reads an id. Only the form that we write counts, so that one run has one name.
    pub fn parse(text: &str) -> Option<Self> {
        let run = Self(Uuid::try_parse(text).ok()?);
        (run.to_string() == text).then_some(run)
    }

    /// An id that belongs to this run and to nothing else. Derived, not drawn: replaying the same
    /// log must name the same things.
    pub fn derive(self, label: &str, parts: &[&[u8]]) -> Uuid {
        let mut hash = crate::digest::Hasher::default();
        hash.field(self.0.as_bytes());
        hash.field(label.as_bytes());
        for part in parts {
            hash.field(part);
        }
        uuid_of(hash.finish())
    }
}

/// A `UUIDv8` (free-form) made of a digest's first half.
pub(crate) fn uuid_of(digest: Digest) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

impl Seq {
    /// The sequence number of the event after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl Round {
    /// The round after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl SeatName {
    /// The seat called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for SeatName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

macro_rules! display_as_inner {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}
display_as_inner!(RunId, Seq, TurnId, Round, SeatName, DraftId);

/// A project's id: made once, kept for ever. A folder that is moved or copied is still the same project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectId(pub Uuid);

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
