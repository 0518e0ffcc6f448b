//! What lasts: the log of a run, its blobs, and what is derived from them.
//!
//! The log is the only truth; an event is durable before it is believed, and a blob before it is cited.
//!
//! | to learn about | read |
//! |---|---|
//! | the interface of a backend, and its tests | [`backend`], [`conformance`] |
//! | everything in files | [`files`], [`log`], [`blobs`], [`layout`] |
//! | whether everything stored is intact | [`verify`] |
//! | requests to a run that another process drives | [`inbox`] |
//! | what people are asked and what they answer | [`answers`] |
//! | what runs that share a limit hold of it | [`account`] |
//! | what a theater leaves: artifacts and transcript | [`artifacts`] |
//! | whose turn it is, if many want to run | [`queue`] |
//! | where a server of this project answers | [`server_file`] |
//! | how well agents keep to the protocol | [`grades`] |
//! | files that are replaced as a whole | [`atomic`] |

pub mod account;
pub mod answers;
pub mod artifacts;
pub mod atomic;
pub mod backend;
pub mod blobs;
mod clock;
pub mod conformance;
pub mod desk;
mod dir;
pub mod error;
pub mod files;
pub mod grades;
pub mod inbox;
pub mod index;
pub mod layout;
pub mod log;
mod project;
pub mod queue;
pub mod server_file;
pub mod verify;
pub mod workspace;

pub use account::Account;
pub use backend::{Backend, Holder, LogWriter, OpenedLog, Torn};
pub use error::{Damage, StoreError};
pub use files::FileBackend;
pub use layout::Layout;
pub use log::follow::Follower;
