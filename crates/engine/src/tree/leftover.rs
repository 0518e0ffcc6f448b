//! What commands left in a checkout besides its files: kept, and brought into others.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::folder::{self, Kind, Listing};

/// The most that is looked into, of a file that may name the folder it was made in.
const MOST_TEXT: u64 = 1 << 20;
/// What makes a folder an environment of Python's: such a one names itself in its scripts.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// The files and links of a folder at one moment.
#[derive(Debug, Clone)]
pub struct FilesBefore(BTreeSet<PathBuf>);

impl FilesBefore {
    pub async fn of(root: &Path) -> Result<Self, TreeError> {
        let root = root.to_owned();
        super::blocking(move || {
            let listing = folder::list(&root, &[])?;
            let files = listing.into_iter().filter(|(_, item)| item.kind != Kind::Folder);
            Ok(Self(files.map(|(path, _)| path).collect()))
        })
        .await
    }

    /// Removes them again, changed or not, so that only what came later is left, and folders that have something in them.
    pub async fn strip(self, root: &Path) -> Result<(), TreeError> {
        let root = root.to_owned();
        super::blocking(move || {
            folder::remove(&root.join(".git"))?;
            let mut folders = BTreeSet::new();
            for path in self.0.iter().filter(|path| !path.starts_with(".git")) {
                folders.extend(path.ancestors().skip(1).map(Path::to_owned));
                folder::remove(&root.join(path))?;
            }
            // The deepest first; one that is not empty stays.
            for path in folders.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
                let _ = fs::remove_dir(root.join(path));
            }
            Ok(())
        })
        .await
    }
}

/// Copies what is in a folder into another one, but for what is there already and what `skip` names. An environment of
/// Python's that names the old folder names the new one then. Gives how many files were copied.
pub async fn bring_leftovers(from: &Path, to: &Path, skip: &[&str]) -> Result<usize, TreeError> {
    let (from, to) = (from.to_owned(), to.to_owned());
    let skip: Vec<PathBuf> = skip.iter().map(PathBuf::from).collect();
    super::blocking(move || {
        let listing = folder::list(&from, &skip)?;
        let environments = environments(&listing);
        let mut copied = 0;
        for (name, item) in &listing {
            let (source, target) = (from.join(name), to.join(name));
            // What a link leads to is not ours to fill.
            if fs::symlink_metadata(&target).is_ok() || !is_reached(&to, name) {
                continue;
            }
            if item.kind == Kind::Link {
                let leads = fs::read_link(&source).map_err(TreeError::io(&source))?;
                let leads = leads.strip_prefix(&from).map(|inner| to.join(inner)).unwrap_or(leads);
                symlink(leads, &target).map_err(TreeError::io(&target))?;
                continue;
            }
            folder::copy_one(&source, &target, item)?;
            copied += usize::from(item.kind == Kind::File);
            let may_name = item.kind == Kind::File && item.size <= MOST_TEXT;
            if may_name && environments.iter().any(|environment| name.starts_with(environment)) {
                rename(&target, &from, &to).map_err(TreeError::io(&target))?;
            }
        }
        Ok(copied)
    })
    .await
}

fn environments(listing: &Listing) -> Vec<PathBuf> {
    let found = listing.keys().filter(|path| path.file_name().is_some_and(|name| name == ENVIRONMENT));
    found.filter_map(|path| path.parent()).map(Path::to_owned).collect()
}

/// Whether the way to a name is made of folders: a link on it would lead elsewhere.
fn is_reached(to: &Path, name: &Path) -> bool {
    let mut above = name.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    above.all(|path| fs::symlink_metadata(to.join(path)).is_ok_and(|found| found.is_dir()))
}

/// Puts the new folder where a text names the old one.
fn rename(path: &Path, old: &Path, new: &Path) -> std::io::Result<()> {
    let (Some(old), Some(new)) = (old.to_str(), new.to_str()) else { return Ok(()) };
    let Ok(text) = String::from_utf8(fs::read(path)?) else { return Ok(()) };
    if text.contains('\0') || !text.contains(old) {
        return Ok(());
    }
    fs::write(path, text.replace(old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, name: &str, text: &str) {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    }

    #[tokio::test]
    async fn only_what_came_later_is_kept_and_no_copy_leads_back_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (made, other) = (root.join("made"), root.join("other"));
        write(&made, "src/code.py", "x = 1");
        write(&made, ".git/HEAD", "ref");
        let before = FilesBefore::of(&made).await.unwrap();
        write(&made, "src/code.py", "x = 'changed by setup'");
        write(&made, "node_modules/a/index.js", "1");
        let shebang = format!("#!{}/.venv/bin/python\n", made.display());
        write(&made, ".venv/bin/tool", &shebang);
        write(&made, ".venv/pyvenv.cfg", "home = /usr/bin\n");
        symlink(made.join(".venv/bin/tool"), made.join(".venv/again")).unwrap();
        before.strip(&made).await.unwrap();
        assert!(!made.join("src").exists() && !made.join(".git").exists());

        write(&other, "src/code.py", "x = 2");
        write(&other, "node_modules/a/own.js", "2");
        assert_eq!(bring_leftovers(&made, &other, &[]).await.unwrap(), 3);
        assert_eq!(fs::read_to_string(other.join("src/code.py")).unwrap(), "x = 2");
        assert_eq!(fs::read_to_string(other.join("node_modules/a/index.js")).unwrap(), "1");
        let tool = fs::read_to_string(other.join(".venv/bin/tool")).unwrap();
        assert_eq!(tool, format!("#!{}/.venv/bin/python\n", other.display()));
        assert_eq!(fs::read_link(other.join(".venv/again")).unwrap(), other.join(".venv/bin/tool"));
        // Written here, it is as it was there.
        fs::write(other.join("node_modules/a/index.js"), "poison").unwrap();
        assert_eq!(fs::read_to_string(made.join("node_modules/a/index.js")).unwrap(), "1");
    }

    #[tokio::test]
    async fn a_link_in_the_way_is_not_filled() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (made, other, outside) = (root.join("made"), root.join("other"), root.join("outside"));
        write(&made, "node_modules/a.js", "1");
        fs::create_dir_all(&other).unwrap();
        fs::create_dir_all(&outside).unwrap();
        symlink(&outside, other.join("node_modules")).unwrap();
        assert_eq!(bring_leftovers(&made, &other, &[]).await.unwrap(), 0);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
