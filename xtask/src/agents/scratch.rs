//! A project, a home and a folder for temporary files, which nobody else uses.

use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

use super::candidate::{Candidate, KEY};
use super::clis::Clis;
use crate::repo::Repo;

/// Codex does not like a home in `/tmp`.
const PLACE: &str = "/var/tmp";

#[derive(Debug)]
pub(super) struct Scratch {
    folder: TempDir,
    candidate: Candidate,
    url: String,
}

impl Scratch {
    /// For a candidate that finds its model at `url`; `toml` is what comes besides its own part of the configuration.
    pub(super) fn new(candidate: Candidate, url: String, instead: Option<&str>, toml: &str) -> Result<Self> {
        let folder = if Path::new(PLACE).is_dir() { TempDir::new_in(PLACE) } else { TempDir::new() };
        let scratch = Self { folder: folder.context("cannot make a folder")?, candidate, url };
        for name in ["project", "home", "tmp"] {
            fs::create_dir(scratch.path(name))?;
        }
        let agent = candidate.toml(&scratch.url, instead);
        fs::write(scratch.path("project/tribunal.toml"), format!("{toml}[agents.it]\n{agent}"))?;
        let home = scratch.path("home");
        for (name, text) in candidate.files(&scratch.url) {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&home))?;
            fs::write(path, text)?;
        }
        Ok(scratch)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `tribunal`, with nothing in its environment but what belongs here.
    pub(super) fn tribunal(&self, clis: &Clis, patience: Duration) -> Result<Command> {
        self.command(clis, patience, Repo::tribunal()?)
    }

    /// A program that finds the command lines and `tribunal`, in the same environment.
    pub(super) fn command(&self, clis: &Clis, patience: Duration, program: impl AsRef<OsStr>) -> Result<Command> {
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=10", &patience.as_secs().to_string()])
            .arg(program)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", clis.path()?)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("TRIBUNAL_CHECKS_EYES", "static")
            .env(KEY, "sk-stub")
            .envs(self.candidate.variables(&self.url))
            .stdin(Stdio::null());
        Ok(command)
    }
}
