//! Pages that are left out: `xtask/corpus/skip.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::corpus::CorpusPage;

const LIST: &str = include_str!("../../../corpus/skip.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Skips {
    #[serde(default)]
    skip: Vec<Skip>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    /// Part of the page's path.
    page: String,
    reason: String,
}

impl Skips {
    pub(super) fn read() -> Result<Self> {
        toml::from_str(LIST).context("cannot read xtask/corpus/skip.toml")
    }

    pub(super) fn of(&self, page: &CorpusPage) -> Option<&str> {
        let path = page.page.to_string_lossy();
        self.skip.iter().find(|skip| path.contains(&skip.page)).map(|skip| skip.reason.as_str())
    }
}
