//! Everything that belongs to one campaign.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tribunal_agents::{AgentError, Environment, TurnRequest};
use tribunal_kernel::Digest;
use tribunal_kernel::desk::{Incident, TestSpec, digest_of, file_of};
use tribunal_store::desk::DeskFiles;
use tribunal_store::{Backend, StoreError};

use super::seat::DeskSeat;
use crate::sandbox::{Confinement, Mechanism, Sandbox};
use crate::tree::{TreeError, Trees, read_inside, write_inside};

/// The most that a file of the desk may have.
pub(super) const MOST: u64 = 1 << 20;

/// How the campaign's processes are run.
#[derive(Debug, Clone)]
pub struct DeskOptions {
    /// Folders that agents may write besides their place: where they keep their own state.
    pub writable: Vec<PathBuf>,
    /// Whether checks may use the network.
    pub checks_network: bool,
    /// How long a check may take.
    pub check_timeout: Duration,
    pub grace: Duration,
}

/// The files, the trees and the sandbox of one campaign.
#[derive(Debug)]
pub struct DeskFolder {
    /// In the user's project: the loop's memory.
    pub(super) files: DeskFiles,
    pub(super) trees: Mutex<Trees>,
    pub(super) store: Arc<dyn Backend>,
    home: PathBuf,
    pub(super) sandbox: Sandbox,
    pub(super) environment: Environment,
    pub(super) options: DeskOptions,
}

impl DeskFolder {
    /// Opens the campaign's trees in `home`, or makes them; `store` is the one that has the run.
    pub async fn open(
        files: DeskFiles,
        home: &Path,
        branch: &str,
        sandbox: Sandbox,
        environment: Environment,
        options: DeskOptions,
        store: Arc<dyn Backend>,
    ) -> Result<Arc<Self>, TreeError> {
        let aside = [files.root().to_owned(), tribunal_store::FOLDER.to_owned()];
        let trees = Trees::open(files.base(), home, branch, &aside).await?;
        let home = home.canonicalize().map_err(|source| TreeError::Io { path: home.to_owned(), source })?;
        Ok(Arc::new(Self { files, trees: Mutex::new(trees), store, home, sandbox, environment, options }))
    }

    /// The trees of the campaign.
    pub fn trees(&self) -> &Mutex<Trees> {
        &self.trees
    }

    /// What a person should know about the place.
    pub(super) async fn notes(&self) -> Vec<String> {
        let trees = self.trees.lock().await;
        let mut notes: Vec<String> = trees.missing().into_iter().collect();
        match trees.left_behind() {
            0 => {}
            1 => notes.push("1 file with changes that are not committed is not part of the work".into()),
            several => {
                notes.push(format!("{several} files with changes that are not committed are not part of the work"));
            }
        }
        notes.push(match self.sandbox.mechanism() {
            Mechanism::Bubblewrap { .. } => "sandbox: bubblewrap".into(),
            Mechanism::Landlock => "sandbox: Landlock; changed plans are found by their digests".into(),
            Mechanism::Copy => "no sandbox is in force: agents are held by copies and digests alone".into(),
        });
        notes
    }

    /// A file of the desk in the user's project.
    pub(super) fn own(&self, name: &str) -> Option<String> {
        text(self.files.base(), name).ok().flatten()
    }

    pub(super) fn spec(&self) -> Option<TestSpec> {
        TestSpec::read(&self.own(&self.files.test_spec())?).ok()
    }

    /// Lays the desk's files out in another folder: what is given, and what the last worker left.
    pub(super) fn lay_out(&self, base: &Path) -> Result<DeskFiles, TreeError> {
        let there = self.files.seen_from(base);
        clear(&there.path(there.root())).map_err(|source| TreeError::Io { path: there.path(there.root()), source })?;
        let left = [there.context(), there.memory()];
        for name in there.given().into_iter().chain(left) {
            if let Some(text) = self.own(&name) {
                write_inside(base, &name, text.as_bytes())?;
            }
        }
        for folder in there.folders().into_iter().chain(there.given_folders()) {
            let path = there.path(&folder);
            fs::create_dir_all(&path).map_err(|source| TreeError::Io { path, source })?;
        }
        Ok(there)
    }

    /// What agents find in their environment.
    pub(super) fn variables(there: &DeskFiles) -> Vec<(String, String)> {
        let all = [
            ("TRIBUNAL_MEMORY", there.memory()),
            ("TRIBUNAL_CONTEXT", there.context()),
            ("TRIBUNAL_CLAIM", there.claim()),
            ("TRIBUNAL_VERDICT", there.verdict()),
            ("TRIBUNAL_PRD", there.prd()),
            ("TRIBUNAL_TEST_SPEC", there.test_spec()),
            ("TRIBUNAL_RECEIPTS", receipts(there)),
        ];
        let path = |name: &str| there.path(name).to_string_lossy().into_owned();
        let mut variables: Vec<_> = all.into_iter().map(|(name, file)| (name.to_owned(), path(&file))).collect();
        // A tool that looks for a project further up must not find the user's own.
        variables.push(("GIT_CEILING_DIRECTORIES".into(), there.base().to_string_lossy().into_owned()));
        variables
    }

    /// What an agent may do that works in these folders.
    pub(super) fn confinement(&self, request: &TurnRequest, writable: Vec<PathBuf>) -> Result<Confinement, AgentError> {
        // Turns of a desk come one after the other: what the last one left here is nobody's any more.
        let all = self.home.join("tmp");
        let tmp = all.join(request.turn.to_string());
        clear(&all).and_then(|()| fs::create_dir_all(&tmp)).map_err(|error| unavailable(&error.to_string()))?;
        let own = self.options.writable.iter().filter_map(|path| path.canonicalize().ok());
        let writable = writable.into_iter().chain(own).collect();
        Ok(Confinement { writable, network: true, tmp, ..Confinement::default() })
    }
}

/// The digests of the files that checks consist of, as they are in a commit.
pub(super) async fn digests(
    trees: &Trees,
    commit: &str,
    named: &[String],
) -> Result<BTreeMap<String, Option<Digest>>, AgentError> {
    let paths: Vec<String> = named.iter().map(|name| file_of(name).to_owned()).collect();
    let contents = trees.contents(commit, &paths).await.map_err(|error| of_tree(&error))?;
    let digests = named.iter().zip(contents).map(|(name, bytes)| {
        let digest = bytes.map(|bytes| digest_of(name, &bytes));
        (name.clone(), digest)
    });
    Ok(digests.collect())
}

/// Where the receipts are put for the verifier.
pub(super) fn receipts(there: &DeskFiles) -> String {
    format!("{}/memos/{}-receipts.json", there.root(), there.slug())
}

/// A text that somebody may have written; nothing if there is none. A link, or something that is no file, is an error.
pub(super) fn text(base: &Path, name: &str) -> Result<Option<String>, Incident> {
    match read_inside(base, name, MOST) {
        Ok(bytes) => Ok(Some(
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )),
        Err(TreeError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Incident { code: "escaped".into(), detail: format!("{name}: {error}") }),
    }
}

/// Removes whatever is there, and follows nothing.
pub(super) fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn of_tree(error: &TreeError) -> AgentError {
    AgentError::Unavailable { agent: DeskSeat::NAME.into(), reason: error.to_string(), hint: Some(error.hint()) }
}

pub(super) fn of_store(error: &StoreError) -> AgentError {
    AgentError::Unavailable { agent: DeskSeat::NAME.into(), reason: error.to_string(), hint: error.hint() }
}

pub(super) fn unavailable(reason: &str) -> AgentError {
    AgentError::Unavailable { agent: DeskSeat::NAME.into(), reason: reason.to_owned(), hint: None }
}
