//! Where things lie under `.tribunal/`. Every path of the store is made here and nowhere else.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tribunal_kernel::{Digest, RunId, TurnId};

/// The folder that holds everything we keep, beside the user's own files.
pub const FOLDER: &str = ".tribunal";

/// The paths of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the workspace at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The workspace itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `<root>/.tribunal`
    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    /// `.tribunal/index.sqlite`
    pub fn index(&self) -> PathBuf {
        self.folder().join("index.sqlite")
    }

    /// `.tribunal/.gitignore`
    pub fn ignore_file(&self) -> PathBuf {
        self.folder().join(".gitignore")
    }

    /// `.tribunal/project.json`: which project this is.
    pub fn project(&self) -> PathBuf {
        self.folder().join("project.json")
    }

    /// `.tribunal/server.json`: where a server answers.
    pub fn server(&self) -> PathBuf {
        self.folder().join("server.json")
    }

    /// Where files are replaced as a whole, and how far down: what is not finished there is left by somebody who was killed.
    pub fn swept(&self) -> [(PathBuf, usize); 5] {
        let inside = |name: &str| self.folder().join(name);
        // In a run's folder: `inbox`, `answers`, `artifacts/<name>`.
        [(self.folder(), 0), (self.blobs(), 0), (self.runs(), 3), (inside("agents"), 1), (inside("votes"), 1)]
    }

    /// `.tribunal/opening.lock`: held by whoever opens runs.
    pub fn opening(&self) -> PathBuf {
        self.folder().join("opening.lock")
    }

    /// `.tribunal/runs`
    pub fn runs(&self) -> PathBuf {
        self.folder().join("runs")
    }

    /// `.tribunal/runs/<run>`
    pub fn run(&self, run: RunId) -> PathBuf {
        self.runs().join(run.to_string())
    }

    /// `.tribunal/runs/<run>/log.ndjson`
    pub fn log(&self, run: RunId) -> PathBuf {
        self.run(run).join("log.ndjson")
    }

    /// `.tribunal/runs/<run>/lock`
    pub fn lock(&self, run: RunId) -> PathBuf {
        self.run(run).join("lock")
    }

    /// `.tribunal/runs/<run>/lease.json`: the token of the newest lease.
    pub fn lease(&self, run: RunId) -> PathBuf {
        self.run(run).join("lease.json")
    }

    /// `.tribunal/runs/<run>/live.ndjson`: what turns in flight say.
    pub fn live(&self, run: RunId) -> PathBuf {
        self.run(run).join("live.ndjson")
    }

    /// `.tribunal/runs/<run>/account.json`
    pub fn account(&self, run: RunId) -> PathBuf {
        self.run(run).join("account.json")
    }

    /// `.tribunal/runs/<run>/inbox`
    pub fn inbox(&self, run: RunId) -> PathBuf {
        self.run(run).join("inbox")
    }

    /// `.tribunal/runs/<run>/inbox/<name>.json`
    pub fn request(&self, run: RunId, name: &str) -> PathBuf {
        self.inbox(run).join(format!("{name}.json"))
    }

    /// `.tribunal/runs/<run>/answers/turn-<turn>.txt`: what a person answered.
    pub fn answer(&self, run: RunId, turn: TurnId) -> PathBuf {
        self.run(run).join("answers").join(format!("turn-{turn}.txt"))
    }

    /// `.tribunal/runs/<run>/answers/turn-<turn>.question.md`: what a person is asked.
    pub fn question(&self, run: RunId, turn: TurnId) -> PathBuf {
        self.answer(run, turn).with_extension("question.md")
    }

    /// `.tribunal/runs/<run>/answers/turn-<turn>.asked.json`: since when they are asked.
    pub fn asked(&self, run: RunId, turn: TurnId) -> PathBuf {
        self.answer(run, turn).with_extension("asked.json")
    }

    /// `.tribunal/runs/<run>/answers/turn-<turn>.attempt.txt`: what did not fit, kept for the next try.
    pub fn attempt(&self, run: RunId, turn: TurnId) -> PathBuf {
        self.answer(run, turn).with_extension("attempt.txt")
    }

    /// `.tribunal/runs/<run>/attachments`
    pub fn attached(&self, run: RunId) -> PathBuf {
        self.run(run).join("attachments")
    }

    /// `.tribunal/runs/<run>/artifacts`
    pub fn artifacts(&self, run: RunId) -> PathBuf {
        self.run(run).join("artifacts")
    }

    /// `.tribunal/runs/<run>/artifacts/<artifact>`
    pub fn artifact(&self, run: RunId, artifact: &str) -> PathBuf {
        self.artifacts(run).join(artifact)
    }

    /// `.tribunal/runs/<run>/kept-for`: what outside relies on it.
    pub fn kept_for(&self, run: RunId) -> PathBuf {
        self.run(run).join("kept-for")
    }

    /// `.tribunal/trees`
    pub fn all_trees(&self) -> PathBuf {
        self.folder().join("trees")
    }

    /// `.tribunal/trees/<run>`: where the agents of a run work on files.
    pub fn trees(&self, run: RunId) -> PathBuf {
        self.all_trees().join(run.to_string())
    }

    /// `.tribunal/agents/NAME`: files that a command line must find, and what it keeps.
    pub fn agent(&self, name: &str) -> PathBuf {
        self.folder().join("agents").join(name)
    }

    /// `.tribunal/agents/conformance.json`
    pub fn grades(&self) -> PathBuf {
        self.folder().join("agents").join("conformance.json")
    }

    /// `.tribunal/conformance/<agent>`: where an agent is tried. A name that is no plain word is spelt as one: the
    /// folder is emptied.
    pub fn scratch(&self, agent: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        self.folder().join("conformance").join(format!("agent-{}", agent.chars().map(plain).collect::<String>()))
    }

    /// `.tribunal/stops.json`: what became of agents that said they were done.
    pub fn stops(&self) -> PathBuf {
        self.folder().join("stops.json")
    }

    /// `.tribunal/votes/key`: what links that vote are signed with.
    pub fn vote_key(&self) -> PathBuf {
        self.folder().join("votes").join("key")
    }

    /// `.tribunal/votes/used/<link>`: there once a link was used.
    pub fn used_vote(&self, link: Digest) -> PathBuf {
        self.folder().join("votes").join("used").join(link.to_string())
    }

    /// `.tribunal/queue`
    pub fn queue(&self) -> PathBuf {
        self.folder().join("queue")
    }

    /// `.tribunal/blobs`
    pub fn blobs(&self) -> PathBuf {
        self.folder().join("blobs")
    }

    /// `.tribunal/blobs/<hash>`
    pub fn blob(&self, digest: Digest) -> PathBuf {
        self.blobs().join(digest.to_string())
    }

    /// The run that a folder under `runs/` belongs to. Only the form that [`Layout::run`] writes counts.
    pub fn run_named(name: &OsStr) -> Option<RunId> {
        RunId::parse(name.to_str()?)
    }

    /// The blob that a file under `blobs/` holds.
    pub fn blob_named(name: &OsStr) -> Option<Digest> {
        Digest::parse(name.to_str()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn names_are_read_back_only_as_we_write_them() {
        let run = RunId(Uuid::from_u128(7));
        let named = |name: &str| Layout::run_named(OsStr::new(name));
        assert_eq!(named(&run.to_string()), Some(run));
        assert_eq!(named(&run.to_string().replace('-', "")), None);
        assert_eq!(named("artifacts"), None);

        let digest = Digest::of("x");
        let named = |name: &str| Layout::blob_named(OsStr::new(name));
        assert_eq!(named(&digest.to_string()), Some(digest));
        assert_eq!(named(&digest.to_string().to_uppercase()), None);
        assert_eq!(named(".tmp-1"), None);
    }

    #[test]
    fn an_agent_is_tried_inside_whatever_it_is_called() {
        let layout = Layout::new("/work");
        for name in ["claude", "../../etc", "..", "a/b", ""] {
            assert_eq!(layout.scratch(name).parent(), Some(layout.folder().join("conformance").as_path()), "{name}");
        }
    }
}
