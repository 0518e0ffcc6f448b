//! A checkout that is a repository of its own: one commit, neither remotes nor hooks, and nothing of the user's behind it.
//!
//! What the commit consists of is taken over as one pack, as it is compressed already, and the index is the one that the
//! files were written with: so nothing is hashed or compressed a second time, and a checkout costs little more than
//! `git worktree add`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::commit::Checkout;
use super::error::TreeError;
use super::folder;
use super::git::{Git, fields};
use super::inside::parts;
use super::state::RepoPlace;

/// Submodules inside of submodules.
const DEPTH: usize = 8;
/// The branch of the one commit.
const BRANCH: &str = "refs/heads/main";
const MESSAGE: &str = "the tree that is checked";
/// How long a name of git's is where it uses SHA-256.
pub(super) const LONG_NAME: usize = 64;

/// Lays a tree out in a folder, with a repository. What a person should know about it comes back: submodules that are
/// missing.
pub(super) async fn lay_out(place: &RepoPlace, tree: &str, checkout: &Checkout) -> Result<Vec<String>, TreeError> {
    let root = checkout.root();
    let own = root.join(".git");
    begin(&own, tree.len() == LONG_NAME)?;
    let objects = own.join("objects");
    // What git writes on the way lies beside the pack: it cannot be moved there from another disk.
    let books = Git::at(&place.common).with("GIT_DIR", &place.common).with("GIT_OBJECT_DIRECTORY", &objects);
    let books = books.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&place.common.join("objects")));
    let pack = objects.join("pack").join("pack");
    let args = ["pack-objects", "--revs", "--quiet", "--window=0", "--end-of-options"].map(OsString::from);
    let args: Vec<_> = args.into_iter().chain([pack.into_os_string()]).collect();
    books.call(&args, format!("{tree}\n").as_bytes()).await?;
    let git = Git::laying_out(&place.common, root).await?.with_index(&own.join("index"));
    git.call(&["read-tree", "--reset", "-u", tree], &[]).await?;
    // Most projects have none, and need not be asked.
    if fs::symlink_metadata(root.join(".gitmodules")).is_err() {
        return Ok(Vec::new());
    }
    let mut notes = Vec::new();
    let mut open = vec![(place.common.clone(), Some(place.top.clone()), tree.to_owned(), PathBuf::new(), 0)];
    while let Some((common, top, tree, below, depth)) = open.pop() {
        for link in links(&common, &tree).await? {
            let name = below.join(&link.path);
            let shown = name.display();
            let found = link.repository(&common, top.as_deref()).filter(|_| depth < DEPTH);
            let Some(found) = found else {
                notes.push(format!("the submodule `{shown}` is empty: `git submodule update --init` has to fetch it"));
                continue;
            };
            let folder = root.join(&name);
            let wanted = format!("{}^{{tree}}", link.commit);
            let books = Git::at(&found).with("GIT_DIR", &found);
            let Ok(tree) = books.line(&["rev-parse", "--verify", "--quiet", &wanted]).await else {
                let commit = link.commit.get(..10).unwrap_or(&link.commit);
                notes.push(format!(
                    "the submodule `{shown}` is empty: its commit {commit} is not here; `git submodule update` fetches it"
                ));
                continue;
            };
            // A link in its place would lead out of the checkout.
            if fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
                let index = own.join("submodule-index");
                folder::remove(&index)?;
                let git = Git::laying_out(&found, &folder).await?.with_index(&index);
                git.call(&["read-tree", "--reset", "-u", &tree], &[]).await?;
                folder::remove(&index)?;
                open.push((found, None, tree, name, depth + 1));
            }
        }
    }
    Ok(notes)
}

/// Commits what is in the checkout now; `is_edited` says whether that is more than was laid out.
pub(super) async fn seal(root: &Path, tree: &str, is_edited: bool) -> Result<(), TreeError> {
    let own = root.join(".git");
    let git = Git::between(&own, root).by_tribunal();
    let tree = if is_edited {
        git.call(&["add", "--all", "--force"], &[]).await?;
        git.line(&["write-tree"]).await?
    } else {
        tree.to_owned()
    };
    let commit = git.line(&["commit-tree", &tree, "-m", MESSAGE]).await?;
    let branch = own.join(BRANCH);
    fs::write(&branch, format!("{commit}\n")).map_err(TreeError::io(&branch))
}

/// One commit more, of whatever is in the checkout now.
pub(super) async fn commit_again(root: &Path, message: &str) -> Result<(), TreeError> {
    let own = root.join(".git");
    let git = Git::between(&own, root).by_tribunal();
    git.call(&["add", "--all", "--force"], &[]).await?;
    let tree = git.line(&["write-tree"]).await?;
    let commit = git.line(&["commit-tree", &tree, "-p", BRANCH, "-m", message]).await?;
    let branch = own.join(BRANCH);
    fs::write(&branch, format!("{commit}\n")).map_err(TreeError::io(&branch))
}

/// A path as git takes it in a list of paths, whatever is in it.
fn quoted(path: &Path) -> OsString {
    let escaped = path.as_os_str().as_bytes().iter().flat_map(|byte| {
        let slash: &[u8] = if matches!(byte, b'"' | b'\\') { b"\\" } else { b"" };
        slash.iter().copied().chain([*byte])
    });
    OsString::from_vec([b'"'].into_iter().chain(escaped).chain([b'"']).collect())
}

/// Makes a checkout without one a repository, from what is in it.
pub(super) async fn make(root: &Path) -> Result<(), TreeError> {
    begin(&root.join(".git"), false)?;
    seal(root, "", true).await
}

/// An empty repository, as `git init` would make it without a template.
pub(super) fn begin(own: &Path, is_long: bool) -> Result<(), TreeError> {
    for folder in ["objects/pack", "objects/info", "refs/heads", "refs/tags"] {
        let folder = own.join(folder);
        fs::create_dir_all(&folder).map_err(TreeError::io(&folder))?;
    }
    let format = if is_long { "1\n[extensions]\n\tobjectFormat = sha256" } else { "0" };
    let config = format!("[core]\n\trepositoryFormatVersion = {format}\n[core]\n\tbare = false\n\tfileMode = true\n");
    for (name, text) in [("HEAD", format!("ref: {BRANCH}\n")), ("config", config)] {
        let path = own.join(name);
        fs::write(&path, text).map_err(TreeError::io(&path))?;
    }
    Ok(())
}

/// Where a tree has a submodule, and of which commit.
#[derive(Debug)]
struct Gitlink {
    path: String,
    commit: String,
    /// What `.gitmodules` calls it.
    name: String,
}

impl Gitlink {
    /// Its repository on this machine: with the project's own, or where an old git put it.
    fn repository(&self, common: &Path, top: Option<&Path>) -> Option<PathBuf> {
        // The name stands in a file of the work's: it must not lead anywhere else.
        let name = parts(&self.name).ok()?.join("/");
        let kept = common.join("modules").join(name);
        let old = top.map(|top| top.join(&self.path).join(".git"));
        [Some(kept), old].into_iter().flatten().find(|path| path.join("objects").is_dir())
    }
}

async fn links(common: &Path, tree: &str) -> Result<Vec<Gitlink>, TreeError> {
    let books = Git::at(common).with("GIT_DIR", common);
    let listed = books.call(&["ls-tree", "-r", "-z", "--full-tree", tree], &[]).await?;
    let blob = format!("{tree}:.gitmodules");
    let args = ["config", "--blob", &blob, "-z", "--get-regexp", r"^submodule\..*\.path$"];
    let said = books.try_call(&args, &[]).await?;
    let named: Vec<(String, String)> = fields(&said.stdout)
        .filter_map(|entry| {
            let entry = String::from_utf8_lossy(entry).into_owned();
            let (key, path) = entry.split_once('\n')?;
            Some((path.to_owned(), key.strip_prefix("submodule.")?.strip_suffix(".path")?.to_owned()))
        })
        .collect();
    let links = fields(&listed).filter_map(|entry| {
        let entry = String::from_utf8_lossy(entry).into_owned();
        let (about, path) = entry.split_once('\t')?;
        let mut words = about.split(' ');
        let (mode, _, commit) = (words.next()?, words.next()?, words.next()?);
        let name = named.iter().find(|(known, _)| known == path).map_or(path, |(_, name)| name);
        (mode == "160000").then(|| Gitlink { path: path.into(), commit: commit.into(), name: name.to_owned() })
    });
    Ok(links.collect())
}
