//! `.pre-commit-hooks.yaml`, run by pre-commit itself from a repository that has it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{CHECK, broken, change, files, fixed, repository, root};
use crate::check::FAINT;
use crate::judge::git;
use crate::support::{Output, Project};

/// Our repository as pre-commit clones it, and a project that uses these hooks of it.
fn hooked(hooks: &str) -> (Project, Project) {
    let ours = Project::bare();
    ours.write(".pre-commit-hooks.yaml", &fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap());
    git(&ours, &["init", "-q", "-b", "main"]);
    git(&ours, &["add", "-A"]);
    git(&ours, &["commit", "-qm", "hooks"]);
    git(&ours, &["tag", "v1"]);
    let project = repository();
    let from = ours.path("").display().to_string();
    project.write(".pre-commit-config.yaml", &format!("repos:\n- repo: {from}\n  rev: v1\n  hooks:\n{hooks}"));
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "hooks"]);
    git(&project, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    fs::create_dir_all(ours.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_tribunal"), ours.path("bin/tribunal")).unwrap();
    (ours, project)
}

fn pre_commit(tools: &Path, ours: &Project, project: &Project, args: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.args(["-m", "pre_commit"]).args(args).current_dir(project.path(".")).env("PYTHONPATH", tools);
    let path = format!("{}:{}", ours.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("PRE_COMMIT_HOME", ours.path("home")).env("PRE_COMMIT_COLOR", "never");
    command.env("TRIBUNAL_CHECKS_EYES", "static").env("XDG_STATE_HOME", project.state());
    let output = command.output().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_bad_page_is_not_committed_and_a_good_one_is() {
    let Some(tools) = super::tools() else { return };
    let (ours, project) = hooked("  - id: tribunal-check\n");
    project.write("site/new page.html", FAINT);
    project.write("notes.txt", "TODO: no page\n");
    git(&project, &["add", "-A"]);
    let bad = pre_commit(&tools, &ours, &project, &["run"]);
    assert_eq!(bad.code, 1, "{}", bad.all());
    assert!(bad.stdout.contains("site/new page.html:6:1: must fix:"), "{}", bad.all());
    project.write("site/new page.html", &FAINT.replace("#999", "#222"));
    git(&project, &["add", "-A"]);
    let good = pre_commit(&tools, &ours, &project, &["run"]);
    assert!(good.code == 0 && good.stdout.contains("Passed"), "{}", good.all());
}

#[test]
fn what_is_certain_is_fixed_and_shown_before_it_is_committed() {
    let Some(tools) = super::tools() else { return };
    let (ours, project) = hooked("  - id: tribunal-fix\n");
    project.write("site/new.html", FAINT);
    git(&project, &["add", "-A"]);
    let bad = pre_commit(&tools, &ours, &project, &["run"]);
    assert_eq!(bad.code, 1, "{}", bad.all());
    assert!(bad.stdout.contains("files were modified by this hook"), "{}", bad.all());
    assert_ne!(project.read("site/new.html"), FAINT);
    git(&project, &["add", "-A"]);
    let good = pre_commit(&tools, &ours, &project, &["run"]);
    assert_eq!(good.code, 0, "{}", good.all());
}

#[test]
fn a_change_that_breaks_a_test_is_not_pushed_and_the_fix_is() {
    let Some(tools) = super::tools() else { return };
    let args = format!("    args: [\"origin/main...HEAD\", \"--mutants=0\", \"--check={CHECK}\"]\n");
    let (ours, project) = hooked(&format!("  - id: tribunal-judge\n{args}"));
    let push = ["run", "--hook-stage", "pre-push", "--all-files"];
    change(&project, &files(&broken()));
    let bad = pre_commit(&tools, &ours, &project, &push);
    assert_eq!(bad.code, 1, "{}", bad.all());
    assert!(bad.stdout.contains("does not hold (blocked)"), "{}", bad.all());
    change(&project, &files(&fixed()));
    let good = pre_commit(&tools, &ours, &project, &push);
    assert_eq!(good.code, 0, "{}", good.all());
    // It does not slow down every commit.
    assert!(!pre_commit(&tools, &ours, &project, &["run", "--all-files"]).stdout.contains("tribunal judge"));
}
