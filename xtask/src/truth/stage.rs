//! A folder of its own, with the project of a case and its scripted agents.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;
use toml::{Table, Value};

use super::case::{Case, ScriptedAgent};
use super::end::End;

/// A run that takes longer hangs, in seconds.
const PATIENCE: &str = "60";

/// What every case is played with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'p> {
    pub(super) tribunal: &'p Path,
    pub(super) python: &'p Path,
    /// The folder of the scripted agents.
    pub(super) agents: &'p Path,
}

impl Stage<'_> {
    pub(super) fn play(&self, case: &Case, is_kept: bool) -> Result<End> {
        let begun = Instant::now();
        let mut folder = TempDir::new().context("cannot make a folder")?;
        let project = folder.path().join("project");
        for (name, text) in &case.script.files {
            write(&project.join(name), text)?;
        }
        for (name, ScriptedAgent { part, .. }) in &case.script.agents {
            write(&project.join(format!("{name}.json")), &serde_json::to_string(part)?)?;
        }
        write(&project.join("tribunal.toml"), &self.config(case)?)?;
        let output = Command::new("timeout")
            .args(["--kill-after=5", PATIENCE])
            .arg(self.tribunal)
            .args(&case.script.command)
            .current_dir(&project)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .context("cannot start `timeout`")?;
        let end = End::of(case, &output, &handed_over(&project), begun.elapsed());
        if is_kept && !end.word.is_well() {
            folder.disable_cleanup(true);
            eprintln!("{}: {}", case.name, project.display());
        }
        Ok(end)
    }

    /// `tribunal.toml`: what the case says, its agents, and who sits where.
    fn config(&self, case: &Case) -> Result<String> {
        let mut config = case.script.config.clone();
        let (mut agents, mut seats) = (Table::new(), Table::new());
        for (name, ScriptedAgent { seats: taken, setup, .. }) in &case.script.agents {
            let script = self.agents.join("play.py").display().to_string();
            // Without its site it starts in half the time, and without byte code it leaves nothing behind.
            let command = [&self.python.display().to_string(), "-S", "-E", "-B", &script, name];
            let mut agent = setup.clone();
            agent.insert("kind".to_owned(), Value::from("command"));
            agent.insert("command".to_owned(), Value::Array(command.map(Value::from).into()));
            agents.insert(name.clone(), Value::Table(agent));
            for seat in taken {
                seats
                    .insert(seat.clone(), Value::Table(Table::from_iter([("agent".to_owned(), Value::from(&**name))])));
            }
        }
        for (key, own) in [("agents", agents), ("seats", seats)] {
            let given = config.remove(key).and_then(|given| given.try_into().ok()).unwrap_or_default();
            config.insert(key.to_owned(), Value::Table(super::merge::merge(own, given)));
        }
        Ok(toml::to_string(&config)?)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).with_context(|| path.display().to_string())
}

/// The texts that the run handed over as its result.
fn handed_over(project: &Path) -> Vec<String> {
    let (mut texts, mut folders) = (Vec::new(), vec![PathBuf::from(project)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_selected = path.parent().is_some_and(|folder| folder.ends_with("copy/selected"));
            if path.is_dir() {
                folders.push(path);
            } else if is_selected || path.file_stem().is_some_and(|stem| stem == "shipped") {
                texts.extend(fs::read_to_string(path));
            }
        }
    }
    texts
}
