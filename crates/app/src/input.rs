//! What comes from outside, and its limits: texts that are too long to be meant, paths that lead out of the project.

use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::project::Project;

/// No file that somebody from outside names is longer.
const MAX_FILE: u64 = 4 << 20;
/// No brief, draft or anchor that is given as a text is longer.
pub const MAX_TEXT: usize = 1 << 20;
/// A directive goes into every prompt from now on; a reason stands in the log for ever.
pub const MAX_DIRECTIVE: usize = 16 * 1024;
/// So many things can be started by one request from outside.
pub const MAX_SUBJECTS: usize = 16;

/// What lies inside of the project: the folder of tribunal.toml, and that of the work.
#[derive(Debug)]
pub struct Fence {
    root: PathBuf,
    workspace: PathBuf,
}

impl Fence {
    pub fn of(project: &Project) -> Self {
        let root = project.root();
        Self { root: root.canonicalize().unwrap_or_else(|_| root.to_owned()), workspace: project.workspace() }
    }

    /// The file that `name` means, wherever its links lead. Relative names start from the project's folder.
    pub fn file(&self, name: &str) -> Result<PathBuf, AppError> {
        let message = |why: &str| format!("cannot read `{name}`: {why}");
        let hint = "use a file inside the project, or pass the text itself";
        // What is outside is refused in the same words, there or not: nobody learns what lies there.
        let outside = || AppError::forbidden(message("it is not inside the project"), hint);
        let found = self.root.join(name).canonicalize();
        let Ok(path) = found else {
            let is_inside = !Path::new(name).components().any(|part| part == std::path::Component::ParentDir)
                && (!Path::new(name).is_absolute() || self.holds(Path::new(name)));
            let missing = || AppError::not_found(message("there is no such file"), hint);
            return Err(if is_inside { missing() } else { outside() });
        };
        if !self.holds(&path) {
            return Err(outside());
        }
        let file = path.metadata().map_err(|error| AppError::environment(message(&error.to_string()), None))?;
        if !file.is_file() {
            return Err(AppError::invalid(message("it is not a file"), hint));
        }
        if file.len() > MAX_FILE {
            let why = format!("it has {} bytes; the limit is {MAX_FILE}", file.len());
            return Err(AppError::too_large(message(&why), hint));
        }
        Ok(path)
    }

    /// The part of the project that a file is in.
    pub fn around(&self, path: &Path) -> PathBuf {
        if path.starts_with(&self.root) { self.root.clone() } else { self.workspace.clone() }
    }

    /// The folder of the work.
    pub fn workspace(&self) -> PathBuf {
        self.workspace.clone()
    }

    /// A file as results name it.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || path.starts_with(&self.workspace)
    }
}

/// Refuses a text that is too long to be meant.
pub fn bounded(what: &str, text: &str, most: usize) -> Result<(), AppError> {
    if text.len() <= most {
        return Ok(());
    }
    Err(AppError::too_large(format!("{what} has {} bytes; the limit is {most}", text.len()), "shorten it"))
}
