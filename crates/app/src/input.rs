//! What comes from outside, and its limits: texts that are too long to be meant, paths that lead out of the project.

use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tribunal_agents::hidden::is_hidden;

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

/// For so long it is waited for somebody who writes into a pipe that is given as a file.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The text of a file that somebody names, of at most so many bytes. A pipe is read as long as somebody writes into it,
/// and never waited for without end.
pub fn read_text(path: &Path, most: usize) -> io::Result<String> {
    read_within(path, most, PATIENCE)
}

fn read_within(path: &Path, most: usize, patience: Duration) -> io::Result<String> {
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut file = File::options().read(true).custom_flags(nonblocking).open(path)?;
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
    let mut heard = Instant::now();
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                bytes.extend_from_slice(&chunk[..read]);
                heard = Instant::now();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && heard.elapsed() < patience => {
                thread::sleep(BETWEEN_LOOKS);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let why = format!("it is a pipe, and nobody wrote to it for {} s", patience.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(error) => return Err(error),
        }
        if bytes.len() > most {
            let why = format!("it has more than {most} bytes, which is the limit");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

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
        let hidden =
            || AppError::forbidden(message("keys, and the folders of git and tribunal, are not to be read"), hint);
        // There or not.
        if self.is_hidden(&self.root.join(name)) {
            return Err(hidden());
        }
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
        // `notes.md` may be a link to `.env`.
        if self.is_hidden(&path) {
            return Err(hidden());
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

    /// Whether something on the way from the project to the file is nobody's to read from outside.
    fn is_hidden(&self, path: &Path) -> bool {
        // The work of some projects lies in a hidden folder of another: that is not what is asked about.
        let inside = path.strip_prefix(&self.workspace).or_else(|_| path.strip_prefix(&self.root)).unwrap_or(path);
        inside.iter().any(|part| is_hidden(&part.to_string_lossy()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whatever_it_is_and_never_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert_eq!(read_text(&pipe, 10).unwrap(), "", "nobody writes");
        let file = folder.path().join("brief.md");
        std::fs::write(&file, "Bread.").unwrap();
        assert_eq!(read_text(&file, 6).unwrap(), "Bread.");
        assert_eq!(read_text(&file, 5).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_text(Path::new("/dev/zero"), 5).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read_text(folder.path(), 5).is_err(), "a folder");
        assert_eq!(read_text(&folder.path().join("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file, 5).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // One who holds it open and says nothing; then one who writes.
        let silent = File::options().read(true).write(true).open(&pipe).unwrap();
        let error = read_within(&pipe, 10, Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                io::Write::write_all(&mut &silent, b"Bread.").unwrap();
                drop(silent);
            });
            assert_eq!(read_text(&pipe, 10).unwrap(), "Bread.");
        });
    }
}
