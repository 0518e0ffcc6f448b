//! What goes back, well or badly.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::{Head, Reader};

/// How often a slow answer moves on.
const SLOW_STEP: Duration = Duration::from_millis(50);

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    /// Beside those about the body.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
    pub(crate) pace: Pace,
}

/// What is sent.
#[derive(Debug)]
pub(crate) enum Body {
    Whole(Vec<u8>),
    /// One chunk each.
    Chunks(Vec<Vec<u8>>),
}

/// How the body is sent. Bytes are those of the body, without the framing of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Well,
    /// The connection is closed after so many bytes.
    CutAt(usize),
    /// Nothing more is sent after so many bytes.
    HangAt(usize),
    BytesPerSecond(u64),
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Sent {
    Whole,
    /// The connection must not be used any more.
    Broken,
}

impl Response {
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        let body = Body::Whole(value.to_string().into_bytes());
        Self { status, content_type: "application/json", headers: Vec::new(), body, pace: Pace::Well }
    }

    /// Sends it as the answer to `head`.
    pub(crate) async fn send(self, stream: &mut TcpStream, head: &Head) -> io::Result<Sent> {
        let is_chunked = matches!(self.body, Body::Chunks(_)) && !head.is_old;
        // HTTP/1.0 sees the end of a stream in the end of the connection.
        let is_last = !head.keeps_alive() || (matches!(self.body, Body::Chunks(_)) && head.is_old);
        let mut text = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let _ = write!(text, "content-type: {}\r\n", self.content_type);
        match &self.body {
            Body::Whole(body) => drop(write!(text, "content-length: {}\r\n", body.len())),
            Body::Chunks(_) if is_chunked => text.push_str("transfer-encoding: chunked\r\ncache-control: no-cache\r\n"),
            Body::Chunks(_) => {}
        }
        for (name, value) in &self.headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text.push_str(if is_last { "connection: close\r\n\r\n" } else { "connection: keep-alive\r\n\r\n" });
        stream.write_all(text.as_bytes()).await?;
        if head.method == "HEAD" {
            return Ok(if is_last { Sent::Broken } else { Sent::Whole });
        }
        let mut paced = Paced { stream, pace: self.pace, sent: 0 };
        let pieces = match self.body {
            Body::Whole(body) => vec![body],
            Body::Chunks(chunks) => chunks,
        };
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            if is_chunked {
                paced.stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
            }
            if paced.write(piece).await? == Sent::Broken {
                return Ok(Sent::Broken);
            }
            if is_chunked {
                paced.stream.write_all(b"\r\n").await?;
            }
        }
        if is_chunked {
            paced.stream.write_all(b"0\r\n\r\n").await?;
        }
        paced.stream.flush().await?;
        Ok(if is_last { Sent::Broken } else { Sent::Whole })
    }
}

/// Sends a body and counts.
struct Paced<'s> {
    stream: &'s mut TcpStream,
    pace: Pace,
    sent: usize,
}

impl Paced<'_> {
    async fn write(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        match self.pace {
            Pace::Well => self.stream.write_all(bytes).await?,
            Pace::CutAt(limit) | Pace::HangAt(limit) => {
                let count = bytes.len().min(limit.saturating_sub(self.sent));
                self.stream.write_all(&bytes[..count]).await?;
                self.stream.flush().await?;
                if count < bytes.len() || self.sent + count == limit {
                    if matches!(self.pace, Pace::HangAt(_)) {
                        Reader::until_gone(self.stream).await;
                    }
                    return Ok(Sent::Broken);
                }
            }
            Pace::BytesPerSecond(rate) => {
                let step = rate.max(1) * u64::try_from(SLOW_STEP.as_millis()).unwrap_or(u64::MAX) / 1000;
                let step = usize::try_from(step.max(1)).unwrap_or(usize::MAX);
                for piece in bytes.chunks(step) {
                    self.stream.write_all(piece).await?;
                    self.stream.flush().await?;
                    let seconds = piece.len() as f64 / rate.max(1) as f64;
                    sleep(Duration::from_secs_f64(seconds)).await;
                }
            }
        }
        self.sent += bytes.len();
        Ok(Sent::Whole)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Unknown",
    }
}
