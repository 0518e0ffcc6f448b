//! The client, and where it calls.

use genai::Client;
use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);

/// A client for one address. Connections are kept and used again.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) client: Client,
    /// Ends with a slash.
    pub(super) address: String,
}

impl Line {
    pub(super) fn new(address: &str) -> Result<Self, String> {
        // Whoever was first has chosen; it is ring, too, wherever we choose.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirected request would carry the key, or the prompt, to whoever is named.
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .user_agent(concat!("tribunal/", env!("CARGO_PKG_VERSION")));
        if address.starts_with("http://") {
            // Without TLS the system's certificates need not be there.
            builder = builder.tls_certs_only([]);
        }
        if is_loopback(address) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| format!("cannot set up TLS: {}", chain(&error)))?;
        let client = Client::builder().with_reqwest(client).build().map_err(|error| error.to_string())?;
        Ok(Self { client, address: address.to_owned() })
    }
}

/// An error with everything that caused it, as one line: the first one alone says little.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let mut said: Vec<String> = Vec::new();
    for words in causes.map(ToString::to_string) {
        if said.last().is_none_or(|last| !last.contains(&words)) {
            said.push(words);
        }
    }
    said.join(": ")
}

/// Whether an address is that of this machine: no proxy can know it.
fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_recognised() {
        for (address, expected) in [
            ("http://127.0.0.1:8080/v1/", true),
            ("http://localhost/v1/", true),
            ("http://[::1]:9/", true),
            ("https://api.openai.com/v1/", false),
            ("http://127.0.0.1.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(address), expected, "{address}");
        }
    }
}
