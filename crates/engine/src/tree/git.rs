//! Calling git, with nothing of the user's that would make it do more than it is asked to.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::TreeError;
use super::full::{full_place, is_full};
use crate::process::{self, Bounds, ChildExit, How};

const BOUNDS: Bounds = Bounds {
    idle: Duration::from_secs(600),
    total: Duration::from_secs(600),
    grace: Duration::from_secs(5),
    stdout: 512 << 20,
    stderr_tail: 64 << 10,
};
/// No hooks, no daemons, no signatures, no clean-up in the background, nothing that trusts what an agent can forge.
const CONFIG: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.safecrlf=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.quotePath=false",
    "core.commitGraph=false", // who follows whom is in the commits, and not in a file beside them
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
];
/// Programs that make a file of what a commit only stands for.
const KNOWN_FILTERS: [&str; 2] = ["git-lfs", "git-crypt"];
const INHERITED: [&str; 3] = ["PATH", "HOME", "XDG_CONFIG_HOME"];
const FIXED: [(&str, &str); 7] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"), // looking at the user's checkout does not write its index
    ("GIT_NO_REPLACE_OBJECTS", "1"), // a commit is what it is, and not what somebody put in its place
    ("GIT_GRAFT_FILE", "/dev/null"), // and its parents are those that it names
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
    /// Where no space is left, if it failed for that.
    pub(super) full: Option<PathBuf>,
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

    /// The same for laying files out: as they are committed, with no program in between but those that fetch or decrypt what
    /// a commit only stands for. Whoever can write the repository's settings could name one that makes other files of them.
    pub(super) async fn laying_out(repository: &Path, work_tree: &Path) -> Result<Self, TreeError> {
        let mut git = Self::between(repository, work_tree);
        let asked = git.try_call(&["config", "--null", "--get-regexp", r"^filter\..*\.(smudge|process)$"], &[]).await?;
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        let off = foreign_filters(&said);
        let of = |name: &String| {
            [("smudge", ""), ("process", ""), ("required", "false")]
                .map(|(what, value)| (format!("filter.{name}.{what}"), value))
        };
        for (number, (key, value)) in off.iter().flat_map(of).enumerate() {
            git = git.with(&format!("GIT_CONFIG_KEY_{number}"), key).with(&format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        Ok(if off.is_empty() { git } else { git.with("GIT_CONFIG_COUNT", (off.len() * 3).to_string()) })
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
            (How::Exited, Some(ChildExit::Code(code))) => {
                let full = if code == 0 { None } else { self.full_place(&ended.stderr_tail) };
                Ok(Said { code, stdout, stderr: ended.stderr_tail, full })
            }
            (How::TooMuchOutput, _) => Err(failed("too much output")),
            (How::Silent | How::Overtime, _) => Err(failed("it does not end")),
            _ => Err(failed("it was killed")),
        }
    }

    /// Which of the places that it writes to is full, if that is what it complains of.
    fn full_place(&self, told: &str) -> Option<PathBuf> {
        let named = self.env.iter().filter(|(key, _)| key.to_string_lossy().starts_with("GIT_"));
        let named = named.map(|(_, value)| Path::new(value)).filter(|path| path.is_absolute());
        let places: Vec<&Path> = std::iter::once(self.folder.as_path()).chain(named).collect();
        full_place(told, &places, is_full).map(Path::to_owned)
    }
}

/// The filters that are none of [`KNOWN_FILTERS`], from what git lists.
fn foreign_filters(listed: &str) -> BTreeSet<String> {
    let entries = listed.split('\0').filter_map(|entry| entry.split_once('\n'));
    let foreign = entries.filter(|(_, command)| !is_known_filter(command));
    foreign.filter_map(|(key, _)| Some(key.strip_prefix("filter.")?.rsplit_once('.')?.0.to_owned())).collect()
}

/// Whether a filter is the program that it is known by, with plain words behind it.
fn is_known_filter(command: &str) -> bool {
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    let is_known = words.next().is_some_and(|program| KNOWN_FILTERS.contains(&program.trim_matches('"')));
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '%' | '='));
    command.is_empty() || (is_known && words.all(is_plain))
}

impl Said {
    pub(super) fn into_error(self, args: &[impl AsRef<OsStr>]) -> TreeError {
        if let Some(path) = self.full {
            return TreeError::Full { path };
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_that_nobody_knows_are_turned_off() {
        let listed = "filter.lfs.smudge\ngit-lfs smudge -- %f\0filter.lfs.process\ngit-lfs filter-process\0\
                      filter.git-crypt.smudge\n\"git-crypt\" smudge\0filter.strip.smudge\ncat\0\
                      filter.a.b.smudge\nsed s/-/+/\0filter.lie.smudge\ngit-lfs smudge; sed s/-/+/\0filter.none.smudge\n\0";
        assert_eq!(foreign_filters(listed).into_iter().collect::<Vec<_>>(), ["a.b", "lie", "strip"]);
        assert!(foreign_filters("").is_empty());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_full_disk_is_called_one() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path()).by_tribunal();
        git.call(&["init", "-q"], &[]).await.unwrap();
        git.call(&["commit", "-q", "--allow-empty", "-m", "x"], &[]).await.unwrap();
        let error = git.call(&["archive", "-o", "/dev/full", "HEAD"], &[]).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the disk is full: no space is left in `{}`", folder.path().display()));
        assert!(error.hint().contains("XDG_CACHE_HOME"), "{}", error.hint());
        let path = folder.path();
        let error = TreeError::io(path)(std::io::Error::from_raw_os_error(28));
        assert!(matches!(error, TreeError::Full { .. }), "{error}");
    }
}
