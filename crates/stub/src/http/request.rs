//! A whole request, read from a connection in bounded time.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use super::body::Incoming;
use super::head::Head;
use super::{HttpLimits, Malformed};

/// Bytes that are read at once.
const READ: usize = 16 << 10;

/// The reading half of a connection: what has come and is not used yet.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    unused: Vec<u8>,
}

/// Why there is no request.
#[derive(Debug)]
pub(crate) enum Unread {
    /// The client closed the connection, or was quiet for too long between requests.
    Gone,
    /// It must be told, with what was understood of the head.
    Malformed(Malformed, Option<Head>),
}

impl From<io::Error> for Unread {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl Reader {
    /// The next request.
    pub(crate) async fn next(
        &mut self,
        stream: &mut TcpStream,
        limits: &HttpLimits,
    ) -> Result<(Head, Vec<u8>), Unread> {
        if self.unused.is_empty() {
            self.fill(stream, limits.idle).await.map_err(|_| Unread::Gone)?;
        }
        let deadline = Instant::now() + limits.request;
        let slow = Malformed::TooSlow(limits.request);
        let head = timeout_at(deadline, self.head(stream, limits)).await;
        let head = head.unwrap_or(Err(Unread::Malformed(slow, None)))?;
        match timeout_at(deadline, self.body(stream, &head, limits)).await {
            Ok(Ok(body)) => Ok((head, body)),
            Ok(Err(Unread::Malformed(malformed, _))) => Err(Unread::Malformed(malformed, Some(head))),
            Ok(Err(Unread::Gone)) => Err(Unread::Gone),
            Err(_) => Err(Unread::Malformed(slow, Some(head))),
        }
    }

    /// Waits until the client closes the connection. What it sends meanwhile is thrown away.
    pub(crate) async fn until_gone(stream: &mut TcpStream) {
        let mut scratch = [0; 1024];
        while stream.read(&mut scratch).await.is_ok_and(|count| 0 < count) {}
    }

    /// Reads away what the client still sends, for a moment: closing a socket with unread bytes in it would reset the
    /// connection, and the client would never see the answer.
    pub(crate) async fn drain(stream: &mut TcpStream, time: Duration) {
        let _ = timeout(time, Self::until_gone(stream)).await;
    }

    async fn head(&mut self, stream: &mut TcpStream, limits: &HttpLimits) -> Result<Head, Unread> {
        loop {
            // Some clients end a body with an empty line that is not part of it.
            while self.unused.starts_with(b"\r\n") {
                self.unused.drain(..2);
            }
            match Head::parse(&self.unused, limits) {
                Ok(Some((head, end))) => {
                    self.unused.drain(..end);
                    return Ok(head);
                }
                Ok(None) => self.read(stream).await?,
                Err(malformed) => return Err(Unread::Malformed(malformed, None)),
            }
        }
    }

    async fn body(&mut self, stream: &mut TcpStream, head: &Head, limits: &HttpLimits) -> Result<Vec<u8>, Unread> {
        let malformed = |malformed| Unread::Malformed(malformed, None);
        let framing = head.framing().map_err(malformed)?;
        let mut incoming = Incoming::new(framing, limits.body).map_err(malformed)?;
        if head.expects_continue() && !incoming.is_done() {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        loop {
            let taken = incoming.push(&self.unused).map_err(malformed)?;
            self.unused.drain(..taken);
            if incoming.is_done() {
                return Ok(incoming.into_bytes());
            }
            self.read(stream).await?;
        }
    }

    async fn fill(&mut self, stream: &mut TcpStream, time: Duration) -> Result<(), Unread> {
        timeout(time, self.read(stream)).await.map_err(|_| Unread::Gone)?
    }

    async fn read(&mut self, stream: &mut TcpStream) -> Result<(), Unread> {
        let start = self.unused.len();
        self.unused.resize(start + READ, 0);
        let count = stream.read(&mut self.unused[start..]).await;
        self.unused.truncate(start + *count.as_ref().unwrap_or(&0));
        if count? == 0 { Err(Unread::Gone) } else { Ok(()) }
    }
}
