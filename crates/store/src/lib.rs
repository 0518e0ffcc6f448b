//! What lasts: the log of a run, its blobs, and what is derived from them.
//!
//! The log is the only truth; an event is durable before it is believed, and a blob before it is cited.
//!
//! | to learn about | read |
//! |---|---|
//! | the interface of a backend, and its tests | [`backend`], [`conformance`] |
//! | the same for code that may wait | [`blocking`] |
//! | whether everything stored is intact | [`verify`] |
//! | views of a run: artifacts, the workspace of reviews, a desk | [`artifacts`], [`workspace`], [`desk`] |
//! | files that are replaced as a whole | [`atomic`] |
//! | the file backend | [`files`], and what it is made of: [`layout`], [`log`], `blobs`, [`inbox`], `answers`, [`account`], `queue`, `server_file`, `grades`, `live_file`, `ignore_file` |

pub mod account;
mod answers;
pub mod artifacts;
pub mod atomic;
pub mod backend;
mod blobs;
pub mod blocking;
mod clock;
pub mod conformance;
pub mod desk;
mod dir;
pub mod error;
pub mod files;
mod grades;
mod ignore_file;
pub mod inbox;
pub mod index;
mod kept;
pub mod layout;
mod live_file;
pub mod log;
mod plain;
mod project;
mod queue;
mod server_file;
mod stops;
pub mod verify;
mod votes;
pub mod workspace;

pub use account::Account;
pub use backend::{Backend, Holder, LogWriter, OpenedLog, Torn};
pub use blocking::BlockingBackend;
pub use clock::new_id;
pub use dir::{relative, remove_tree};
pub use error::{Damage, StoreError};
pub use files::FileBackend;
pub use layout::{FOLDER, Layout};
pub use log::follow::Follower;
