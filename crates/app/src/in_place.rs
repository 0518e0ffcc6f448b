//! Changing the user's own files: whole or not at all, and never without a way back.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::NamedTempFile;
use tribunal_store::atomic;

use crate::error::AppError;

/// So many copies of one file are kept; then somebody should look at them.
const MAX_BACKUPS: u32 = 1000;
/// Repositories are only looked at: nothing of theirs runs, and nothing is written.
const GIT: [&str; 6] =
    ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false"];

/// A file that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    pub path: PathBuf,
    /// Where its old text is, if git does not have it.
    pub backup: Option<PathBuf>,
}

/// Why a file is not changed in place, if so. Nothing outside of `root` is, by whatever path.
pub fn refusal(path: &Path, root: &Path) -> Option<String> {
    let there = match path.symlink_metadata() {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some("there is no such file".to_owned()),
        Err(error) => return Some(error.to_string()),
    };
    if there.is_symlink() {
        return Some("it is a symbolic link".to_owned());
    }
    if !there.is_file() {
        return Some("it is not a file".to_owned());
    }
    let is_inside = path.canonicalize().is_ok_and(|real| root.canonicalize().is_ok_and(|root| real.starts_with(root)));
    if !is_inside {
        return Some(format!("it lies outside of {}", root.display()));
    }
    there.permissions().readonly().then(|| "it is read-only".to_owned())
}

/// Replaces a file that holds `old`. Whoever changed it in the meantime is not overwritten.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<Replaced, AppError> {
    let now = fs::read(path).map_err(|error| cannot(path, &error.to_string()))?;
    if now != old {
        return Err(AppError::conflict(
            format!("{} was changed in the meantime", path.display()),
            "it was left alone: start again".to_owned(),
        ));
    }
    let backup = if is_committed(path) { None } else { Some(back_up(path, old)?) };
    atomic::write(path, new)?;
    Ok(Replaced { path: path.to_owned(), backup })
}

/// Keeps a copy beside the file. No copy that is there already is overwritten.
fn back_up(path: &Path, bytes: &[u8]) -> Result<PathBuf, AppError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=MAX_BACKUPS {
        let copy = path.with_file_name(match number {
            1 => format!("{name}.orig"),
            number => format!("{name}.orig{number}"),
        });
        match fresh(path, &copy, bytes) {
            Ok(()) => return Ok(copy),
            // The same text was kept before: once is enough.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::read(&copy).is_ok_and(|kept| kept == bytes) {
                    return Ok(copy);
                }
            }
            Err(error) => return Err(cannot(&copy, &error.to_string())),
        }
    }
    Err(cannot(path, &format!("there are {MAX_BACKUPS} backups of it already")))
}

/// A copy that is whole or not there, for the eyes of those who may read the file.
fn fresh(path: &Path, copy: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = copy.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(copy).map(drop).map_err(|error| error.error)
}

/// Whether git has exactly this text.
fn is_committed(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(GIT).args(args).arg("--").arg(name);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_LITERAL_PATHSPECS"] {
            command.env_remove(variable);
        }
        let command = command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_LITERAL_PATHSPECS", "1");
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    git(&["ls-files", "--error-unmatch"]).is_some_and(|known| !known.is_empty())
        && git(&["status", "--porcelain", "--ignored"]).is_some_and(|changes| changes.is_empty())
}

fn cannot(path: &Path, why: &str) -> AppError {
    AppError::environment(format!("cannot change {}: {why}", path.display()), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn git(folder: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        let who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgSign=false"];
        assert!(command.arg("-C").arg(folder).args(who).args(args).output().unwrap().status.success(), "{args:?}");
    }

    #[test]
    fn what_is_not_ours_to_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("inner")).unwrap();
        for name in ["outside.html", "root/a.html", "root/fixed.html"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::set_permissions(root.join("fixed.html"), fs::Permissions::from_mode(0o444)).unwrap();
        symlink("a.html", root.join("link.html")).unwrap();
        symlink(folder.path(), root.join("out")).unwrap();
        for (name, path, want) in [
            ("a file", "root/a.html", None),
            ("none", "root/none.html", Some("there is no such file")),
            ("a folder", "root/inner", Some("it is not a file")),
            ("a link", "root/link.html", Some("it is a symbolic link")),
            ("read-only", "root/fixed.html", Some("it is read-only")),
            ("outside", "outside.html", Some("it lies outside of")),
            ("outside by a link", "root/out/outside.html", Some("it lies outside of")),
        ] {
            let got = refusal(&folder.path().join(path), &root);
            assert_eq!(got.is_some(), want.is_some(), "{name}: {got:?}");
            assert!(got.unwrap_or_default().starts_with(want.unwrap_or_default()), "{name}");
        }
    }

    #[test]
    fn a_backup_is_kept_where_git_does_not_have_the_text_and_none_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        let backup = |old: &str, new: &str| {
            let replaced = replace(&page, old.as_bytes(), new.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&page).unwrap(), new);
            replaced.backup.map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        };
        fs::write(&page, "one").unwrap();
        fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(backup("one", "two").as_deref(), Some("page.html.orig"), "without git");
        assert_eq!(backup("two", "three").as_deref(), Some("page.html.orig2"), "the older one stays");
        assert_eq!(fs::read_to_string(folder.path().join("page.html.orig")).unwrap(), "one");
        git(folder.path(), &["init", "-q"]);
        assert_eq!(backup("three", "four").as_deref(), Some("page.html.orig3"), "not committed");
        git(folder.path(), &["add", "page.html"]);
        git(folder.path(), &["commit", "-qm", "x"]);
        assert_eq!(backup("four", "five"), None, "git has it");
        assert_eq!(backup("five", "six").as_deref(), Some("page.html.orig4"), "changed since");
        assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640, "its mode stays");

        let error = replace(&page, b"what it was", b"seven").unwrap_err();
        assert!(error.message().contains("changed in the meantime"), "{error:?}");
        assert_eq!(fs::read_to_string(&page).unwrap(), "six");
    }
}
