//! What axe, a browser and both eyes say of a page.

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use serde_json::json;
use std::fs;
use std::path::Path;
use tokio_util::sync::CancellationToken;
use tribunal_agents::house::Files;
use tribunal_checks::Document;
use tribunal_checks::seen::{SeenElement, seen_elements};
use tribunal_engine::browser::{BrowserProgram, Lookout, PageVisit, Site, VisitSeen, Window};

use super::super::browser::{Browser, FOLDER};
use super::super::ours::{Said, Verdict, said};
use super::super::rule::RULES;
use super::{PAGE_LIMIT, START_LIMIT};
use crate::corpus::CorpusPage;
use crate::node;
use crate::repo::Repo;

const AXE: &str = "node_modules/axe-core/axe.min.js";
const SCRIPT: &str = "look.js";
/// The window that both eyes have.
const WIDTH: u32 = 1280;

/// Everything that was said of a page.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) axe: String,
    pub(super) nodes: Vec<AxeNode>,
    /// What the static eye says, each with the elements that its selector leads to.
    pub(super) said: Vec<(Said, Vec<String>)>,
    /// What the browser eye says; nothing where a sheet cannot be read, since it does not look at such pages.
    pub(super) seen: Option<Vec<SeenElement>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AxeNode {
    pub(super) rule: String,
    pub(super) path: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) ratio: Option<f64>,
    pub(super) colors: Option<String>,
    pub(super) why: Option<String>,
    pub(super) html: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    axe: String,
    leads: Vec<Vec<Option<String>>>,
    nodes: Vec<AxeNode>,
}

pub(super) async fn all(
    repo: &Repo,
    browser: &Browser,
    folder: &Path,
    pages: &[CorpusPage],
) -> Result<Vec<Result<Looked>>> {
    let scripts = repo.root().join(FOLDER);
    node::install(&scripts)?;
    let axe = fs::read_to_string(scripts.join(AXE)).context("axe-core is not installed")?;
    let look = fs::read_to_string(scripts.join(SCRIPT)).context("cannot read look.js")?;
    let program = BrowserProgram::find(Some(browser.path()), None)?;
    let mut all = Vec::new();
    for page in pages {
        eprintln!("{}", page.page.display());
        all.push(one(&program, folder, page, &axe, &look).await);
    }
    Ok(all)
}

async fn one(program: &BrowserProgram, folder: &Path, page: &CorpusPage, axe: &str, look: &str) -> Result<Looked> {
    let (root, file) = (folder.join(&page.root), folder.join(&page.page));
    let source = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    // As `tribunal check` reads it.
    let files = Files::within(&root, &file, None);
    let document = Document::html_at(&source, files.addresses(), &|path| files.sheet(path));
    let said = said(&document);
    let selectors: Vec<&str> = said.iter().filter_map(|said| said.selector.as_deref()).collect();
    let rules: Vec<&str> = RULES.iter().flat_map(|rule| rule.axe).copied().collect();
    let job = json!({ "rules": rules, "selectors": selectors });
    let visit = PageVisit {
        file: file.clone(),
        text: None,
        windows: vec![Window { width: WIDTH, dark: false }],
        focus: true,
        // The last value of the first script would be axe itself, which is no JSON.
        scripts: vec![format!("{axe};undefined"), look.replace("__JOB__", &job.to_string())],
    };
    let lookout = Lookout::new(program.clone(), Site::new(&root, None)?).bounded(START_LIMIT, PAGE_LIMIT);
    let mut result: Option<Result<VisitSeen>> = None;
    lookout.look(&[visit], &CancellationToken::new(), |_, seen| result = Some(seen.map_err(anyhow::Error::from))).await;
    let seen = result.ok_or_else(|| anyhow!("nothing was seen"))??;
    let answer = seen.answers.last().cloned().unwrap_or_default();
    let Answer { axe, leads, nodes } = serde_json::from_value(answer).context("cannot read what axe says")?;
    let mut leads = leads.into_iter();
    let led = said.into_iter().map(|said| {
        let to = if said.selector.is_some() { leads.next().unwrap_or_default() } else { Vec::new() };
        (said, to.into_iter().flatten().collect())
    });
    let elements = seen.views.first().filter(|_| seen.unread_look().is_none()).map(seen_elements);
    Ok(Looked { axe, nodes, said: led.collect(), seen: elements })
}
