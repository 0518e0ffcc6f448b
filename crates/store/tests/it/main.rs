//! The file store: the suite of every backend, and what only files can suffer.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod account;
mod conformance;
mod crash;
mod damage;
mod follow;
mod golden;
mod inbox;
mod lock;
mod support;
mod verify;
