//! A checkout with its edits: one of the trees that a change is looked at on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tribunal_kernel::Digest;
use tribunal_kernel::desk::file_of;
use tribunal_kernel::evidence::{GivenRoles, PathRole, TreeEdit, TreeRole};

use super::check_home::Furnished;
use super::request::{EvidenceError, EvidencePlace};
use super::setup::Prepared;
use crate::tree::{Checkout, CommitReader, TreeError, read_inside, write_inside};

/// The most that is read of a file that commands may stand in.
const MOST_TEXT: u64 = 1 << 20;
/// The most that is read of a file that decides what is seen.
const MOST_GUARDED: u64 = 32 << 20;
/// The files that commands may stand in, in one tree.
const MOST_TEXTS: usize = 200;
/// Files that commands may stand in.
const RECIPES: [&str; 4] = ["GNUmakefile", "Makefile", "makefile", "package.json"];

/// Where an environment of Python's usually is.
const VENV: &str = ".venv";

/// One tree, on disk.
#[derive(Debug)]
pub(super) struct LaidOut {
    pub(super) role: TreeRole,
    pub(super) checkout: Checkout,
    /// The home of whatever runs here: nobody else's, and gone with the tree.
    pub(super) home: Option<Furnished>,
    /// The environment of Python's that was carried or set up: whoever works here has it active. One that the commit has is
    /// the work's, and decides about no program.
    pub(super) venv: Option<PathBuf>,
    /// What a person should know about it.
    pub(super) notes: Vec<String>,
    /// The files that commands may stand in, by their paths in the project.
    pub(super) texts: BTreeMap<String, String>,
    /// What commands must not change, where a sandbox can keep it.
    pub(super) read_only: Vec<PathBuf>,
    /// Where this tree is from, and what was made of it.
    commits: (String, String),
    edits: Vec<TreeEdit>,
    /// Files that decide what is seen, as they are before anything ran.
    guarded: BTreeMap<String, Digest>,
}

impl LaidOut {
    /// Lays a commit out, and makes of it what the edits say; `other` is the commit that they restore from.
    pub(super) async fn new(
        reader: &CommitReader,
        place: &EvidencePlace,
        role: TreeRole,
        (commit, other): (&str, &str),
        edits: &[TreeEdit],
        prepared: Option<&Prepared>,
    ) -> Result<Self, EvidenceError> {
        let name = match role {
            TreeRole::Base => "base",
            TreeRole::Given => "given",
            TreeRole::Head => "head",
            TreeRole::TestsOnly => "tests-only",
            TreeRole::Unsteered => "unsteered",
            TreeRole::WithoutNewTests => "without-new-tests",
        };
        // One that is laid out again stands beside the first, which goes when nobody holds it any more.
        let numbered = (2..).map(|number: u32| place.folder.join(format!("{name}-{number}")));
        let folder = std::iter::once(place.folder.join(name)).chain(numbered).find(|folder| !folder.exists());
        let folder = folder.unwrap_or_else(|| place.folder.join(name));
        // Reports name files by what comes after `/tree/`.
        let (checkout, notes) = reader.lay_out_apart(commit, folder.join("tree")).await?;
        edit(reader, &checkout, other, edits).await?;
        reader.seal(commit, &checkout, !edits.is_empty()).await?;
        let venv = checkout.path().join(VENV);
        let is_own = fs::symlink_metadata(&venv).is_err();
        let mut home = None;
        if let Some(of) = &place.home {
            let path = folder.join("home");
            home = Some(match prepared {
                Some(prepared) => prepared.furnish(of, path, place.network).await?,
                None => of.furnish(path.clone(), place.network, None).map_err(EvidenceError::io(&path))?,
            });
        }
        if let Some(prepared) = prepared {
            prepared.bring(&checkout).await?;
        }
        for (from, to) in &place.carry {
            let target = checkout.path().join(to);
            if fs::symlink_metadata(&target).is_err() {
                let parent = target.parent().unwrap_or(checkout.path());
                fs::create_dir_all(parent).map_err(EvidenceError::io(parent))?;
                std::os::unix::fs::symlink(from, &target).map_err(EvidenceError::io(&target))?;
            }
        }
        Ok(Self {
            role,
            checkout,
            home,
            venv: Some(venv).filter(|venv| is_own && venv.join("bin/python").exists()),
            notes,
            texts: BTreeMap::new(),
            read_only: Vec::new(),
            commits: (commit.to_owned(), other.to_owned()),
            edits: edits.to_vec(),
            guarded: BTreeMap::new(),
        })
    }

    /// Makes another tree of it, by edits that restore from the other commit. What was built in it stays.
    pub(super) async fn turn_into(
        &mut self,
        reader: &CommitReader,
        role: TreeRole,
        edits: &[TreeEdit],
    ) -> Result<(), EvidenceError> {
        edit(reader, &self.checkout, &self.commits.1, edits).await?;
        self.role = role;
        self.edits = edits.to_vec();
        self.guarded.clear();
        Ok(())
    }

    /// Keeps watch over the files among these that decide what is seen. What is named is not to be written at all.
    pub(super) fn guard(&mut self, paths: &[String], named: &[String], roles: &GivenRoles) {
        let is_named = |path: &str| named.iter().any(|name| file_of(name) == path);
        for path in paths {
            if !(is_named(path) || matches!(roles.role_of(path), PathRole::Test | PathRole::Steering)) {
                continue;
            }
            if let Ok(bytes) = read_inside(self.checkout.path(), path, MOST_GUARDED) {
                self.guarded.insert(path.clone(), Digest::of(bytes));
                if is_named(path) {
                    self.read_only.push(self.checkout.path().join(path));
                }
            }
        }
    }

    /// Puts back what a command changed of it, and says what that was: the next one is to see what is given.
    pub(super) async fn put_back(&self, reader: &CommitReader) -> Result<Vec<String>, EvidenceError> {
        let is_same = |path: &str, digest: &Digest| {
            read_inside(self.checkout.path(), path, MOST_GUARDED).is_ok_and(|bytes| Digest::of(bytes) == *digest)
        };
        let changed: Vec<String> =
            self.guarded.iter().filter(|(path, digest)| !is_same(path, digest)).map(|(path, _)| path.clone()).collect();
        for path in &changed {
            remove(&self.checkout, path)?;
            let edit = self.edits.iter().find(|edit| match edit {
                TreeEdit::Restore(edited) | TreeEdit::Remove(edited) | TreeEdit::Write { path: edited, .. } => {
                    edited == path
                }
            });
            match edit {
                Some(TreeEdit::Write { text, .. }) => write(&self.checkout, path, text)?,
                Some(TreeEdit::Remove(_)) => {}
                Some(TreeEdit::Restore(_)) => {
                    reader.restore(&self.commits.1, &self.checkout, std::slice::from_ref(path)).await?;
                }
                None => reader.restore(&self.commits.0, &self.checkout, std::slice::from_ref(path)).await?,
            }
        }
        Ok(changed)
    }

    /// Reads what commands may stand in, among these paths of the project and whatever was put back.
    pub(super) fn read_recipes(&mut self, paths: &[String]) {
        let is_recipe = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            RECIPES.contains(&name) && !path.contains("node_modules/") && !path.starts_with("../")
        };
        for path in paths.iter().filter(is_recipe).take(MOST_TEXTS) {
            if let Some(text) = self.text(path) {
                self.texts.insert(path.clone(), text);
            }
        }
    }

    /// A file of the project in this tree.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = read_inside(self.checkout.path(), path, MOST_TEXT).ok()?;
        String::from_utf8(bytes).ok()
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), EvidenceError> {
        write(&self.checkout, path, text)
    }

    pub(super) fn remove(&self, path: &str) -> Result<(), EvidenceError> {
        remove(&self.checkout, path)
    }
}

/// Makes of a checkout what the edits say; `other` is the commit that they restore from.
async fn edit(
    reader: &CommitReader,
    checkout: &Checkout,
    other: &str,
    edits: &[TreeEdit],
) -> Result<(), EvidenceError> {
    let restored: Vec<String> = edits
        .iter()
        .filter_map(|edit| match edit {
            TreeEdit::Restore(path) => Some(path.clone()),
            TreeEdit::Remove(_) | TreeEdit::Write { .. } => None,
        })
        .collect();
    for edit in edits {
        match edit {
            TreeEdit::Restore(path) | TreeEdit::Remove(path) => remove(checkout, path)?,
            TreeEdit::Write { path, text } => write(checkout, path, text)?,
        }
    }
    if !restored.is_empty() {
        reader.restore(other, checkout, &restored).await?;
    }
    Ok(())
}

/// Where an edit of the project lies below the checkout's root: `../` leads out of the project, never out of the root.
fn below(checkout: &Checkout, path: &str) -> Result<String, EvidenceError> {
    let prefix = checkout.path().strip_prefix(checkout.root()).unwrap_or(Path::new(""));
    let mut parts: Vec<String> = prefix.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(|| TreeError::Outside { path: path.to_owned() })?;
            }
            part => parts.push(part.to_owned()),
        }
    }
    Ok(parts.join("/"))
}

fn write(checkout: &Checkout, path: &str, text: &str) -> Result<(), EvidenceError> {
    Ok(write_inside(checkout.root(), &below(checkout, path)?, text.as_bytes())?)
}

/// Removes a file. A folder on the way that is a link is not followed: then there is nothing of ours to remove.
fn remove(checkout: &Checkout, path: &str) -> Result<(), EvidenceError> {
    let below = below(checkout, path)?;
    let mut at = checkout.root().to_owned();
    for part in below.split('/') {
        if fs::symlink_metadata(&at).is_ok_and(|found| found.file_type().is_symlink()) {
            return Ok(());
        }
        at.push(part);
    }
    match fs::remove_file(&at) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(EvidenceError::Io { path: at, source }),
    }
}
