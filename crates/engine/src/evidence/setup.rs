//! `setup`: what checks need and git does not have, made once for every state of the lock files.
//!
//! # What was decided
//! - It runs in a checkout of the **base**, with the network, and with the user's secrets closed. Where the change has
//!   other lock files, these are put there, with the manifests that belong to them; but scripts, also those inside of a
//!   `package.json`, stay the base's. Packages that the change adds may bring scripts of their own: `--ignore-scripts` and
//!   the like are the user's to say.
//! - What it leaves besides the files of the checkout is kept, and every checkout gets a **copy**: what is done to a copy
//!   is not found by the next. Files of the checkout that it changes are as the commit has them.
//! - One that fails is an error with the end of its output. Nothing of it is kept, and nothing is tried without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tribunal_kernel::digest::Hasher;

use super::check_home::{CheckHome, Furnished};
use super::collector::EvidenceCollector;
use super::kept::{KeptFolder, KeptFound};
use super::request::{EvidenceError, EvidenceRequest};
use crate::command_run::{CommandRun, tail};
use crate::process::How;
use crate::sandbox::Confinement;
use crate::tree::{Checkout, FilesBefore, bring_leftovers, write_inside};

/// Files that say which packages there are, down to the version.
const LOCKS: [&str; 18] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Cargo.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "pubspec.lock",
    "gradle.lockfile",
];
/// Files that say which packages are wanted, and that no tool runs as a program.
const MANIFESTS: [&str; 7] =
    ["package.json", "Cargo.toml", "go.mod", "pyproject.toml", "Pipfile", "pnpm-workspace.yaml", "pubspec.yaml"];
/// Downloads that were unpacked elsewhere: not kept.
const SPENT: [&str; 5] = [".npm", ".cache/pip", ".cache/uv", ".cache/yarn", ".cache/node-gyp"];
/// Read where they are, instead of being copied into every home.
const SHARED: [&str; 3] = [".cargo/registry", ".cargo/git", "go/pkg/mod"];
/// How long one command of a setup may take.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// What is told of a failed one, in characters.
const TAIL: usize = 2000;
/// Another form of what is kept is kept elsewhere.
const FORM: &[u8] = b"setup 1";

/// Takes what a person should see while they wait.
pub type ShowSetup<'a> = &'a (dyn Fn(String) + Send + Sync);

/// What a setup left.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    /// Besides the files of the checkout.
    tree: PathBuf,
    home: PathBuf,
    /// Some of it is read where it is, so it is in use until all is done.
    _kept: Arc<KeptFolder>,
}

/// What setups left for the trees of a change.
#[derive(Debug, Clone, Default)]
pub(super) struct PreparedTrees {
    pub(super) base: Option<Prepared>,
    pub(super) head: Option<Prepared>,
}

impl Prepared {
    /// Brings a copy of it into a checkout.
    pub(super) async fn bring(&self, checkout: &Checkout) -> Result<(), EvidenceError> {
        Ok(bring_leftovers(&self.tree, checkout.root(), &[]).await.map(|_| ())?)
    }

    /// A home that begins as this one.
    pub(super) async fn furnish(
        &self,
        home: &CheckHome,
        path: PathBuf,
        network: bool,
    ) -> Result<Furnished, EvidenceError> {
        fs::create_dir_all(&path).map_err(EvidenceError::io(&path))?;
        bring_leftovers(&self.home, &path, &SHARED).await?;
        home.furnish(path.clone(), network, Some(&self.home)).map_err(EvidenceError::io(&path))
    }
}

impl EvidenceCollector<'_> {
    /// Runs what is to be run before the trees of a change can be checked, unless it was run before.
    pub(super) async fn prepare(
        &self,
        request: &EvidenceRequest,
        show: ShowSetup<'_>,
    ) -> Result<PreparedTrees, EvidenceError> {
        let Some(home) = self.place.home.as_ref().filter(|home| !home.setup.is_empty()) else {
            return Ok(PreparedTrees::default());
        };
        let base = self.prepared(home, &request.base, &request.base, show).await?;
        let head = self.prepared(home, &request.base, &request.head, show).await?;
        Ok(PreparedTrees { base: Some(base), head: Some(head) })
    }

    async fn prepared(
        &self,
        home: &CheckHome,
        base: &str,
        commit: &str,
        show: ShowSetup<'_>,
    ) -> Result<Prepared, EvidenceError> {
        let key = self.key(home, base, commit).await?;
        // Two runs of one project want the same at the same time: the second finds it made.
        let place = home.cache.join("setup").join(&home.project);
        let kept = match KeptFolder::find(&place, &key).await.map_err(EvidenceError::io(&place))? {
            KeptFound::Kept(kept) => kept,
            KeptFound::Missing(draft) => {
                self.make(home, base, commit, draft.path(), show).await?;
                draft.finish().await.map_err(EvidenceError::io(&place))?
            }
        };
        let folder = kept.path();
        Ok(Prepared { tree: folder.join("tree"), home: folder.join("home"), _kept: Arc::new(kept) })
    }

    /// By what a setup is known: its commands, and the lock files. Without any, the base itself.
    async fn key(&self, home: &CheckHome, base: &str, commit: &str) -> Result<String, EvidenceError> {
        let locks = self.named(commit, is_lock).await?;
        let mut hasher = Hasher::default();
        hasher.field(FORM);
        for line in &home.setup {
            hasher.field(line.as_bytes());
        }
        if locks.is_empty() {
            hasher.field(self.reader.tree(base).await?.as_bytes());
        }
        for (path, content) in self.reader.contents(commit, &locks).await?.into_iter().zip(&locks).map(|(a, b)| (b, a))
        {
            hasher.field(path.as_bytes()).field(&content.unwrap_or_default());
        }
        Ok(hasher.finish().to_string().chars().take(24).collect())
    }

    async fn make(
        &self,
        home: &CheckHome,
        base: &str,
        commit: &str,
        folder: &Path,
        show: ShowSetup<'_>,
    ) -> Result<(), EvidenceError> {
        let tmp = folder.join("tmp");
        fs::create_dir_all(&tmp).map_err(EvidenceError::io(&tmp))?;
        let (checkout, _) = self.reader.lay_out_apart(base, folder.join("tree")).await?;
        if commit != base {
            self.put_locks(base, commit, &checkout).await?;
        }
        self.reader.seal(base, &checkout, commit != base).await?;
        let before = FilesBefore::of(checkout.root()).await?;
        let own = home.furnish(folder.join("home"), true, None).map_err(EvidenceError::io(folder))?;
        for line in &home.setup {
            show(format!("setup: {line}"));
            let run = CommandRun {
                argv: vec!["sh".into(), "-c".into(), format!("exec 2>&1\n{line}")],
                env: with(&self.place.env, own.env.iter().cloned().chain([("CI".to_owned(), "true".to_owned())])),
                cwd: checkout.path().to_owned(),
                stdin: Vec::new(),
                patience: PATIENCE,
                grace: self.limits.grace,
                confinement: Confinement {
                    writable: vec![checkout.root().to_owned(), own.path.clone()],
                    read_only: Vec::new(),
                    hidden: self.place.hidden.clone(),
                    network: true,
                    tmp: tmp.clone(),
                },
            };
            let failed = |why: String, output: &[u8]| EvidenceError::Setup {
                line: line.clone(),
                why,
                tail: tail(String::from_utf8_lossy(output).trim_end(), TAIL).to_owned(),
            };
            let seen = run.run(self.sandbox).await.map_err(|error| failed(error.to_string(), &[]))?;
            match (seen.how, seen.exit) {
                (How::Exited, Some(0)) => {}
                (How::Exited, Some(code)) => return Err(failed(format!("exit {code}"), &seen.output)),
                (How::Silent | How::Overtime, _) => return Err(failed("it took too long".to_owned(), &seen.output)),
                _ => return Err(failed("it was killed".to_owned(), &seen.output)),
            }
        }
        before.strip(&checkout.keep()).await?;
        for name in SPENT {
            crate::tree::remove_all(&own.path.join(name))?;
        }
        Ok(crate::tree::remove_all(&tmp)?)
    }

    /// Puts the lock files and manifests of a commit into a checkout of the base, but no scripts.
    async fn put_locks(&self, base: &str, commit: &str, checkout: &Checkout) -> Result<(), EvidenceError> {
        let is_taken = |name: &str| is_lock(name) || MANIFESTS.contains(&name);
        let taken = self.named(commit, is_taken).await?;
        let contents = self.reader.contents(commit, &taken).await?;
        let was = self.reader.contents(base, &taken).await?;
        for ((path, content), was) in taken.iter().zip(contents).zip(was) {
            let Some(content) = content.filter(|content| Some(content) != was.as_ref()) else { continue };
            let content = match file_name(path) {
                "package.json" => without_scripts(&content, was.as_deref()),
                _ => content,
            };
            write_inside(checkout.path(), path, &content)?;
        }
        for path in self.named(base, is_lock).await?.iter().filter(|path| !taken.contains(path)) {
            crate::tree::remove_all(&checkout.path().join(path))?;
        }
        Ok(())
    }

    async fn named(&self, commit: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, EvidenceError> {
        let mut paths = self.reader.paths(commit).await?;
        paths.retain(|path| wanted(file_name(path)) && !path.starts_with("../") && !path.contains("node_modules/"));
        paths.sort();
        Ok(paths)
    }
}

/// Variables, each the last of its name.
pub(super) fn with(
    env: &[(String, String)],
    more: impl IntoIterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let more: Vec<(String, String)> = more.into_iter().collect();
    let is_other = |(name, _): &&(String, String)| more.iter().all(|(known, _)| known != name);
    env.iter().filter(is_other).cloned().chain(more.clone()).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_lock(name: &str) -> bool {
    let is_requirements = name.starts_with("requirements")
        && name.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "txt" | "in"));
    LOCKS.contains(&name) || is_requirements
}

/// A `package.json` with the scripts that it had before. One that cannot be read has none to run.
fn without_scripts(content: &[u8], was: Option<&[u8]>) -> Vec<u8> {
    let Ok(Value::Object(mut manifest)) = serde_json::from_slice(content) else { return content.to_vec() };
    let was: Option<Value> = was.and_then(|was| serde_json::from_slice(was).ok());
    match was.and_then(|was| was.get("scripts").cloned()) {
        Some(scripts) => drop(manifest.insert("scripts".to_owned(), scripts)),
        None => drop(manifest.remove("scripts")),
    }
    serde_json::to_vec_pretty(&manifest).unwrap_or_else(|_| content.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_are_known_by_their_names() {
        for name in ["package-lock.json", "requirements.txt", "requirements-dev.txt", "go.sum", "uv.lock"] {
            assert!(is_lock(name), "{name}");
        }
        for name in ["package.json", "my-requirements.txt", "lock", "requirements.py"] {
            assert!(!is_lock(name), "{name}");
        }
    }

    #[test]
    fn scripts_of_a_change_are_not_taken_over_with_its_packages() {
        let head = br#"{"dependencies": {"a": "2"}, "scripts": {"postinstall": "curl evil"}}"#;
        let base = br#"{"dependencies": {"a": "1"}, "scripts": {"test": "node --test"}}"#;
        let told = |bytes: Vec<u8>| serde_json::from_slice::<Value>(&bytes).unwrap();
        let both = told(without_scripts(head, Some(base)));
        assert_eq!(both["dependencies"]["a"], "2");
        assert_eq!(both["scripts"], serde_json::json!({"test": "node --test"}));
        assert_eq!(told(without_scripts(head, None)).get("scripts"), None);
    }
}
