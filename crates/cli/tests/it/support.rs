//! A project in a temporary folder, and the program under test.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;
use tempfile::TempDir;

/// Counts its calls, then answers from a file: `answers/SEAT.ROUND`, or `answers/SEAT`.
const PLAYBACK: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND" >> "calls/$TRIBUNAL_SEAT"
cat "answers/$TRIBUNAL_SEAT.$TRIBUNAL_ROUND" 2> /dev/null || cat "answers/$TRIBUNAL_SEAT"
"#;

pub(crate) struct Project {
    dir: TempDir,
}

pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// A project on one asset, with two agents that play back answers.
    pub(crate) fn new(asset: &str, max_iterations: u32) -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        let toml = format!(
            r#"[run]
loop = "review"
brief = "Describe the episode."
[review]
asset = "{asset}"
max_iterations = {max_iterations}
[agents.writer]
kind = "command"
command = ["./creator.sh"]
[agents.critic]
kind = "command"
command = ["./reviewer.sh"]
[seats.creator]
agent = "writer"
[seats.reviewer]
agent = "critic"
[limits]
grace = "500ms"
"#
        );
        project.write("tribunal.toml", &toml);
        project.agent("creator.sh", PLAYBACK);
        project.agent("reviewer.sh", PLAYBACK);
        fs::create_dir(project.path("calls")).unwrap();
        project
    }

    /// An empty folder.
    pub(crate) fn bare() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A copy of a project as an earlier release left it: a folder of `testdata/releases/0.1`.
    pub(crate) fn left_by_release(name: &str) -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/releases/0.1").join(name);
        assert!(fixture.is_dir(), "{}", fixture.display());
        walk(&fixture, &mut |path| {
            // A repository cannot hold another one, so it is there under this name.
            let rename = |part: &OsStr| if part == "dot-git" { OsStr::new(".git").to_owned() } else { part.to_owned() };
            let inside = path.strip_prefix(&fixture).unwrap();
            let copy = project.path("").join(inside.iter().map(rename).collect::<PathBuf>());
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
        });
        project
    }

    /// A theater whose seats are all played by `./agent.sh`; `settings` are lines of `[theater]`.
    pub(crate) fn theater(panel: &str, agent: &str, settings: &str) -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        let seats: Vec<String> = ["panel", "designer", "critic", "brand", "a11y", "copy"]
            .iter()
            .filter(|seat| (panel == "single") == (**seat == "panel"))
            .map(|seat| format!("[seats.{seat}]\nagent = \"actor\"\n"))
            .collect();
        let seats = seats.concat();
        let toml = format!(
            "[run]\nloop = \"theater\"\nbrief = \"A page about bread.\"\nmax_retries = 0\n[theater]\npanel = \
             \"{panel}\"\n{settings}\n[agents.actor]\nkind = \"command\"\ncommand = [\"./agent.sh\"]\n{seats}[limits]\ngrace \
             = \"500ms\"\n"
        );
        project.write("tribunal.toml", &toml);
        project.agent("agent.sh", agent);
        fs::create_dir(project.path("calls")).unwrap();
        project
    }

    /// The same with answers: `done TEXT`, `draft TEXT`, a verdict's word, or JSON; one creator and one reviewer a round.
    pub(crate) fn with_answers(asset: &str, max_iterations: u32, answers: &[&str]) -> Self {
        let project = Self::new(asset, max_iterations);
        for (round, pair) in (1..).zip(answers.chunks(2)) {
            project.write(&format!("answers/creator.{round}"), &creator(pair[0]));
            project.write(&format!("answers/reviewer.{round}"), &reviewer(pair[1]));
        }
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn agent(&self, name: &str, script: &str) {
        self.write(name, script);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Where the user's state is: outside of the project.
    pub(crate) fn state(&self) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.dir.path().file_name().unwrap())
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.args(args).current_dir(self.dir.path()).env("USER", "ada").env_remove("TRIBUNAL_CONFIG");
        // What is noted of sessions outlives no test.
        command
            .env("XDG_STATE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.dir.path().file_name().unwrap()));
        // What is measured must not depend on whether this machine has a browser; tests of the browser's eye say so.
        command.env("TRIBUNAL_CHECKS_EYES", "static");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    pub(crate) fn tribunal(&self, args: &[&str]) -> Output {
        Output::of(self.spawn(args))
    }

    /// The same, with other eyes than the static one.
    pub(crate) fn seen_by(&self, eyes: &str, args: &[&str]) -> Output {
        Output::of(self.command(args).env("TRIBUNAL_CHECKS_EYES", eyes).spawn().unwrap())
    }

    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        let output = self.tribunal(args);
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.all()))
    }

    /// How often a seat was called.
    pub(crate) fn calls(&self, seat: &str) -> usize {
        fs::read_to_string(self.path("calls").join(seat)).map_or(0, |calls| calls.lines().count())
    }

    /// Every file with its bytes and the time of its last change.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut files = BTreeMap::new();
        walk(self.dir.path(), &mut |path| {
            let changed = fs::metadata(path).unwrap().modified().unwrap();
            files.insert(path.to_owned(), (fs::read(path).unwrap(), changed));
        });
        files
    }

    /// The names of the files under a folder, sorted.
    pub(crate) fn list(&self, folder: &str) -> Vec<String> {
        let mut names = Vec::new();
        walk(&self.path(folder), &mut |path| {
            names.push(path.strip_prefix(self.dir.path()).unwrap().display().to_string());
        });
        names.sort();
        names
    }

    /// The files of the only artifact that end like this.
    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        let files: Vec<String> =
            self.list(".tribunal/runs").into_iter().filter(|path| path.ends_with(&format!("/{name}"))).collect();
        assert_eq!(files.len(), 1, "{name}: {:?}", self.list(".tribunal/runs"));
        self.path(&files[0])
    }

    /// The lines of the only transcript.
    pub(crate) fn transcript(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.artifact("transcript.ndjson")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The log's file of the only run. One that was killed before its first event is none.
    pub(crate) fn log(&self) -> PathBuf {
        let has_events = |name: &String| fs::metadata(self.path(name)).is_ok_and(|file| file.len() > 0);
        let logs = self.list(".tribunal/runs").into_iter().filter(|name| name.ends_with("log.ndjson"));
        let logs: Vec<String> = logs.filter(has_events).collect();
        assert_eq!(logs.len(), 1, "{logs:?}");
        self.path(&logs[0])
    }
}

impl Output {
    pub(crate) fn of(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Everything a person would see.
    pub(crate) fn all(&self) -> String {
        format!("exit: {}\nstdout:\n{}stderr:\n{}", self.code, self.stdout, self.stderr)
    }
}

pub(crate) fn creator(answer: &str) -> String {
    match answer.split_once(' ') {
        Some((word @ ("done" | "draft"), text)) => {
            let done = word == "done";
            format!(r#"{{"done": {done}, "candidate": {{"content": "{text}", "format": "plain"}}}}"#)
        }
        _ => answer.to_owned(),
    }
}

pub(crate) fn reviewer(answer: &str) -> String {
    if answer.starts_with('{') { answer.to_owned() } else { format!(r#"{{"verdict": "{answer}", "summary": "s"}}"#) }
}

/// Whether a process with this text in its command line is alive.
pub(crate) fn is_alive(marker: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let is_process = entry.file_name().to_string_lossy().chars().all(|c| c.is_ascii_digit());
        let is_us = entry.file_name().to_string_lossy() == std::process::id().to_string();
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        is_process && !is_us && String::from_utf8_lossy(&line).contains(marker)
    })
}

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { walk(&path, visit) } else { visit(&path) }
    }
}
