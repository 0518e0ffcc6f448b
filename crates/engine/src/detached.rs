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
    kept: Option<KeptChild>,
}

impl Detached {
    /// Starts it, silent.
    pub fn start(program: &Path, args: impl IntoIterator<Item = OsString>) -> io::Result<Self> {
        let mut command = tokio::process::Command::new(program);
        command.args(args).process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (child, kept) = spawn_kept(&mut command)?;
        Ok(Self { child, kept: Some(kept) })
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

/// Nobody waits for it any more, and it is still not what some turn of ours has left behind: a browser that ends with us
/// would take it along.
impl Drop for Detached {
    fn drop(&mut self) {
        if self.is_running() {
            std::mem::forget(self.kept.take());
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::process::{self, Bounds, ProcessCommand};
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    const BOUNDS: Bounds = Bounds {
        idle: Duration::from_secs(10),
        total: Duration::from_secs(10),
        grace: Duration::ZERO,
        stdout: 4096,
        stderr_tail: 1024,
    };

    #[tokio::test]
    async fn a_turn_that_ends_later_does_not_take_it_along() {
        let detached = Detached::start(Path::new("sleep"), ["60".into()]).unwrap();
        let pid = detached.child.id().unwrap();
        drop(detached);
        let command = ProcessCommand { program: "/bin/true".into(), ..ProcessCommand::default() };
        process::run(command, &BOUNDS, &CancellationToken::new(), |_| {}).await.unwrap();
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let is_alive = status.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'));
        assert!(is_alive, "{status}");
        assert!(std::process::Command::new("kill").arg(pid.to_string()).status().unwrap().success());
    }
}
