//! Command lines: recorded output in, answers and errors out; and how they are called.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hostile;
mod invocations;
mod recorded;
mod support;
