//! Why a process could not be confined.

use std::io;
use std::path::PathBuf;

use crate::process::SpawnError;

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("`{}` cannot be confined: it is not an absolute path", path.display())]
    NotAbsolute { path: PathBuf },
    #[error("`{}` cannot be confined: {source}", path.display())]
    Missing { path: PathBuf, source: io::Error },
    #[error("`{}` is reached through a symbolic link: it is really `{}`", path.display(), real.display())]
    Symlink { path: PathBuf, real: PathBuf },
    #[error("`{}` cannot be hidden: it is inside a writable folder, and bubblewrap is not installed", path.display())]
    CannotHide { path: PathBuf },
    #[error("a program cannot be confined by Landlock without a launcher")]
    NoLauncher,
    #[error("no program `{program}` to confine others with")]
    NoProgram { program: &'static str },
    #[error(transparent)]
    Program(#[from] SpawnError),
}

impl SandboxError {
    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::NotAbsolute { .. } => "give the full path".to_owned(),
            Self::Missing { path, .. } => {
                format!("create `{}` first: what does not exist can be neither opened nor protected", path.display())
            }
            Self::Symlink { real, .. } => {
                format!("use `{}` itself if you mean it; an agent may have created the link to escape", real.display())
            }
            Self::CannotHide { .. } => "install bubblewrap, or move it out of the folder".to_owned(),
            Self::NoLauncher => "this is a bug in Tribunal: please report it".to_owned(),
            Self::NoProgram { program } => format!("install `{program}`"),
            Self::Program(error) => error.hint(),
        }
    }
}
