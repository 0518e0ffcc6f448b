//! A folder of its own, with the project of a case and its scripted agents.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
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
/// A file beside the project that nobody here has any business with.
const BYSTANDER: &str = "letter.txt";

/// What every case is played with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'p> {
    pub(super) tribunal: &'p Path,
    pub(super) python: &'p Path,
    /// The folder of the scripted agents.
    pub(super) agents: &'p Path,
    /// The folder of `cargo` itself: what is on the PATH may be a program that looks for it below the home folder.
    pub(super) toolchain: Option<&'p Path>,
    /// The sandbox, instead of the one that the case says.
    pub(super) sandbox: Option<&'p str>,
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
        for (name, script) in &case.script.shell {
            write(&script_of(folder.path(), name), script)?;
        }
        write(&project.join("tribunal.toml"), &self.config(case, folder.path())?)?;
        // Somebody else's, beside the project.
        write(&folder.path().join(BYSTANDER), "mine\n")?;
        if let Some(script) = &case.script.prepare {
            prepare(&project, script)?;
        }
        if case.script.repository && !project.join(".git").exists() {
            commit(&project)?;
        }
        let before = files_of(folder.path())?;
        let output = Command::new("timeout")
            .args(["--kill-after=5", PATIENCE])
            .arg(self.tribunal)
            .args(&case.script.command)
            .current_dir(&project)
            .env_clear()
            .env("PATH", self.path()?)
            .env("HOME", folder.path())
            .env("LANG", "C.UTF-8")
            .env("TRIBUNAL_CHECKS_EYES", "static")
            .stdin(Stdio::null())
            .output()
            .context("cannot start `timeout`")?;
        let mut end = End::of(case, &output, &handed_over(&project), begun.elapsed());
        // Until somebody adopts the work, the user's files are the user's, whoever worked there.
        if !case.script.shell.is_empty() {
            for path in differing(&before, &files_of(folder.path())?) {
                end.blame(&format!("the user's files are not as they were: {}", path.display()));
            }
        }
        if is_kept && !end.word.is_well() {
            folder.disable_cleanup(true);
            eprintln!("{}: {}", case.name, project.display());
        }
        Ok(end)
    }

    /// Where programs are found: the interpreter itself before whatever looks for one.
    fn path(&self) -> Result<OsString> {
        let own = self.python.parent().map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = own.into_iter().chain(self.toolchain.map(Path::to_owned)).chain(std::env::split_paths(&path));
        std::env::join_paths(all).context("a folder of the PATH has a colon in its name")
    }

    /// `tribunal.toml`: what the case says, its agents, and who sits where.
    fn config(&self, case: &Case, folder: &Path) -> Result<String> {
        let mut config = case.script.config.clone();
        if let Some(mechanism) = self.sandbox {
            let run = config.entry("run").or_insert_with(|| Value::Table(Table::new()));
            run.as_table_mut().context("`run` is a section")?.insert("sandbox".to_owned(), Value::from(mechanism));
        }
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
        for name in case.script.shell.keys() {
            let command = ["sh".into(), self.agents.join("desk.sh"), script_of(folder, name)];
            let command = command.map(|part: PathBuf| Value::from(part.display().to_string()));
            let agent = [("kind", Value::from("command")), ("command", Value::Array(command.into()))];
            agents.insert(
                name.clone(),
                Value::Table(agent.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()),
            );
            let seat = Table::from_iter([("agent".to_owned(), Value::from(&**name))]);
            seats.insert(name.clone(), Value::Table(seat));
        }
        for (key, own) in [("agents", agents), ("seats", seats)] {
            let given = config.remove(key).and_then(|given| given.try_into().ok()).unwrap_or_default();
            config.insert(key.to_owned(), Value::Table(super::merge::merge(own, given)));
        }
        Ok(toml::to_string(&config)?)
    }
}

/// Where the script of an agent lies: beside the project, not in it.
fn script_of(folder: &Path, name: &str) -> PathBuf {
    folder.join("agents").join(format!("{name}.sh"))
}

/// Makes a repository of the project, with one commit.
fn commit(project: &Path) -> Result<()> {
    for args in
        [&["init", "-q", "-b", "main"][..], &["add", "-A", "--", ".", ":!.tribunal"], &["commit", "-qm", "first"]]
    {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(project);
        let done = git.output().context("git is not installed, and desks need it")?;
        anyhow::ensure!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}

/// Does in the project what a case asks for.
fn prepare(project: &Path, script: &str) -> Result<()> {
    let mut sh = Command::new("sh");
    sh.args(["-e", "-c", script]).current_dir(project);
    for (name, value) in [("NAME", "a"), ("EMAIL", "a@b")] {
        sh.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    let done = sh.output().context("cannot start `sh`")?;
    anyhow::ensure!(done.status.success(), "`prepare`: {}", String::from_utf8_lossy(&done.stderr));
    Ok(())
}

/// What is in one and not so in the other.
fn differing<'f>(one: &'f Files, other: &'f Files) -> BTreeSet<&'f Path> {
    let names = one.keys().chain(other.keys());
    names.filter(|name| one.get(*name) != other.get(*name)).map(PathBuf::as_path).collect()
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The user's files, and where their repository stands. What lies in `.tribunal` is ours.
fn files_of(home: &Path) -> Result<Files> {
    let project = home.join("project");
    let (mut files, mut folders) = (BTreeMap::new(), vec![project.clone(), home.join("agents")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_name() == ".tribunal" || entry.file_name() == ".git" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), fs::read(&path).unwrap_or_default());
            }
        }
    }
    let hooks = fs::read_dir(project.join(".git/hooks")).into_iter().flatten().flatten().map(|hook| hook.path());
    let own = ["HEAD", "index", "refs/heads/main", "config", "info/attributes"];
    let own = own.into_iter().map(|name| project.join(".git").join(name));
    for path in own.chain(hooks).chain([home.join(BYSTANDER)]) {
        files.insert(path.clone(), fs::read(&path).unwrap_or_default());
    }
    Ok(files)
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
