//! Whether a command line takes what `tribunal integrate` writes for it: it is asked itself, in a home of its own.

use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

use super::candidate::Candidate;
use super::clis::Clis;
use crate::repo::Repo;

/// Codex does not like a home in `/tmp`.
const PLACE: &str = "/var/tmp";
/// How long a command line may take to list what it knows.
const SECONDS: &str = "120";

/// One command line, and what it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listing {
    agent: &'static str,
    /// What is run in the project, and what has to stand in what it prints.
    questions: &'static [(&'static [&'static str], &'static str)],
}

impl Listing {
    /// What a candidate is asked. Nothing for those that `integrate` writes nothing for.
    pub(super) fn of(candidate: Candidate) -> Option<Self> {
        let (agent, questions): (_, &[(&[&str], &str)]) = match candidate.word() {
            "claude" => (
                "claude",
                &[
                    (&["claude", "mcp", "get", "tribunal"], "tribunal"),
                    // Its own check of commands and skills: front matter that is not YAML is dropped without a word.
                    (&["claude", "plugin", "validate", "plugin"], "Validation passed"),
                ],
            ),
            "codex" => (
                "codex",
                &[
                    (&["codex", "mcp", "list"], "tribunal"),
                    (&["codex", "debug", "prompt-input", "hello"], "- tribunal: Put work on trial"),
                ],
            ),
            "gemini" => ("gemini", &[(&["gemini", "mcp", "list"], "tribunal: tribunal mcp")]),
            "opencode" => (
                "opencode",
                &[
                    (&["opencode", "mcp", "list"], "connected"),
                    (&["opencode", "debug", "skill"], "Put work on trial"),
                    (&["opencode", "debug", "config"], "I ask of Tribunal: $ARGUMENTS"),
                ],
            ),
            _ => return None,
        };
        Some(Self { agent, questions })
    }

    /// What it does not see, in the project's files and in the user's.
    pub(super) fn unseen(&self, clis: &Clis) -> Result<Vec<String>> {
        let mut unseen = Vec::new();
        for scope in [None, Some("--user")] {
            let place = Place::new(clis)?;
            let (done, said) = place.run(&["tribunal", "integrate", self.agent, "--yes"], scope)?;
            if !done {
                unseen.push(format!("integrate{}: {said}", scope.unwrap_or_default()));
                continue;
            }
            if self.agent == "claude" {
                place.make_plugin(scope.is_some())?;
            }
            for (question, expected) in self.questions {
                let (_, said) = place.run(question, None)?;
                if !said.contains(expected) {
                    let scope = scope.unwrap_or("project");
                    unseen.push(format!("`{}` ({scope}) does not say `{expected}`: {said}", question.join(" ")));
                }
            }
        }
        Ok(unseen)
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agents: {} and what `integrate` writes for it", self.agent)
    }
}

/// A project and a home that nobody else uses.
struct Place<'c> {
    folder: TempDir,
    clis: &'c Clis,
}

impl<'c> Place<'c> {
    fn new(clis: &'c Clis) -> Result<Self> {
        let folder = if Path::new(PLACE).is_dir() { TempDir::new_in(PLACE) } else { TempDir::new() };
        let folder = folder.context("cannot make a folder")?;
        for name in ["project/.git", "home", "bin"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        std::os::unix::fs::symlink(Repo::tribunal()?, folder.path().join("bin/tribunal"))?;
        // Codex reads the files of projects that its user trusts.
        fs::create_dir(folder.path().join("home/.codex"))?;
        let trusted =
            format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", folder.path().join("project").display());
        fs::write(folder.path().join("home/.codex/config.toml"), trusted)?;
        Ok(Self { folder, clis })
    }

    /// What a program says there, and whether it ended well.
    fn run(&self, argv: &[&str], more: Option<&str>) -> Result<(bool, String)> {
        let path = |name: &str| self.folder.path().join(name);
        let mut search = path("bin").into_os_string();
        search.push(":");
        search.push(self.clis.path()?);
        let mut command = Command::new("timeout");
        command.args(["--kill-after=10", SECONDS]).args(argv).args(more);
        command.current_dir(path("project")).env_clear().env("PATH", search).env("HOME", path("home"));
        command.env("LANG", "C.UTF-8").env("NO_COLOR", "1").stdin(Stdio::null());
        let output = command.output().with_context(|| format!("cannot start {argv:?}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
    }

    /// The same files as a plugin: only those does claude check by itself.
    fn make_plugin(&self, is_user: bool) -> Result<()> {
        let path = |name: &str| self.folder.path().join(name);
        let from = path(if is_user { "home/.claude" } else { "project/.claude" });
        let to = path("project/plugin");
        fs::create_dir_all(to.join(".claude-plugin"))?;
        let manifest = r#"{"name": "tribunal", "version": "0.1.0", "description": "t", "author": {"name": "t"}}"#;
        fs::write(to.join(".claude-plugin/plugin.json"), manifest)?;
        for file in ["commands/tribunal.md", "skills/tribunal/SKILL.md"] {
            let copy = to.join(file);
            fs::create_dir_all(copy.parent().context("it lies in a folder")?)?;
            fs::copy(from.join(file), copy)?;
        }
        Ok(())
    }
}
