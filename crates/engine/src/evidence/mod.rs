//! Evidence, collected: the measures of [`tribunal_kernel::evidence`], run on clean checkouts.
//!
//! | file | noun |
//! |---|---|
//! | `request` | what is to be shown, where it may be tried, and how long |
//! | `collector` | the measures, cheapest first |
//! | `check_home` | the home that checks have |
//! | `setup` | what checks need and git does not have, made once for every state of the lock files |
//! | `go_cache` | Go's standard library, built once for each toolchain |
//! | `kept` | what is made once and used by later runs, and removed when nobody does |
//! | `laid_out` | a checkout with its edits |
//! | `trial_trees` | all trees of a judgement |
//! | `needed_tests` | new files that given tests, or the work, cannot do without |
//! | `trial_run` | one command on one checkout, with its report |
//! | `canaries` | tests of ours, run beside the others |
//! | `control` | plain commands: scripts that are given, made to fail |
//! | `sabotage` | changed lines, broken one at a time |
//! | `claim` | the folder of one process, and what killed ones left |
//! | `seat` | the seat in a run that does all of this |
//!
//! # What holds
//! - Every tree is laid out by us from git, outside of the project, and everything given is put back before anything runs.
//! - A report is written to a folder of its own for every run, outside of the checkout, and read through no link.
//! - What a run of the work leaves in its checkout is not carried into another tree. Within one tree it is: the canaries and
//!   the mutants run where the given checks ran, so that nothing is built twice. The same holds for the home of a tree.
//! - The base runs first, and where it ran the work's tests run without the work: nothing of the work has run there before.
//! - Two trees run at the same time only where a sandbox keeps them apart, and what is red then is run again alone.
//!
//! # What does not hold
//! - The runner and the tested program are one process in most languages. A program that knows the names of given tests
//!   can make the runner lie about these and spare the canaries: in Python, Rust and Go that is found by given tests that
//!   are made to fail; elsewhere sabotage is not noticed by any check, which is reported.
//! - For `cargo test` and `go test` the report is their output, which the tested program can print to.
//! - A command that is not understood is known by its exit code, at the base and at the head. Whether that can be believed
//!   is tried with a given script that must fail; where it starts none, in a language that is known, nothing is.

mod canaries;
mod check_home;
mod claim;
mod collector;
mod control;
mod go_cache;
mod kept;
mod laid_out;
mod needed_tests;
mod request;
mod sabotage;
mod seat;
mod setup;
mod trial_run;
mod trial_trees;

pub use check_home::CheckHome;
pub(crate) use claim::FolderClaim;
pub use collector::EvidenceCollector;
pub use request::{EvidenceError, EvidenceLimits, EvidencePlace, EvidenceRequest};
pub use seat::EvidenceSeat;
pub use setup::ShowSetup;
