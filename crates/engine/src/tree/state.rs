//! What must be known about the trees of a run after a restart. It is kept where agents cannot write, since the
//! repository is not to be trusted on it: an agent may move branches.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::TreeError;
use super::inside::{read_inside, write_inside};

const FILE: &str = "state.json";
const SIZE_LIMIT: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TreeState {
    /// What the work began with.
    pub(super) base: String,
    /// The last good commit.
    pub(super) head: String,
    /// Changes of the user that were not taken along.
    pub(super) left_behind: usize,
    /// Nothing without git.
    pub(super) repo: Option<RepoPlace>,
    /// The work tree was complete once.
    pub(super) is_ready: bool,
}

/// Where the repository is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RepoPlace {
    /// The user's checkout.
    pub(super) top: PathBuf,
    /// The repository itself.
    pub(super) common: PathBuf,
    /// The project's folder in it.
    pub(super) prefix: PathBuf,
    /// Where git keeps its books about our work tree.
    pub(super) admin: Option<PathBuf>,
}

impl TreeState {
    /// Nothing when there is none yet.
    pub(super) fn load(home: &Path) -> Result<Option<Self>, TreeError> {
        if !home.join(FILE).exists() {
            return Ok(None);
        }
        let bytes = read_inside(home, FILE, SIZE_LIMIT)?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| TreeError::State { why: error.to_string() })
    }

    pub(super) fn save(&self, home: &Path) -> Result<(), TreeError> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| TreeError::State { why: error.to_string() })?;
        write_inside(home, FILE, &text)
    }
}
