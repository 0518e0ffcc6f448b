//! The worker's own repository: in its folder, with the history behind it, and nothing of the user's that it could change.
//!
//! It borrows the user's objects (`objects/info/alternates`) and knows the branches, the tags and the words of the user's
//! configuration that say what a file's content is. Whatever an agent does there, `config`, `branch`, `stash`, `gc`, `remote
//! add`, a hook, stays there. It is made from nothing before and after every turn, as files: no git is ever called in it by
//! us, so nothing that an agent configured runs outside of its sandbox.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::folder;
use super::git::{ADDRESS, Git, NAME, fields};
use super::repository;
use super::state::RepoPlace;

/// What the worker sees of the user's references.
const SEEN: [&str; 3] = ["refs/heads", "refs/tags", "refs/remotes"];
/// Branches of ours: of other runs.
const OURS: &str = "refs/heads/tribunal/";
/// The most references that are shown.
const MOST_REFS: &str = "--count=100000";
/// Submodules that an agent filled, in this folder of its repository: without it git there would fail.
const MODULES: &str = "modules";
/// Keys that say what a file's content is, and nothing of what runs, where it is sent or who may.
const KEYS: [&str; 7] = [
    "core.autocrlf",
    "core.eol",
    "core.ignorecase",
    "core.symlinks",
    "core.precomposeunicode",
    "core.excludesfile",
    "core.attributesfile",
];
/// Sections that do.
const SECTIONS: [&str; 4] = ["filter.", "diff.", "merge.", "i18n."];
/// Who commits, where the user has not said.
const IDENTITY: [(&str, &str); 2] = [("user.name", NAME), ("user.email", ADDRESS)];

/// What the repository is made of.
#[derive(Debug)]
pub(super) struct Borrowed<'t> {
    pub(super) place: &'t RepoPlace,
    /// The work tree, from its top.
    pub(super) root: &'t Path,
    /// A folder that no agent can write to.
    pub(super) home: &'t Path,
    pub(super) branch: &'t str,
    pub(super) head: &'t str,
    /// The index that the files were written or read with.
    pub(super) index: &'t Path,
    /// What is never part of the work, from the top.
    pub(super) aside: &'t [PathBuf],
}

impl Borrowed<'_> {
    /// Makes it, in place of whatever is there.
    pub(super) async fn make(&self) -> Result<(), TreeError> {
        let new = self.home.join("books");
        folder::remove(&new)?;
        repository::begin(&new, self.head.len() == repository::LONG_NAME)?;
        let books = Git::at(&self.place.common).with("GIT_DIR", &self.place.common);
        let configured = books.call(&["config", "--list", "-z", "--show-scope", "--includes"], &[]).await?;
        let format = ["for-each-ref", MOST_REFS, "--format=%(objectname) %(refname)"];
        let refs = books.call(&format.into_iter().chain(SEEN).collect::<Vec<_>>(), &[]).await?;
        let config = new.join("config");
        let begun = fs::read(&config).map_err(TreeError::io(&config))?;
        let objects = self.lenders()?;
        let exclude = self.hidden()?;
        let files: [(&str, Vec<u8>); 5] = [
            ("HEAD", format!("ref: refs/heads/{}\n", self.branch).into_bytes()),
            ("packed-refs", self.references(&refs).into_bytes()),
            ("config", [begun, settings(&configured).into_bytes()].concat()),
            ("objects/info/alternates", objects),
            ("info/exclude", exclude),
        ];
        for (name, text) in files {
            let path = new.join(name);
            let folder = path.parent().unwrap_or(&new);
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(TreeError::io(&path))?;
        }
        for name in ["shallow", "info/attributes"] {
            copy(&self.place.common.join(name), &new.join(name))?;
        }
        copy(self.index, &new.join("index"))?;
        let own = self.root.join(".git");
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        if is_folder(&own) && is_folder(&own.join(MODULES)) {
            fs::rename(own.join(MODULES), new.join(MODULES)).map_err(TreeError::io(&own))?;
        }
        folder::remove(&own)?;
        fs::rename(&new, &own).map_err(TreeError::io(&own))
    }

    /// The user's references, with our branch where it should be.
    fn references(&self, listed: &[u8]) -> String {
        let listed = String::from_utf8_lossy(listed);
        let mut text = String::new();
        for line in listed.lines().filter(|line| !line.contains(OURS)) {
            text.push_str(line);
            text.push('\n');
        }
        text + self.head + " refs/heads/" + self.branch + "\n"
    }

    /// Where the objects are: with the user's, and where those come from.
    fn lenders(&self) -> Result<Vec<u8>, TreeError> {
        let objects = self.place.common.join("objects");
        let list = objects.join("info/alternates");
        let further = match fs::read(&list) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(TreeError::io(&list)(error)),
        };
        // One that is named from there would be looked for from here.
        let further = further.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#');
        let further = further.map(|line| objects.join(OsStr::from_bytes(line)));
        let mut text = Vec::new();
        for path in std::iter::once(objects.clone()).chain(further) {
            text.extend_from_slice(path.as_os_str().as_bytes());
            text.push(b'\n');
        }
        Ok(text)
    }

    /// What the user has git ignore in this repository alone, and the desk's own files.
    fn hidden(&self) -> Result<Vec<u8>, TreeError> {
        let list = self.place.common.join("info/exclude");
        let mut text = match fs::read(&list) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(TreeError::io(&list)(error)),
        };
        for path in self.aside {
            text.push(b'\n');
            text.extend_from_slice(super::record::ignoring(path).as_bytes());
        }
        text.push(b'\n');
        Ok(text)
    }
}

/// With its time: git takes a file that was written after the index for one that may have changed.
fn copy(from: &Path, to: &Path) -> Result<(), TreeError> {
    match fs::copy(from, to) {
        Ok(_) => {
            let written = fs::metadata(from).and_then(|found| found.modified());
            let dated = written.and_then(|time| File::options().write(true).open(to)?.set_modified(time));
            dated.map_err(TreeError::io(to))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(TreeError::io(to)(error)),
    }
}

/// What the worker's repository takes over of the configuration, as git writes it: `listed` is scope, key and value of each.
fn settings(listed: &[u8]) -> String {
    let mut own = String::new();
    let mut identity = IDENTITY.map(|(key, otherwise)| (key, otherwise.to_owned()));
    let mut fields = fields(listed);
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        let entry = String::from_utf8_lossy(entry);
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
        let known = identity.iter_mut().find(|(of, _)| *of == key).filter(|_| !value.trim().is_empty());
        if let Some((_, known)) = known {
            value.clone_into(known);
        }
        // What the user has for every repository, the worker's git reads itself.
        let is_local = scope == b"local" || scope == b"worktree";
        if is_local && (KEYS.contains(&key) || SECTIONS.iter().any(|section| key.starts_with(section))) {
            own.push_str(&setting(key, value));
        }
    }
    own.extend(identity.iter().map(|(key, value)| setting(key, value)));
    // Not those that the user may have for every repository.
    own.push_str(&setting("core.hooksPath", ".git/hooks"));
    own
}

/// One setting, as it stands in a file.
fn setting(key: &str, value: &str) -> String {
    let Some((section, name)) = key.rsplit_once('.') else { return String::new() };
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let section = match section.split_once('.') {
        Some((section, sub)) => format!("{section} \"{}\"", quoted(sub)),
        None => section.to_owned(),
    };
    let value = quoted(value).replace('\n', "\\n").replace('\t', "\\t").replace('\u{8}', "\\b");
    format!("[{section}]\n\t{name} = \"{value}\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing that runs, sends or opens something is taken over; what a file's content is, is.
    #[test]
    fn settings_of_the_user_that_matter_are_taken_over() {
        let listed = [
            ("global", "user.name\nAda"),
            ("global", "core.autocrlf\ninput"),
            ("local", "core.autocrlf\ntrue"),
            ("local", "core.hookspath\n/evil"),
            ("local", "core.fsmonitor\n/evil"),
            ("local", "core.worktree\n/elsewhere"),
            ("local", "remote.origin.url\nhttps://token@example.com"),
            ("local", "http.https://example.com/.extraheader\nAUTHORIZATION: basic x"),
            ("local", "credential.helper\nstore"),
            ("local", "alias.x\n!evil"),
            ("worktree", "filter.a.b \"c\\.clean\nsed 's/\"/\\t/'\n"),
            ("local", "filter.lfs.required"),
            ("command", "filter.x.clean\ny"),
        ];
        let bytes: Vec<u8> =
            listed.iter().flat_map(|(scope, entry)| format!("{scope}\0{entry}\0").into_bytes()).collect();
        let expected = "[core]\n\tautocrlf = \"true\"\n\
                        [filter \"a.b \\\"c\\\\\"]\n\tclean = \"sed 's/\\\"/\\\\t/'\\n\"\n\
                        [filter \"lfs\"]\n\trequired = \"true\"\n\
                        [user]\n\tname = \"Ada\"\n[user]\n\temail = \"tribunal@localhost\"\n\
                        [core]\n\thooksPath = \".git/hooks\"\n";
        assert_eq!(settings(&bytes), expected);
    }
}
