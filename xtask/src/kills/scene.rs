//! A user's project with scripted agents, and everything in it that is the user's.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

use super::plays::Play;

/// What each agent does first: it says which turn it begins, where nobody else writes.
const HEAD: &str = r#"PROMPT=$(cat)
echo "begin $TRIBUNAL_SEAT $TRIBUNAL_ROUND ${TRIBUNAL_TURN##*-}" >> "$CALLS"
"#;
const BRANCHES: &str = "refs/heads/tribunal/";

/// Where the project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Repository,
    Subfolder,
    Linked,
    Plain,
}

impl Shape {
    pub(super) const ALL: [Self; 4] = [Self::Repository, Self::Subfolder, Self::Linked, Self::Plain];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Subfolder => "subfolder",
            Self::Linked => "linked",
            Self::Plain => "plain",
        }
    }
}

/// A folder of its own: home, project, agents, and where agents count.
#[derive(Debug)]
pub(super) struct Scene {
    folder: TempDir,
    play: &'static Play,
    shape: Shape,
    root: PathBuf,
}

/// Everything that is the user's, by its name.
pub(super) type Belongings = BTreeMap<String, Vec<u8>>;

impl Scene {
    pub(super) fn new(kind: &Kind<'_>) -> Result<Self> {
        let Kind { play, shape, place, .. } = *kind;
        let folder =
            tempfile::Builder::new().prefix("tribunal-kills-").tempdir_in(place).context("cannot make a folder")?;
        let root = folder.path().canonicalize()?;
        let scene = Self { folder, play, shape, root };
        for name in ["home", "tmp", "calls", "agents"] {
            fs::create_dir(scene.root.join(name))?;
        }
        let project = scene.project();
        fs::create_dir_all(scene.top())?;
        if shape == Shape::Linked {
            let main = scene.root.join("main");
            fs::create_dir(&main)?;
            scene.git(&main, &["init", "-q", "-b", "main"])?;
            scene.git(&main, &["commit", "-q", "--allow-empty", "-m", "zero"])?;
            fs::remove_dir(scene.top())?;
            scene.git(&main, &["worktree", "add", "-q", "-b", "mine", &scene.top().display().to_string()])?;
        }
        fs::create_dir_all(&project)?;
        write(&project.join("notes.txt"), "a calculator\n")?;
        // A file of settings that git does not know would be part of the change that is judged.
        write(&scene.top().join(".gitignore"), "target/\ntribunal.toml\n")?;
        for (seat, script) in play.agents {
            let script = format!("#!/bin/sh\nCALLS={}\n{HEAD}{script}", scene.calls().display());
            let path = scene.root.join(format!("agents/{seat}.sh"));
            write(&path, &script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        write(&project.join("tribunal.toml"), &scene.config(kind.sandbox))?;
        for (name, text) in play.files {
            write(&project.join(name), text)?;
        }
        if shape != Shape::Plain {
            scene.be_a_user()?;
        }
        for (name, text) in play.change {
            write(&project.join(name), text)?;
        }
        Ok(scene)
    }

    /// A repository in the middle of somebody's day: tags, a stash, a hook, something staged and something not.
    fn be_a_user(&self) -> Result<()> {
        let top = self.top();
        if self.shape != Shape::Linked {
            self.git(&top, &["init", "-q", "-b", "main"])?;
        }
        self.git(&top, &["add", "-A", "--", ".", ":!*.tribunal*", ":!*tribunal.toml"])?;
        self.git(&top, &["commit", "-qm", "first"])?;
        self.git(&top, &["tag", "v1"])?;
        self.git(&top, &["branch", "other"])?;
        let notes = self.project().join("notes.txt");
        write(&notes, "stashed\n")?;
        self.git(&top, &["stash", "-q"])?;
        write(&notes, "staged\n")?;
        self.git(&top, &["add", "--update"])?;
        write(&notes, "not staged\n")?;
        write(&self.project().join("mine.txt"), "not known to git\n")?;
        let hooks = self.common()?.join("hooks");
        fs::create_dir_all(&hooks)?;
        for hook in ["pre-commit", "post-commit", "reference-transaction", "post-checkout"] {
            let path = hooks.join(hook);
            write(&path, &format!("#!/bin/sh\ntouch {}\n", self.root.join("hooked").display()))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    fn config(&self, sandbox: &str) -> String {
        let agent = |(name, _): &(&str, &str)| {
            let path = self.root.join(format!("agents/{name}.sh")).display().to_string();
            format!("[agents.{name}]\nkind = \"command\"\ncommand = [{path:?}]\n[seats.{name}]\nagent = \"{name}\"\n")
        };
        let agents: String = self.play.agents.iter().map(agent).collect();
        let calls = self.root.join("calls").display().to_string();
        let mut config = format!("{}[limits]\ngrace = \"500ms\"\n{agents}", self.play.config);
        // Each table of the play is there once: what depends on the place joins it.
        config = config.replacen("[run]\n", &format!("[run]\nsandbox = \"{sandbox}\"\n"), 1);
        config.replacen("[desk]\n", &format!("[desk]\nwritable = [{calls:?}]\n"), 1)
    }

    /// `tribunal`, as the user calls it.
    pub(super) fn tribunal(&self, tribunal: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(tribunal);
        command.args(args).current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        command.env("HOME", self.root.join("home")).env("TMPDIR", self.root.join("tmp"));
        command.env("TRIBUNAL_CHECKS_EYES", "static");
        command.stdin(Stdio::null());
        command
    }

    pub(super) fn project(&self) -> PathBuf {
        if self.shape == Shape::Subfolder { self.top().join("apps/calc") } else { self.top() }
    }

    fn top(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The repository itself.
    fn common(&self) -> Result<PathBuf> {
        let said = self.git(&self.top(), &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        Ok(PathBuf::from(said))
    }

    pub(super) fn calls(&self) -> PathBuf {
        self.root.join("calls/calls")
    }

    pub(super) fn trees(&self) -> PathBuf {
        self.project().join(".tribunal/trees")
    }

    /// Where branches of ours are files.
    pub(super) fn branches(&self) -> PathBuf {
        let main = if self.shape == Shape::Linked { self.root.join("main") } else { self.top() };
        main.join(".git").join(BRANCHES)
    }

    /// Where the worker of a run writes file by file.
    pub(super) fn many(&self, run: &Path) -> PathBuf {
        let work = run.join("work");
        if self.shape == Shape::Subfolder { work.join("apps/calc/many") } else { work.join("many") }
    }

    /// The logs of all runs in which something happened. One without a whole line was never opened.
    pub(super) fn logs(&self) -> Vec<PathBuf> {
        self.runs().into_iter().map(|run| run.join("log.ndjson")).filter(|log| has_line(log)).collect()
    }

    fn runs(&self) -> Vec<PathBuf> {
        let runs = fs::read_dir(self.project().join(".tribunal/runs")).into_iter().flatten().flatten();
        let mut runs: Vec<PathBuf> = runs.map(|run| run.path()).collect();
        runs.sort();
        runs
    }

    fn has_branch(&self) -> bool {
        self.play.is_desk() && self.shape != Shape::Plain
    }

    /// The content of the work, if it is on a branch.
    pub(super) fn work(&self) -> Result<Option<String>> {
        if !self.has_branch() {
            return Ok(None);
        }
        let listed = self.git(&self.top(), &["for-each-ref", "--format=%(refname)", BRANCHES])?;
        ensure!(listed.lines().count() == 1, "there is one branch for a run, and there are: {listed:?}");
        Ok(Some(self.git(&self.top(), &["rev-parse", &format!("{}^{{tree}}", listed.trim())])?))
    }

    /// How many commits the work has.
    pub(super) fn commits(&self) -> Result<usize> {
        if !self.has_branch() {
            return Ok(0);
        }
        Ok(self
            .git(&self.top(), &["log", "--format=%H", "--glob=refs/heads/tribunal/*", "--not", "HEAD"])?
            .lines()
            .count())
    }

    /// The message of the last commit of the work.
    pub(super) fn last_message(&self) -> String {
        self.git(&self.top(), &["log", "-1", "--format=%B", "--glob=refs/heads/tribunal/*"]).unwrap_or_default()
    }

    /// Files with their modes, and where the repository stands.
    pub(super) fn belongings(&self) -> Result<Belongings> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.top(), self.root.join("agents")];
        if self.shape == Shape::Linked {
            folders.push(self.root.join("main"));
        }
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)?.flatten() {
                let path = entry.path();
                // What shows a run is made from its log.
                if self.play.views.iter().any(|name| entry.file_name() == *name) {
                    continue;
                }
                // What we keep for the run; what the user's desk consists of comes below.
                if entry.file_name() == ".tribunal" {
                    let kept = ["desk/plans", "desk/prompts"].map(|name| path.join(name));
                    folders.extend(kept.into_iter().filter(|folder| folder.is_dir()));
                    continue;
                }
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    // Objects are added, and our own branch: what the others say is listed below.
                    let is_ours = ["objects", "tribunal"].iter().any(|name| entry.file_name() == *name);
                    if !(is_ours && path.components().any(|part| part.as_os_str() == ".git")) {
                        folders.push(path);
                    }
                } else {
                    let mode = entry.metadata()?.permissions().mode();
                    let content = fs::read(&path).unwrap_or_default();
                    found.insert(format!("{} {mode:o}", path.display()), content);
                }
            }
        }
        if self.shape != Shape::Plain {
            for args in [
                &["for-each-ref", "--format=%(refname) %(objectname)"][..],
                &["worktree", "list", "--porcelain"],
                &["stash", "list"],
                &["status", "--porcelain", "-b"],
            ] {
                let said = self.git(&self.top(), args)?;
                let is_ours =
                    |line: &&str| line.contains(BRANCHES) || self.play.views.iter().any(|name| line.contains(name));
                let said: Vec<&str> = said.lines().filter(|line| !is_ours(line)).collect();
                found.insert(format!("git {}", args[0]), said.join("\n").into_bytes());
            }
        }
        Ok(found)
    }

    /// Git in a folder of the user's; hooks do not count here.
    fn git(&self, folder: &Path, args: &[&str]) -> Result<String> {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"])
            .args(args);
        git.current_dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("HOME", self.root.join("home"));
        let done = git.output().context("git is not installed, and desks need it")?;
        ensure!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8_lossy(&done.stdout).trim_end().to_owned())
    }

    /// What nobody needs any more and is still there: temporary files, locks, checkouts.
    pub(super) fn left(&self) -> Vec<PathBuf> {
        let mut left = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                let is_in = |folder: &str| folder_of(&path) == self.root.join(folder);
                let is_temporary =
                    name.starts_with("tmp_") || name.starts_with(".tribunal-") || name.starts_with("checks-");
                let is_lock = path.extension().is_some_and(|it| it == "lock") && path.iter().any(|part| part == ".git");
                if is_temporary || is_lock || is_in("tmp") || is_in("home/.cache/tribunal/evidence") {
                    left.push(path);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                }
            }
        }
        let logs = self.logs();
        left.extend(self.runs().into_iter().filter(|run| !logs.contains(&run.join("log.ndjson"))));
        if self.root.join("hooked").exists() {
            left.push(self.root.join("hooked"));
        }
        left.sort();
        left
    }

    /// How the run ended and what it handed over, if it did. (A draft is named after its run, its text is not.)
    pub(super) fn end(&self) -> Result<Option<String>> {
        let closed = self.events("run_closed")?;
        Ok(closed.last().map(|event| format!("{} {}", event["outcome"], event["ship"]["draft"]["text"])))
    }

    /// The data of the events of one kind. A line that was cut off is nobody's.
    pub(super) fn events(&self, kind: &str) -> Result<Vec<serde_json::Value>> {
        let logs = self.logs();
        ensure!(logs.len() <= 1, "there is more than one run: {logs:?}");
        let Some(log) = logs.first() else { return Ok(Vec::new()) };
        let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let of_kind = lines.filter(|line| line["event"]["type"] == kind);
        Ok(of_kind.map(|line| line["event"]["data"].clone()).collect())
    }

    /// Leaves everything where it is.
    pub(super) fn keep(&mut self) {
        self.folder.disable_cleanup(true);
    }
}

/// What is killed: a loop in a project of some shape, held by a sandbox, on a file system, by whom it is led.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'k> {
    pub(super) play: &'static Play,
    pub(super) shape: Shape,
    pub(super) sandbox: &'k str,
    /// The folder that it is made in.
    pub(super) place: &'k Path,
    pub(super) is_served: bool,
}

impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leader = if self.is_served { "a server" } else { "the command line" };
        let (play, shape, place) = (self.play.name, self.shape.name(), self.place.display());
        write!(f, "{play} in a {shape} project, {}, in {place}, led by {leader}", self.sandbox)
    }
}

/// Whether a sandbox works on this machine: a desk, for one iteration. One is never enough, so it ends at its limit.
pub(super) fn works_here(tribunal: &Path, desk: &Kind<'_>) -> Result<bool> {
    let scene = Scene::new(desk)?;
    let output = scene.tribunal(tribunal, desk.play.start).args(["--max-iter", "1"]).output()?;
    Ok(output.status.code() == Some(3))
}

/// Its first line is soon found, however long the log is.
fn has_line(log: &Path) -> bool {
    let mut line = Vec::new();
    let read = File::open(log).and_then(|file| BufReader::new(file).read_until(b'\n', &mut line));
    read.is_ok() && line.ends_with(b"\n")
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(folder_of(path))?;
    fs::write(path, text).with_context(|| path.display().to_string())
}
