//! Which files are checked: files, folders and globs as somebody typed them.

use ignore::gitignore::GitignoreBuilder;
use ignore::{DirEntry, WalkBuilder};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::error::AppError;

/// What is looked for in folders.
const PAGES: [&str; 5] = ["html", "htm", "xhtml", "md", "markdown"];
/// Folders that others fill.
const FOREIGN: [&str; 2] = ["node_modules", "target"];
/// No more files are checked at once; more than that are a mistake.
const MAX_FILES: usize = 100_000;
/// A first look ends here, so that it takes no time in a home folder either.
const MAX_SEEN: usize = 20_000;

/// The files that `paths` mean, seen from `dir`: a file itself, whatever ignores it; below a folder, and for a glob, what
/// git would not ignore. In the order of their names, each once. A path that means no file is an error.
pub(crate) fn select(dir: &Path, paths: &[PathBuf]) -> Result<Vec<PathBuf>, AppError> {
    let mut found = BTreeSet::new();
    for path in paths {
        let full = dir.join(path);
        if full.is_dir() {
            below(dir, path, &|_| true, &mut found).map_err(|error| cannot_walk(path, &error))?;
        } else if full.symlink_metadata().is_ok() {
            found.insert(plain(path));
        } else if is_glob(path) {
            glob(dir, path, &mut found)?;
        } else {
            return Err(AppError::not_found(
                format!("cannot read {}: there is no such file or folder", path.display()),
                "name HTML or Markdown files, or a folder that has some",
            ));
        }
        if found.len() > MAX_FILES {
            return Err(AppError::too_large(
                format!("more than {MAX_FILES} files are below the given paths"),
                "name a folder with less in it, or ignore some in .gitignore",
            ));
        }
    }
    Ok(found.into_iter().collect())
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

fn glob(dir: &Path, pattern: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), AppError> {
    // Down to where it stops to be a plain path.
    let base: PathBuf = pattern.components().take_while(|part| !is_glob(Path::new(part))).collect();
    let rest = pattern.strip_prefix(&base).unwrap_or(pattern).to_string_lossy().into_owned();
    let invalid = |error: &ignore::Error| {
        AppError::invalid(
            format!("`{}` is not a glob: {error}", pattern.display()),
            "write one such as `docs/**/*.html`",
        )
    };
    let mut globs = GitignoreBuilder::new(dir.join(&base));
    // From the folder on, and not in any folder, as shells do it.
    globs.add_line(None, &format!("/{rest}")).map_err(|error| invalid(&error))?;
    let globs = globs.build().map_err(|error| invalid(&error))?;
    let fits = |path: &Path| globs.matched(path, false).is_ignore();
    below(dir, &base, &fits, found).map_err(|error| cannot_walk(pattern, &error))
}

/// How many files of a folder could be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesBelow {
    pub pages: usize,
    /// Markdown.
    pub texts: usize,
    /// Whether all were seen: a first look goes through no more than [`MAX_SEEN`].
    pub is_complete: bool,
}

/// How many pages and texts are below a folder, at a first look: what cannot be read is not counted.
pub(crate) fn files_below(folder: &Path) -> FilesBelow {
    let mut files = FilesBelow { pages: 0, texts: 0, is_complete: true };
    for (seen, entry) in walk(folder).flatten().enumerate() {
        if seen == MAX_SEEN {
            files.is_complete = false;
            break;
        }
        match entry.path().extension() {
            Some(end) if is_page(&entry) && end.to_string_lossy().to_ascii_lowercase().starts_with('m') => {
                files.texts += 1;
            }
            _ if is_page(&entry) => files.pages += 1,
            _ => {}
        }
    }
    files
}

/// What is below a folder and not ignored.
fn walk(top: &Path) -> ignore::Walk {
    let mut walk = WalkBuilder::new(if top.as_os_str().is_empty() { Path::new(".") } else { top });
    // What a project ignores counts where it is no repository, too.
    walk.require_git(false).filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_foreign = FOREIGN.iter().any(|name| entry.file_name() == *name);
        entry.depth() == 0 || !is_folder || !is_foreign
    });
    walk.build()
}

/// Whether this is a page or a text. A link is a file of somebody else: it is checked where it is.
fn is_page(entry: &DirEntry) -> bool {
    let end = entry.path().extension();
    end.is_some_and(|end| PAGES.iter().any(|page| end.eq_ignore_ascii_case(page)))
        && entry.file_type().is_some_and(|kind| kind.is_file())
}

/// The pages below a folder.
fn below(dir: &Path, folder: &Path, fits: &dyn Fn(&Path) -> bool, found: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    let top = dir.join(folder);
    let before = found.len();
    for entry in walk(&top) {
        let entry = entry.map_err(|error| error.to_string())?;
        let path = entry.path();
        if is_page(&entry) && fits(path) {
            let below = path.strip_prefix(&top).unwrap_or(path);
            found.insert(plain(&folder.join(below)));
        }
    }
    if found.len() == before && !has_any(found, folder) {
        return Err("there are no HTML or Markdown files that are not ignored".to_owned());
    }
    Ok(())
}

/// Whether an earlier path had its files already.
fn has_any(found: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    let folder = plain(folder);
    found.iter().any(|path| path.starts_with(&folder))
}

fn cannot_walk(path: &Path, why: &str) -> AppError {
    AppError::not_found(
        format!("nothing to check in {}: {why}", path.display()),
        "hidden folders, node_modules, target and what .gitignore names are left out; name such a file itself",
    )
}

/// Without the `.` that names have in front.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "index.html",
            "notes.txt",
            "docs/a.md",
            "docs/b.HTM",
            "docs/deep/c.markdown",
            "docs/style.css",
            "docs/skip/d.md",
            "node_modules/x/readme.md",
            "target/doc/index.html",
            ".hidden/e.md",
            "empty/.keep",
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "skip/\n").unwrap();
        folder
    }

    #[test]
    fn paths_mean_files() {
        let folder = folder();
        for (name, paths, want) in [
            ("everything", &["."][..], "docs/a.md docs/b.HTM docs/deep/c.markdown index.html"),
            ("a folder", &["docs/deep"], "docs/deep/c.markdown"),
            ("a folder twice", &["docs/deep", "docs/deep/"], "docs/deep/c.markdown"),
            ("a file of any kind", &["notes.txt"], "notes.txt"),
            ("a file that is ignored", &["docs/skip/d.md"], "docs/skip/d.md"),
            ("a folder that others fill, if it is named", &["target"], "target/doc/index.html"),
            ("a glob", &["docs/*.md"], "docs/a.md"),
            ("a glob of folders", &["docs/**/*.m*"], "docs/a.md docs/deep/c.markdown"),
            ("a glob in this folder", &["*.html"], "index.html"),
            ("a glob with several ends", &["docs/*.{md,HTM}"], "docs/a.md docs/b.HTM"),
        ] {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            let found = select(folder.path(), &paths).unwrap_or_else(|error| panic!("{name}: {error}"));
            let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            assert_eq!(found.join(" "), want, "{name}");
        }
    }

    #[test]
    fn files_are_counted_as_they_are_checked() {
        let folder = folder();
        assert_eq!(files_below(folder.path()), FilesBelow { pages: 2, texts: 2, is_complete: true });
        let nothing = FilesBelow { pages: 0, texts: 0, is_complete: true };
        assert_eq!(files_below(&folder.path().join("gone")), nothing);
    }

    #[test]
    fn what_means_no_file_is_an_error() {
        let folder = folder();
        for (name, path) in [
            ("no such file", "gone.html"),
            ("no such folder", "gone/"),
            ("an empty folder", "empty"),
            ("a glob that fits nothing", "docs/*.xhtml"),
            ("a glob in a folder that is not there", "gone/*.md"),
            ("nothing but what is ignored", "docs/ski*/*.md"),
        ] {
            assert!(select(folder.path(), &[path.into()]).is_err(), "{name}");
        }
    }
}
