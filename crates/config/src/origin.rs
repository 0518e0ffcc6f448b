//! Where a value came from.

use std::{fmt, path::PathBuf};

use serde::Serialize;

/// The source of a value, and the place in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// A flag, with the key as the flag spelled it.
    Flag {
        key: String,
    },
    Env {
        variable: String,
    },
    /// `tribunal.toml`.
    Project(Spot),
    /// The user's own configuration.
    User(Spot),
    Default,
}

/// A place in a file; line and column count from one, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
}

impl Origin {
    /// The place as an error message starts with it: what to open, or what to type differently.
    pub fn place(&self) -> String {
        match self {
            Self::Flag { key } => format!("--set {key}"),
            Self::Env { variable } => variable.clone(),
            Self::Project(spot) | Self::User(spot) => format!("{}:{}:{}", spot.file.display(), spot.line, spot.column),
            Self::Default => "default".to_owned(),
        }
    }

    /// Sorts mistakes as a reader meets them: by source, then down the file.
    pub(crate) fn reading_order(&self) -> (u8, usize, usize) {
        match self {
            Self::Project(spot) => (0, spot.line, spot.column),
            Self::User(spot) => (1, spot.line, spot.column),
            Self::Env { .. } => (2, 0, 0),
            Self::Flag { .. } => (3, 0, 0),
            Self::Default => (4, 0, 0),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag { .. } => f.write_str("flag --set"),
            Self::Env { variable } => write!(f, "env {variable}"),
            Self::Project(spot) => write!(f, "{}:{}", spot.file.display(), spot.line),
            Self::User(spot) => write!(f, "user config {}:{}", spot.file.display(), spot.line),
            Self::Default => f.write_str("default"),
        }
    }
}
