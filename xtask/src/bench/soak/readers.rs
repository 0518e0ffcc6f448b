//! Readers of event streams, as browsers are: they come, read for a while, go, and come back where they were.

use anyhow::{Context, Result, bail};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::bench::served::Served;

/// What a reader is told when a run is over.
const OVER: &str = "event: critique.run_closed";
/// How long a run may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// An event stream that is open.
struct Stream {
    lines: Lines<BufReader<TcpStream>>,
    /// The last place that it told.
    place: Option<String>,
}

impl Stream {
    async fn open(server: &Served, query: &str, after: Option<&str>) -> Result<Self> {
        let mut socket = TcpStream::connect(server.address).await?;
        let (path, token) = (server.in_project(&format!("/events{query}")), &server.token);
        let last = after.map(|place| format!("Last-Event-ID: {place}\r\n")).unwrap_or_default();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n{last}\r\n",
            server.address
        );
        socket.write_all(request.as_bytes()).await?;
        let mut lines = BufReader::new(socket).lines();
        let status = lines.next_line().await?.unwrap_or_default();
        if !status.starts_with("HTTP/1.1 200 ") {
            bail!("{path}: the server answered {status:?}");
        }
        Ok(Self { lines, place: after.map(str::to_owned) })
    }

    /// The next line. Nothing: the server ended the stream.
    async fn next(&mut self) -> Result<Option<String>> {
        let line = self.lines.next_line().await.context("cannot read the stream")?;
        if let Some(place) = line.as_deref().and_then(|line| line.strip_prefix("id: ")) {
            self.place = Some(place.to_owned());
        }
        Ok(line)
    }
}

/// Reads a run's stream until it says that the run is over.
pub(super) async fn until_over(server: &Served, run: &str) -> Result<()> {
    let query = format!("?run={run}");
    let reading = async {
        let mut stream = Stream::open(server, &query, None).await?;
        loop {
            match stream.next().await? {
                Some(line) if line.starts_with(OVER) => return Ok(()),
                Some(_) => {}
                None => {
                    let place = stream.place.take();
                    stream = Stream::open(server, &query, place.as_deref()).await?;
                }
            }
        }
    };
    timeout(PATIENCE, reading).await.with_context(|| format!("run {run} is not over"))?
}

/// Reads the stream of all runs for a while. Gives the last place that it told.
pub(super) async fn all_runs(server: &Served, after: Option<String>, stay: Duration) -> Result<Option<String>> {
    let until = Instant::now() + stay;
    let mut stream = Stream::open(server, "", after.as_deref()).await?;
    while let Ok(line) = timeout_at(until, stream.next()).await {
        if line?.is_none() {
            break;
        }
    }
    Ok(stream.place)
}
