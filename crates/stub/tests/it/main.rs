//! The server, spoken to over sockets by a client that knows nothing of its code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anthropic;
mod chat;
mod client;
mod faults;
mod gemini;
mod hostile;
mod program;
mod responses;
mod server;
