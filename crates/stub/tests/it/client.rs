//! A tiny client: writes bytes, reads a response, and believes nothing.

use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tribunal_stub::Stub;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Without the framing of chunks.
    pub(crate) body: Vec<u8>,
    /// Whether it ended where it said it would.
    pub(crate) is_whole: bool,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The data of server-sent events, with their names.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        assert!(self.header("content-type").unwrap().starts_with("text/event-stream"));
        let text = self.text().replace("\r\n", "\n");
        let field = |event: &str, name: &str| {
            event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        let events = text.split("\n\n").filter(|event| !event.is_empty());
        events
            .map(|event| (field(event, "event:"), serde_json::from_str(&field(event, "data:")).unwrap_or_default()))
            .collect()
    }
}

pub(crate) struct Connection(TcpStream);

impl Connection {
    pub(crate) async fn to(stub: &Stub) -> Self {
        Self(TcpStream::connect(("127.0.0.1", stub.port())).await.unwrap())
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Got {
        self.write(request(path, body)).await;
        self.read().await
    }

    /// Reads one response; what breaks it off is told by `is_whole`.
    pub(crate) async fn read(&mut self) -> Got {
        timeout(PATIENCE, self.response()).await.expect("an answer, or the end of the connection")
    }

    /// Everything up to the end of the connection.
    pub(crate) async fn read_to_end(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        let _ = timeout(PATIENCE, self.0.read_to_end(&mut all)).await.expect("the end of the connection");
        all
    }

    async fn response(&mut self) -> Got {
        let mut got = Got::default();
        let Some(line) = self.line().await else { return got };
        got.status = line.split(' ').nth(1).unwrap().parse().unwrap();
        loop {
            let Some(line) = self.line().await else { return got };
            let Some((name, value)) = line.split_once(": ") else { break };
            got.headers.push((name.to_owned(), value.to_owned()));
        }
        if let Some(length) = got.header("content-length") {
            let length = length.parse().unwrap();
            got.is_whole = self.take(length, &mut got.body).await;
        } else if got.header("transfer-encoding") == Some("chunked") {
            loop {
                let Some(line) = self.line().await else { return got };
                let size = usize::from_str_radix(&line, 16).unwrap();
                if !self.take(size, &mut got.body).await || self.line().await != Some(String::new()) {
                    return got;
                }
                if size == 0 {
                    got.is_whole = true;
                    return got;
                }
            }
        } else if got.status != 100 {
            let _ = self.0.read_to_end(&mut got.body).await;
        }
        got
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.0.read_u8().await.ok()?);
        }
        line.truncate(line.len() - 2);
        Some(String::from_utf8(line).unwrap())
    }

    /// So many bytes, or as many as come.
    async fn take(&mut self, count: usize, into: &mut Vec<u8>) -> bool {
        let wanted = into.len() + count;
        let _ = (&mut self.0).take(count as u64).read_to_end(into).await;
        into.len() == wanted
    }
}

/// A request as clients write it.
pub(crate) fn request(path: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer \
         secret-1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) async fn post(stub: &Stub, path: &str, body: &Value) -> Got {
    Connection::to(stub).await.post(path, body).await
}

pub(crate) async fn get(stub: &Stub, path: &str) -> Got {
    let mut connection = Connection::to(stub).await;
    connection.write(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
    connection.read().await
}
