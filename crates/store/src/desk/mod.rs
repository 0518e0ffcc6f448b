//! The desk's files in the project: views of the log that people and other tools read.
//!
//! | file | noun |
//! |---|---|
//! | `files` | where the files lie |
//! | `view` | what follows the log: status, audit copies, evidence, sentinels, report |
//! | `clean` | the desk, ready for another run |
//!
//! Plans, prompts, memory and context are not views: they are what the loop works on.

mod clean;
mod files;
mod view;

pub use clean::clean;
pub use files::{DeskFiles, ROOTS};
pub use view::{is_behind, update};
