//! Who reads a stream over a socket, or does not.

use anyhow::{Context, Result, bail};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tribunal_kernel::Seq;

use super::served::Served;
use super::stream::{Stream, Told};
use super::writer::nanos;

const BUFFER: usize = 16 * 1024;
/// What a socket takes that nobody reads: as little as the system allows.
const STALLED_BUFFER: u32 = 1024;

/// Reads a stream.
#[derive(Debug)]
pub(super) struct Reader {
    socket: TcpStream,
    stream: Stream,
    received: Received,
    /// The last entry that came.
    last: u64,
    expected: u32,
}

/// When each event came, in nanoseconds, in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub(super) moments: Vec<u64>,
    /// Frames that were not the next one.
    pub(super) faults: u64,
}

/// Takes the headers, and nothing more as long as it lives.
#[derive(Debug)]
pub(super) struct Stalled {
    _socket: TcpStream,
}

impl Reader {
    pub(super) async fn connect(server: &Served, path: &str, expected: u32) -> Result<Self> {
        let mut socket = TcpStream::connect(server.address).await?;
        socket.write_all(server.request(path, "Accept: text/event-stream\r\n").as_bytes()).await?;
        let received = Received { moments: Vec::with_capacity(expected as usize), faults: 0 };
        Ok(Self { socket, stream: Stream::default(), received, last: 0, expected })
    }

    /// Reads what was in the log before.
    pub(super) async fn until(&mut self, seq: Seq) -> Result<()> {
        let mut buffer = vec![0; BUFFER];
        while self.last < seq.0 {
            self.read(&mut buffer, |_| None).await?;
        }
        Ok(())
    }

    /// Reads everything that is written.
    pub(super) async fn all(mut self, epoch: Instant) -> Result<Received> {
        let mut buffer = vec![0; BUFFER];
        while self.received.moments.len() < self.expected as usize {
            self.read(&mut buffer, |told| told.text.map(|_| nanos(epoch))).await?;
        }
        Ok(self.received)
    }

    async fn read(&mut self, buffer: &mut [u8], mut moment: impl FnMut(Told) -> Option<u64>) -> Result<()> {
        let read = self.socket.read(buffer).await.context("cannot read the stream")?;
        if read == 0 {
            bail!("the server hung up after entry {}", self.last);
        }
        let Self { stream, received, last, .. } = self;
        stream.push(&buffer[..read], |told| {
            received.faults += u64::from(told.seq != *last + 1);
            *last = told.seq;
            received.moments.extend(moment(told));
        })
    }
}

impl Stalled {
    pub(super) async fn connect(server: &Served, path: &str) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BUFFER)?;
        let mut socket = socket.connect(server.address).await?;
        socket.write_all(server.request(path, "Accept: text/event-stream\r\n").as_bytes()).await?;
        let mut first = [0; 12];
        socket.read_exact(&mut first).await?;
        if first != *b"HTTP/1.1 200" {
            bail!("the server answered {}", String::from_utf8_lossy(&first));
        }
        Ok(Self { _socket: socket })
    }
}
