//! Why a disagreement stays: `testdata/checks/disagreements.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::repo::Repo;

const FILE: &str = "testdata/checks/disagreements.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reasons {
    #[serde(default)]
    disagreement: Vec<Reason>,
}

/// One reason, for one or more elements of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    page: String,
    rule: String,
    selectors: Vec<String>,
    #[serde(rename = "reason")]
    why: String,
}

impl Reasons {
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        Self::parse(&repo.read(FILE)?)
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).with_context(|| format!("cannot read {FILE}"))
    }

    pub(super) fn of(&self, page: &str, rule: &str, selector: &str) -> Option<&str> {
        let reason = self.disagreement.iter().find(|reason| {
            reason.page == page && reason.rule == rule && reason.selectors.iter().any(|other| other == selector)
        })?;
        Some(&reason.why)
    }

    /// Names what is explained though nobody disagrees.
    pub(super) fn without(&self, is_needed: impl Fn(&str, &str, &str) -> bool) -> Vec<String> {
        let all = self.disagreement.iter().flat_map(|reason| reason.selectors.iter().map(move |one| (reason, one)));
        let idle = all.filter(|(reason, selector)| !is_needed(&reason.page, &reason.rule, selector));
        idle.map(|(Reason { page, rule, .. }, selector)| {
            format!("{FILE}: {page}, {rule}, {selector} agree: the reason is not needed")
        })
        .collect()
    }
}
