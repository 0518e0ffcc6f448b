//! `.tribunal/.gitignore`: what Tribunal keeps stays out of git, and the plans of desks are the user's to commit.

use std::fs;
use std::io;

use crate::{Layout, StoreError, atomic};

/// A pattern without a slash is meant at every depth, so what is left in is named folder by folder.
const TEXT: &str = "# Tribunal's own files stay out of git; the plans of desks are yours to commit.
*
!desk/
!desk/plans/
!desk/plans/**
";

/// Writes it into a folder that is there and has none. One that a person wrote, or emptied, stays as it is.
pub(crate) fn write(layout: &Layout) -> Result<(), StoreError> {
    let (folder, path) = (layout.folder(), layout.ignore_file());
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(());
    }
    match atomic::temporary(&folder, TEXT.as_bytes(), atomic::NEW_FILE)?.persist_noclobber(&path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::io("rename to", &path)(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn git_sees_the_plans_of_desks_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        let git = |args: &[&str]| {
            let told = Command::new("git").args(args).current_dir(root.path()).output().unwrap();
            assert!(told.status.success(), "{told:?}");
            String::from_utf8(told.stdout).unwrap()
        };
        git(&["init", "--quiet"]);
        for name in
            ["project.json", "runs/a/log.ndjson", "desk/plans/prd-calc.md", "desk/plans/old/a.md", "desk/memos/m.md"]
        {
            let path = layout.folder().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        write(&layout).unwrap();
        let seen = git(&["status", "--porcelain", "--untracked-files=all"]);
        assert_eq!(seen, "?? .tribunal/desk/plans/old/a.md\n?? .tribunal/desk/plans/prd-calc.md\n");
    }

    #[test]
    fn what_a_person_wrote_stays() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        fs::create_dir(layout.folder()).unwrap();
        for text in ["", "runs/\n"] {
            fs::write(layout.ignore_file(), text).unwrap();
            write(&layout).unwrap();
            assert_eq!(fs::read_to_string(layout.ignore_file()).unwrap(), text);
        }
    }
}
