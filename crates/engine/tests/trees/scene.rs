//! A user's project, and what users and agents do to it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tribunal_engine::tree::{ChangeKind, TreeChange, TreeError, Trees, tree_hash};
use tribunal_kernel::Digest;

pub(crate) const BRANCH: &str = "tribunal/story-7";

/// A user's project with three files, and a place for the trees beside it.
pub(crate) struct Scene {
    _folder: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum With {
    Git,
    Nothing,
}
pub(crate) const BOTH: [With; 2] = [With::Git, With::Nothing];

impl Scene {
    pub(crate) fn new(with: With) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let scene = Self { project: root.join("project"), home: root.join("home/run"), _folder: folder };
        fs::create_dir_all(&scene.project).unwrap();
        scene.user("src/main.rs", "fn main() {}\n");
        scene.user("README.md", "one\ntwo\nthree\n");
        scene.user("run.sh", "#!/bin/sh\n");
        fs::set_permissions(scene.project.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        if with == With::Git {
            scene.user(".gitignore", "target/\n");
            git(&scene.project, &["init", "-q", "-b", "main"]);
            git(&scene.project, &["add", "."]);
            git(&scene.project, &["commit", "-qm", "first"]);
        }
        scene
    }

    pub(crate) async fn open(&self) -> Trees {
        self.try_open().await.unwrap()
    }

    pub(crate) async fn try_open(&self) -> Result<Trees, TreeError> {
        Trees::open(&self.project, &self.home, BRANCH, &["desk".into(), ".tribunal".into()]).await
    }

    pub(crate) fn user(&self, path: &str, text: &str) {
        write(&self.project, path, text);
    }

    /// Everything the user has: files, index, HEAD, settings, hooks, branches except ours.
    pub(crate) async fn everything(&self) -> String {
        let mut all = tree_hash(&self.project.join("src")).await.unwrap().to_string();
        let mut paths: Vec<_> = fs::read_dir(&self.project).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            all += path.to_str().unwrap();
            all += &Digest::of(fs::read(path).unwrap()).to_string();
        }
        if self.project.join(".git").exists() {
            all += &Digest::of(fs::read(self.project.join(".git/index")).unwrap()).to_string();
            all += &fs::read_to_string(self.project.join(".git/HEAD")).unwrap();
            for name in ["config", "info/exclude", "info/attributes", "shallow", "config.worktree"] {
                all += &fs::read_to_string(self.project.join(".git").join(name)).unwrap_or_default();
            }
            for name in ["hooks", "worktrees", "modules"] {
                let folder = self.project.join(".git").join(name);
                let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().file_name());
                let mut names: Vec<_> = names.collect();
                names.sort();
                all.extend([name.to_owned(), format!("{names:?}\n")]);
            }
            let refs = git(&self.project, &["for-each-ref", "--format=%(refname) %(objectname)"]);
            all.extend(refs.lines().filter(|line| !line.contains("tribunal/")));
        }
        all
    }
}

/// As the user or the agent calls it; what it prints.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let (ok, text) = try_git(folder, args);
    assert!(ok, "git {args:?}: {text}");
    text
}

fn try_git(folder: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=User", "-c", "user.email=user@example.com", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).trim_end().to_owned())
}

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

/// `+ added`, `~ modified`, `- deleted`, `@ retyped`.
pub(crate) fn shown(changed: &[TreeChange]) -> String {
    let sign = |kind| match kind {
        ChangeKind::Added => '+',
        ChangeKind::Modified => '~',
        ChangeKind::Deleted => '-',
        ChangeKind::Retyped => '@',
    };
    let mut lines: Vec<_> = changed.iter().map(|change| format!("{} {}", sign(change.kind), change.path)).collect();
    lines.sort_by_key(|line| line[2..].to_owned());
    lines.join(", ")
}
