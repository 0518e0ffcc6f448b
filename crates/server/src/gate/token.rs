//! The key. Whoever has it may read and change everything; whoever has not sees an empty page.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

use super::session::{self, HALF, now};
use crate::api::problem::Refused;
use crate::server::Desk;

/// The parameter that brings the key with the first visit.
const PARAMETER: &str = "token=";
/// A key that is shorter could be guessed.
const SHORTEST: usize = 24;

/// A random key.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token must have at least {SHORTEST} letters, digits, `-` or `_`")]
pub struct Weak;

impl Token {
    /// A new one: 244 random bits.
    pub fn random() -> Self {
        Self(format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()))
    }

    /// The key that somebody chose.
    pub fn new(text: &str) -> Result<Self, Weak> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if is_plain && text.len() >= SHORTEST { Ok(Self(text.to_owned())) } else { Err(Weak) }
    }

    /// The key as it is signed with, and printed once.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `given` is the key. Takes as long for a wrong one as for a nearly right one.
    fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let difference = own.iter().zip(given).fold(0, |difference, (own, given)| difference | (own ^ given));
        difference == 0 && own.len() == given.len()
    }

    /// Whether a request that names itself a bearer has the key. Nothing: it does not name itself one.
    fn is_borne(&self, headers: &HeaderMap) -> Option<bool> {
        let bearer = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
        Some(bearer.strip_prefix("Bearer ").is_some_and(|given| self.is(given)))
    }
}

/// A key is not shown by accident.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Lets nobody without the key, or a session that began with it, read or change data.
pub(crate) async fn check(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    let half = session::take_half(&mut request);
    match desk.token.is_borne(request.headers()) {
        Some(true) => return next.run(request).await,
        Some(false) => {}
        None => {
            let admitted = desk.sessions.admit(request.headers(), half.as_deref(), now());
            if let Some(session) = admitted {
                let mut response = next.run(request).await;
                if let Some(cookie) = session.renewed.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
                    response.headers_mut().append(header::SET_COOKIE, cookie);
                }
                return response;
            }
        }
    }
    let mut response = Refused::new(StatusCode::UNAUTHORIZED, "token", "the token is missing or wrong")
        .hint("open the address that `tribunal serve` printed, or send `Authorization: Bearer TOKEN`")
        .into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Changes the key in an address for a session: a cookie that no script can read, and the page's half in the address,
/// which the page takes out of it.
pub(crate) async fn trade(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let Some((clean, given)) = traded(request.uri()) else { return next.run(request).await };
    if !desk.token.is(&given) {
        return next.run(request).await; // the page will say that it may not read
    }
    let (cookie, half) = desk.sessions.begin(now());
    let joint = if clean.contains('?') { '&' } else { '?' };
    let mut response = Redirect::to(&format!("{clean}{joint}{HALF}={half}")).into_response();
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// The address without the key, and the key.
fn traded(uri: &Uri) -> Option<(String, String)> {
    let parts: Vec<&str> = uri.query()?.split('&').collect();
    let token = parts.iter().find_map(|part| part.strip_prefix(PARAMETER))?.to_owned();
    let rest: Vec<&str> = parts.into_iter().filter(|part| !part.starts_with(PARAMETER)).collect();
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    // A path that begins with two slashes would be somebody else's address.
    Some((format!("/{}{query}", uri.path().trim_start_matches('/')), token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_where_it_may_be() {
        let token = Token::new("abcdefghijklmnopqrstuvwxyz").unwrap();
        let has = |name: &str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HeaderName::try_from(name).unwrap(), value.parse().unwrap());
            token.is_borne(&headers)
        };
        assert_eq!(has("authorization", "Bearer abcdefghijklmnopqrstuvwxyz"), Some(true));
        assert_eq!(has("authorization", "Bearer abcdefghijklmnopqrstuvwxy"), Some(false));
        assert_eq!(has("authorization", "abcdefghijklmnopqrstuvwxyz"), Some(false));
        assert_eq!(has("cookie", "tribunal_1=abcdefghijklmnopqrstuvwxyz"), None, "the key is no cookie");
        assert_eq!(has("x-token", "abcdefghijklmnopqrstuvwxyz"), None);
    }

    #[test]
    fn keys_are_long_and_random() {
        assert_ne!(Token::random(), Token::random());
        assert!(Token::new(Token::random().as_str()).is_ok());
        for weak in ["", "short", "with space with space with space", "ü".repeat(30).as_str()] {
            assert_eq!(Token::new(weak), Err(Weak), "{weak}");
        }
    }

    #[test]
    fn the_key_leaves_the_address() {
        let traded = |uri: &str| traded(&uri.parse().unwrap());
        assert_eq!(traded("/?token=abc"), Some(("/".into(), "abc".into())));
        assert_eq!(traded("/runs/1?a=b&token=abc&c=d"), Some(("/runs/1?a=b&c=d".into(), "abc".into())));
        assert_eq!(traded("//evil.example/?token=abc"), Some(("/evil.example/".into(), "abc".into())));
        assert_eq!(traded("/runs/1?a=b"), None);
    }
}
