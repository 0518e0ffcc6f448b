//! Calling git, with nothing of the user's that would make it do more than it is asked to.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::TreeError;
use crate::process::{self, Bounds, ChildExit, How};

const BOUNDS: Bounds = Bounds {
    idle: Duration::from_secs(600),
    total: Duration::from_secs(600),
    grace: Duration::from_secs(5),
    stdout: 512 << 20,
    stderr_tail: 64 << 10,
};
/// No hooks, no daemons, no signatures, no clean-up in the background, nothing that trusts what an agent can forge.
const CONFIG: [&str; 13] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.safecrlf=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
];
const INHERITED: [&str; 3] = ["PATH", "HOME", "XDG_CONFIG_HOME"];
const FIXED: [(&str, &str); 6] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"), // looking at the user's checkout does not write its index
    ("GIT_NO_REPLACE_OBJECTS", "1"), // a commit is what it is, and not what somebody put in its place
    ("GIT_EDITOR", "true"),
    ("LC_ALL", "C"),
];
pub(super) const NAME: &str = "Tribunal";
pub(super) const ADDRESS: &str = "tribunal@localhost";

/// Git in a folder. Cheap to make: one for every purpose.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// What it said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) code: i32,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Git {
    pub(super) fn at(folder: &Path) -> Self {
        let inherited = INHERITED.iter().filter_map(|key| Some(((*key).into(), std::env::var_os(key)?)));
        let fixed = FIXED.iter().map(|(key, value)| ((*key).into(), (*value).into()));
        Self { folder: folder.to_owned(), env: inherited.chain(fixed).collect() }
    }

    /// With a repository and a work tree that are named, so that no `.git` that is found on the way counts.
    pub(super) fn between(repository: &Path, work_tree: &Path) -> Self {
        Self::at(work_tree).with("GIT_DIR", repository).with("GIT_WORK_TREE", work_tree)
    }

    pub(super) fn with(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((key.into(), value.as_ref().into()));
        self
    }

    pub(super) fn with_index(self, index: &Path) -> Self {
        self.with("GIT_INDEX_FILE", index)
    }

    /// As Tribunal, whoever the user is.
    pub(super) fn by_tribunal(mut self) -> Self {
        for role in ["AUTHOR", "COMMITTER"] {
            self = self.with(&format!("GIT_{role}_NAME"), NAME).with(&format!("GIT_{role}_EMAIL"), ADDRESS);
        }
        self
    }

    /// As whoever the user is here, or as Tribunal.
    pub(super) async fn with_identity(mut self) -> Result<Self, TreeError> {
        for (key, role, otherwise) in [("user.name", "NAME", NAME), ("user.email", "EMAIL", ADDRESS)] {
            let said = self.try_call(&["config", "--get", key], &[]).await?;
            if said.code != 0 || said.stdout.trim_ascii().is_empty() {
                self = self.with(&format!("GIT_AUTHOR_{role}"), otherwise);
                self = self.with(&format!("GIT_COMMITTER_{role}"), otherwise);
            }
        }
        Ok(self)
    }

    /// What it printed, when all went well.
    pub(super) async fn call(&self, args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Result<Vec<u8>, TreeError> {
        let said = self.try_call(args, stdin).await?;
        if said.code == 0 { Ok(said.stdout) } else { Err(said.into_error(args)) }
    }

    /// The one line that it printed.
    pub(super) async fn line(&self, args: &[impl AsRef<OsStr>]) -> Result<String, TreeError> {
        Ok(String::from_utf8_lossy(&self.call(args, &[]).await?).trim_end().to_owned())
    }

    /// Whatever it said, for callers to whom a failure is an answer.
    pub(super) async fn try_call(&self, args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Result<Said, TreeError> {
        let config = CONFIG.iter().flat_map(|setting| ["-c".into(), (*setting).into()]);
        let command = process::ProcessCommand {
            program: "git".into(),
            args: config.chain(args.iter().map(|arg| arg.as_ref().to_owned())).collect(),
            env: self.env.clone(),
            cwd: Some(self.folder.clone()),
            stdin: stdin.to_vec(),
        };
        let mut stdout = Vec::new();
        let never = CancellationToken::new();
        let ended = process::run(command, &BOUNDS, &never, |piece| stdout.extend_from_slice(piece)).await?;
        let failed = |told: &str| TreeError::Git { doing: doing(args), told: told.to_owned() };
        match (ended.how, ended.exit) {
            (How::Exited, Some(ChildExit::Code(code))) => Ok(Said { code, stdout, stderr: ended.stderr_tail }),
            (How::TooMuchOutput, _) => Err(failed("too much output")),
            (How::Silent | How::Overtime, _) => Err(failed("it does not end")),
            _ => Err(failed("it was killed")),
        }
    }
}

impl Said {
    pub(super) fn into_error(self, args: &[impl AsRef<OsStr>]) -> TreeError {
        let told = self.stderr.trim().lines().last().unwrap_or("it failed without a message").to_owned();
        TreeError::Git { doing: doing(args), told }
    }
}

/// The command without its arguments, which may be many.
fn doing(args: &[impl AsRef<OsStr>]) -> String {
    args.first().map(|arg| arg.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}

/// What `-z` separates.
pub(super) fn fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}
