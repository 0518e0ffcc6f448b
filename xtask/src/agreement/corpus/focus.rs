//! What pixels say of the focus, since axe has no rule for it.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

use super::super::browser::Browser;
use crate::corpus::CorpusPage;
use crate::repo::Repo;

const SCRIPT: &str = "focus.mjs";
/// Controls of one page that are photographed.
const CONTROLS: usize = 10;

/// By page, then by the element's path: whether the focus changes what is seen.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pages: BTreeMap<String, BTreeMap<String, bool>>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    pages: Vec<Photographed>,
}

#[derive(Debug, Deserialize)]
struct Photographed {
    name: String,
    controls: Vec<Control>,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Control {
    path: String,
    shown: bool,
}

pub(super) fn all(repo: &Repo, browser: &Browser, folder: &Path, pages: &[CorpusPage]) -> Result<Truth> {
    let name = |page: &CorpusPage| page.page.display().to_string();
    let asked = pages
        .iter()
        .map(|page| json!({ "name": name(page), "root": folder.join(&page.root), "file": folder.join(&page.page) }));
    let job = json!({ "chromium": browser.path(), "controls": CONTROLS, "pages": asked.collect::<Vec<_>>() });
    let answer: Answer =
        serde_json::from_value(Browser::run(repo, SCRIPT, &job)?).context("cannot read the answer of focus.mjs")?;
    let mut truth = Truth::default();
    for Photographed { name, controls, error } in answer.pages {
        if let Some(error) = error {
            eprintln!("focus of {name}: {error}");
        }
        truth.pages.insert(name, controls.into_iter().map(|control| (control.path, control.shown)).collect());
    }
    Ok(truth)
}

impl Truth {
    pub(super) fn of(&self, page: &CorpusPage) -> Option<&BTreeMap<String, bool>> {
        self.pages.get(&page.page.display().to_string())
    }
}
