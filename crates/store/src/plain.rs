//! Plain files: nobody waits for a pipe that lies in the place of one, and nothing else is taken for one.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// A file to read.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_as(OpenOptions::new().read(true), path)
}

/// The same, opened in another way.
pub(crate) fn open_as(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = options.custom_flags(nonblocking).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(file)
}

/// Everything in a file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::with_capacity(file.metadata().map_or(0, |found| usize::try_from(found.len()).unwrap_or(0)));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            assert!(open(path).is_err() && read(path).is_err(), "{}", path.display());
        }
        for options in [OpenOptions::new().read(true).write(true), OpenOptions::new().write(true)] {
            assert!(open_as(options, &pipe).is_err());
        }
        let file = folder.path().join("file");
        std::fs::write(&file, "bread").unwrap();
        assert_eq!(read(&file).unwrap(), b"bread");
        assert_eq!(open(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
