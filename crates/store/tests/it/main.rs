//! The file store: the suite of every backend, and what only files can suffer.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod conformance;
mod crash;
mod damage;
mod golden;
mod inbox;
mod lock;
mod support;
mod verify;
