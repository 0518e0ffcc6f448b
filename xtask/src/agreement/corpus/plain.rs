//! What axe says of pages whose scripts do not run, and in a window that is so high that hardly anything is scrolled away.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

use super::super::browser::Browser;
use super::super::ours::{Said, Verdict};
use super::super::rule::{CONTRAST, RULES};
use super::look::{AxeNode, Looked};
use super::tally;
use crate::corpus::CorpusPage;
use crate::repo::Repo;

const SCRIPT: &str = "plain.mjs";
/// Rules for which axe looks only at what a scrolling box shows.
const HIGH: [&str; 2] = [CONTRAST, "target-size"];

#[derive(Debug, Deserialize)]
pub(super) struct Plain {
    name: String,
    /// The elements that each of our selectors leads to, in their order.
    pub(super) leads: Vec<Vec<Option<String>>>,
    pub(super) nodes: Vec<AxeNode>,
    /// In the high window, without and with scripts.
    pub(super) high: Vec<AxeNode>,
    pub(super) live: Vec<AxeNode>,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    pages: Vec<Plain>,
}

pub(super) fn all(
    repo: &Repo,
    browser: &Browser,
    folder: &Path,
    pages: &[(&CorpusPage, &Looked)],
) -> Result<BTreeMap<String, Plain>> {
    let asked = pages.iter().map(|(page, looked)| {
        let placed = looked.said.iter().filter_map(|(said, _)| Some((said, said.selector.as_deref()?)));
        let (said, selectors): (Vec<&Said>, Vec<&str>) = placed.unzip();
        let fails = said.iter().enumerate().filter_map(|(number, said)| {
            let rule = said.rule.filter(|rule| HIGH.contains(&rule.name) && said.verdict == Verdict::Fails)?;
            Some(json!([rule.name, number]))
        });
        let (root, file) = (folder.join(&page.root), folder.join(&page.page));
        json!({
            "name": page.page.display().to_string(), "root": root, "file": file, "selectors": selectors,
            "fails": fails.collect::<Vec<_>>(), "scrolled": HIGH.iter().any(|rule| tally::fails_for_us_alone(rule, looked)),
        })
    });
    let rules: Vec<&str> = RULES.iter().flat_map(|rule| rule.axe).copied().collect();
    let asked: Vec<_> = asked.collect();
    let job = json!({ "chromium": browser.path(), "rules": rules, "high": HIGH, "pages": asked });
    let answer: Answer =
        serde_json::from_value(Browser::run(repo, SCRIPT, &job)?).context("cannot read the answer of plain.mjs")?;
    for page in &answer.pages {
        if let Some(error) = &page.error {
            eprintln!("without scripts, {}: {error}", page.name);
        }
    }
    Ok(answer.pages.into_iter().filter(|page| page.error.is_none()).map(|page| (page.name.clone(), page)).collect())
}
