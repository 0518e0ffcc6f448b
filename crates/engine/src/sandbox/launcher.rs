//! The program that confines itself and then becomes another one.
//!
//! Between `fork` and `exec` nothing safe can be done, so it is done by a program of its own, which is Tribunal itself:
//! `tribunal confine --write PATH … -- PROGRAM ARGS`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use super::{landlock, syscalls};

/// The first argument of a launcher: the name of its hidden command.
pub const CONFINE: &str = "confine";

/// What the launcher is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Orders {
    pub(super) write: Vec<PathBuf>,
    pub(super) read: Vec<PathBuf>,
    pub(super) hide: Vec<PathBuf>,
    pub(super) offline: bool,
    /// There are no namespaces around: system calls are filtered, too.
    pub(super) alone: bool,
    /// Modes and owners stay as they are, everywhere.
    pub(super) keep_modes: bool,
}

impl Orders {
    /// Everything between the launcher and the program.
    pub(super) fn to_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![CONFINE.into()];
        for (flag, paths) in [("--write", &self.write), ("--read", &self.read), ("--hide", &self.hide)] {
            args.extend(paths.iter().flat_map(|path| [flag.into(), path.into()]));
        }
        for (flag, is_set) in [("--offline", self.offline), ("--alone", self.alone), ("--keep-modes", self.keep_modes)]
        {
            args.extend(is_set.then(|| flag.into()));
        }
        args.push("--".into());
        args
    }

    /// Reads what follows [`CONFINE`], up to and with `--`.
    fn from_args(args: &mut impl Iterator<Item = OsString>) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let mut orders = Self::default();
        loop {
            let flag = args.next().ok_or_else(|| invalid("`--` and a program are missing".to_owned()))?;
            let paths = match flag.to_str() {
                Some("--") => return Ok(orders),
                Some("--write") => &mut orders.write,
                Some("--read") => &mut orders.read,
                Some("--hide") => &mut orders.hide,
                Some("--offline") => {
                    orders.offline = true;
                    continue;
                }
                Some("--alone") => {
                    orders.alone = true;
                    continue;
                }
                Some("--keep-modes") => {
                    orders.keep_modes = true;
                    continue;
                }
                _ => return Err(invalid(format!("what does {} mean?", flag.display()))),
            };
            paths.push(args.next().ok_or_else(|| invalid(format!("{}: which path?", flag.display())))?.into());
        }
    }
}

/// Confines this process as the arguments after [`CONFINE`] say and becomes the program that they name. Comes back only
/// when that fails, and then nothing was started.
///
/// To be called from the main thread before there is another one: what is confined is the calling thread.
pub fn enter_and_exec(args: impl IntoIterator<Item = OsString>) -> io::Error {
    let mut args = args.into_iter();
    let entered = Orders::from_args(&mut args).and_then(|orders| {
        landlock::enter(&orders)?;
        if orders.alone { syscalls::forbid(orders.offline, orders.keep_modes) } else { Ok(()) }
    });
    if let Err(error) = entered {
        return error;
    }
    let Some(program) = args.next() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "which program?");
    };
    let error = Command::new(&program).args(args).exec();
    io::Error::new(error.kind(), format!("`{}`: {error}", OsStr::new(&program).display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_were_written() {
        let orders = Orders {
            write: vec!["/a".into(), "--odd".into()],
            read: vec!["/c".into()],
            hide: vec!["/d e".into()],
            offline: true,
            alone: true,
            keep_modes: false,
        };
        let mut args = orders.to_args().into_iter().chain(["sh".into()]).skip(1);
        assert_eq!(Orders::from_args(&mut args).unwrap(), orders);
        assert_eq!(args.next(), Some("sh".into()));
    }

    #[test]
    fn nonsense_is_refused_before_anything_is_confined() {
        for (name, args) in [("nothing", &[] as &[&str]), ("unknown", &["--what", "--"]), ("no path", &["--write"])] {
            let error = enter_and_exec(args.iter().map(OsString::from));
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name}: {error}");
        }
    }
}
