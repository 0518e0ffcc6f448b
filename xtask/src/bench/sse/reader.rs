//! Who reads a stream over a socket, or does not.

use anyhow::{Context, Result, bail};
use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tribunal_kernel::Seq;

use super::stream::Stream;
use super::writer::nanos;
use crate::announced::Announced;
use crate::bench::served::Served;

const BUFFER: usize = 16 * 1024;
/// What a socket takes that nobody reads: as little as the system allows.
const STALLED_BUFFER: u32 = 1024;

/// Reads a stream. If it ends, it comes back and says what it has seen, as browsers do.
#[derive(Debug)]
pub(super) struct Reader {
    asking: Asking,
    socket: TcpStream,
    stream: Stream,
    received: Received,
    /// The last entry that came.
    last: u64,
    expected: u32,
}

/// Whom to ask for what.
#[derive(Debug, Clone)]
pub(super) struct Asking {
    address: SocketAddr,
    /// Up to the last header.
    request: String,
}

/// When each event came, in nanoseconds, in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub(super) moments: Vec<u64>,
    /// Frames that were not the next one.
    pub(super) faults: u64,
    /// How often the server ended the stream because this reader was too far behind.
    pub(super) returns: u64,
}

/// Takes the headers, and nothing more as long as it lives.
#[derive(Debug)]
pub(super) struct Stalled {
    _socket: TcpStream,
}

impl Asking {
    pub(super) fn new(server: &Served, path: &str) -> Self {
        let Announced { address, token, .. } = &**server;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n"
        );
        Self { address: *address, request }
    }

    async fn send(&self, mut socket: TcpStream, after: u64) -> Result<TcpStream> {
        let last = if after == 0 { String::new() } else { format!("Last-Event-ID: {after}\r\n") };
        socket.write_all(format!("{}{last}\r\n", self.request).as_bytes()).await?;
        Ok(socket)
    }
}

impl Reader {
    pub(super) async fn connect(asking: Asking, expected: u32) -> Result<Self> {
        let socket = asking.send(TcpStream::connect(asking.address).await?, 0).await?;
        let received = Received { moments: Vec::with_capacity(expected as usize), ..Received::default() };
        Ok(Self { asking, socket, stream: Stream::default(), received, last: 0, expected })
    }

    /// Reads what was in the log before.
    pub(super) async fn until(&mut self, seq: Seq) -> Result<()> {
        let mut buffer = vec![0; BUFFER];
        while self.last < seq.0 {
            self.read(&mut buffer).await?;
        }
        Ok(())
    }

    /// Reads everything that is written, or what comes until `stopped` is closed.
    pub(super) async fn all(mut self, epoch: Instant, mut stopped: watch::Receiver<()>) -> Result<Received> {
        let (mut buffer, before) = (vec![0; BUFFER], self.last);
        let end = before + u64::from(self.expected);
        while self.last < end {
            tokio::select! {
                read = self.read(&mut buffer) => read?,
                _ = stopped.changed() => break,
            }
            // All that came in one piece was understood now.
            self.received.moments.resize(usize::try_from(self.last - before)?, nanos(epoch));
        }
        Ok(self.received)
    }

    async fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        let read = self.socket.read(buffer).await.context("cannot read the stream")?;
        let Self { stream, received, last, .. } = self;
        stream.push(&buffer[..read], |seq| {
            received.faults += u64::from(seq != *last + 1);
            *last = seq.max(*last);
        })?;
        if read == 0 || stream.is_over() {
            self.received.returns += 1;
            self.socket = self.asking.send(TcpStream::connect(self.asking.address).await?, self.last).await?;
            self.stream = Stream::default();
        }
        Ok(())
    }
}

impl Stalled {
    pub(super) async fn connect(asking: Asking) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BUFFER)?;
        let mut socket = asking.send(socket.connect(asking.address).await?, 0).await?;
        let mut first = [0; 12];
        socket.read_exact(&mut first).await?;
        if first != *b"HTTP/1.1 200" {
            bail!("the server answered {}", String::from_utf8_lossy(&first));
        }
        Ok(Self { _socket: socket })
    }
}
