//! Which project this is, wherever its folder lies.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

/// A project's id: made once, kept for ever. A folder that is moved or copied is still the same project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectId(pub Uuid);

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
