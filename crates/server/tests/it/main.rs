//! The server as browsers and programs see it, over a real socket.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod gate;
mod openapi;
mod reading;
mod streams;
mod support;
mod votes;
