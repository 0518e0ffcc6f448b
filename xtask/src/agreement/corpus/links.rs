//! Where addresses lead: ours beside Chromium's URLs and ids and the files on the disk, since axe follows no links.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tribunal_agents::house::Files;
use tribunal_checks::{Document, MAX_FINDINGS_PER_CODE, production_in};

use super::super::browser::Browser;
use super::super::ours::Verdict;
use crate::corpus::CorpusPage;
use crate::repo::Repo;

const SCRIPT: &str = "links.mjs";
const DEAD: [&str; 2] = ["link.dead", "link.dead-anchor"];

/// One of the two rules that have addresses: of links, and of what a page loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressKind {
    Link,
    Asset,
}

/// What both sides say of the addresses of a page.
#[derive(Debug, Default)]
pub(super) struct LinksSaid {
    pub(super) truth: Vec<Led>,
    /// What is dead for us, by element; in style sheets by the file and the address.
    pub(super) ours: Vec<(AddressKind, String, String)>,
    /// A list of ours that ends early says nothing of what it leaves out.
    pub(super) is_cut: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Led {
    pub(super) element: String,
    kind: String,
    pub(super) address: String,
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    pages: Vec<Followed>,
}

#[derive(Debug, Deserialize)]
struct Followed {
    name: String,
    leads: Vec<Vec<Option<String>>>,
    links: Vec<Led>,
    error: Option<String>,
}

/// A dead address of ours, before it is known which element its selector finds.
#[derive(Debug)]
struct Dead {
    kind: AddressKind,
    selector: Option<String>,
    file: Option<String>,
    address: String,
}

impl AddressKind {
    pub(super) const ALL: [Self; 2] = [Self::Link, Self::Asset];

    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Link => "dead links",
            Self::Asset => "dead assets",
        }
    }
}

impl Led {
    pub(super) fn kind(&self) -> AddressKind {
        if self.kind == "link" { AddressKind::Link } else { AddressKind::Asset }
    }
}

pub(super) fn all(
    repo: &Repo,
    browser: &Browser,
    folder: &Path,
    pages: &[CorpusPage],
) -> Result<BTreeMap<String, LinksSaid>> {
    let mut ours = BTreeMap::new();
    let mut asked = Vec::new();
    for page in pages {
        let (root, file) = (folder.join(&page.root), folder.join(&page.page));
        let (dead, is_cut) = dead(&root, &file)?;
        let name = page.page.display().to_string();
        let selectors: Vec<&str> = dead.iter().filter_map(|dead| dead.selector.as_deref()).collect();
        asked.push(json!({ "name": name, "root": root, "file": file, "selectors": selectors }));
        ours.insert(name, (dead, is_cut));
    }
    let job = json!({ "chromium": browser.path(), "pages": asked });
    let answer: Answer =
        serde_json::from_value(Browser::run(repo, SCRIPT, &job)?).context("cannot read the answer of links.mjs")?;
    let mut said = BTreeMap::new();
    for Followed { name, leads, links, error } in answer.pages {
        let Some((dead, is_cut)) = ours.remove(&name) else { continue };
        if let Some(error) = error {
            eprintln!("links of {name}: {error}");
            continue;
        }
        let mut leads = leads.into_iter();
        let own = dead.into_iter().map(|dead| {
            let element = match dead.selector {
                Some(_) => leads.next().into_iter().flatten().flatten().next().unwrap_or_default(),
                None => format!("{} {}", dead.file.unwrap_or_default(), dead.address),
            };
            (dead.kind, element, dead.address)
        });
        said.insert(name, LinksSaid { truth: links, ours: own.collect(), is_cut });
    }
    Ok(said)
}

/// What `tribunal check` would call dead.
fn dead(root: &Path, file: &Path) -> Result<(Vec<Dead>, bool)> {
    let source = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let files = Files::within(root, file, None);
    let document = Document::html_at(&source, files.addresses(), &|path| files.sheet(path));
    let own = files.addresses().document();
    let mut list = Vec::new();
    let mut is_cut = false;
    for measured in production_in(&document, &files) {
        let kind = if measured.dimension == "links" { AddressKind::Link } else { AddressKind::Asset };
        for code in DEAD {
            is_cut |= measured.findings.iter().filter(|found| found.code == code).count() >= MAX_FINDINGS_PER_CODE;
        }
        list.extend(
            measured.findings.into_iter().filter(|found| DEAD.contains(&found.code) && found.place.is_some()).map(
                |found| {
                    let place = found.place;
                    Dead {
                        kind,
                        selector: place.as_ref().and_then(|place| place.selector.clone()),
                        file: place.and_then(|place| place.file).or_else(|| own.clone()),
                        address: found.evidence,
                    }
                },
            ),
        );
    }
    Ok((list, is_cut))
}
