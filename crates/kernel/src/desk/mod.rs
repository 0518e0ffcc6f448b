//! Loop 3, desk: a worker with a fresh context claims, a verifier with a fresh context checks.
//!
//! The files are the only memory, and whatever an agent wrote is read strictly where it moves the loop and kindly
//! everywhere else. Nothing here reads a file: texts come in, nouns come out.
//!
//! | file | noun |
//! |---|---|
//! | `prd`, `story`, `criteria` | the contract: stories and what has to be true of them |
//! | `test_spec`, `spec_reader`, `mapping` | the commands that prove it, and which of them proves what |
//! | `command`, `named_files` | what is a command, and which files it names |
//! | `memory` | what a worker leaves for the next one, and whether it wants to go on |
//! | `claim`, `verdict_file`, `fields` | what the worker claims and the verifier says, field by field |
//! | `receipt` | what the engine saw when it ran the commands itself |
//! | `counts`, `runners`, `junit` | how many tests ran, by what the runner said |
//! | `complaint` | errors that compare equal when they are the same |
//! | `markdown`, `plain` | lines that know what they are; output without colours |

mod claim;
mod command;
mod complaint;
mod counts;
mod criteria;
mod fields;
mod junit;
mod mapping;
mod markdown;
mod memory;
mod named_files;
mod plain;
mod prd;
mod receipt;
mod runners;
mod spec_reader;
mod story;
mod test_spec;
mod verdict_file;

pub use claim::Claim;
pub use complaint::{MAX_HEADLINE, headline, normalise};
pub use counts::{TestCounts, looks_like_tests, tests_run};
pub use fields::FileError;
pub use memory::{Memory, MemoryError, Section, StopStatus};
pub use prd::{Prd, PrdError};
pub use receipt::{Ended, Receipt, Receipts};
pub use story::{Story, StoryId};
pub use test_spec::{CRITERION, Check, Mapped, Noted, SpecError, TestSpec};
pub use verdict_file::{CriterionResult, Transition, VerdictFile, Word};
