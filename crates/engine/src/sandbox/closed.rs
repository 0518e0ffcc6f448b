//! What is closed by default: secrets of the user's, by the places where tools keep them.
//!
//! A list of places, not of contents: a secret that lies elsewhere is not found. Whoever starts a program resolves links
//! first, since a home is often full of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Keys, tokens, sessions: below a home, for everybody who is confined.
const CLOSED_AT_HOME: [&str; 35] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".netrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".vault-token",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/gcloud",
    ".config/doctl",
    ".config/rclone",
    ".config/op",
    ".config/sops",
    ".config/containers/auth.json",
    ".docker/config.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".composer/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/1Password",
];
/// Files that are closed when there is a secret in them, and otherwise only say which registry to ask.
const CLOSED_IF_SECRET: [&str; 4] = [".npmrc", ".yarnrc.yml", ".config/pip/pip.conf", ".pip/pip.conf"];
/// What agents keep about themselves: they need it, what they wrote does not.
const CLOSED_TO_CHECKS: [&str; 11] = [
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".qwen",
    ".copilot",
    ".cursor",
    ".config/opencode",
    ".local/share/opencode",
    ".config/goose",
    ".aider.conf.yml",
];
/// Names of files with variables that are meant to be shown to everybody.
const SHOWN: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];
/// Folders that are not looked into for `.env` files: nobody keeps theirs there, and they are large.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".venv", tribunal_store::FOLDER];
/// How far below a project `.env` files are looked for, and in how many folders.
const DEPTH: usize = 4;
const FOLDERS: usize = 2000;

/// What of a home is closed to whoever is confined, as far as it is there.
pub fn closed_at_home(home: &Path) -> Vec<PathBuf> {
    let named = CLOSED_AT_HOME.iter().map(|name| home.join(name));
    let secret = CLOSED_IF_SECRET.iter().map(|name| home.join(name)).filter(|path| holds_secret(path));
    real(named.chain(secret))
}

/// What is closed to checks besides: the state of agents.
pub fn closed_to_checks(home: &Path) -> Vec<PathBuf> {
    real(CLOSED_TO_CHECKS.iter().map(|name| home.join(name)))
}

/// The `.env` files of a project, wherever they are in it.
pub fn closed_in_project(project: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(project.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = open.pop() {
        seen += 1;
        if FOLDERS < seen {
            break;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_secret_env(&name) {
                found.push(entry.path());
            } else if is_folder && depth < DEPTH && !SKIPPED.contains(&name.as_str()) {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    real(found.into_iter())
}

/// Whether a line of a tool's settings holds a secret: a token, a password, or an address with one in it.
pub fn is_secret_line(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    let is_comment = line.starts_with('#') || line.starts_with(';');
    let has_login = line.split("://").skip(1).any(|rest| rest.split('/').next().is_some_and(|host| host.contains('@')));
    !is_comment && (has_login || ["_auth", "token", "password", "secret"].iter().any(|word| line.contains(word)))
}

fn holds_secret(path: &Path) -> bool {
    match fs::read_to_string(path) {
        Ok(text) => text.lines().any(is_secret_line),
        // What cannot be read is not known to be harmless.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// `.env`, `.env.local`, `.envrc`, but not `.env.example`.
fn is_secret_env(name: &str) -> bool {
    name.starts_with(".env") && !SHOWN.iter().any(|word| name.ends_with(word))
}

/// What is there, without links: a link leads to what is to be closed.
fn real(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_variables_are_closed_and_examples_of_them_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in
            [".env", ".env.local", ".envrc", ".env.example", "web/.env.production", "node_modules/x/.env", "env"]
        {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "A=1").unwrap();
        }
        let found = closed_in_project(&root);
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, [".env", ".env.local", ".envrc", "web/.env.production"]);
    }

    #[test]
    fn settings_are_closed_only_with_a_secret_and_a_link_does_not_help() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("keys")).unwrap();
        std::os::unix::fs::symlink(root.join("keys"), root.join(".ssh")).unwrap();
        fs::write(root.join(".npmrc"), "registry=https://mirror.example.org/\n").unwrap();
        assert_eq!(closed_at_home(&root), [root.join("keys")]);
        fs::write(root.join(".npmrc"), "//mirror.example.org/:_authToken=x\n").unwrap();
        assert_eq!(closed_at_home(&root), [root.join(".npmrc"), root.join("keys")]);
    }

    #[test]
    fn secrets_in_lines_are_known_by_what_they_are_called() {
        for line in ["_authToken=x", "index-url = https://me:pw@host/simple", "password: x"] {
            assert!(is_secret_line(line), "{line}");
        }
        for line in ["registry=https://host/", "# token = x", "fund=false", "url = https://host/a@b"] {
            assert!(!is_secret_line(line), "{line}");
        }
    }
}
