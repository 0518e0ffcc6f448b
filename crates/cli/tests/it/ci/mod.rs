//! What we give to CI: the action, the template, the hooks and the installer, each executed step by step on a repository
//! with a good and a bad change.
//!
//! | file | what is executed |
//! |---|---|
//! | `action` | the `run:` steps of `action.yml` |
//! | `gitlab` | the scripts of `ci/gitlab.yml` |
//! | `hooks` | `.pre-commit-hooks.yaml`, by pre-commit itself |
//! | `installer` | `install.sh` |
//! | `comments` | `--comment-file`, and what posts it |
//! | `host` | a code host that keeps comments |
//! | `release` | a folder as a release has it, with the program under test |

mod action;
mod comments;
mod gitlab;
mod hooks;
mod host;
mod installer;
mod release;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::check::GOOD;
use crate::judge::{CHECK, CODE, NEW_TEST, TESTS, git};
use crate::pip;
use crate::support::{Output, Project};

/// The root of our own repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The programs that others read these files with: pre-commit, and the schemas of GitHub and GitLab. `None` where pip
/// cannot install them, and nobody says that they have to be there.
fn tools() -> Option<PathBuf> {
    let packages = ["pre-commit==4.7.0", "check-jsonschema==0.39.0"];
    let tools = pip::installed("ci-tools", "import pre_commit, check_jsonschema, yaml", &packages);
    if tools.is_none() {
        assert!(std::env::var_os("CI").is_none(), "pip cannot install pre-commit");
    }
    tools
}

/// A file of YAML of our repository.
fn yaml(tools: &Path, name: &str) -> Value {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let mut python = Command::new("python3");
    let read = python.args(["-c", script]).arg(root().join(name)).env("PYTHONPATH", tools).output().unwrap();
    assert!(read.status.success(), "{name}: {}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).unwrap()
}

/// A repository with a page, a calculator that has an off-by-one, and a branch `change` that is checked out. `origin/main`
/// is where it left.
fn repository() -> Project {
    let project = Project::bare();
    project.write("site/index.html", GOOD);
    project.write("calc.py", CODE);
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", TESTS);
    project.write(".gitignore", ".tribunal/\n__pycache__/\n/runner/\n");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a page and a calculator"]);
    git(&project, &["update-ref", "refs/remotes/origin/main", "main"]);
    git(&project, &["checkout", "-qb", "change"]);
    project
}

/// The change of the branch, committed.
fn change(project: &Project, files: &[(&str, &str)]) {
    for (name, text) in files {
        project.write(name, text);
    }
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", "the change"]);
}

/// A fix with a test that was red before.
fn fixed() -> [(&'static str, String); 2] {
    [("calc.py", CODE.replace("int(b))", "int(b) + 1)")), ("tests/test_calc.py", format!("{TESTS}{NEW_TEST}"))]
}

/// One that breaks what is tested.
fn broken() -> [(&'static str, String); 1] {
    [("calc.py", CODE.replace("return list", "return [] and list"))]
}

/// The file `name` of these.
fn files<'a, const N: usize>(files: &'a [(&'static str, String); N]) -> Vec<(&'static str, &'a str)> {
    files.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

/// A script as a runner starts it, with nothing of our environment but what it needs.
fn scripted(project: &Project, shell: &[&str], script: &str, environment: &[(&str, String)]) -> Output {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(script).current_dir(project.path(".")).env_clear();
    for kept in ["PATH", "HOME", "USER"] {
        command.envs(std::env::var_os(kept).map(|value| (kept, value)));
    }
    command.env("TRIBUNAL_CHECKS_EYES", "static").env("XDG_STATE_HOME", project.state());
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
