//! Process supervision: one agent turn is one child process, and nothing it started outlives it.
//!
//! | file | noun |
//! |---|---|
//! | `command` | what to start, and the bounds it runs in |
//! | `ended` | how a turn ended |
//! | `error` | why one could not start |
//! | `supervise` | [`run`]: start, talk, end, clean up |
//! | `dialogue` | [`converse`]: the same for a child that is talked with |
//! | `streams` | the three pipes of a child |
//! | `pipe` | bytes from one future to another, without waiting |
//! | `tail` | the end of an endless text |
//! | `roster` | which children belong to whom, so that nobody is reaped or killed by mistake |
//! | `table` | one reading of `/proc` (Linux) |
//! | `belonging` | who belongs to whom (Linux) |
//! | `survivors` | finding and ending what a turn left behind |
//!
//! # What holds (Linux)
//! - **Nothing survives.** When [`run`] returns, every process the turn started is dead and reaped: children in its
//!   group, children that called `setsid`, double-forked daemons, children that ignore TERM. This holds for plain exits
//!   too, and (from a background thread) when the future of [`run`] is dropped or `on_stdout` panics.
//! - **Nobody else is harmed.** A process is signalled only when it provably belongs to the turn, through a pidfd that
//!   was checked against the start time, so a reused pid is never hit. Concurrent turns do not see each other.
//! - **Time is bounded.** [`run`] returns at most `idle`, `total` or the cancellation, plus `grace`, plus
//!   [`KILL_LIMIT`] for what even KILL does not end. What is left then is counted in [`ProcessEnd::escaped`]. Leftovers of a
//!   plain exit have the same `grace`, which a cancellation does not cut short.
//! - **Memory is bounded.** One buffer a pipe and the stderr tail, whatever the child prints.
//! - **Only orphans are reaped**, never a child whose exit status somebody (tokio, std) waits for.
//!
//! # How
//! A turn's main process leads a process group and carries `TRIBUNAL_TURN=<unique>` in its environment. Tribunal is a
//! *child subreaper*: an orphan of a turn becomes our child instead of init's. So when the kernel says that we have no
//! children, nobody is left; that is one system call and the usual case. Otherwise one reading of `/proc`, shared by
//! all turns that end at the same time, tells who belongs to the turn: by group, by mark, by descent, or, for an orphan
//! without any of these, because no other live turn is old enough to have started it.
//!
//! # What does not hold
//! - **Work handed to somebody else's daemon** (`systemd-run`, `at`, `docker run`, a tmux server that was there before)
//!   is not our descendant. It is found only if that daemon passed the mark on and started it before the turn's end.
//! - **A daemon that also cleared its environment**, while other turns overlap, cannot be attributed. It is left alone
//!   until the last of the turns that may own it ends, and is ended then. It never outlives them all.
//! - **A different user** (a set-uid program) cannot be signalled unless we are root, and a process in uninterruptible
//!   sleep does not die: both are counted as escaped.
//! - **A deliberate fork race** outside of a process group of its own can outrun the readings of `/proc`. A pid
//!   namespace or a cgroup closes this and all of the above; the sandbox uses one where it can.
//! - **Tribunal killed with KILL** cannot clean up, nor can one that exits right after dropping a turn's future;
//!   [`reap_marked`] does it on resume.
//! - A turn is in our session: it may open `/dev/tty`, though reading from it only stops it.
//! - Children of Tribunal that are not turns must either stay in Tribunal's own process group (the default of
//!   `ProcessCommand`) or be started with [`spawn_kept`]. Otherwise they look exactly like an orphan.
//! - Orphans that die during a turn stay in the process table as zombies until the next end of a turn.
//! - As pid 1 of a container, orphans of `docker exec` sessions reach us too and look like a turn's.
//! - **Without `/proc`, and on other unixes**, only the process group is ended.

mod awake;
mod command;
mod dialogue;
mod ended;
mod error;
mod pipe;
mod roster;
mod streams;
mod supervise;
mod tail;

#[cfg(target_os = "linux")]
mod belonging;
#[cfg(target_os = "linux")]
mod survivors;
#[cfg(target_os = "linux")]
mod table;

#[cfg(not(target_os = "linux"))]
#[path = "survivors_portable.rs"]
mod survivors;

use std::time::Duration;

pub(crate) use awake::AwakeWatch;
pub use command::{Bounds, ProcessCommand, TURN_MARK};
pub use dialogue::converse;
pub use ended::{ChildExit, How, ProcessEnd};
pub use error::SpawnError;
pub use pipe::{Incoming, Outgoing};
pub use roster::{KeptChild, spawn_kept};
pub(crate) use supervise::after;
pub use supervise::run;
pub use survivors::reap_marked;

/// How long something that was sent KILL may take to disappear. Only uninterruptible sleep (a dead network mount) and
/// lack of permission take longer, and neither gets better by waiting.
pub const KILL_LIMIT: Duration = Duration::from_secs(5);
