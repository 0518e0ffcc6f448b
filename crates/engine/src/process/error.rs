//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

/// Names the program as the caller wrote it. Arguments and environment are left out: they hold prompts and secrets.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("no program `{program}`{}", if program.contains('/') { "" } else { " on PATH" })]
    ProgramMissing { program: String },
    #[error("`{program}` cannot be executed: {source}")]
    NotExecutable { program: String, source: io::Error },
    #[error("`{program}` cannot start in `{}`: {source}", cwd.display())]
    CwdMissing { program: String, cwd: PathBuf, source: io::Error },
    #[error("the arguments or the environment of `{program}` are longer than the system allows")]
    TooLong { program: String },
    #[error("`{program}` did not start: {source}")]
    Other { program: String, source: io::Error },
}

impl SpawnError {
    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::ProgramMissing { program } if program.contains('/') => {
                format!("check the path `{program}`; a relative one is looked up in the working directory of the turn")
            }
            Self::ProgramMissing { program } => {
                format!("install `{program}`, add its directory to PATH, or configure its full path")
            }
            Self::NotExecutable { program, .. } => {
                format!("`chmod +x` it, check that the interpreter in its first line exists: `{program}`")
            }
            Self::CwdMissing { cwd, .. } => format!("create the directory `{}` or choose another one", cwd.display()),
            Self::TooLong { .. } => "pass the prompt on stdin instead of as an argument".to_owned(),
            Self::Other { source, .. } => match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
                Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => {
                    "too many open files: raise `ulimit -n` or run fewer turns at once".to_owned()
                }
                Some(rustix::io::Errno::AGAIN | rustix::io::Errno::NOMEM) => {
                    "out of processes or memory: raise `ulimit -u` or run fewer turns at once".to_owned()
                }
                _ => "try the same program by hand in the same directory".to_owned(),
            },
        }
    }
}
