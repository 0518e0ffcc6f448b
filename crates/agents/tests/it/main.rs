//! Command lines: recorded output in, answers and errors out; and how they are called. Models behind HTTP, played by the
//! stub.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hostile;
mod http;
mod invocations;
mod recorded;
mod support;
