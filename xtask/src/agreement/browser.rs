//! Chromium and axe: whether they are there, and what they say.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use super::ours::{Page, Verdict};
use super::rule::RULES;
use crate::repo::Repo;
use crate::{chromium, node};

/// The script and its packages.
pub(super) const FOLDER: &str = "xtask/agreement";
const SCRIPT: &str = "axe.mjs";

/// A browser that can be asked.
#[derive(Debug)]
pub(super) struct Browser {
    chromium: PathBuf,
}

/// What the script is asked, as JSON.
#[derive(Debug)]
pub(super) struct Job {
    pages: Vec<Value>,
    pairs: Vec<Value>,
}

/// What the script answers.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) axe: String,
    pub(super) chromium: String,
    pub(super) pages: Vec<Seen>,
    pub(super) pairs: Vec<f64>,
}

/// What axe says of a page.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) name: String,
    /// The elements that each of our selectors leads to, in their order.
    pub(super) leads: Vec<Vec<String>>,
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) rule: String,
    pub(super) dark: bool,
    pub(super) element: String,
    pub(super) verdict: Verdict,
    pub(super) ratio: Option<f64>,
}

impl Job {
    pub(super) fn of<'p>(repo: &Repo, pages: &[Page], pairs: impl Iterator<Item = (&'p str, &'p str)>) -> Result<Self> {
        let root = repo.root().canonicalize().context("cannot say where the repository is")?;
        let page = |page: &Page| {
            json!({
                "name": page.name,
                "url": format!("file://{}", root.join(&page.file).display()),
                "dark": page.dark,
                "selectors": page.said.iter().filter_map(|said| said.selector.as_deref()).collect::<Vec<_>>(),
            })
        };
        let pairs = pairs.map(|(text, ground)| json!([text, ground])).collect();
        Ok(Self { pages: pages.iter().map(page).collect(), pairs })
    }
}

impl Browser {
    /// The browser and what drives it, or what of them is not there.
    pub(super) fn find() -> Result<Result<Self, String>> {
        Ok(match (chromium::find()?, node::missing()) {
            (Err(missing), _) | (Ok(_), Some(missing)) => Err(missing),
            (Ok(chromium), None) => Ok(Self { chromium }),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.chromium
    }

    pub(super) fn ask(&self, repo: &Repo, job: &Job) -> Result<Answer> {
        let rules: Vec<&str> = RULES.iter().flat_map(|rule| rule.axe).copied().collect();
        let job = json!({ "chromium": self.chromium, "rules": rules, "pages": job.pages, "pairs": job.pairs });
        serde_json::from_value(Self::run(repo, SCRIPT, &job)?)
            .with_context(|| format!("cannot read the answer of {FOLDER}/{SCRIPT}"))
    }

    /// Lets a script answer a job.
    pub(super) fn run(repo: &Repo, script: &str, job: &Value) -> Result<Value> {
        let folder = repo.root().join(FOLDER);
        node::install(&folder)?;
        let mut node = Command::new("node");
        node.arg(script).current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = node.spawn().context("cannot start node")?;
        let mut stdin = child.stdin.take().context("node has no stdin")?;
        // Written beside reading: neither side may wait for the other.
        let output = thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(job.to_string().as_bytes()));
            child.wait_with_output()
        })
        .context("cannot wait for node")?;
        if !output.status.success() {
            bail!("{FOLDER}/{script} ended with {}", output.status);
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("cannot read the answer of {FOLDER}/{script}"))
    }
}
