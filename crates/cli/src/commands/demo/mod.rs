//! `tribunal demo`: three trials that need neither a model nor an account, by the commands that a user would type.
//!
//! To add one: a [`Scene`](scene::Scene), its files below `demo/`, and its name.

mod scene;

use serde_json::json;
use std::fs;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;
use tribunal_app::{AppError, Exit};
use uuid::Uuid;

use super::print_json;
use crate::args::{self, Global, SceneName};
use scene::{SCENES, Scene, Step};

/// Whether pages are looked at with a browser is a matter of the machine.
const OF_THE_MACHINE: &str = "TRIBUNAL_CHECKS_EYES";

pub(super) fn demo(global: &Global, args: &args::Demo) -> Result<Exit, AppError> {
    let begun = Instant::now();
    let folder = new_folder(args.folder.as_deref())?;
    let is_wanted = |name: SceneName| args.scenes.is_empty() || args.scenes.contains(&name);
    let scenes: Vec<&Scene> = SCENES.iter().filter(|scene| is_wanted(scene.name)).collect();
    let stage = Stage { folder: &folder, json: global.json };
    for (number, scene) in (1..).zip(&scenes) {
        stage.say(&format!("{number}/{}  {}\n", scenes.len(), scene.title));
        stage.play(scene)?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    if global.json {
        let of = |scene: &&Scene| json!({ "scene": scene.folder, "folder": folder.join(scene.folder) });
        let scenes = scenes.iter().map(of).collect::<Vec<_>>();
        print_json(&json!({ "folder": folder, "scenes": scenes, "seconds": seconds }));
        return Ok(Exit::Pass);
    }
    println!("That took {seconds:.0} s, and nobody had to be believed. The folders are still there; go on in them:\n");
    for scene in &scenes {
        println!("  cd {}\n  {}\n", folder.join(scene.folder).display(), scene.next);
    }
    println!("In a project of your own, `tribunal` alone says what it can do there.");
    Ok(Exit::Pass)
}

/// The folder of all scenes. One that has something in it is left alone.
fn new_folder(wanted: Option<&Path>) -> Result<PathBuf, AppError> {
    let id = Uuid::now_v7().simple().to_string();
    let own = || std::env::temp_dir().join(format!("tribunal-demo-{}", &id[id.len() - 8..]));
    let folder = wanted.map_or_else(own, Path::to_owned);
    let failed = |error: io::Error| {
        let message = format!("cannot make the folder {}: {error}", folder.display());
        AppError::environment(message, "`--in DIR` names another one".to_owned())
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    if fs::read_dir(&folder).map_err(failed)?.next().is_some() {
        return Err(AppError::invalid(
            format!("{} is not empty", folder.display()),
            "`--in DIR` takes a folder that is new or empty",
        ));
    }
    folder.canonicalize().map_err(failed)
}

/// Where scenes are played, and how they are shown.
struct Stage<'a> {
    folder: &'a Path,
    /// Whether stdout is for programs: what is shown goes to stderr then.
    json: bool,
}

impl Stage<'_> {
    fn play(&self, scene: &Scene) -> Result<(), AppError> {
        let place = self.folder.join(scene.folder);
        fs::create_dir(&place).map_err(|error| not_written(&place, &error))?;
        git(&place, &["init", "--quiet", "--initial-branch", "main"])?;
        for step in scene.steps {
            match step {
                Step::Say(words) => self.say(&format!("{words}\n")),
                Step::Write(files) => files.iter().try_for_each(|(name, text)| write(&place.join(name), text))?,
                Step::Commit { branch, message } => {
                    if let Some(branch) = branch {
                        git(&place, &["checkout", "--quiet", "-b", branch])?;
                    }
                    git(&place, &["add", "--all"])?;
                    git(&place, &["commit", "--quiet", "--message", message])?;
                }
                Step::Type { command, exit, is_shown } => self.type_in(&place, command, *exit, *is_shown)?,
            }
        }
        Ok(())
    }

    fn say(&self, words: &str) {
        if self.json {
            eprintln!("{words}");
        } else {
            println!("{words}");
        }
    }

    /// Does what a user would do, and looks whether it ends as it has to.
    fn type_in(&self, place: &Path, words: &[&str], exit: i32, is_shown: bool) -> Result<(), AppError> {
        let line = words.join(" ");
        if is_shown {
            self.say(&format!("$ {line}"));
        }
        let Output { status, stderr, .. } = self.run(place, words, is_shown)?;
        if status.code() != Some(exit) {
            let said = String::from_utf8_lossy(&stderr);
            let said = said.trim().lines().last().map(|line| format!(": {line}")).unwrap_or_default();
            return Err(AppError::environment(
                format!("the demo did not go as it should: `{line}` ended with {status} instead of {exit}{said}"),
                format!("look at {}; `tribunal agents doctor` says what is missing on this machine", place.display()),
            ));
        }
        if is_shown {
            self.say("");
        }
        Ok(())
    }

    fn run(&self, place: &Path, words: &[&str], is_shown: bool) -> Result<Output, AppError> {
        let (program, args) = words.split_first().expect("a scene types something");
        let failed = |error: io::Error| not_started(program, &error);
        // Whoever is shown `tribunal` gets this one, wherever it is installed.
        let path = if *program == "tribunal" { std::env::current_exe().map_err(failed)? } else { program.into() };
        let mut command = Command::new(path);
        command.args(args).current_dir(place).stdin(Stdio::null());
        // What the user has set for other projects is not part of the play.
        for (name, _) in std::env::vars_os() {
            let is_setting = name.to_string_lossy().starts_with("TRIBUNAL_");
            if is_setting && name != OF_THE_MACHINE {
                command.env_remove(name);
            }
        }
        command.env("XDG_CONFIG_HOME", self.folder.join(".config"));
        if !is_shown {
            return command.output().map_err(failed);
        }
        if self.json {
            let stderr = io::stderr().as_fd().try_clone_to_owned().map_err(failed)?;
            command.stdout(stderr);
        }
        let status = command.status().map_err(failed)?;
        Ok(Output { status, stdout: Vec::new(), stderr: Vec::new() })
    }
}

/// git as nobody has configured it: no hooks, no signatures, no name of the user's.
fn git(place: &Path, args: &[&str]) -> Result<(), AppError> {
    let mut git = Command::new("git");
    for setting in ["user.name=Demo", "user.email=demo@example.org", "commit.gpgsign=false", "core.hooksPath=/dev/null"]
    {
        git.args(["-c", setting]);
    }
    // Nor a repository that somebody's script is in the middle of.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    let output = git.args(args).current_dir(place).stdin(Stdio::null()).output();
    let Output { status, stderr, .. } = output.map_err(|error| not_started("git", &error))?;
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&stderr);
    Err(AppError::environment(
        format!("`git {}` ended with {status}: {}", args.join(" "), said.trim()),
        "the demo needs git 2.28 or newer".to_owned(),
    ))
}

fn write(path: &Path, text: &str) -> Result<(), AppError> {
    let failed = |error: io::Error| not_written(path, &error);
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    fs::write(path, text).map_err(failed)?;
    if path.extension().is_some_and(|end| end == "sh") {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    Ok(())
}

fn not_written(path: &Path, error: &io::Error) -> AppError {
    AppError::environment(format!("cannot write {}: {error}", path.display()), None)
}

fn not_started(program: &str, error: &io::Error) -> AppError {
    AppError::environment(format!("cannot start {program}: {error}"), format!("the demo needs {program}"))
}
