//! As much of HTTP/1.1 as model clients speak, and limits on everything that they send.
//!
//! | file | noun |
//! |---|---|
//! | `head` | the lines before a body |
//! | `body` | a body of a known length or in chunks |
//! | `request` | a whole request, read from a connection in bounded time |
//! | `response` | what goes back, well or badly |

mod body;
mod head;
mod request;
mod response;

pub(crate) use head::Head;
pub(crate) use request::{Reader, Unread};
pub(crate) use response::{Body, Pace, Response, Sent};

use std::time::Duration;

/// What a client may send, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Bytes of the request line and all headers.
    pub head: usize,
    /// Headers in a request.
    pub headers: usize,
    /// Bytes of a body, chunk framing not counted.
    pub body: usize,
    /// How long a connection may be quiet between two requests.
    pub idle: Duration,
    /// How long a request may take from its first byte to its last.
    pub request: Duration,
    /// Connections at the same time. Further ones wait.
    pub connections: usize,
    /// Calls that are remembered. Older ones are forgotten, though they still count in the totals.
    pub calls: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            head: 64 << 10,
            headers: 128,
            body: 64 << 20,
            idle: Duration::from_secs(300),
            request: Duration::from_secs(30),
            connections: 1024,
            calls: 10_000,
        }
    }
}

/// Why a request cannot be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("the request line is not `METHOD TARGET HTTP/1.x`")]
    RequestLine,
    #[error("a header is not `name: value`")]
    Header,
    #[error("the head is longer than {0} bytes or has too many headers")]
    HeadTooLong(usize),
    #[error("Content-Length is not one number")]
    Length,
    #[error("both Content-Length and Transfer-Encoding, or an encoding that is not `chunked`")]
    Framing,
    #[error("a chunk does not begin with its size, or does not end where it should")]
    Chunk,
    #[error("the body is longer than {0} bytes")]
    BodyTooLong(usize),
    #[error("the request took longer than {}ms", .0.as_millis())]
    TooSlow(Duration),
}

impl Malformed {
    /// The status that says so.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::RequestLine | Self::Header | Self::Length | Self::Framing | Self::Chunk => 400,
            Self::TooSlow(_) => 408,
            Self::BodyTooLong(_) => 413,
            Self::HeadTooLong(_) => 431,
        }
    }
}
