//! The files of a review: what is written, what is kept, what is read back.
//!
//! `UPDATE_GOLDEN=1 cargo test` rewrites `testdata/review/two_iterations`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod keeping;
mod reading;
mod support;
mod writing;
