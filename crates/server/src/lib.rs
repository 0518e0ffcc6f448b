//! The server: what a person sees of runs, in a browser, and what programs ask over HTTP.
//!
//! It shows what the logs say and passes on what people want; it decides nothing. How runs are opened and driven is
//! the business of [`tribunal_app`].
//!
//! | to learn about | read |
//! |---|---|
//! | listening, and everything that is answered | [`server`] |
//! | connections: how many, and how long they may keep us waiting | `listen` |
//! | who may come in, how often, with how much | `gate` |
//! | the routes, and the `OpenAPI` document made from them | [`api`] |
//! | following logs, and telling readers | [`hub`] |
//! | drafts in a sandboxed frame, and the project's files that they show | `preview`, `files` |
//! | metrics, log lines and traces, as views of the logs | [`telemetry`] |
//! | the embedded page, and how answers are packed | `page`, `pack` |
//! | links that vote | `vote` |

pub mod api;
mod archive;
mod files;
mod gate;
pub mod hub;
mod listen;
mod pack;
mod page;
mod preview;
pub mod server;
pub mod telemetry;
mod vote;

pub use gate::token::Token;
pub use server::{Options, Server, StartError};

/// The `OpenAPI` document.
pub fn openapi() -> serde_json::Value {
    api::openapi::document()
}
