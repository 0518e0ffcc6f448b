//! Where the files of a desk lie.

use std::path::{Path, PathBuf};

/// Folders that a desk may have been set up in, oldest first. The last one is ours.
pub const ROOTS: [&str; 3] = [".claude/ralph-desk", ".rlp-desk", ".tribunal/desk"];

/// The files of one campaign, as seen from a folder: the project's own, or a tree that an agent works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskFiles {
    /// The project, or a copy of it.
    base: PathBuf,
    /// The desk's folder in it.
    root: String,
    slug: String,
}

impl DeskFiles {
    /// The files of `slug` in the folder `root` of `base`.
    pub fn new(base: impl Into<PathBuf>, root: impl Into<String>, slug: impl Into<String>) -> Self {
        Self { base: base.into(), root: root.into(), slug: slug.into() }
    }

    /// The desk's folder in a project: one that is there, or ours.
    pub fn find_root(base: &Path) -> &'static str {
        ROOTS.into_iter().find(|root| base.join(root).is_dir()).unwrap_or(ROOTS[2])
    }

    /// The same files in another folder.
    #[must_use]
    pub fn seen_from(&self, base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), ..self.clone() }
    }

    pub fn base(&self) -> &Path {
        &self.base
    }

    pub fn root(&self) -> &str {
        &self.root
    }

    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// A file's path, from its name relative to the base.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.base.join(relative)
    }

    pub fn prd(&self) -> String {
        format!("{}/plans/prd-{}.md", self.root, self.slug)
    }

    pub fn test_spec(&self) -> String {
        format!("{}/plans/test-spec-{}.md", self.root, self.slug)
    }

    pub fn worker_prompt(&self) -> String {
        format!("{}/prompts/{}.worker.prompt.md", self.root, self.slug)
    }

    pub fn verifier_prompt(&self) -> String {
        format!("{}/prompts/{}.verifier.prompt.md", self.root, self.slug)
    }

    pub fn context(&self) -> String {
        format!("{}/context/{}-latest.md", self.root, self.slug)
    }

    pub fn memory(&self) -> String {
        format!("{}/memos/{}-memory.md", self.root, self.slug)
    }

    pub fn claim(&self) -> String {
        format!("{}/memos/{}-done-claim.json", self.root, self.slug)
    }

    pub fn verdict(&self) -> String {
        format!("{}/memos/{}-verify-verdict.json", self.root, self.slug)
    }

    /// What workers of the original say besides their memory, since its version 0.13.
    pub fn signal(&self) -> String {
        format!("{}/memos/{}-iter-signal.json", self.root, self.slug)
    }

    pub fn complete(&self) -> String {
        format!("{}/memos/{}-complete.md", self.root, self.slug)
    }

    pub fn blocked(&self) -> String {
        format!("{}/memos/{}-blocked.md", self.root, self.slug)
    }

    /// The folder of the campaign's logs.
    pub fn logs(&self) -> String {
        format!("{}/logs/{}", self.root, self.slug)
    }

    pub fn status(&self) -> String {
        format!("{}/status.json", self.logs())
    }

    pub fn report(&self) -> String {
        format!("{}/report.md", self.logs())
    }

    /// A file of one iteration: `worker-prompt.md`, `verifier-prompt.md`, `evidence.json`.
    pub fn of_iteration(&self, iteration: u32, what: &str) -> String {
        format!("{}/iter-{iteration:03}.{what}", self.logs())
    }

    /// What an agent finds where it works: read, and not to be written.
    pub fn given(&self) -> [String; 4] {
        [self.prd(), self.test_spec(), self.worker_prompt(), self.verifier_prompt()]
    }

    /// The folders of what is given.
    pub fn given_folders(&self) -> [String; 2] {
        [format!("{}/plans", self.root), format!("{}/prompts", self.root)]
    }

    /// The folders that an agent writes to.
    pub fn folders(&self) -> [String; 2] {
        [format!("{}/memos", self.root), format!("{}/context", self.root)]
    }
}
