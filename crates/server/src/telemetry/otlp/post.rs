//! One batch, until it is taken or given up.

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value as Json;
use std::net::IpAddr;
use std::time::Duration;

use super::{MAX_ATTEMPTS, MAX_BACKOFF, OtlpError, Pace};
use crate::telemetry::span::TraceSpan;

/// What is read of a collector's answer, which is a few words.
const MAX_ANSWER: usize = 64 << 10;

/// The way to a collector.
#[derive(Debug)]
pub(super) struct Post {
    client: Client,
    address: Url,
    pace: Pace,
}

/// How one attempt ended.
enum Attempt {
    /// Taken, but for so many spans.
    Taken(u64),
    /// It may be taken later.
    Later {
        why: String,
        wait: Option<Duration>,
    },
    Refused(String),
}

impl Post {
    pub(super) fn new(endpoint: &str, pace: Pace) -> Result<Self, OtlpError> {
        let refuse = |why: String| OtlpError::Endpoint { endpoint: endpoint.to_owned(), why };
        let mut address = Url::parse(endpoint).map_err(|error| refuse(error.to_string()))?;
        if !matches!(address.scheme(), "http" | "https") {
            return Err(refuse(format!("`{}` is not supported; use `http` or `https`", address.scheme())));
        }
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().extend(["v1", "traces"]);
        }
        // Whoever was first has chosen; it is ring, too, wherever we choose.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(pace.timeout)
            .user_agent(concat!("tribunal/", env!("CARGO_PKG_VERSION")));
        if address.scheme() == "http" {
            // Without TLS the system's certificates need not be there.
            builder = builder.tls_certs_only([]);
        }
        if is_loopback(&address) {
            // No proxy can know this machine.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| OtlpError::Client(error.to_string()))?;
        Ok(Self { client, address, pace })
    }

    /// Sends a batch, again and again where that can help. Gives how many spans of it the collector did not want.
    pub(super) async fn deliver(&self, spans: &[TraceSpan]) -> Result<u64, String> {
        let body = super::body(spans);
        let mut backoff = self.pace.backoff;
        for attempt in 1.. {
            let (why, wait) = match self.attempt(body.clone()).await {
                Attempt::Taken(rejected) => return Ok(rejected),
                Attempt::Refused(why) => return Err(why),
                Attempt::Later { why, wait } => (why, wait.unwrap_or(backoff)),
            };
            if attempt == MAX_ATTEMPTS {
                return Err(format!("{why}, {MAX_ATTEMPTS} times"));
            }
            tokio::time::sleep(wait.min(MAX_BACKOFF)).await;
            backoff = (backoff * 2).min(MAX_BACKOFF);
        }
        unreachable!("the last attempt returns")
    }

    async fn attempt(&self, body: String) -> Attempt {
        let request = self.client.post(self.address.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let response = match request.send().await {
            Ok(response) => response,
            // The address may have a password in it.
            Err(error) => return Attempt::Later { why: error.without_url().to_string(), wait: None },
        };
        let status = response.status();
        if status.is_success() {
            return Attempt::Taken(rejected(response).await);
        }
        let why = format!("the collector answered {status}");
        // Those that the protocol calls worth another try.
        match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Attempt::Later { why, wait: wait(&response) },
            _ => Attempt::Refused(why),
        }
    }
}

/// What the collector asks us to wait, where it says so in seconds.
fn wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// How many spans a collector took no part of: `{"partialSuccess": {"rejectedSpans": "2"}}`. An answer that cannot be
/// read says nothing.
async fn rejected(mut response: Response) -> u64 {
    let mut answer = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        if answer.len() + piece.len() > MAX_ANSWER {
            return 0;
        }
        answer.extend_from_slice(&piece);
    }
    let answer: Json = serde_json::from_slice(&answer).unwrap_or_default();
    let count = &answer["partialSuccess"]["rejectedSpans"];
    count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or_default()
}

fn is_loopback(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
