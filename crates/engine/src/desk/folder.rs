//! Everything that belongs to one campaign.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tribunal_agents::{AgentError, Environment, TurnRequest};
use tribunal_kernel::Digest;
use tribunal_kernel::desk::{Incident, TestSpec, digest_of, file_of};
use tribunal_store::desk::DeskFiles;
use tribunal_store::{Backend, StoreError};

use super::seat::DeskSeat;
use crate::evidence::{CheckHome, FolderClaim};
use crate::sandbox::{Confinement, Mechanism, Sandbox};
use crate::tree::{TreeError, Trees, read_inside, sweep_unfinished, write_inside};

/// The most that a file of the desk may have.
pub(super) const MOST: u64 = 1 << 20;

/// How the campaign's processes are run.
#[derive(Debug, Clone, Default)]
pub struct DeskOptions {
    /// Folders that agents may write besides their place: where they keep their own state.
    pub writable: Vec<PathBuf>,
    /// Whether checks may use the network.
    pub checks_network: bool,
    /// Whether the verifier may.
    pub verifier_network: bool,
    /// What agents must not see: secrets, and other runs.
    pub closed: Vec<PathBuf>,
    /// Folders that git ignores and checks need, each with where it is.
    pub carry: Vec<(PathBuf, String)>,
    /// The home that checks have, and what is set up for them.
    pub check_home: Option<CheckHome>,
    /// Where checkouts are put: outside of the project, so that no tool that walks up finds it.
    pub checkouts: PathBuf,
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
    /// The folder of the checkouts, while there are some: what a killed leader left is cleared away by the next one.
    claim: std::sync::Mutex<Option<FolderClaim>>,
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
        for name in [files.memory(), files.context(), files.of_iteration(1, "")] {
            files.path(&name).parent().into_iter().for_each(sweep_unfinished);
        }
        let aside = [files.root().to_owned(), tribunal_store::FOLDER.to_owned()];
        let trees = Trees::open(files.base(), home, branch, &aside).await?;
        let home = home.canonicalize().map_err(|source| TreeError::Io { path: home.to_owned(), source })?;
        let (trees, claim) = (Mutex::new(trees), std::sync::Mutex::default());
        Ok(Arc::new(Self { files, trees, store, home, sandbox, environment, options, claim }))
    }

    /// Takes the folder of the checkouts, until it is let go.
    pub(super) fn take_checkouts(&self) -> Result<(), AgentError> {
        let mut claim = self.claim.lock().unwrap_or_else(PoisonError::into_inner);
        if claim.is_none() {
            *claim = Some(FolderClaim::take(&self.options.checkouts).map_err(|error| AgentError::Unavailable {
                agent: DeskSeat::NAME.into(),
                reason: format!("cannot use {}: {error}", self.options.checkouts.display()),
                hint: Some("set XDG_CACHE_HOME to a folder that you can write to".into()),
            })?);
        }
        Ok(())
    }

    /// Lets it go, with everything in it.
    pub(super) fn leave_checkouts(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The trees of the campaign.
    pub fn trees(&self) -> &Mutex<Trees> {
        &self.trees
    }

    /// Removes the work tree and its branch, where nobody else works on it; whether that was so.
    pub async fn remove(self: Arc<Self>) -> Result<bool, TreeError> {
        match Arc::into_inner(self) {
            Some(folder) => folder.trees.into_inner().remove(true).await.map(|()| true),
            None => Ok(false),
        }
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
        let text = text(self.files.base(), name).ok().flatten()?;
        let is_prompt = [self.files.worker_prompt(), self.files.verifier_prompt()].iter().any(|prompt| prompt == name);
        Some(if is_prompt { relocated(&text, self.files.base(), self.files.root()) } else { text })
    }

    /// Whether the worker's own prompt tells it to bring the test spec up to date, as the original's does. Then another
    /// one is a proposal.
    pub(super) fn asks_for_spec(&self) -> bool {
        let prompt = self.own(&self.files.worker_prompt()).unwrap_or_default().to_lowercase();
        ["update test-spec", "update the test-spec", "update the test spec"].iter().any(|words| prompt.contains(words))
    }

    pub(super) fn spec(&self) -> Option<TestSpec> {
        TestSpec::read(&self.own(&self.files.test_spec())?).ok()
    }

    /// Lays the desk's files out in another folder: what is given, and what the last worker left.
    pub(super) fn lay_out(&self, base: &Path) -> Result<DeskFiles, TreeError> {
        let there = self.files.seen_from(base);
        clear_desk(&there).map_err(|source| TreeError::Io { path: there.path(there.root()), source })?;
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

    /// What agents find in their environment, who work in the repository with this top.
    pub(super) fn variables(there: &DeskFiles, top: &Path) -> Vec<(String, String)> {
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
        // A tool that looks for a project further up must not find the user's own. Git goes up to what is below this.
        let above = top.parent().unwrap_or(top);
        variables.push(("GIT_CEILING_DIRECTORIES".into(), above.to_string_lossy().into_owned()));
        variables
    }

    /// What an agent may do that works in these folders.
    pub(super) fn confinement(&self, request: &TurnRequest, writable: Vec<PathBuf>) -> Result<Confinement, AgentError> {
        // Turns of a desk come one after the other: what the last one left here is nobody's any more.
        let all = self.home.join("tmp");
        let tmp = all.join(request.turn.to_string());
        clear(&all).and_then(|()| fs::create_dir_all(&tmp)).map_err(|error| unavailable(&error.to_string()))?;
        let own = self.options.writable.iter().filter_map(|path| path.canonicalize().ok());
        let own: Vec<PathBuf> = own.collect();
        // Inside of what the user opened, they opened everything.
        let is_closed = |path: &&PathBuf| !own.iter().any(|open| path.starts_with(open));
        let hidden = self.options.closed.iter().filter(is_closed).cloned().collect();
        let writable = writable.into_iter().chain(own.iter().cloned()).collect();
        Ok(Confinement { writable, hidden, network: true, tmp, ..Confinement::default() })
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

/// A prompt with the desk's files named as they are found from where an agent works. The original writes the paths of
/// the user's project into its prompts; from there an agent would read what is old, and write what nobody reads.
fn relocated(prompt: &str, base: &Path, root: &str) -> String {
    const FOLDERS: [&str; 5] = ["plans/", "prompts/", "memos/", "context/", "logs/"];
    let within = format!("/{root}/");
    // A project that was moved has the paths of where it was: whatever leads to such a folder is meant.
    let known = prompt.replace(&format!("{}{within}", base.display()), &within);
    let mut text = String::with_capacity(known.len());
    let mut rest = known.as_str();
    while let Some(at) = rest.find(&within) {
        let (before, after) = rest.split_at(at);
        let is_desk = FOLDERS.iter().any(|folder| after[within.len()..].starts_with(folder));
        let start = before.rfind(|c: char| c.is_whitespace() || "`'\"()[]{}<>=,;:|".contains(c));
        let start = start.map_or(0, |start| start + before[start..].chars().next().map_or(0, char::len_utf8));
        let is_absolute = before[start..].is_empty() || before[start..].starts_with(['/', '~', '$']);
        text.push_str(if is_desk && is_absolute { &before[..start] } else { before });
        // Without the slash in front of it the path begins here.
        let skipped = usize::from(is_desk && is_absolute);
        text.push_str(&after[skipped..within.len()]);
        rest = &after[within.len()..];
    }
    text + rest
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

/// Removes the desk's own files from a folder. On the way there nothing is followed either: what an agent put in place of
/// a folder goes first.
pub(super) fn clear_desk(there: &DeskFiles) -> io::Result<()> {
    let mut at = there.base().to_owned();
    for part in Path::new(there.root()).parent().into_iter().flat_map(Path::iter) {
        at.push(part);
        if fs::symlink_metadata(&at).is_ok_and(|found| !found.is_dir()) {
            return fs::remove_file(&at);
        }
    }
    clear(&there.path(there.root()))
}

/// Removes whatever is there, and follows nothing.
pub(super) fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => tribunal_store::remove_tree(path),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_name_files_where_an_agent_finds_them() {
        for (prompt, expected) in [
            ("Read /home/ada/calc/.rlp-desk/memos/x-memory.md first", "Read .rlp-desk/memos/x-memory.md first"),
            ("PRD: `/my projects/a/.rlp-desk/plans/p.md`", "PRD: `.rlp-desk/plans/p.md`"),
            (
                "(/p/.rlp-desk/plans/p.md) and \"/p/.rlp-desk/logs/x\"",
                "(.rlp-desk/plans/p.md) and \".rlp-desk/logs/x\"",
            ),
            ("path=/p/.rlp-desk/memos/x.json", "path=.rlp-desk/memos/x.json"),
            ("$ROOT/.rlp-desk/memos/x", ".rlp-desk/memos/x"),
            (".rlp-desk/memos/x", ".rlp-desk/memos/x"),
            ("docs/.rlp-desk/memos/x", "docs/.rlp-desk/memos/x"),
            ("~/.rlp-desk/node/run.mjs", "~/.rlp-desk/node/run.mjs"),
            ("/etc/passwd", "/etc/passwd"),
            ("ä/.rlp-desk/memos/x ü:/p/.rlp-desk/memos/y", "ä/.rlp-desk/memos/x ü:.rlp-desk/memos/y"),
            ("", ""),
        ] {
            assert_eq!(relocated(prompt, Path::new("/my projects/a"), ".rlp-desk"), expected, "{prompt}");
        }
        let ours = "Never touch ~/.claude/ralph-desk/*; write /p/.claude/ralph-desk/memos/x";
        let expected = "Never touch ~/.claude/ralph-desk/*; write .claude/ralph-desk/memos/x";
        assert_eq!(relocated(ours, Path::new("/q"), ".claude/ralph-desk"), expected);
    }
}
