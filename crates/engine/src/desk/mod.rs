//! What the leader does itself at a desk: looking at files, running checks, places to work in.
//!
//! | file | noun |
//! |---|---|
//! | `folder` | everything that belongs to one campaign: files, trees, sandbox |
//! | `seat` | the desk's own seat: survey, checks, taking work back |
//! | `worker` | where the worker works |
//! | `handover` | what a worker left beside its commit |
//! | `verifier` | where the verifier looks |
//!
//! The files of the desk lie in the user's project and are the loop's memory. An agent never works on them: it finds
//! copies where it works, and what it wrote there is read when it has gone, by us, without following a link. So it can
//! change neither the plans nor the sentinels, whatever the sandbox is worth.

mod folder;
mod handover;
mod seat;
mod verifier;
mod worker;

pub use folder::{DeskFolder, DeskOptions};
pub use seat::DeskSeat;
pub use verifier::VerifierPlace;
pub use worker::WorkerPlace;
