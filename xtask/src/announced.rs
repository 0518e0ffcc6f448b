//! What `tribunal serve --json` says when it answers: where, and by which key.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;

#[derive(Debug)]
pub(crate) struct Announced {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) project: String,
}

#[derive(Deserialize)]
struct Line {
    address: String,
    token: String,
    project: String,
}

impl Announced {
    /// Waits for the line on a server's stdout.
    pub(crate) fn read(stdout: impl Read) -> Result<Self> {
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let Line { address, token, project } =
            serde_json::from_str(&line).with_context(|| format!("`tribunal serve` said {line:?}"))?;
        Ok(Self { address: address.trim_start_matches("http://").parse()?, token, project })
    }

    /// A request as it goes over the wire.
    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        let Self { address, token, .. } = self;
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{headers}\r\n")
    }

    /// The same for one that changes something.
    pub(crate) fn post(&self, path: &str, body: &Value) -> String {
        let Self { address, token, .. } = self;
        let body = body.to_string();
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// The address of something of its project.
    pub(crate) fn in_project(&self, path: &str) -> String {
        format!("/api/projects/{}{path}", self.project)
    }
}
