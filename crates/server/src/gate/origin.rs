//! Hosts and origins that are ours. A page of somebody else must not reach us through a name that it points here, nor
//! send us anything.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tribunal_app::vote::VOTE_PATH;

use super::ticket::PREVIEW_PATH;
use crate::api::problem::Refused;
use crate::server::Desk;

/// What may have sent a request, by what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visitor {
    /// Our own page alone.
    Page,
    /// Somebody who was sent a link that votes.
    Link,
    /// The frame that a draft is shown in.
    Frame,
}

impl Visitor {
    fn of(method: &Method, path: &str) -> Self {
        let leads_to = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
        match *method {
            Method::GET | Method::HEAD if leads_to(VOTE_PATH) => Self::Link,
            Method::GET | Method::HEAD if leads_to(PREVIEW_PATH) => Self::Frame,
            _ => Self::Page,
        }
    }
}

/// By which names we are called.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    bound: SocketAddr,
    /// Names that were given when we were started, for those who come through a proxy or a network.
    others: Vec<String>,
}

impl Names {
    pub(crate) fn new(bound: SocketAddr, others: Vec<String>) -> Self {
        Self { bound, others }
    }

    /// Whether a `Host` header means us. An address cannot be pointed elsewhere, but a name can: only known names count.
    pub(crate) fn are_meant(&self, host: &str) -> bool {
        let (name, port) = split(host);
        if self.others.iter().any(|other| other == host || other == name) {
            return true;
        }
        if port != Some(self.bound.port()) && !(port.is_none() && self.bound.port() == 80) {
            return false;
        }
        match name.parse::<IpAddr>() {
            Ok(address) if self.bound.ip().is_loopback() => address.is_loopback(),
            Ok(_) => true,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    /// Whether a request comes from our own page, or from no page at all.
    ///
    /// A link in somebody's mail comes from another page, too; opening it (`Visitor::Link`) shows something and changes nothing.
    ///
    /// A frame that may do nothing counts as another page as well (`Visitor::Frame`): its pictures are asked for by
    /// nobody's origin, and with a ticket.
    fn admit(&self, headers: &HeaderMap, visitor: Visitor) -> Result<(), &'static str> {
        let text = |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or("?"));
        let host = text(header::HOST).ok_or("there is no Host header")?;
        if headers.get_all(header::HOST).iter().count() > 1 || !self.are_meant(host) {
            return Err("the Host header does not match this server");
        }
        let own = |origin: &str| origin.strip_prefix("http://").or(origin.strip_prefix("https://")) == Some(host);
        let is_known = |origin: &str| own(origin) || (origin == "null" && visitor == Visitor::Frame);
        if text(header::ORIGIN).is_some_and(|origin| !is_known(origin)) {
            return Err("the request comes from another page");
        }
        match text(header::HeaderName::from_static("sec-fetch-site")) {
            Some("cross-site" | "same-site") if visitor == Visitor::Page => Err("the request comes from another page"),
            _ => Ok(()),
        }
    }
}

/// The name and the port of `HOST:PORT`.
fn split(host: &str) -> (&str, Option<u16>) {
    if let Some(rest) = host.strip_prefix('[') {
        let (name, rest) = rest.split_once(']').unwrap_or((rest, ""));
        return (name, rest.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match host.rsplit_once(':') {
        Some((name, port)) => (name, port.parse().ok()),
        None => (host, None),
    }
}

pub(crate) async fn check(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let visitor = Visitor::of(request.method(), request.uri().path());
    match desk.names.admit(request.headers(), visitor) {
        Ok(()) => next.run(request).await,
        Err(why) => Refused::new(StatusCode::FORBIDDEN, "foreign", why)
            .hint("use the address that `tribunal serve` printed; `--host NAME` allows another name")
            .into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_count() {
        let loopback = Names::new("127.0.0.1:4747".parse().unwrap(), vec!["stage.example".into()]);
        for (host, is_ours) in [
            ("127.0.0.1:4747", true),
            ("localhost:4747", true),
            ("LOCALHOST:4747", true),
            ("[::1]:4747", true),
            ("127.0.0.1:4748", false),
            ("127.0.0.1", false),
            ("evil.example:4747", false),
            ("127.0.0.1.evil.example:4747", false),
            ("localhost.evil.example:4747", false),
            ("10.0.0.1:4747", false),
            ("stage.example", true),
            ("stage.example:443", true),
            ("", false),
            ("[::1", false),
        ] {
            assert_eq!(loopback.are_meant(host), is_ours, "{host}");
        }
        let open = Names::new("0.0.0.0:4747".parse().unwrap(), vec![]);
        assert!(open.are_meant("10.0.0.1:4747"));
        assert!(!open.are_meant("evil.example:4747"));
    }

    #[test]
    fn a_request_of_another_page_is_refused() {
        let names = Names::new("127.0.0.1:4747".parse().unwrap(), vec![]);
        let admitted = |headers: &[(&str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(header::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
            }
            names.admit(&map, Visitor::Page).is_ok()
        };
        let host = ("host", "127.0.0.1:4747");
        assert!(admitted(&[host]));
        assert!(admitted(&[host, ("origin", "http://127.0.0.1:4747"), ("sec-fetch-site", "same-origin")]));
        assert!(admitted(&[host, ("sec-fetch-site", "none")]));
        assert!(!admitted(&[]));
        assert!(!admitted(&[host, host]));
        assert!(!admitted(&[host, ("origin", "http://evil.example")]));
        assert!(!admitted(&[host, ("origin", "http://127.0.0.1:9999")]));
        assert!(!admitted(&[host, ("origin", "null")]), "a sandboxed frame");
        assert!(!admitted(&[host, ("sec-fetch-site", "cross-site")]));
        let frame = |headers: &[(&'static str, &'static str)]| {
            let headers = headers.iter().map(|(name, value)| {
                (header::HeaderName::from_static(name), axum::http::HeaderValue::from_static(value))
            });
            names.admit(&headers.collect(), Visitor::Frame).is_ok()
        };
        assert!(frame(&[host, ("origin", "null"), ("sec-fetch-site", "cross-site")]), "a font of a draft");
        assert!(!frame(&[host, ("origin", "http://evil.example"), ("sec-fetch-site", "cross-site")]));
        assert!(!frame(&[("host", "evil.example:4747"), ("origin", "null")]));
        let opened = |host: &str| {
            let headers = [("host", host), ("sec-fetch-site", "cross-site")].map(|(name, value)| {
                (header::HeaderName::try_from(name).unwrap(), value.parse::<axum::http::HeaderValue>().unwrap())
            });
            names.admit(&headers.into_iter().collect(), Visitor::Link).is_ok()
        };
        assert!(opened("127.0.0.1:4747"), "a link in a mail");
        assert!(!opened("evil.example:4747"), "but not to a name that is not ours");
    }
}
