//! The browser eye: the user's Chrome or Chromium, headless, over the debugging pipe.
//!
//! | file | noun |
//! |---|---|
//! | `program` | which browser there is, and how it is started |
//! | `site` | the project as the only site that the browser can reach |
//! | `wire` | messages over the pipe, each ended by a NUL |
//! | `visit` | one page, from its address to its snapshots |
//! | `picture` | the pixels of a page |
//! | `look` | many pages with one browser, and another one when it dies |
//! | `kept` | the browser of this process, for whoever needs one now and again |
//! | `error` | why a page was not seen |
//!
//! # What holds
//! - **Nothing but the project is read, and nothing leaves the machine.** Every request is answered by us from files
//!   inside of the root, or refused. The browser's own network leads nowhere: no name resolves, and the proxy is dead.
//! - **Nothing survives.** The browser is a turn like any other, see [`crate::process`]: however it ends, all of its
//!   processes are ended, and its profile is a temporary folder that is removed;
//!   by the next start, where we were killed.
//! - **Time and memory are bounded**, by the limits below. A page that hangs costs its own time and the browser, and
//!   the next page gets a fresh one.

mod error;
mod kept;
mod look;
mod picture;
mod program;
mod site;
mod visit;
mod wire;

use std::io;
use std::time::Duration;

pub use error::LookError;
pub use kept::{KeptBrowser, close_kept};
pub use look::{Lookout, PageVisit, VisitSeen, Window};
pub use program::BrowserProgram;
pub use site::Site;

use crate::temporary::{FolderUse, TemporaryFolder, clear_left_over};

/// How long a browser may take until it answers for the first time.
pub const START_LIMIT: Duration = Duration::from_secs(30);
/// How long one page may take in all its windows, from the first request to the last snapshot.
pub const PAGE_LIMIT: Duration = Duration::from_secs(30);
/// How long a page may load. Files are near, so whatever takes longer waits for something that will never come.
pub const LOAD_LIMIT: Duration = Duration::from_secs(10);
/// What a page has after its load, for scripts that write it and for pictures and letters that come late.
pub const SETTLING: Duration = Duration::from_millis(150);
/// One message of the browser: the snapshot of a page of a million nodes stays below.
pub const MESSAGE_LIMIT: usize = 192 << 20;
/// Everything that one browser may say before another one takes its place.
pub const TALK_LIMIT: u64 = 8 << 30;
/// One file that a page asks for.
pub const FILE_LIMIT: u64 = 32 << 20;
/// Files that one page may ask for.
pub const REQUEST_LIMIT: usize = 2000;
/// Pictures of a page end here, in both directions: a browser paints no more at once.
pub const PICTURE_LIMIT: u32 = 16_000;
/// How long a browser is kept that nobody asks anything.
pub const REST_LIMIT: Duration = Duration::from_secs(30);
/// How long one browser is kept at all.
pub const KEPT_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Controls whose focus is looked at in one page.
pub const CONTROL_LIMIT: usize = 2000;

/// The browser's own folder: its settings, its caches and its home. What killed ones left of theirs is cleared away first.
fn profile() -> io::Result<TemporaryFolder> {
    clear_left_over();
    TemporaryFolder::make(FolderUse::Browser)
}
