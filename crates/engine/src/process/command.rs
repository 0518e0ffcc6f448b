//! What to start, and the bounds it runs in.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::io::Errno;

use super::error::SpawnError;

/// The environment variable by which a turn's processes are known. Its value must be unique among all turns of all
/// Tribunals on the machine; a [`ProcessCommand`] without it gets one.
pub const TURN_MARK: &str = "TRIBUNAL_TURN";

/// What the C library searches when there is no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// One child process to be.
#[derive(Clone, Default)]
pub struct ProcessCommand {
    /// A name is looked up on the PATH in `env`; a relative path is looked up in `cwd`.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Complete: nothing is inherited from Tribunal's own environment.
    pub env: Vec<(OsString, OsString)>,
    pub cwd: Option<PathBuf>,
    /// Written while the output is read; then stdin is closed.
    pub stdin: Vec<u8>,
}

/// How long and how much. Every limit ends the turn; none is advisory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// No output on stdout or stderr for this long.
    pub idle: Duration,
    /// From start to exit.
    pub total: Duration,
    /// Between TERM and KILL.
    pub grace: Duration,
    /// Bytes of stdout.
    pub stdout: u64,
    /// Bytes of stderr that are kept.
    pub stderr_tail: usize,
}

/// Without values: arguments, environment and stdin hold prompts and secrets.
impl fmt::Debug for ProcessCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessCommand")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.iter().map(|(key, _)| key).collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .field("stdin", &self.stdin.len())
            .finish()
    }
}

impl ProcessCommand {
    fn var(&self, key: &str) -> Option<&OsStr> {
        self.env.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_os_str())
    }

    /// The turn's mark as it will stand in `/proc/PID/environ`. Adds one where the caller gave none, because without
    /// it a child that calls `setsid` could not be told from another turn's.
    pub(super) fn mark(&mut self) -> Vec<u8> {
        if self.var(TURN_MARK).is_none_or(OsStr::is_empty) {
            self.env.push((TURN_MARK.into(), unique().into()));
        }
        let value = self.var(TURN_MARK).unwrap_or_default();
        [TURN_MARK.as_bytes(), b"=", value.as_bytes()].concat()
    }

    /// Ready to spawn, except for stdin, which is written later.
    ///
    /// The program is looked up here and not by `exec`: only with a path can std use `posix_spawn` although PATH is
    /// set, which costs microseconds where a fork of a large server costs milliseconds.
    pub(super) fn prepare(&self) -> Result<tokio::process::Command, SpawnError> {
        let path = self.resolve().map_err(|error| self.explain(error))?;
        let mut command = tokio::process::Command::new(path);
        command
            .arg0(&self.program)
            .args(&self.args)
            .env_clear()
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }

    /// The file that will be executed.
    pub(crate) fn resolve(&self) -> io::Result<PathBuf> {
        if self.program.is_empty() {
            return Err(Errno::NOENT.into());
        }
        let here = self.cwd.as_deref().unwrap_or(Path::new(""));
        if self.program.as_bytes().contains(&b'/') {
            return std::path::absolute(here.join(&self.program));
        }
        let mut verdict = Errno::NOENT;
        for directory in std::env::split_paths(self.var("PATH").unwrap_or(OsStr::new(DEFAULT_PATH))) {
            let candidate = here.join(directory).join(&self.program);
            if !candidate.is_file() {
                continue;
            }
            match rustix::fs::access(&candidate, rustix::fs::Access::EXEC_OK) {
                Ok(()) => return std::path::absolute(candidate),
                Err(error) => verdict = error, // go on as a shell does, but remember that there was something
            }
        }
        Err(verdict.into())
    }

    /// The same, if it can be executed: for those who start something else that starts it.
    pub(crate) fn executable(&self) -> io::Result<PathBuf> {
        let path = self.resolve()?;
        rustix::fs::access(&path, rustix::fs::Access::EXEC_OK)?;
        Ok(path)
    }

    /// Turns the bare error of a spawn into what is wrong: ENOENT alone may mean the directory, the program, or the
    /// interpreter in the program's first line.
    pub(crate) fn explain(&self, source: io::Error) -> SpawnError {
        let program = self.program.to_string_lossy().into_owned();
        if let Some(cwd) = &self.cwd
            && let Err(source) = usable(cwd)
        {
            return SpawnError::CwdMissing { program, cwd: cwd.clone(), source };
        }
        match source.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOENT | Errno::NOTDIR) if !self.resolve().is_ok_and(|path| path.exists()) => {
                SpawnError::ProgramMissing { program }
            }
            Some(Errno::NOENT | Errno::ACCESS | Errno::PERM | Errno::NOEXEC | Errno::ISDIR | Errno::TXTBSY) => {
                SpawnError::NotExecutable { program, source }
            }
            Some(Errno::TOOBIG) => SpawnError::TooLong { program },
            _ => SpawnError::Other { program, source },
        }
    }
}

fn usable(directory: &Path) -> io::Result<()> {
    if !directory.metadata()?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(rustix::fs::access(directory, rustix::fs::Access::EXEC_OK)?)
}

fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{now}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn command(program: &str, path: &Path) -> ProcessCommand {
        ProcessCommand { program: program.into(), env: vec![("PATH".into(), path.into())], ..ProcessCommand::default() }
    }

    #[test]
    fn a_name_is_looked_up_on_the_childs_path_and_a_path_in_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        fs::write(&tool, "#!/bin/sh\n").unwrap();
        let denied = command("tool", dir.path()).resolve().unwrap_err();
        assert_eq!(denied.kind(), io::ErrorKind::PermissionDenied);

        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(command("tool", dir.path()).resolve().unwrap(), tool);
        assert!(command("tool", Path::new("/nowhere")).resolve().is_err());

        let mut relative = command("./tool", Path::new("/nowhere"));
        relative.cwd = Some(dir.path().into());
        assert_eq!(relative.resolve().unwrap(), tool);
    }

    #[test]
    fn the_callers_mark_is_kept_and_a_missing_one_is_made() {
        let mut marked = command("true", Path::new("/bin"));
        marked.env.push((TURN_MARK.into(), "seven".into()));
        assert_eq!(marked.mark(), b"TRIBUNAL_TURN=seven");
        assert_eq!(marked.env.len(), 2);

        let (mut one, mut other) = (command("true", Path::new("/bin")), command("true", Path::new("/bin")));
        assert_ne!(one.mark(), other.mark());
        assert_eq!(one.mark(), one.mark());
    }

    #[test]
    fn debug_shows_no_values() {
        let mut secret = command("agent", Path::new("/bin"));
        secret.env.push(("KEY".into(), "hunter2".into()));
        secret.args.push("hunter2".into());
        secret.stdin = b"hunter2".to_vec();
        let shown = format!("{secret:?}");
        assert!(shown.contains("KEY") && !shown.contains("hunter2"), "{shown}");
    }
}
