//! Paths that tools are given: inside of the project, or refused.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::project::Project;

/// No file that a tool is given is longer.
const MAX_FILE: u64 = 4 << 20;
/// No text that a tool is given is longer.
pub(crate) const MAX_TEXT: usize = 1 << 20;

/// What lies inside of the project: the folder of tribunal.toml, and that of the work.
#[derive(Debug)]
pub(crate) struct Fence {
    root: PathBuf,
    workspace: PathBuf,
}

impl Fence {
    pub(crate) fn of(project: &Project) -> Self {
        let root = project.root();
        Self { root: root.canonicalize().unwrap_or_else(|_| root.to_owned()), workspace: project.workspace() }
    }

    /// The file that `name` means, wherever its links lead. Relative names start from the project's folder.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, Failure> {
        let refused = |why: String| {
            Failure::usage(
                format!("cannot read `{name}`: {why}"),
                "name a file inside of the project, or give its text",
            )
        };
        // What is outside is refused in the same words, there or not: nobody learns what lies there.
        let outside = || refused("it is not inside of the project".into());
        let found = self.root.join(name).canonicalize();
        let Ok(path) = found else {
            let is_inside = !Path::new(name).components().any(|part| part == std::path::Component::ParentDir)
                && (!Path::new(name).is_absolute() || self.holds(Path::new(name)));
            return Err(if is_inside { refused("there is no such file".into()) } else { outside() });
        };
        if !self.holds(&path) {
            return Err(outside());
        }
        let file = path.metadata().map_err(|error| refused(error.to_string()))?;
        if !file.is_file() {
            return Err(refused("it is not a file".into()));
        }
        if file.len() > MAX_FILE {
            return Err(refused(format!("it has {} bytes, and {MAX_FILE} are the most", file.len())));
        }
        Ok(path)
    }

    /// The part of the project that a file is in.
    pub(crate) fn around(&self, path: &Path) -> PathBuf {
        if path.starts_with(&self.root) { self.root.clone() } else { self.workspace.clone() }
    }

    /// The folder of the work.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.workspace.clone()
    }

    /// A file as results name it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || path.starts_with(&self.workspace)
    }
}

/// Refuses a text that is too long to be meant.
pub(crate) fn bounded(what: &str, text: &str, most: usize) -> Result<(), Failure> {
    if text.len() <= most {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{what} has {} bytes, and {most} are the most", text.len()),
        "put it in a file, or shorten it",
    ))
}
