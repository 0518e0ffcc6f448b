//! How a turn ended.

use std::process::ExitStatus;
use std::time::Duration;

/// What is known about a turn that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    pub how: How,
    /// The main process's own end. `None` when it was never started (cancelled before) or could not be ended.
    pub exit: Option<ChildExit>,
    /// The last bytes of stderr, at most `Bounds::stderr_tail` of them before invalid UTF-8 is replaced.
    pub stderr_tail: String,
    /// Bytes that `on_stdout` was given; never more than `Bounds::stdout`.
    pub stdout_bytes: u64,
    /// From the start until the main process was gone.
    pub elapsed: Duration,
    /// Processes that were still there after the main one was gone, and had to be ended.
    pub leftovers: u32,
    /// Processes that could not be ended: another user's, or in uninterruptible sleep. Almost always 0.
    pub escaped: u32,
}

/// Who ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// The main process ended by itself, well or badly: see [`ProcessEnd::exit`].
    Exited,
    /// It printed nothing for `Bounds::idle`.
    Silent,
    /// It took longer than `Bounds::total`.
    Overtime,
    /// It printed more than `Bounds::stdout`; what was delivered is cut off at the bound.
    TooMuchOutput,
    /// The caller's token was cancelled.
    Cancelled,
}

/// How the main process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChildExit {
    Code(i32),
    Signal(i32),
}

impl ChildExit {
    pub(super) fn of(status: ExitStatus) -> Option<Self> {
        use std::os::unix::process::ExitStatusExt;
        status.code().map(ChildExit::Code).or_else(|| status.signal().map(ChildExit::Signal))
    }
}
