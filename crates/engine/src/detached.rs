//! A process that goes on when we do not: whoever started us may end us at any moment, and what we began for them stays.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::process::{KeptChild, spawn_kept};

/// A process with a group of its own and no terminal. Dropping this leaves it alone.
#[derive(Debug)]
pub struct Detached {
    child: tokio::process::Child,
    _kept: KeptChild,
}

impl Detached {
    /// Starts it, silent.
    pub fn start(program: &Path, args: impl IntoIterator<Item = OsString>) -> io::Result<Self> {
        let mut command = tokio::process::Command::new(program);
        command.args(args).process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (child, kept) = spawn_kept(&mut command)?;
        Ok(Self { child, _kept: kept })
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}
