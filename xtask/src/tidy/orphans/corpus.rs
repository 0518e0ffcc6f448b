//! All sources at once: what ships and what tests it.

use anyhow::Result;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::rust::{Part, Source};
use super::script::Script;
use crate::repo::Repo;

/// Where the page's sources are.
const PAGE: &str = "web";

/// What rules about orphans look at.
pub(super) struct Corpus<'r> {
    pub(super) repo: &'r Repo,
    pub(super) sources: Vec<Source>,
    pub(super) scripts: Vec<Script>,
}

impl<'r> Corpus<'r> {
    /// The crates of the product and its page. What serves the repository alone (this program) uses nothing for anybody.
    pub(super) fn of(repo: &'r Repo) -> Result<Self> {
        let mut sources = Vec::new();
        for path in repo.files(&[".rs"])?.into_iter().filter(|path| path.starts_with("crates")) {
            sources.push(Source::parse(&path, &repo.read(&path)?, false)?);
        }
        let of_tests: BTreeSet<PathBuf> = sources.iter().flat_map(Source::test_modules).collect();
        for source in sources.iter_mut().filter(|source| of_tests.contains(&source.path)) {
            *source = Source::parse(&source.path, &repo.read(&source.path)?, true)?;
        }
        let mut scripts = Vec::new();
        for path in repo.files(&[".ts", ".tsx"])?.into_iter().filter(|path| path.starts_with(PAGE)) {
            scripts.push(Script::read(&path, &repo.read(&path)?));
        }
        Ok(Self { repo, sources, scripts })
    }

    /// Whether there is a page at all.
    pub(super) fn has_page(&self) -> bool {
        self.repo.has("web/src")
    }

    /// What ships of the files below `folder`.
    pub(super) fn production<'c>(&'c self, folder: &'c str) -> impl Iterator<Item = (&'c Path, &'c Part)> {
        let below = self.sources.iter().filter(move |source| source.path.starts_with(folder));
        below.map(|source| (source.path.as_path(), &source.production))
    }

    /// What tests the files below `folder`, and stands there, too.
    pub(super) fn tests<'c>(&'c self, folder: &'c str) -> impl Iterator<Item = (&'c Path, &'c Part)> {
        let below = self.sources.iter().filter(move |source| source.path.starts_with(folder));
        below.map(|source| (source.path.as_path(), &source.tests))
    }

    /// The page's scripts below `folder` that ship.
    pub(super) fn scripts<'c>(&'c self, folder: &'c str) -> impl Iterator<Item = &'c Script> {
        self.scripts.iter().filter(move |script| script.path.starts_with(folder) && !script.is_test())
    }

    /// The tests of the page below `folder`.
    pub(super) fn script_tests<'c>(&'c self, folder: &'c str) -> impl Iterator<Item = &'c Script> {
        self.scripts.iter().filter(move |script| script.path.starts_with(folder) && script.is_test())
    }
}
