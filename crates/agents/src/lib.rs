//! Agents: whatever takes a turn.
//!
//! An adapter says what to start for a turn and reads what comes back; it never starts anything itself (only the
//! engine spawns processes), so every adapter can be tested with recorded output. Agents that need no process answer
//! directly ([`Native`]).
//!
//! | file | noun |
//! |---|---|
//! | `request` | one turn as an agent sees it |
//! | `attached` | a file that goes along with a turn: what is attached to the brief |
//! | `adapter` | the three ways to be an agent, and the stream that comes back |
//! | `environment` | which variables an agent gets to see |
//! | `usage` | finding `{"usage": …}` in an answer |
//! | `command` | `kind = "command"`: any program, prompt on stdin, answer on stdout |
//! | `cli/` | `kind = "claude"` and its like: command lines that speak JSON |
//! | `http/` | `kind = "http"`: a model behind HTTP |
//! | `acp/` | `kind = "acp"`: programs that speak the Agent Client Protocol |
//! | `hidden` | names of files that are nobody's to read |
//! | `house` | agents that are built in and measure |
//! | `error` | why a turn brought no answer |
//! | `fault` | what a provider said instead of an answer, and what it means |
//! | `limit` | "not now" in the words of providers |
//! | `resumption` | when a provider takes requests again, as it says it |

pub mod acp;
pub mod adapter;
pub mod attached;
pub mod cli;
pub mod command;
pub mod environment;
pub mod error;
mod fault;
pub mod hidden;
pub mod house;
pub mod http;
mod limit;
pub mod request;
pub mod resumption;
pub mod usage;

pub use acp::Acp;
pub use adapter::{
    Activity, Adapter, Agent, Answer, Answering, Dialogue, Invocation, Native, Pipes, ProcessExit, Reader, Show,
};
pub use attached::AttachedFile;
pub use cli::{AdapterStatus, Cli, StateHome, Traces, Vendor, Version};
pub use command::CommandAgent;
pub use environment::Environment;
pub use error::AgentError;
pub use http::Http;
pub use request::TurnRequest;
pub use resumption::Resumption;
