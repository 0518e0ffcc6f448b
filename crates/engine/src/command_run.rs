//! A command run: a command that proves something, in a sandbox, and what was seen of it.

use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

use crate::process::{self, Bounds, ChildExit, How};
use crate::sandbox::{Confinement, Sandbox, SandboxError};

/// The most that is kept of a command's output.
const MOST_OUTPUT: u64 = 8 << 20;
/// What is kept of its stderr.
const STDERR_TAIL: usize = 4096;

/// A command, and where it runs.
#[derive(Debug, Clone)]
pub(crate) struct CommandRun {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: PathBuf,
    pub(crate) stdin: Vec<u8>,
    pub(crate) patience: Duration,
    pub(crate) grace: Duration,
    pub(crate) confinement: Confinement,
}

/// What was seen of it.
#[derive(Debug, Clone)]
pub(crate) struct CommandSeen {
    pub(crate) argv: Vec<String>,
    pub(crate) exit: Option<i32>,
    pub(crate) how: How,
    pub(crate) output: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
}

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("a command without a program")]
    NoProgram,
    #[error("{command}: {source}")]
    Sandbox { command: String, source: SandboxError },
    #[error("{command}: {source}")]
    Spawn { command: String, source: process::SpawnError },
}

impl CommandRun {
    /// Runs it. That it fails is something that was seen, not an error.
    pub(crate) async fn run(self, sandbox: &Sandbox) -> Result<CommandSeen, CommandError> {
        let (program, args) = self.argv.split_first().ok_or(CommandError::NoProgram)?;
        let told = || self.argv.join(" ");
        let command = process::ProcessCommand {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            env: self.env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            cwd: Some(self.cwd.clone()),
            stdin: self.stdin.clone(),
        };
        let command = sandbox
            .confine(command, &self.confinement)
            .map_err(|source| CommandError::Sandbox { command: told(), source })?;
        let bounds = Bounds {
            idle: self.patience,
            total: self.patience,
            grace: self.grace,
            stdout: MOST_OUTPUT,
            stderr_tail: STDERR_TAIL,
        };
        let mut output = Vec::new();
        let never = CancellationToken::new();
        let ended = process::run(command, &bounds, &never, |bytes| output.extend_from_slice(bytes)).await;
        let ended = ended.map_err(|source| CommandError::Spawn { command: told(), source })?;
        let exit = match ended.exit {
            Some(ChildExit::Code(code)) => Some(code),
            Some(ChildExit::Signal(_)) | None => None,
        };
        Ok(CommandSeen {
            exit,
            how: ended.how,
            output,
            stderr: ended.stderr_tail,
            elapsed: ended.elapsed,
            argv: self.argv,
        })
    }
}

impl CommandSeen {
    /// Whether it says that all is well.
    pub(crate) fn has_passed(&self) -> bool {
        self.how == How::Exited && self.exit == Some(0)
    }
}

/// The end of a text, of at most so many characters.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    let from = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[from..]
}
